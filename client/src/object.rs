//! Objects of a device: its channel, and the notifiers and graphics objects of the channel.

use std::ffi::{c_int, c_void};

use crate::abi;
use crate::buffer::{self, Buffer};
use crate::device::Device;
use crate::protocol::{self, words};

/// The size of the notifier buffer.
const NOTIFIER_BUFFER_BYTES: u32 = 4096;
/// Notifiers start at multiples of this.
const NOTIFIER_ALIGNMENT: u32 = 32;
/// The kernel's number of the window into system memory.
const KERNEL_GART: u32 = 4;

/// The device that an object belongs to: its oldest ancestor but one.
///
/// # Safety
/// `object` and its ancestors exist, and the last but one is a device.
unsafe fn device_of<'a>(mut object: *mut abi::Object) -> &'a Device {
    // SAFETY: the caller's promise.
    unsafe {
        while !(*(*object).parent).parent.is_null() {
            object = (*object).parent;
        }
        Device::of(object.cast())
    }
}

/// Creates an object.
///
/// # Safety
/// `parent` is a device or an object of one; `data` holds `length` bytes of the type for the class, or is null;
/// `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_object_new(
    parent: *mut c_void,
    handle: u64,
    class: u32,
    data: *mut c_void,
    length: u32,
    result: *mut *mut c_void,
) -> c_int {
    let parent = parent.cast::<abi::Object>();
    let mut object = Box::new(abi::Object { parent, handle, class, length, data: std::ptr::null_mut() });
    let own = std::ptr::from_mut(&mut *object);
    // SAFETY: the caller's promise.
    let device = unsafe { device_of(parent) };
    #[expect(clippy::cast_possible_truncation, reason = "handles of objects have 32 bits on these chips")]
    let number = handle as u32;
    match class {
        abi::CHANNEL_CLASS => {
            if (length as usize) < size_of::<abi::Channel>() || data.is_null() {
                return -libc::ENOSYS;
            }
            // SAFETY: the length was checked.
            let mut channel = unsafe { data.cast::<abi::Channel>().read() };
            channel.object = own;
            if let Err(error) = open_channel(device, &mut channel) {
                return -error;
            }
            object.data = Box::into_raw(Box::new(channel)).cast();
        }
        abi::NOTIFIER_CLASS => {
            if (length as usize) < size_of::<abi::Notifier>() || data.is_null() {
                return -libc::EINVAL;
            }
            // SAFETY: the length was checked; the parent of a notifier is a channel.
            let (mut notifier, channel) =
                unsafe { (data.cast::<abi::Notifier>().read(), &*(*parent).data.cast::<abi::Channel>()) };
            let mut state = device.state();
            let bytes = notifier.length.next_multiple_of(NOTIFIER_ALIGNMENT);
            if bytes > NOTIFIER_BUFFER_BYTES - state.notifier_bytes {
                return -libc::ENOMEM;
            }
            notifier.object = own;
            notifier.offset = state.notifier_bytes;
            state.notifier_bytes += bytes;
            let message = words(&[number, notifier.offset, notifier.length, channel.notifiers]);
            state.connection.send(protocol::NOTIFIER, &message);
            object.data = Box::into_raw(Box::new(notifier)).cast();
        }
        _ => device.state().connection.send(protocol::OBJECT, &words(&[number, class])),
    }
    // SAFETY: the caller's promise.
    unsafe { result.write(Box::into_raw(object).cast()) };
    0
}

/// Opens the channel of a device, with the buffer for its notifiers; fails with a number of `errno.h`.
fn open_channel(device: &Device, channel: &mut abi::Channel) -> Result<(), c_int> {
    if std::mem::replace(&mut device.state().has_channel, true) {
        return Err(libc::EBUSY);
    }
    let notifiers = Buffer::create(device, abi::BO_GART, 0, u64::from(NOTIFIER_BUFFER_BYTES), None)?;
    // SAFETY: the buffer was just made.
    channel.notifiers = unsafe { (*notifiers).abi.handle };
    channel.number = 0;
    channel.push_place = KERNEL_GART;
    let message = words(&[channel.vram_handle, channel.gart_handle, channel.notifiers, 0]);
    device.state().connection.send(protocol::CHANNEL, &message);
    Ok(())
}

/// Deletes an object. The emulator keeps it until the connection ends.
///
/// # Safety
/// `*object` comes from [`nouveau_object_new`], or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_object_del(object: *mut *mut c_void) {
    // SAFETY: the caller's promise.
    let object = unsafe { std::ptr::replace(object, std::ptr::null_mut()) };
    if object.is_null() {
        return;
    }
    // SAFETY: it was a box of this type.
    let object = unsafe { Box::from_raw(object.cast::<abi::Object>()) };
    match object.class {
        _ if object.data.is_null() => {}
        abi::CHANNEL_CLASS => {
            // SAFETY: data of a channel is a box of this type, and its parent is a device that exists.
            let (channel, device) =
                unsafe { (Box::from_raw(object.data.cast::<abi::Channel>()), device_of(object.parent)) };
            let notifiers = device.state().buffers.get(&channel.notifiers).copied();
            if let Some(notifiers) = notifiers {
                // SAFETY: the channel holds this reference.
                unsafe { buffer::release(notifiers) };
            }
        }
        // SAFETY: data of other objects is a box of this type.
        _ => drop(unsafe { Box::from_raw(object.data.cast::<abi::Notifier>()) }),
    }
}

/// Refuses methods of objects, which chips with push buffers do not need.
#[unsafe(no_mangle)]
extern "C" fn nouveau_object_mthd(_object: *mut c_void, _method: u32, _data: *mut c_void, _size: u32) -> c_int {
    -libc::ENODEV
}

/// Finds none of the classes that a driver asks for: the emulator says so when it meets them.
#[unsafe(no_mangle)]
extern "C" fn nouveau_object_mclass(_object: *mut c_void, _classes: *const c_void) -> c_int {
    -libc::ENODEV
}
