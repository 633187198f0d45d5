//! The types of libdrm's `nouveau.h` (version 2.4.114), as the driver was compiled with them.

use std::ffi::{c_int, c_void};

/// The object is a channel.
pub(crate) const CHANNEL_CLASS: u32 = 0x8000_0001;
/// The object covers part of the channel's notifier buffer.
pub(crate) const NOTIFIER_CLASS: u32 = 0x8000_0002;

/// Flag of a buffer: video memory.
pub(crate) const BO_VRAM: u32 = 1;
/// Flag of a buffer: the window into system memory.
pub(crate) const BO_GART: u32 = 2;
/// Both places.
pub(crate) const BO_PLACES: u32 = BO_VRAM | BO_GART;
/// Flag of an access: it reads.
pub(crate) const BO_READ: u32 = 0x100;
/// Flag of an access: it writes.
pub(crate) const BO_WRITE: u32 = 0x200;
/// Flag of a relocation: the low half of the address.
pub(crate) const BO_LOW: u32 = 0x1000;
/// Flag of a relocation: the high half of the address.
pub(crate) const BO_HIGH: u32 = 0x2000;
/// Flag of a relocation: bits that depend on the place.
pub(crate) const BO_OR: u32 = 0x4000;

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) parent: *mut Self,
    pub(crate) handle: u64,
    pub(crate) class: u32,
    pub(crate) length: u32,
    pub(crate) data: *mut c_void,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Drm {
    pub(crate) client: Object,
    pub(crate) fd: c_int,
    pub(crate) version: u32,
    pub(crate) nvif: bool,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) object: Object,
    pub(crate) fd: c_int,
    pub(crate) library_version: u32,
    pub(crate) drm_version: u32,
    pub(crate) chipset: u32,
    pub(crate) vram_size: u64,
    pub(crate) gart_size: u64,
    pub(crate) vram_limit: u64,
    pub(crate) gart_limit: u64,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) device: *mut Device,
    pub(crate) id: c_int,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) device: *mut Device,
    pub(crate) handle: u32,
    pub(crate) size: u64,
    pub(crate) flags: u32,
    pub(crate) offset: u64,
    pub(crate) map: *mut c_void,
    /// Flags and mode of tiling first; the rest is unused.
    pub(crate) config: [u32; 8],
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) previous: *mut Self,
    pub(crate) next: *mut Self,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct BufferReference {
    /// Links it into a list of its context.
    pub(crate) link: List,
    pub(crate) buffer: *mut Buffer,
    pub(crate) packet: u32,
    pub(crate) flags: u32,
    pub(crate) data: u32,
    pub(crate) vram_or: u32,
    pub(crate) gart_or: u32,
    pub(crate) user_data: u32,
    pub(crate) user: *mut c_void,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct BufferContext {
    pub(crate) client: *mut Client,
    /// Links it into the contexts of a push buffer's submission.
    pub(crate) head: List,
    /// References that the next validation adds to the submission.
    pub(crate) pending: List,
    /// References that the submission has.
    pub(crate) current: List,
    pub(crate) relocations: c_int,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct PushBuffer {
    pub(crate) client: *mut Client,
    pub(crate) channel: *mut Object,
    pub(crate) context: *mut BufferContext,
    pub(crate) kick_notify: Option<unsafe extern "C" fn(*mut Self)>,
    pub(crate) user: *mut c_void,
    /// Words that `kick_notify` may write beyond `end`.
    pub(crate) reserved_words: u32,
    pub(crate) flags: u32,
    pub(crate) current: *mut u32,
    pub(crate) end: *mut u32,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct PushReference {
    pub(crate) buffer: *mut Buffer,
    pub(crate) flags: u32,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) object: *mut Object,
    pub(crate) number: u32,
    /// Where push buffers lie, as the kernel numbers places.
    pub(crate) push_place: u32,
    pub(crate) unused: [u64; 3],
    pub(crate) vram_handle: u32,
    pub(crate) gart_handle: u32,
    /// The buffer that holds the notifiers.
    pub(crate) notifiers: u32,
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Notifier {
    pub(crate) object: *mut Object,
    pub(crate) offset: u32,
    pub(crate) length: u32,
}

impl List {
    /// Makes the list empty, or an element unlinked.
    ///
    /// # Safety
    /// `list` can be written.
    pub(crate) unsafe fn init(list: *mut Self) {
        // SAFETY: the caller's promise.
        unsafe { list.write(Self { previous: list, next: list }) }
    }

    /// Takes an element out of its list.
    ///
    /// # Safety
    /// The element is linked or was initialized.
    pub(crate) unsafe fn unlink(element: *mut Self) {
        // SAFETY: both neighbors of a linked element exist, and an unlinked one is its own neighbor.
        unsafe {
            (*(*element).previous).next = (*element).next;
            (*(*element).next).previous = (*element).previous;
            Self::init(element);
        }
    }

    /// Appends an element.
    ///
    /// # Safety
    /// Both were initialized; the element is in no list.
    pub(crate) unsafe fn append(list: *mut Self, element: *mut Self) {
        // SAFETY: the last element of an initialized list exists, or is the list.
        unsafe {
            let last = (*list).previous;
            *element = Self { previous: last, next: list };
            (*last).next = element;
            (*list).previous = element;
        }
    }

    /// The first element, if there is one.
    ///
    /// # Safety
    /// The list was initialized.
    pub(crate) unsafe fn first(list: *mut Self) -> Option<*mut Self> {
        // SAFETY: the caller's promise.
        let first = unsafe { (*list).next };
        (first != list).then_some(first)
    }

    /// Whether an element has a property.
    ///
    /// # Safety
    /// The list was initialized.
    pub(crate) unsafe fn any(list: *mut Self, property: impl Fn(*mut Self) -> bool) -> bool {
        // SAFETY: the caller's promise.
        let mut element = unsafe { (*list).next };
        while element != list {
            if property(element) {
                return true;
            }
            // SAFETY: elements of a list are linked.
            element = unsafe { (*element).next };
        }
        false
    }

    /// Moves all elements of a list to the end of another.
    ///
    /// # Safety
    /// Both were initialized.
    pub(crate) unsafe fn move_all(from: *mut Self, to: *mut Self) {
        // SAFETY: the elements of an initialized list are linked.
        unsafe {
            while let Some(element) = Self::first(from) {
                Self::unlink(element);
                Self::append(to, element);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// The layout that gcc gives the structures on 64-bit machines, by the rules of the System V ABI.
    #[test]
    fn structures_have_the_layout_of_c() {
        assert_eq!((size_of::<Object>(), offset_of!(Object, class), offset_of!(Object, data)), (32, 16, 24));
        assert_eq!((size_of::<Drm>(), offset_of!(Drm, fd), offset_of!(Drm, nvif)), (48, 32, 40));
        assert_eq!((size_of::<Device>(), offset_of!(Device, chipset), offset_of!(Device, vram_size)), (80, 44, 48));
        assert_eq!((size_of::<Buffer>(), offset_of!(Buffer, offset), offset_of!(Buffer, config)), (80, 32, 48));
        assert_eq!((size_of::<BufferReference>(), offset_of!(BufferReference, packet)), (56, 24));
        assert_eq!((size_of::<BufferContext>(), offset_of!(BufferContext, relocations)), (64, 56));
        assert_eq!((size_of::<PushBuffer>(), offset_of!(PushBuffer, current)), (64, 48));
        assert_eq!((size_of::<Channel>(), offset_of!(Channel, vram_handle)), (56, 40));
        assert_eq!((size_of::<Notifier>(), offset_of!(Notifier, offset)), (16, 8));
    }

    #[test]
    fn lists_keep_their_order() {
        let mut lists = [const { List { previous: std::ptr::null_mut(), next: std::ptr::null_mut() } }; 5];
        let [a, b, x, y, z] = lists.each_mut().map(std::ptr::from_mut);
        let elements = |list: *mut List| {
            let mut found = Vec::new();
            // SAFETY: the lists are initialized below.
            let mut element = unsafe { (*list).next };
            while element != list {
                found.push(element);
                // SAFETY: as above.
                element = unsafe { (*element).next };
            }
            found
        };
        // SAFETY: the pointers are to elements of the array above.
        unsafe {
            [a, b, x, y, z].into_iter().for_each(|list| List::init(list));
            List::append(a, x);
            List::append(a, y);
            List::append(b, z);
            List::move_all(a, b);
            assert_eq!((elements(a), elements(b)), (vec![], vec![z, x, y]));
            List::unlink(x);
            List::unlink(x);
            assert_eq!((elements(x), elements(b)), (vec![], vec![z, y]));
        }
    }
}
