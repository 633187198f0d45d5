//! The kernel's interface: numbers of requests, and their arguments.
//!
//! Sources: Linux, `include/uapi/drm/drm.h` and `nouveau_drm.h`; `drivers/gpu/drm/nouveau/include/nvif/ioctl.h` and `cl0080.h`.
//! The layouts are the same for programs of 32 bits, but for [`Version`].

use std::ffi::{c_char, c_int, c_ulong, c_void};

use rustix::io::Errno;

/// The type of requests to graphics devices.
const TYPE: u8 = b'd';

pub(crate) const VERSION: u8 = 0x00;
pub(crate) const GEM_CLOSE: u8 = 0x09;
pub(crate) const GET_CAP: u8 = 0x0c;
pub(crate) const PRIME_HANDLE_TO_FD: u8 = 0x2d;
pub(crate) const PRIME_FD_TO_HANDLE: u8 = 0x2e;
pub(crate) const GETPARAM: u8 = 0x40;
pub(crate) const CHANNEL_ALLOC: u8 = 0x42;
pub(crate) const CHANNEL_FREE: u8 = 0x43;
pub(crate) const GROBJ_ALLOC: u8 = 0x44;
pub(crate) const NOTIFIEROBJ_ALLOC: u8 = 0x45;
pub(crate) const GPUOBJ_FREE: u8 = 0x46;
pub(crate) const NVIF: u8 = 0x47;
pub(crate) const GEM_NEW: u8 = 0x80;
pub(crate) const GEM_PUSHBUF: u8 = 0x81;
pub(crate) const GEM_CPU_PREP: u8 = 0x82;
pub(crate) const GEM_CPU_FINI: u8 = 0x83;
pub(crate) const GEM_INFO: u8 = 0x84;

/// The place of a buffer in video memory, as a flag.
pub(crate) const VRAM: u32 = 1 << 1;
/// The place of a buffer in the window into system memory, as a flag.
pub(crate) const GART: u32 = 1 << 2;

/// Flag of [`Relocation`]: the low half of the address.
pub(crate) const RELOCATION_LOW: u32 = 1 << 0;
/// Flag of [`Relocation`]: the high half of the address.
pub(crate) const RELOCATION_HIGH: u32 = 1 << 1;
/// Flag of [`Relocation`]: bits that depend on the place.
pub(crate) const RELOCATION_OR: u32 = 1 << 2;

/// The most buffers of a submission.
pub(crate) const MAX_BUFFERS: u32 = 1024;
/// The most relocations of a submission.
pub(crate) const MAX_RELOCATIONS: u32 = 1024;
/// The most pushes of a submission.
pub(crate) const MAX_PUSHES: u32 = 512;

/// Flag of [`CpuPrep`]: the program will write.
pub(crate) const PREPARE_WRITE: u32 = 4;

/// Kinds of requests inside [`NVIF`].
pub(crate) mod nvif {
    pub(crate) const NOP: u8 = 0;
    pub(crate) const SCLASS: u8 = 1;
    pub(crate) const NEW: u8 = 2;
    pub(crate) const DEL: u8 = 3;
    pub(crate) const METHOD: u8 = 4;

    /// The route of requests to objects of a channel, whose number is the token.
    pub(crate) const CHANNEL: u8 = 0xff;
    /// The method of a device that describes it.
    pub(crate) const DEVICE_INFO: u8 = 0;
}

/// A request of a program to a graphics device.
#[derive(Debug)]
pub(crate) struct Request {
    /// Its number; direction and size are left out, as they differ from version to version.
    pub(crate) number: u8,
    /// Bytes of the argument.
    bytes: usize,
    argument: *mut c_void,
}

impl Request {
    /// Reads the word of an `ioctl`; `None` if it is for other devices.
    #[expect(clippy::cast_possible_truncation, reason = "the word has fields")]
    pub(crate) const fn new(word: c_ulong, argument: *mut c_void) -> Option<Self> {
        if (word >> 8) as u8 != TYPE {
            return None;
        }
        Some(Self { number: word as u8, bytes: (word >> 16) as usize & 0x3fff, argument })
    }

    /// The argument, which is `bytes` long.
    ///
    /// # Safety
    /// The program passes a pointer to as many bytes as the word of the request says, and nothing else uses them.
    pub(crate) unsafe fn argument<'a, T: Argument>(&self) -> Result<&'a mut T, Errno> {
        if self.bytes < size_of::<T>() || self.argument.is_null() {
            return Err(Errno::INVAL);
        }
        let argument = self.argument.cast::<T>();
        if argument.is_aligned() {
            // SAFETY: the caller's promise; arguments are plain numbers.
            Ok(unsafe { &mut *argument })
        } else {
            Err(Errno::FAULT)
        }
    }
}

/// A structure of plain numbers and pointers, in which any bytes are valid.
///
/// # Safety
/// That must be so.
pub(crate) unsafe trait Argument {}

macro_rules! arguments {
    ($($(#[$attribute:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
        }

        // SAFETY: all fields are plain numbers, pointers, or structures of such.
        unsafe impl Argument for $name {}
    )*};
}

arguments! {
    /// Of [`VERSION`]; the lengths say first how much space there is.
    Version {
        major: c_int,
        minor: c_int,
        patch: c_int,
        name_length: usize,
        name: *mut c_char,
        date_length: usize,
        date: *mut c_char,
        description_length: usize,
        description: *mut c_char,
    }

    /// Of [`GEM_CLOSE`].
    GemClose { handle: u32, _pad: u32, }

    /// Of [`GET_CAP`].
    GetCap { capability: u64, value: u64, }

    /// Of [`PRIME_HANDLE_TO_FD`] and [`PRIME_FD_TO_HANDLE`].
    Prime { handle: u32, flags: u32, descriptor: c_int, }

    /// Of [`GETPARAM`].
    GetParam { parameter: u64, value: u64, }

    /// Of [`CHANNEL_ALLOC`].
    ChannelAlloc {
        vram_handle: u32,
        gart_handle: u32,
        channel: i32,
        push_places: u32,
        notifiers: u32,
        subchannels: [[u32; 2]; 8],
        subchannel_count: u32,
    }

    /// Of [`CHANNEL_FREE`].
    ChannelFree { channel: i32, }

    /// Of [`GROBJ_ALLOC`].
    GrobjAlloc { channel: i32, handle: u32, class: u32, }

    /// Of [`NOTIFIEROBJ_ALLOC`].
    NotifierobjAlloc { channel: u32, handle: u32, bytes: u32, offset: u32, }

    /// The head of the argument of [`NVIF`].
    NvifHead { version: u8, kind: u8, _pad: [u8; 4], owner: u8, route: u8, token: u64, object: u64, }

    /// Of [`nvif::SCLASS`], without its list.
    NvifSclass { head: NvifHead, version: u8, count: u8, _pad: [u8; 6], }

    /// Of [`nvif::NEW`], without data for the class.
    NvifNew {
        head: NvifHead,
        version: u8,
        _pad: [u8; 6],
        route: u8,
        token: u64,
        object: u64,
        handle: u32,
        class: i32,
    }

    /// Of [`nvif::METHOD`], without data for the method.
    NvifMethod { head: NvifHead, version: u8, method: u8, _pad: [u8; 6], }

    /// Of [`nvif::DEVICE_INFO`].
    NvifDeviceInfo {
        method: NvifMethod,
        version: u8,
        platform: u8,
        chipset: u16,
        revision: u8,
        family: u8,
        _pad: [u8; 2],
        memory_bytes: u64,
        user_memory_bytes: u64,
        chip: [u8; 16],
        name: [u8; 64],
    }

    /// A buffer, of [`GEM_INFO`].
    GemInfo {
        handle: u32,
        places: u32,
        bytes: u64,
        address: u64,
        map_offset: u64,
        tile_mode: u32,
        tile_flags: u32,
    }

    /// Of [`GEM_NEW`].
    GemNew { info: GemInfo, channel_hint: u32, alignment: u32, }

    /// Of [`GEM_CPU_PREP`].
    CpuPrep { handle: u32, flags: u32, }

    /// Of [`GEM_PUSHBUF`].
    Pushbuf {
        channel: u32,
        buffer_count: u32,
        buffers: u64,
        relocation_count: u32,
        push_count: u32,
        relocations: u64,
        pushes: u64,
        suffix: [u32; 2],
        vram_available: u64,
        gart_available: u64,
    }

    /// Where the program presumes a buffer of a submission.
    Presumed { is_valid: u32, place: u32, address: u64, }

    /// A buffer of a submission.
    UsedBuffer {
        user: u64,
        handle: u32,
        read_places: u32,
        write_places: u32,
        valid_places: u32,
        presumed: Presumed,
    }

    /// A word of a submission that holds the address of a buffer, or depends on its place.
    Relocation {
        container: u32,
        offset: u32,
        buffer: u32,
        flags: u32,
        data: u32,
        vram_or: u32,
        gart_or: u32,
    }

    /// Words of a submission, in a buffer of it.
    Push { buffer: u32, _pad: u32, offset: u64, bytes: u64, }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn structures_have_the_sizes_of_the_kernel() {
        assert_eq!(size_of::<Version>(), if cfg!(target_pointer_width = "64") { 64 } else { 36 });
        let sizes = [
            (size_of::<GemClose>(), 8),
            (size_of::<GetCap>(), 16),
            (size_of::<Prime>(), 12),
            (size_of::<GetParam>(), 16),
            (size_of::<ChannelAlloc>(), 88),
            (size_of::<ChannelFree>(), 4),
            (size_of::<GrobjAlloc>(), 12),
            (size_of::<NotifierobjAlloc>(), 16),
            (size_of::<NvifHead>(), 24),
            (size_of::<NvifSclass>(), 32),
            (size_of::<NvifNew>(), 56),
            (size_of::<NvifMethod>(), 32),
            (size_of::<NvifDeviceInfo>(), 136),
            (size_of::<GemInfo>(), 40),
            (size_of::<GemNew>(), 48),
            (size_of::<CpuPrep>(), 8),
            (size_of::<Pushbuf>(), 64),
            (size_of::<UsedBuffer>(), 40),
            (size_of::<Relocation>(), 28),
            (size_of::<Push>(), 24),
        ];
        for (number, (size, expected)) in sizes.into_iter().enumerate() {
            assert_eq!(size, expected, "{number}");
        }
    }

    #[test]
    fn fields_have_the_places_of_the_kernel() {
        assert_eq!(offset_of!(ChannelAlloc, subchannel_count), 84);
        assert_eq!((offset_of!(NvifHead, route), offset_of!(NvifHead, object)), (7, 16));
        assert_eq!((offset_of!(NvifNew, route), offset_of!(NvifNew, class)), (31, 52));
        assert_eq!((offset_of!(NvifMethod, method), offset_of!(NvifDeviceInfo, chipset)), (25, 34));
        assert_eq!((offset_of!(NvifDeviceInfo, chip), offset_of!(NvifDeviceInfo, name)), (56, 72));
        assert_eq!((offset_of!(GemInfo, map_offset), offset_of!(GemInfo, tile_flags)), (24, 36));
        assert_eq!((offset_of!(GemNew, alignment), offset_of!(Pushbuf, suffix)), (44, 40));
        assert_eq!((offset_of!(UsedBuffer, presumed), offset_of!(Presumed, address)), (24, 8));
    }

    #[test]
    fn a_word_has_type_number_and_size() {
        let mut close = GemClose { handle: 7, _pad: 0 };
        let argument = (&raw mut close).cast();
        // DRM_IOW(0x09, struct drm_gem_close).
        let request = Request::new(0x4008_6409, argument).expect("of type 'd'");
        assert_eq!((request.number, request.bytes), (GEM_CLOSE, 8));
        // SAFETY: it has 8 bytes.
        assert_eq!(unsafe { request.argument::<GemClose>() }.expect("it fits").handle, 7);
        // SAFETY: too few bytes are refused.
        assert_eq!(unsafe { request.argument::<GemNew>() }.err(), Some(Errno::INVAL));
        // TCGETS.
        assert!(Request::new(0x5401, argument).is_none());
    }
}
