//! Submissions: buffers move to where the chip needs them, words get their addresses, and the emulator executes them.

use rustix::io::Errno;

use crate::buffer::Buffer;
use crate::client::Client;
use crate::marks;
use crate::protocol::{self, words};
use crate::uapi::{self, GART, Presumed, Push, Pushbuf, Relocation, UsedBuffer, VRAM};

/// The bits of a push's size; those above are flags.
const PUSH_BYTES: u64 = (1 << 23) - 1;

impl Client {
    /// Submits words, and says how much memory there is.
    ///
    /// # Safety
    /// The pointers of the argument are valid for their counts, and nothing else uses what they point to.
    pub(crate) unsafe fn submit(&mut self, asked: &mut Pushbuf) -> Result<(), Errno> {
        self.channel(asked.channel)?;
        // SAFETY: the caller's promise.
        let (buffers, relocations, pushes) = unsafe {
            (
                list::<UsedBuffer>(asked.buffers, asked.buffer_count, uapi::MAX_BUFFERS)?,
                list::<Relocation>(asked.relocations, asked.relocation_count, uapi::MAX_RELOCATIONS)?,
                list::<Push>(asked.pushes, asked.push_count, uapi::MAX_PUSHES)?,
            )
        };
        if !pushes.is_empty() {
            self.submit_lists(buffers, relocations, pushes)?;
        }
        asked.suffix = self.generation.suffix;
        asked.vram_available = self.machine.vram_bytes;
        asked.gart_available = self.machine.gart_bytes;
        Ok(())
    }

    fn submit_lists(
        &mut self,
        buffers: &mut [UsedBuffer],
        relocations: &[Relocation],
        pushes: &[Push],
    ) -> Result<(), Errno> {
        for used in &mut *buffers {
            self.place(used)?;
        }
        for relocation in relocations {
            self.relocate(buffers, relocation)?;
        }
        let message = self.message(buffers, pushes)?;
        // A submission ends with words of the driver's own buffer. The message holds them, so the chip does not read it.
        let words_buffer = pushes.last().map(|push| push.buffer as usize);
        for (number, used) in buffers.iter().enumerate() {
            if Some(number) == words_buffer && used.write_places == 0 {
                continue;
            }
            let buffer = self.buffers.get_mut(&used.handle).ok_or(Errno::NOENT)?;
            buffer.allow_access(&self.connection)?;
            buffer.uses.reads |= used.read_places != 0;
            buffer.uses.writes |= used.write_places != 0;
        }
        self.send_submission(&message);
        Ok(())
    }

    /// Moves a buffer to where the submission needs it, and corrects what the program presumes.
    fn place(&mut self, used: &mut UsedBuffer) -> Result<(), Errno> {
        let Self { buffers, addresses, connection, generation, .. } = self;
        let buffer = buffers.get_mut(&used.handle).ok_or(Errno::NOENT)?;
        let places = used.valid_places & (VRAM | GART);
        if places == 0 || (used.read_places | used.write_places) & !places != 0 {
            return Err(Errno::INVAL);
        }
        if places & buffer.place == 0 {
            let Buffer { place, address, bytes, .. } = *buffer;
            buffer.address = addresses.change_place(place, address, bytes).ok_or(Errno::NOMEM)?;
            buffer.place = place ^ (VRAM | GART);
            connection.send(protocol::MOVE_BUFFER, &buffer.location(generation));
        }
        let Presumed { place, address, .. } = used.presumed;
        // Virtual addresses stay.
        if !generation.has_virtual_addresses && (place & buffer.place == 0 || address != buffer.address) {
            used.presumed = Presumed { is_valid: 0, place: buffer.place, address: buffer.address };
        }
        Ok(())
    }

    /// Writes a word that depends on a buffer which is not where the program presumed it.
    fn relocate(&mut self, buffers: &[UsedBuffer], relocation: &Relocation) -> Result<(), Errno> {
        let used = |number: u32| buffers.get(number as usize).ok_or(Errno::INVAL);
        let target = used(relocation.buffer)?;
        if target.presumed.is_valid != 0 {
            return Ok(());
        }
        let container = self.buffer(used(relocation.container)?.handle)?;
        let offset = u64::from(relocation.offset);
        if offset + 4 > container.bytes {
            return Err(Errno::INVAL);
        }
        container.write(offset, relocated(relocation, &target.presumed))
    }

    /// The payload of the message, but for its number.
    fn message(&mut self, buffers: &[UsedBuffer], pushes: &[Push]) -> Result<Vec<u8>, Errno> {
        let count = |length: usize| u32::try_from(length).map_err(|_| Errno::INVAL);
        let mut message = words(&[count(buffers.len())?, 0, count(pushes.len())?]);
        for used in buffers {
            let Buffer { place, address, .. } = *self.buffer(used.handle)?;
            #[expect(clippy::cast_possible_truncation, reason = "captures hold the low half of addresses")]
            let address = address as u32;
            let UsedBuffer { handle, read_places, write_places, valid_places, .. } = *used;
            message.extend(words(&[handle, read_places, write_places, valid_places, place, address]));
        }
        for push in pushes {
            let used = buffers.get(push.buffer as usize).ok_or(Errno::INVAL)?;
            let buffer = self.buffers.get_mut(&used.handle).ok_or(Errno::NOENT)?;
            let bytes = push.bytes & PUSH_BYTES & !3;
            if push.offset.checked_add(bytes).is_none_or(|end| end > buffer.bytes) {
                return Err(Errno::INVAL);
            }
            let content =
                buffer.read(&self.connection, push.offset, usize::try_from(bytes).map_err(|_| Errno::INVAL)?)?;
            let offset = u32::try_from(push.offset).map_err(|_| Errno::INVAL)?;
            message.extend(words(&[used.handle, offset, count(content.len())?, 0]));
            message.extend(content);
        }
        Ok(message)
    }

    /// Sends a submission after the mark of the frame that it begins.
    fn send_submission(&mut self, rest: &[u8]) {
        if std::mem::take(&mut self.begins_frame) {
            self.connection.send(protocol::MARK, format!("frame {}", self.frame).as_bytes());
            self.frame = self.frame.wrapping_add(1);
        }
        if self.sequence == 0 {
            marks::note_work();
        }
        self.connection.send_time();
        let message = [&self.sequence.to_le_bytes()[..], rest].concat();
        self.sequence = self.sequence.wrapping_add(1);
        self.connection.send(protocol::SUBMIT, &message);
    }
}

/// The list at an address.
///
/// # Safety
/// The address is that of as many elements, and nothing else uses them.
unsafe fn list<'a, T: uapi::Argument>(address: u64, count: u32, most: u32) -> Result<&'a mut [T], Errno> {
    if count == 0 {
        return Ok(&mut []);
    }
    let first = std::ptr::with_exposed_provenance_mut::<T>(usize::try_from(address).map_err(|_| Errno::FAULT)?);
    if count > most {
        return Err(Errno::INVAL);
    }
    if first.is_null() || !first.is_aligned() {
        return Err(Errno::FAULT);
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(first, count as usize) })
}

/// The word that a relocation writes.
///
/// Source: Linux, `drivers/gpu/drm/nouveau/nouveau_gem.c`, `nouveau_gem_pushbuf_reloc_apply`.
fn relocated(relocation: &Relocation, target: &Presumed) -> u32 {
    let address = target.address.wrapping_add(u64::from(relocation.data));
    let has = |flag: u32| relocation.flags & flag != 0;
    #[expect(clippy::cast_possible_truncation, reason = "a word is half of an address")]
    let word = match (has(uapi::RELOCATION_LOW), has(uapi::RELOCATION_HIGH)) {
        (true, _) => address as u32,
        (false, true) => (address >> 32) as u32,
        (false, false) => relocation.data,
    };
    match (has(uapi::RELOCATION_OR), target.place == GART) {
        (false, _) => word,
        (true, true) => word | relocation.gart_or,
        (true, false) => word | relocation.vram_or,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _};
    use std::os::unix::net::UnixStream;

    use rustix::io::pwrite;

    use super::*;
    use crate::connection::Connection;
    use crate::protocol::{HEADER_BYTES, Machine, Tag, word};

    /// A client, and the emulator's end of its connection.
    fn client(chipset: u32) -> (Client, UnixStream) {
        let (own, other) = UnixStream::pair().expect("a pair of sockets");
        other.set_nonblocking(true).expect("a socket");
        let machine = Machine { chipset, vram_bytes: 0x8000, gart_bytes: 0x10_0000 };
        let mut client = Client::new(Connection::new(own).expect("a socket"), machine).expect("a known chip");
        let mut channel = [0_u64; 11];
        call(&mut client, uapi::CHANNEL_ALLOC, &mut channel).expect("a channel");
        (client, other)
    }

    /// A request with an argument.
    fn call<T>(client: &mut Client, number: u8, argument: &mut T) -> Result<(), Errno> {
        let word = std::ffi::c_ulong::from(b'd') << 8 | std::ffi::c_ulong::from(number);
        let bytes = std::ffi::c_ulong::try_from(size_of::<T>()).expect("arguments are small");
        let request = uapi::Request::new(word | bytes << 16, std::ptr::from_mut(argument).cast()).expect("of type 'd'");
        // SAFETY: the argument is as long as the word says, and what it points to is the test's.
        unsafe { client.answer(&request) }.expect("a known request")
    }

    fn buffer(client: &mut Client, places: u32, bytes: u64) -> Result<uapi::GemInfo, Errno> {
        let info = uapi::GemInfo { handle: 0, places, bytes, address: 0, map_offset: 0, tile_mode: 0, tile_flags: 0 };
        let mut new = uapi::GemNew { info, channel_hint: 0, alignment: 0 };
        call(client, uapi::GEM_NEW, &mut new).map(|()| new.info)
    }

    fn used(buffer: &uapi::GemInfo, read_places: u32, write_places: u32) -> UsedBuffer {
        let presumed = Presumed { is_valid: 1, place: buffer.places, address: buffer.address };
        let valid_places = read_places | write_places;
        UsedBuffer { user: 0, handle: buffer.handle, read_places, write_places, valid_places, presumed }
    }

    fn push(buffer: u32, offset: u64, bytes: u64) -> Push {
        // A flag of the chip's pusher lies above the size.
        Push { buffer, _pad: 0, offset, bytes: bytes | 1 << 23 }
    }

    fn submit(client: &mut Client, buffers: &mut [UsedBuffer], pushes: &[Push]) -> Result<(), Errno> {
        let count = |length: usize| u32::try_from(length).expect("lists are short");
        let mut asked = Pushbuf {
            channel: 0,
            buffer_count: count(buffers.len()),
            buffers: buffers.as_mut_ptr().expose_provenance() as u64,
            relocation_count: 0,
            push_count: count(pushes.len()),
            relocations: 0,
            pushes: pushes.as_ptr().expose_provenance() as u64,
            suffix: [0; 2],
            vram_available: 0,
            gart_available: 0,
        };
        call(client, uapi::GEM_PUSHBUF, &mut asked)
    }

    /// What the emulator has received.
    fn messages(socket: &mut UnixStream) -> Vec<(Tag, Vec<u8>)> {
        let mut bytes = Vec::new();
        let end = socket.read_to_end(&mut bytes).expect_err("the connection is open");
        assert_eq!(end.kind(), ErrorKind::WouldBlock);
        let mut rest = &bytes[..];
        let mut messages = Vec::new();
        while let Some((head, after)) = rest.split_first_chunk::<HEADER_BYTES>() {
            let (tag, size) = protocol::header(*head);
            let (payload, after) = after.split_at(size as usize);
            messages.push((tag, payload.to_vec()));
            rest = after;
        }
        messages
    }

    fn tags(messages: &[(Tag, Vec<u8>)]) -> Vec<&str> {
        messages.iter().map(|(tag, _)| std::str::from_utf8(tag).expect("letters")).collect()
    }

    #[test]
    fn words_are_sent_and_what_the_chip_reads_is_shared() {
        let (mut client, mut socket) = client(0x40);
        let words_buffer = buffer(&mut client, GART, 0x1000).expect("there is memory");
        let data = buffer(&mut client, GART, 0x1000).expect("there is memory");
        let files = [words_buffer, data].map(|buffer| client.map(buffer.map_offset, 0x1000).expect("a map"));
        pwrite(&files[0], &words(&[1, 2, 3, 4]), 0x20).expect("a file in memory");
        pwrite(&files[1], &words(&[5, 6]), 0).expect("a file in memory");
        assert_eq!(tags(&messages(&mut socket)), ["BONW", "CHAN", "BONW", "BONW"]);
        // Words of the data's buffer come first; the driver's own come last.
        let mut buffers = [used(&words_buffer, GART, 0), used(&data, GART, 0)];
        submit(&mut client, &mut buffers, &[push(1, 4, 4), push(0, 0x24, 8)]).expect("a submission");
        let sent = messages(&mut socket);
        assert_eq!(tags(&sent), ["SHAR", "MARK", "SUBM"]);
        assert_eq!((word(&sent[0].1, 0), &sent[1].1[..]), (Some(data.handle), &b"frame 0"[..]));
        let [own, other] =
            [words_buffer, data].map(|buffer| [buffer.handle, 4, 0, 4, 4, u32::try_from(buffer.address).expect("low")]);
        let pushes = [&[data.handle, 4, 4, 0, 6][..], &[words_buffer.handle, 0x24, 8, 0, 2, 3]].concat();
        let expected = [&[0, 2, 0, 2][..], &own, &other, &pushes].concat();
        assert_eq!(sent[2].1, words(&expected));
        // A buffer that is shared stays so, and frames begin when they are told to.
        submit(&mut client, &mut buffers, &[push(0, 0x20, 4)]).expect("a submission");
        assert_eq!(tags(&messages(&mut socket)), ["SUBM"]);
    }

    #[test]
    fn buffers_lie_where_there_is_space_and_move_where_they_are_needed() {
        let (mut client, mut socket) = client(0x40);
        let first = buffer(&mut client, VRAM, 0x6000).expect("there is memory");
        let second = buffer(&mut client, VRAM | GART, 0x4000).expect("there is memory");
        assert_eq!((first.places, second.places), (VRAM, GART));
        assert_eq!(buffer(&mut client, VRAM, 0x4000).err(), Some(Errno::NOMEM));
        assert_eq!(buffer(&mut client, 8, 0x4000).err(), Some(Errno::INVAL));
        messages(&mut socket);
        let own = buffer(&mut client, GART, 0x1000).expect("there is memory");
        let mut buffers = [used(&own, GART, 0), used(&first, 0, GART)];
        submit(&mut client, &mut buffers, &[push(0, 0, 4)]).expect("a submission");
        assert_eq!(tags(&messages(&mut socket)), ["BONW", "BOMV", "MARK", "SUBM"]);
        assert_eq!((buffers[0].presumed.is_valid, buffers[1].presumed.is_valid), (1, 0));
        let mut impossible = [used(&own, GART, 0), UsedBuffer { valid_places: VRAM, ..used(&second, GART, 0) }];
        assert_eq!(submit(&mut client, &mut impossible, &[push(0, 0, 4)]), Err(Errno::INVAL));
    }

    #[test]
    fn virtual_addresses_need_no_correction() {
        let (mut client, mut socket) = client(0x50);
        let own = buffer(&mut client, GART, 0x1000).expect("there is memory");
        let moving = buffer(&mut client, VRAM, 0x1000).expect("there is memory");
        let mut buffers = [used(&own, GART, 0), used(&moving, GART, 0)];
        submit(&mut client, &mut buffers, &[push(0, 0, 4)]).expect("a submission");
        assert!(tags(&messages(&mut socket)).contains(&"BOMV"));
        assert_eq!(buffers[1].presumed.is_valid, 1);
    }

    #[test]
    fn a_client_ends_with_its_channel_and_buffers() {
        let (mut client, _socket) = client(0x40);
        let kept = buffer(&mut client, GART, 0x1000).expect("there is memory");
        let mut free = [0_u32; 1];
        call(&mut client, uapi::CHANNEL_FREE, &mut free).expect("there is a channel");
        assert!(!client.has_ended());
        assert_eq!(submit(&mut client, &mut [], &[]), Err(Errno::NOENT));
        call(&mut client, uapi::GEM_CLOSE, &mut [kept.handle, 0]).expect("there is a buffer");
        assert!(client.has_ended());
    }

    #[test]
    fn a_relocation_takes_half_an_address_or_bits_of_a_place() {
        let target = |place| Presumed { is_valid: 0, place, address: 0x1_ffff_f000 };
        let relocation = |flags, data| Relocation {
            container: 0,
            offset: 0,
            buffer: 0,
            flags,
            data,
            vram_or: 0x100,
            gart_or: 0x200,
        };
        assert_eq!(relocated(&relocation(1, 0x1004), &target(VRAM)), 4);
        assert_eq!(relocated(&relocation(2, 0x1004), &target(VRAM)), 2);
        assert_eq!(relocated(&relocation(4, 7), &target(VRAM)), 0x107);
        assert_eq!(relocated(&relocation(4, 7), &target(GART)), 0x207);
        assert_eq!(relocated(&relocation(5, 0x1004), &target(GART)), 0x204);
        assert_eq!(relocated(&relocation(0, 7), &target(GART)), 7);
    }
}
