//! A client of the device: what the kernel would keep for an open device node, with at most one channel.

use std::collections::HashMap;
use std::ffi::c_char;
use std::os::fd::{BorrowedFd, IntoRawFd as _, OwnedFd};

use rustix::io::Errno;

use crate::address_space::{Addresses, PAGE_BYTES};
use crate::buffer::{Buffer, mapped_at};
use crate::connection::Connection;
use crate::generation::{self, Generation};
use crate::protocol::{self, Imported, Machine, words};
use crate::uapi::{self, GART, Request, VRAM, nvif};
use crate::{clock, identity};

/// Bytes of the buffer for the notifiers of a channel.
const NOTIFIER_BUFFER_BYTES: u32 = 4096;
/// Notifiers start at multiples of this.
const NOTIFIER_ALIGNMENT: u32 = 32;
/// The number of the channel.
const CHANNEL: u32 = 0;

/// The class of a device.
const DEVICE_CLASS: i32 = 0x80;
/// PCI Express, as the platform of a device and as a parameter.
const PLATFORM: (u8, u64) = (3, 2);

/// Version 1.3.1 of the kernel's driver, which its interface is of since Linux 4.3.
const VERSION: [i32; 3] = [1, 3, 1];
/// The capability to share buffers, with import and export.
const PRIME: (u64, u64) = (5, 3);

/// What stands behind an open device node.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) connection: Connection,
    pub(crate) machine: Machine,
    pub(crate) generation: &'static Generation,
    pub(crate) addresses: Addresses,
    /// Buffers by handle.
    pub(crate) buffers: HashMap<u32, Buffer>,
    last_handle: u32,
    channel: Option<Channel>,
    /// Whether the channel was freed.
    is_ending: bool,
    /// The number of the next submission.
    pub(crate) sequence: u32,
    /// The number of the next frame, and whether the next submission begins it.
    pub(crate) frame: u32,
    pub(crate) begins_frame: bool,
}

/// A channel.
#[derive(Debug)]
pub(crate) struct Channel {
    /// The handle of the buffer for notifiers.
    notifiers: u32,
    /// Bytes of it in use.
    notifier_bytes: u32,
}

/// Answers a request that needs no client; `None` if it needs one.
///
/// # Safety
/// As for [`Request::argument`].
pub(crate) unsafe fn answer_without_client(request: &Request) -> Option<Result<(), Errno>> {
    match request.number {
        // SAFETY: the caller's promise.
        uapi::VERSION => Some(unsafe { request.argument() }.map(|version| unsafe { answer_version(version) })),
        // SAFETY: the caller's promise.
        uapi::GET_CAP => Some(unsafe { request.argument() }.map(|asked: &mut uapi::GetCap| {
            asked.value = if asked.capability == PRIME.0 { PRIME.1 } else { 0 };
        })),
        _ => None,
    }
}

/// Says the name and version of the driver.
///
/// # Safety
/// Each pointer is null or has as much space as its length says.
unsafe fn answer_version(version: &mut uapi::Version) {
    [version.major, version.minor, version.patch] = VERSION;
    let texts: [(&mut usize, *mut c_char, &[u8]); 3] = [
        (&mut version.name_length, version.name, b"nouveau"),
        (&mut version.date_length, version.date, b"20120801"),
        (&mut version.description_length, version.description, b"curie"),
    ];
    for (length, space, text) in texts {
        if !space.is_null() {
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), space, text.len().min(*length)) };
        }
        *length = text.len();
    }
}

/// Whether a request begins the use of the device. Others on a node without client are not for this device: a driver may free
/// its last objects through any descriptor.
///
/// # Safety
/// As for [`Request::argument`].
pub(crate) unsafe fn begins(request: &Request) -> bool {
    match request.number {
        // SAFETY: the caller's promise.
        uapi::NVIF => unsafe { request.argument::<uapi::NvifHead>() }.is_ok_and(|head| head.kind != nvif::DEL),
        uapi::GETPARAM | uapi::CHANNEL_ALLOC | uapi::GEM_NEW | uapi::PRIME_FD_TO_HANDLE => true,
        _ => false,
    }
}

impl Client {
    /// Connects to the emulator; fails with what is to be told.
    pub(crate) fn open() -> Result<Self, String> {
        let (connection, machine) = Connection::open()?;
        Self::new(connection, machine)
    }

    pub(crate) fn new(connection: Connection, machine: Machine) -> Result<Self, String> {
        let generation = Generation::of(machine.chipset)
            .ok_or_else(|| format!("the client library knows no driver for chipset {:#x}", machine.chipset))?;
        let addresses = Addresses::new(generation.has_virtual_addresses, machine.vram_bytes, machine.gart_bytes);
        Ok(Self {
            connection,
            machine,
            generation,
            addresses,
            buffers: HashMap::new(),
            last_handle: 0,
            channel: None,
            is_ending: false,
            sequence: 0,
            frame: 0,
            begins_frame: true,
        })
    }

    /// Whether the program has freed all that it made.
    pub(crate) fn has_ended(&self) -> bool {
        self.is_ending && self.channel.is_none() && self.buffers.is_empty()
    }

    /// Answers a request; `None` if it is unknown.
    ///
    /// # Safety
    /// As for [`Request::argument`]; pointers in arguments are valid for their counts.
    pub(crate) unsafe fn answer(&mut self, request: &Request) -> Option<Result<(), Errno>> {
        macro_rules! with {
            ($method:ident) => {
                // SAFETY: the caller's promise.
                unsafe { request.argument() }.and_then(|argument| self.$method(argument))
            };
        }
        Some(match request.number {
            uapi::GETPARAM => with!(parameter),
            uapi::CHANNEL_ALLOC => with!(open_channel),
            uapi::CHANNEL_FREE => with!(free_channel),
            uapi::GROBJ_ALLOC => with!(add_object),
            uapi::NOTIFIEROBJ_ALLOC => with!(add_notifier),
            // The emulator keeps objects until the connection ends.
            uapi::GPUOBJ_FREE | uapi::GEM_CPU_FINI => Ok(()),
            // SAFETY: the caller's promise.
            uapi::NVIF => unsafe { self.nvif(request) },
            uapi::GEM_NEW => with!(create_buffer),
            uapi::GEM_CLOSE => with!(close_buffer),
            uapi::GEM_INFO => with!(describe_buffer),
            uapi::GEM_CPU_PREP => with!(prepare_buffer),
            uapi::PRIME_HANDLE_TO_FD => with!(export_buffer),
            uapi::PRIME_FD_TO_HANDLE => with!(import_buffer),
            // SAFETY: the caller's promise.
            uapi::GEM_PUSHBUF => unsafe { request.argument().and_then(|argument| self.submit(argument)) },
            _ => return None,
        })
    }

    /// Says a parameter of the device.
    fn parameter(&mut self, asked: &mut uapi::GetParam) -> Result<(), Errno> {
        let Machine { chipset, vram_bytes, gart_bytes } = self.machine;
        asked.value = match asked.parameter {
            3 => u64::from(identity::VENDOR),
            4 => u64::from(generation::pci_device(chipset)),
            5 => PLATFORM.1,
            8 => vram_bytes,
            9 => gart_bytes,
            11 => u64::from(chipset),
            // The base of video memory in virtual memory, of old interfaces.
            12 => 0,
            13 => generation::graph_units(chipset).ok_or(Errno::INVAL)?,
            14 => clock::nanoseconds(),
            // Buffers say how they are tiled; pages flip.
            15 | 16 => 1,
            _ => return Err(Errno::INVAL),
        };
        Ok(())
    }

    /// Opens the channel, with the buffer for its notifiers.
    fn open_channel(&mut self, asked: &mut uapi::ChannelAlloc) -> Result<(), Errno> {
        if self.channel.is_some() {
            return Err(Errno::BUSY);
        }
        let notifiers = self.new_buffer(GART, u64::from(NOTIFIER_BUFFER_BYTES), 0, [0; 2])?;
        // The chip writes fences and results of queries there without being named a buffer.
        self.buffer(notifiers)?.is_accessed = true;
        asked.channel = CHANNEL.cast_signed();
        asked.push_places = GART;
        asked.notifiers = notifiers;
        asked.subchannel_count = 0;
        self.channel = Some(Channel { notifiers, notifier_bytes: 0 });
        let message = words(&[asked.vram_handle, asked.gart_handle, notifiers, 0]);
        self.connection.send(protocol::CHANNEL, &message);
        Ok(())
    }

    /// The channel with a number.
    pub(crate) fn channel(&mut self, number: u32) -> Result<&mut Channel, Errno> {
        self.channel.as_mut().filter(|_| number == CHANNEL).ok_or(Errno::NOENT)
    }

    /// Frees the channel, and the buffer for its notifiers.
    fn free_channel(&mut self, asked: &mut uapi::ChannelFree) -> Result<(), Errno> {
        let notifiers = self.channel(asked.channel.cast_unsigned())?.notifiers;
        self.channel = None;
        self.is_ending = true;
        // The program may have closed its handle.
        let _closed = self.destroy_buffer(notifiers);
        Ok(())
    }

    fn add_object(&mut self, asked: &mut uapi::GrobjAlloc) -> Result<(), Errno> {
        self.channel(asked.channel.cast_unsigned())?;
        self.connection.send(protocol::OBJECT, &words(&[asked.handle, asked.class]));
        Ok(())
    }

    fn add_notifier(&mut self, asked: &mut uapi::NotifierobjAlloc) -> Result<(), Errno> {
        let channel = self.channel(asked.channel)?;
        let bytes = asked.bytes.checked_next_multiple_of(NOTIFIER_ALIGNMENT).ok_or(Errno::NOMEM)?;
        if bytes > NOTIFIER_BUFFER_BYTES - channel.notifier_bytes {
            return Err(Errno::NOMEM);
        }
        asked.offset = channel.notifier_bytes;
        channel.notifier_bytes += bytes;
        let message = words(&[asked.handle, asked.offset, asked.bytes, channel.notifiers]);
        self.connection.send(protocol::NOTIFIER, &message);
        Ok(())
    }

    /// Answers a request about an object of the device or the channel.
    ///
    /// # Safety
    /// As for [`Request::argument`].
    unsafe fn nvif(&mut self, request: &Request) -> Result<(), Errno> {
        // SAFETY: the caller's promise; each reference ends before the next one begins.
        unsafe {
            match request.argument::<uapi::NvifHead>()?.kind {
                nvif::NOP | nvif::DEL => Ok(()),
                // The emulator says what it does not know when it meets it.
                nvif::SCLASS => {
                    request.argument::<uapi::NvifSclass>()?.count = 0;
                    Ok(())
                }
                nvif::NEW => {
                    let new = *request.argument::<uapi::NvifNew>()?;
                    if new.head.route != nvif::CHANNEL {
                        return if new.class == DEVICE_CLASS { Ok(()) } else { Err(Errno::INVAL) };
                    }
                    let channel = i32::try_from(new.head.token).map_err(|_| Errno::NOENT)?;
                    let class = new.class.cast_unsigned();
                    self.add_object(&mut uapi::GrobjAlloc { channel, handle: new.handle, class })
                }
                nvif::METHOD => {
                    if request.argument::<uapi::NvifMethod>()?.method != nvif::DEVICE_INFO {
                        return Err(Errno::INVAL);
                    }
                    self.describe_device(request.argument()?);
                    Ok(())
                }
                _ => Err(Errno::INVAL),
            }
        }
    }

    fn describe_device(&self, info: &mut uapi::NvifDeviceInfo) {
        let chipset = self.machine.chipset;
        let name = format!("NV{chipset:02X}");
        info.platform = PLATFORM.0;
        info.chipset = u16::try_from(chipset).unwrap_or(u16::MAX);
        info.revision = identity::REVISION;
        info.family = self.generation.family;
        info.memory_bytes = self.machine.vram_bytes;
        info.user_memory_bytes = self.machine.vram_bytes;
        (info.chip, info.name) = ([0; 16], [0; 64]);
        for (space, byte) in info.chip.iter_mut().zip(name.bytes()) {
            *space = byte;
        }
        for (space, byte) in info.name.iter_mut().zip(name.bytes()) {
            *space = byte;
        }
    }

    /// The buffer with a handle.
    pub(crate) fn buffer(&mut self, handle: u32) -> Result<&mut Buffer, Errno> {
        self.buffers.get_mut(&handle).ok_or(Errno::NOENT)
    }

    fn new_buffer(&mut self, place: u32, bytes: u64, alignment: u32, tiling: [u32; 2]) -> Result<u32, Errno> {
        let bytes = bytes.max(1).checked_next_multiple_of(PAGE_BYTES).ok_or(Errno::NOMEM)?;
        let alignment = u64::from(alignment).checked_next_power_of_two().ok_or(Errno::INVAL)?;
        let address = self.addresses.allocate(place, bytes, alignment).ok_or(Errno::NOMEM)?;
        self.last_handle += 1;
        let handle = self.last_handle;
        let buffer = Buffer::new(handle, place, bytes, address, tiling);
        self.connection.send(protocol::CREATE_BUFFER, &buffer.location(self.generation));
        self.buffers.insert(handle, buffer);
        Ok(handle)
    }

    /// Creates a buffer in video memory if it may lie there and fits.
    fn create_buffer(&mut self, asked: &mut uapi::GemNew) -> Result<(), Errno> {
        let uapi::GemInfo { places, bytes, tile_mode, tile_flags, .. } = asked.info;
        let places = [VRAM, GART].into_iter().filter(|place| places & place != 0);
        let mut created = Err(Errno::INVAL);
        for place in places {
            created = self.new_buffer(place, bytes, asked.alignment, [tile_flags, tile_mode]);
            if created != Err(Errno::NOMEM) {
                break;
            }
        }
        let handle = created?;
        asked.info = self.buffer(handle)?.info();
        Ok(())
    }

    fn close_buffer(&mut self, asked: &mut uapi::GemClose) -> Result<(), Errno> {
        if self.channel.as_ref().is_some_and(|channel| channel.notifiers == asked.handle) {
            // The channel needs it.
            return Ok(());
        }
        self.destroy_buffer(asked.handle).ok_or(Errno::INVAL)
    }

    fn destroy_buffer(&mut self, handle: u32) -> Option<()> {
        let Buffer { place, address, bytes, .. } = self.buffers.remove(&handle)?;
        self.connection.send(protocol::DESTROY_BUFFER, &words(&[handle]));
        self.addresses.release(place, address, bytes);
        Some(())
    }

    fn describe_buffer(&mut self, asked: &mut uapi::GemInfo) -> Result<(), Errno> {
        *asked = self.buffer(asked.handle)?.info();
        Ok(())
    }

    fn prepare_buffer(&mut self, asked: &mut uapi::CpuPrep) -> Result<(), Errno> {
        let buffer = self.buffers.get_mut(&asked.handle).ok_or(Errno::NOENT)?;
        buffer.prepare(&self.connection, asked.flags);
        Ok(())
    }

    /// Gives out a descriptor by which others know a buffer.
    fn export_buffer(&mut self, asked: &mut uapi::Prime) -> Result<(), Errno> {
        let buffer = self.buffers.get_mut(&asked.handle).ok_or(Errno::NOENT)?;
        asked.descriptor = buffer.export(&self.connection)?.into_raw_fd();
        Ok(())
    }

    /// Finds the own buffer that a descriptor names, or makes a copy of another program's.
    fn import_buffer(&mut self, asked: &mut uapi::Prime) -> Result<(), Errno> {
        if asked.descriptor < 0 {
            return Err(Errno::BADF);
        }
        // SAFETY: a descriptor that is not open is an error of the calls that use it.
        let descriptor = unsafe { BorrowedFd::borrow_raw(asked.descriptor) };
        let found = self.buffers.values().find(|buffer| buffer.is_known_by(descriptor)).map(|buffer| buffer.handle);
        asked.handle = match found {
            Some(handle) => handle,
            None => self.copy_buffer(descriptor)?,
        };
        Ok(())
    }

    /// Makes a copy of the buffer that another program has exported as the file of a descriptor.
    fn copy_buffer(&mut self, descriptor: BorrowedFd<'_>) -> Result<u32, Errno> {
        let file = descriptor.try_clone_to_owned().map_err(|_| Errno::BADF)?;
        let next = words(&[self.last_handle + 1]);
        let answer = self.connection.request_shared(protocol::IMPORT, &next, descriptor, protocol::IMPORTED);
        let Imported { place, tile_flags, tile_mode, bytes } = Imported::decode(&answer).ok_or(Errno::INVAL)?;
        let tiling = [tile_flags, tile_mode];
        let created = self.new_buffer(place, bytes, 0, tiling);
        let handle =
            created.or_else(|_| self.new_buffer(place ^ (VRAM | GART), bytes, 0, tiling)).inspect_err(|_| {
                // The emulator takes the next buffer with this handle for the copy.
                self.last_handle += 1;
            })?;
        self.buffer(handle)?.set_imported(file);
        Ok(handle)
    }

    /// The file to map in place of the device node at an offset.
    pub(crate) fn map(&mut self, offset: u64, bytes: usize) -> Result<OwnedFd, Errno> {
        let handle = mapped_at(offset).ok_or(Errno::INVAL)?;
        let buffer = self.buffers.get_mut(&handle).ok_or(Errno::INVAL)?;
        if bytes as u64 > buffer.bytes {
            return Err(Errno::INVAL);
        }
        buffer.map(&self.connection)
    }
}
