//! The device: what its buffers and channel share.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi;
use crate::address_space::Addresses;
use crate::buffer::Buffer;
use crate::connection::{Connection, complain};
use crate::generation::{self, Generation};
use crate::{frames, marks, protocol};

/// Version 1.3.1 of the kernel's driver, which the interface of `nouveau.h` is for.
const DRIVER_VERSION: u32 = 0x0100_0301;

/// A device, with the structure that the driver sees first.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) abi: abi::Device,
    pub(crate) generation: &'static Generation,
    state: Mutex<State>,
}

/// The state of a device.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) connection: Connection,
    pub(crate) addresses: Addresses,
    /// Buffers by handle.
    pub(crate) buffers: HashMap<u32, *mut Buffer>,
    pub(crate) last_handle: u32,
    /// Bytes of the notifier buffer in use.
    pub(crate) notifier_bytes: u32,
    pub(crate) has_channel: bool,
    /// The number of the next submission.
    pub(crate) sequence: u32,
    /// The number of the next frame, and whether the next submission begins it.
    pub(crate) frame: u32,
    pub(crate) begins_frame: bool,
}

impl State {
    /// Sends the payload of a submission, but for its number, after the mark of the frame that it begins.
    pub(crate) fn submit(&mut self, rest: &[u8]) {
        if std::mem::take(&mut self.begins_frame) {
            self.connection.send(protocol::MARK, format!("frame {}", self.frame).as_bytes());
            self.frame = self.frame.wrapping_add(1);
        }
        if self.sequence == 0 {
            marks::note_work();
        }
        let message = [&self.sequence.to_le_bytes()[..], rest].concat();
        self.sequence = self.sequence.wrapping_add(1);
        self.connection.send(protocol::SUBMIT, &message);
    }
}

impl Device {
    /// The device behind the driver's pointer.
    ///
    /// # Safety
    /// The pointer comes from [`nouveau_device_new`], and the device was not deleted.
    pub(crate) unsafe fn of<'a>(device: *mut abi::Device) -> &'a Self {
        // SAFETY: the structure that the driver sees is the first field.
        unsafe { &*device.cast() }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wraps a device node.
///
/// # Safety
/// `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_drm_new(fd: c_int, result: *mut *mut c_void) -> c_int {
    let client =
        abi::Object { parent: std::ptr::null_mut(), handle: 0, class: 0, length: 0, data: std::ptr::null_mut() };
    let drm = abi::Drm { client, fd, version: DRIVER_VERSION, nvif: false };
    // SAFETY: the caller's promise.
    unsafe { result.write(Box::into_raw(Box::new(drm)).cast()) };
    0
}

/// Frees what [`nouveau_drm_new`] made.
///
/// # Safety
/// `*drm` comes from there, or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_drm_del(drm: *mut *mut c_void) {
    // SAFETY: the caller's promise.
    let drm = unsafe { std::ptr::replace(drm, std::ptr::null_mut()) };
    if !drm.is_null() {
        // SAFETY: it was a box of this type.
        drop(unsafe { Box::from_raw(drm.cast::<abi::Drm>()) });
    }
}

/// Connects to the emulator.
///
/// # Safety
/// `parent` lives as long as the device; `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_device_new(
    parent: *mut c_void,
    class: i32,
    _data: *mut c_void,
    _size: u32,
    result: *mut *mut c_void,
) -> c_int {
    let (connection, machine) = match Connection::open() {
        Ok(opened) => opened,
        Err(reason) => {
            complain(&reason);
            return -libc::ENODEV;
        }
    };
    let Some(generation) = Generation::of(machine.chipset) else {
        complain(&format!("the client library knows no driver for chipset {:#x}", machine.chipset));
        return -libc::ENODEV;
    };
    let object = abi::Object {
        parent: parent.cast(),
        handle: 0,
        class: class.cast_unsigned(),
        length: 0,
        data: std::ptr::null_mut(),
    };
    let abi = abi::Device {
        object,
        fd: -1,
        library_version: DRIVER_VERSION,
        drm_version: DRIVER_VERSION,
        chipset: machine.chipset,
        vram_size: machine.vram_bytes,
        gart_size: machine.gart_bytes,
        vram_limit: machine.vram_bytes,
        gart_limit: machine.gart_bytes,
    };
    let state = State {
        connection,
        addresses: Addresses::new(generation.has_virtual_addresses, machine.vram_bytes, machine.gart_bytes),
        buffers: HashMap::new(),
        last_handle: 0,
        notifier_bytes: 0,
        has_channel: false,
        sequence: 0,
        frame: 0,
        begins_frame: true,
    };
    let device = Box::into_raw(Box::new(Device { abi, generation, state: Mutex::new(state) }));
    frames::add(device);
    // SAFETY: the caller's promise.
    unsafe { result.write(device.cast()) };
    0
}

/// Ends the connection.
///
/// # Safety
/// `*device` comes from [`nouveau_device_new`], or is null; nothing of it is used afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_device_del(device: *mut *mut c_void) {
    // SAFETY: the caller's promise.
    let device = unsafe { std::ptr::replace(device, std::ptr::null_mut()) };
    if !device.is_null() {
        frames::remove(device.cast());
        // SAFETY: it was a box of this type.
        drop(unsafe { Box::from_raw(device.cast::<Device>()) });
    }
}

/// Answers the parameters of the kernel's interface that drivers for these chips ask for.
///
/// # Safety
/// `device` is a device; `value` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_getparam(device: *mut c_void, parameter: u64, value: *mut u64) -> c_int {
    // SAFETY: the caller's promise.
    let abi = unsafe { &Device::of(device.cast()).abi };
    // The numbers of `nouveau_drm.h`.
    let answer = match parameter {
        3 => u64::from(crate::identity::VENDOR),
        4 => u64::from(generation::pci_device(abi.chipset)),
        // PCI Express.
        5 => 2,
        8 => abi.vram_size,
        9 => abi.gart_size,
        11 => u64::from(abi.chipset),
        13 => match generation::graph_units(abi.chipset) {
            Some(units) => units,
            None => return -libc::EINVAL,
        },
        // The timer counts nanoseconds.
        14 => crate::clock::nanoseconds(),
        _ => return -libc::EINVAL,
    };
    // SAFETY: the caller's promise.
    unsafe { value.write(answer) };
    0
}

/// Makes a client, which a device needs no state for.
///
/// # Safety
/// `device` is a device; `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_client_new(device: *mut c_void, result: *mut *mut c_void) -> c_int {
    let client = Box::new(abi::Client { device: device.cast(), id: 0 });
    // SAFETY: the caller's promise.
    unsafe { result.write(Box::into_raw(client).cast()) };
    0
}

/// Frees what [`nouveau_client_new`] made.
///
/// # Safety
/// `*client` comes from there, or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_client_del(client: *mut *mut c_void) {
    // SAFETY: the caller's promise.
    let client = unsafe { std::ptr::replace(client, std::ptr::null_mut()) };
    if !client.is_null() {
        // SAFETY: it was a box of this type.
        drop(unsafe { Box::from_raw(client.cast::<abi::Client>()) });
    }
}
