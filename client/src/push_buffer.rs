//! Push buffers: the words that a driver writes, the buffers that they use, and their submission.

use std::ffi::{c_int, c_void};

use crate::abi::{self, BufferReference, List};
use crate::buffer::{self, Buffer};
use crate::generation::Generation;
use crate::protocol::words;

/// Words that a driver's `kick_notify` has at least, whatever it reserved before its first submission.
const LEAST_RESERVE: usize = 64;

/// A push buffer, with the structure that the driver sees first.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct PushBuffer {
    abi: abi::PushBuffer,
    /// The channel, whether or not kicks are immediate.
    channel: *mut abi::Object,
    /// The place of the words, and the words themselves, which only this library reads.
    place: *mut Buffer,
    words: Box<[u32]>,
    /// The number of the first word that no push has yet.
    begin: usize,
    references: Vec<Reference>,
    pushes: Vec<Push>,
    /// The contexts whose references the submission has, linked by their heads.
    contexts: List,
    is_flushing: bool,
}

/// A buffer of a submission.
#[derive(Debug)]
struct Reference {
    buffer: *mut Buffer,
    /// Flags of all its uses.
    flags: u32,
}

/// Words that the chip executes.
#[derive(Debug)]
struct Push {
    handle: u32,
    offset: u32,
    words: Vec<u8>,
}

impl PushBuffer {
    /// How many words the driver has written.
    fn written(&self) -> usize {
        // SAFETY: the driver moves `current` within the words.
        let words = unsafe { self.abi.current.offset_from(self.words.as_ptr()) };
        usize::try_from(words).expect("the driver writes forward")
    }

    /// Starts at the first word again.
    fn rewind(&mut self) {
        let reserve = Generation::most_suffix_words() + (self.abi.reserved_words as usize).max(LEAST_RESERVE);
        self.begin = 0;
        self.abi.current = self.words.as_mut_ptr();
        // SAFETY: the buffer is longer than its reserve.
        self.abi.end = unsafe { self.abi.current.add(self.words.len() - reserve) };
    }

    fn write(&mut self, word: u32) {
        let place = self.written();
        self.words[place] = word;
        // SAFETY: the place was inside.
        self.abi.current = unsafe { self.abi.current.add(1) };
    }

    /// Ends the words so far and makes them a push.
    fn end_words(&mut self) {
        if self.written() == self.begin {
            return;
        }
        // SAFETY: the push buffer holds a reference to its place.
        let suffix = unsafe { &*self.place }.device().generation.suffix;
        suffix.iter().for_each(|word| self.write(*word));
        let (begin, end) = (self.begin, self.written());
        let (place, flags) = (self.place, self.abi.flags);
        // SAFETY: both exist.
        unsafe { Self::add_reference(self, place, flags) };
        // SAFETY: the push buffer holds a reference to its place.
        let handle = unsafe { (*place).abi.handle };
        let offset = u32::try_from(begin * 4).expect("push buffers are small");
        self.pushes.push(Push { handle, offset, words: words(&self.words[begin..end]) });
        self.begin = end;
    }

    /// Adds a buffer to the submission, or a use of one that it has.
    ///
    /// # Safety
    /// Push buffer and buffer exist.
    unsafe fn add_reference(push: *mut Self, buffer: *mut Buffer, flags: u32) {
        // SAFETY: the caller's promise; a push buffer leaves the field before it is deleted.
        unsafe {
            // Commands of another push buffer come first, and commands that need the buffer where it lies.
            if let Some((user, _)) = (*buffer).user
                && (user != push || !(*buffer).lies_in(flags))
            {
                Self::flush(user);
            }
            if !(*buffer).lies_in(flags) {
                (*buffer).change_place();
            }
            match (*buffer).user {
                Some((_, number)) => (&mut (*push).references)[number].flags |= flags,
                None => {
                    (*buffer).user = Some((push, (*push).references.len()));
                    (*buffer).retain();
                    (*push).references.push(Reference { buffer, flags });
                }
            }
        }
    }

    /// Sends the submission.
    ///
    /// # Safety
    /// The push buffer exists.
    unsafe fn flush(push: *mut Self) {
        // SAFETY: the caller's promise. The driver's function gets the pointer while no reference to it exists.
        unsafe {
            if std::mem::replace(&mut (*push).is_flushing, true) {
                return;
            }
            if let Some(notify) = (*push).abi.kick_notify {
                notify(push.cast());
            }
            (*push).end_words();
            (*push).submit();
            while let Some(head) = List::first(&raw mut (*push).contexts) {
                let context =
                    head.byte_sub(std::mem::offset_of!(abi::BufferContext, head)).cast::<abi::BufferContext>();
                List::move_all(&raw mut (*context).current, &raw mut (*context).pending);
                List::unlink(head);
            }
            (*push).rewind();
            (*push).is_flushing = false;
        }
    }

    /// Sends the pushes and drops the references.
    fn submit(&mut self) {
        let references = std::mem::take(&mut self.references);
        let pushes = std::mem::take(&mut self.pushes);
        if !pushes.is_empty() {
            let count = |length: usize| u32::try_from(length).expect("submissions are small");
            let mut message = words(&[count(references.len()), 0, count(pushes.len())]);
            for Reference { buffer, flags } in &references {
                // SAFETY: the reference keeps the buffer.
                let buffer = unsafe { &**buffer };
                let domain = buffer.domain();
                let used = |access: u32| if flags & access != 0 { domain } else { 0 };
                #[expect(clippy::cast_possible_truncation, reason = "captures hold the low half of addresses")]
                let offset = buffer.abi.offset as u32;
                message.extend(words(&[
                    buffer.abi.handle,
                    used(abi::BO_READ),
                    used(abi::BO_WRITE),
                    domain,
                    domain,
                    offset,
                ]));
            }
            for Push { handle, offset, words: bytes } in &pushes {
                message.extend(words(&[*handle, *offset, count(bytes.len()), 0]));
                message.extend_from_slice(bytes);
            }
            // SAFETY: the push buffer holds a reference to its place.
            unsafe { &*self.place }.device().state().submit(&message);
        }
        for Reference { buffer, flags } in references {
            // SAFETY: the reference keeps the buffer until here.
            unsafe {
                (*buffer).user = None;
                (*buffer).uses |= flags & (abi::BO_READ | abi::BO_WRITE);
                buffer::release(buffer);
            }
        }
    }

    /// Makes space for this many words; returns whether that took a submission.
    ///
    /// # Safety
    /// The push buffer exists.
    unsafe fn make_space(push: *mut Self, words: usize) -> Result<bool, c_int> {
        // SAFETY: the caller's promise; `end` and `current` point into the same words.
        unsafe {
            let fits = |push: *mut Self| (*push).abi.current.wrapping_add(words) < (*push).abi.end;
            if fits(push) {
                return Ok(false);
            }
            Self::flush(push);
            if fits(push) { Ok(true) } else { Err(libc::ENOMEM) }
        }
    }

    /// Adds the pending references of the context, and writes the addresses that they ask for.
    ///
    /// # Safety
    /// The push buffer exists.
    unsafe fn validate(push: *mut Self) -> Result<(), c_int> {
        // SAFETY: the caller's promise; the references in the lists of a context exist.
        unsafe {
            let context = (*push).abi.context;
            if context.is_null() {
                return Self::make_space(push, 0).map(drop);
            }
            let relocations = usize::try_from((*context).relocations).unwrap_or(0);
            Self::make_space(push, 2 * relocations)?;
            List::unlink(&raw mut (*context).head);
            List::append(&raw mut (*push).contexts, &raw mut (*context).head);
            let pending = &raw mut (*context).pending;
            if List::any(pending, |link| {
                let reference = &*link.cast::<BufferReference>();
                let buffer = &*Buffer::of(reference.buffer.cast());
                buffer.user.is_some() && !buffer.lies_in(reference.flags)
            }) {
                Self::flush(push);
                List::append(&raw mut (*push).contexts, &raw mut (*context).head);
            }
            let mut link = (*pending).next;
            while link != pending {
                // The link is the first field.
                let reference = &*link.cast::<BufferReference>();
                link = (*link).next;
                let buffer = Buffer::of(reference.buffer.cast());
                Self::add_reference(push, buffer, reference.flags);
                if reference.packet != 0 {
                    (*push).write(reference.packet);
                    let BufferReference { data, flags, vram_or, gart_or, .. } = *reference;
                    (*push).write(relocated(&*buffer, data, flags, vram_or, gart_or));
                }
            }
            List::move_all(pending, &raw mut (*context).current);
            Ok(())
        }
    }

    /// Submits the words, and validates the context for the next ones.
    ///
    /// # Safety
    /// The push buffer exists.
    pub(crate) unsafe fn kick(push: *mut Self) {
        // SAFETY: the caller's promise.
        unsafe {
            Self::flush(push);
            let _no_space = Self::validate(push);
        }
    }
}

/// The word that a relocation writes.
const fn relocated(buffer: &Buffer, data: u32, flags: u32, vram_or: u32, gart_or: u32) -> u32 {
    let address = buffer.abi.offset + data as u64;
    let [low, high] = [(address & 0xffff_ffff) as u32, (address >> 32) as u32];
    let word = match flags & (abi::BO_LOW | abi::BO_HIGH) {
        0 => data,
        abi::BO_HIGH => high,
        _ => low,
    };
    let is_in_vram = buffer.abi.flags & abi::BO_VRAM != 0;
    match flags & abi::BO_OR {
        0 => word,
        _ if is_in_vram => word | vram_or,
        _ => word | gart_or,
    }
}

/// The result of a function of libdrm.
fn status(result: Result<(), c_int>) -> c_int {
    result.map_or_else(|error| -error, |()| 0)
}

/// Creates a push buffer.
///
/// # Safety
/// `client` and `channel` exist; `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_new(
    client: *mut c_void,
    channel: *mut c_void,
    _count: c_int,
    bytes: u32,
    is_immediate: bool,
    result: *mut *mut c_void,
) -> c_int {
    let channel = channel.cast::<abi::Object>();
    let client = client.cast::<abi::Client>();
    // SAFETY: the caller's promise.
    let (device, class) = unsafe { (crate::device::Device::of((*client).device), (*channel).class) };
    let length = bytes as usize / 4;
    if class != abi::CHANNEL_CLASS || length <= 2 * LEAST_RESERVE {
        return -libc::EINVAL;
    }
    let place = match Buffer::create(device, abi::BO_GART, 0, u64::from(bytes), None) {
        Ok(place) => place,
        Err(error) => return -error,
    };
    let abi = abi::PushBuffer {
        client,
        channel: if is_immediate { channel } else { std::ptr::null_mut() },
        context: std::ptr::null_mut(),
        kick_notify: None,
        user: std::ptr::null_mut(),
        reserved_words: 0,
        flags: abi::BO_READ | abi::BO_GART,
        current: std::ptr::null_mut(),
        end: std::ptr::null_mut(),
    };
    let push = Box::into_raw(Box::new(PushBuffer {
        abi,
        channel,
        place,
        words: vec![0; length].into(),
        begin: 0,
        references: Vec::new(),
        pushes: Vec::new(),
        contexts: List { previous: std::ptr::null_mut(), next: std::ptr::null_mut() },
        is_flushing: false,
    }));
    // SAFETY: the push buffer was just made; `result` by the caller's promise.
    unsafe {
        List::init(&raw mut (*push).contexts);
        (*push).rewind();
        result.write(push.cast());
    }
    0
}

/// Deletes a push buffer; what was not submitted is lost.
///
/// # Safety
/// `*push` comes from [`nouveau_pushbuf_new`], or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_del(push: *mut *mut c_void) {
    // SAFETY: the caller's promise.
    let push = unsafe { std::ptr::replace(push, std::ptr::null_mut()) }.cast::<PushBuffer>();
    if push.is_null() {
        return;
    }
    // SAFETY: it was a box of this type; its references keep their buffers.
    unsafe {
        while let Some(head) = List::first(&raw mut (*push).contexts) {
            List::unlink(head);
        }
        (*push).pushes.clear();
        (*push).submit();
        buffer::release((*push).place);
        drop(Box::from_raw(push));
    }
}

/// Makes space for words; relocations and pushes need none.
///
/// # Safety
/// `push` exists.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_space(push: *mut c_void, words: u32, _: u32, _: u32) -> c_int {
    // SAFETY: the caller's promise.
    status(unsafe {
        PushBuffer::make_space(push.cast(), words as usize)
            .and_then(|is_submitted| if is_submitted { PushBuffer::validate(push.cast()) } else { Ok(()) })
    })
}

/// Makes words in another buffer a push.
///
/// # Safety
/// `push` exists; `buffer` exists or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_data(push: *mut c_void, buffer: *mut c_void, offset: u64, bytes: u64) {
    // SAFETY: the caller's promise.
    let push = unsafe { &mut *push.cast::<PushBuffer>() };
    push.end_words();
    // The driver keeps the upper bits for flags.
    let bytes = usize::try_from(bytes & 0x7f_fffc).expect("it has 23 bits");
    let buffer = Buffer::of(buffer);
    // SAFETY: the caller's promise.
    unsafe {
        if buffer.is_null() || offset.checked_add(bytes as u64).is_none_or(|end| end > (*buffer).abi.size) {
            return;
        }
        // A packet may need the words although the program never accessed them.
        if buffer::map(&mut *buffer).is_err() {
            return;
        }
        let Ok(offset) = u32::try_from(offset) else { return };
        let first = (*buffer).abi.map.cast::<u8>().add(offset as usize);
        let words = std::slice::from_raw_parts(first, bytes).to_vec();
        push.pushes.push(Push { handle: (*buffer).abi.handle, offset, words });
    }
}

/// Adds buffers to the submission.
///
/// # Safety
/// `push` exists; `references` are that many, of buffers that exist.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_refn(push: *mut c_void, references: *mut c_void, count: c_int) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller's promise.
    unsafe {
        let push = push.cast::<PushBuffer>();
        for reference in std::slice::from_raw_parts(references.cast::<abi::PushReference>(), count) {
            PushBuffer::add_reference(push, Buffer::of(reference.buffer.cast()), reference.flags);
        }
    }
    0
}

/// Writes an address.
///
/// # Safety
/// `push` and `buffer` exist, and there is space.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_reloc(
    push: *mut c_void,
    buffer: *mut c_void,
    data: u32,
    flags: u32,
    vram_or: u32,
    gart_or: u32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let word = relocated(&*Buffer::of(buffer), data, flags, vram_or, gart_or);
        (*push.cast::<PushBuffer>()).write(word);
    }
}

/// Adds the pending references of the context.
///
/// # Safety
/// `push` exists.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_validate(push: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    status(unsafe { PushBuffer::validate(push.cast()) })
}

/// How the words that are not submitted yet use a buffer.
///
/// # Safety
/// `push` and `buffer` exist.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_refd(push: *mut c_void, buffer: *mut c_void) -> u32 {
    let push = push.cast::<PushBuffer>();
    // SAFETY: the caller's promise.
    unsafe {
        match (*Buffer::of(buffer)).user {
            Some((user, number)) if user == push => {
                (&(*push).references)[number].flags & (abi::BO_READ | abi::BO_WRITE)
            }
            _ => 0,
        }
    }
}

/// Submits the words.
///
/// # Safety
/// `push` exists, and `channel` is its channel.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_kick(push: *mut c_void, channel: *mut c_void) -> c_int {
    let push = push.cast::<PushBuffer>();
    // SAFETY: the caller's promise.
    unsafe {
        if (*push).channel != channel.cast() {
            return -libc::EINVAL;
        }
        PushBuffer::kick(push);
    }
    0
}

/// Replaces the context, and returns the one before.
///
/// # Safety
/// `push` exists; `context` exists or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_bufctx(push: *mut c_void, context: *mut c_void) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::replace(&raw mut (*push.cast::<PushBuffer>()).abi.context, context.cast()).cast() }
}
