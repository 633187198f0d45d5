//! Answers which GPU the machine has: one, on PCI, with the nodes of the null device.

use std::ffi::{CStr, c_char, c_int, c_void};

/// NVIDIA.
pub(crate) const VENDOR: u16 = 0x10de;
/// GeForce 6800.
pub(crate) const DEVICE: u16 = 0x0041;
/// A2.
pub(crate) const REVISION: u8 = 0xa1;

/// The path of every node. The driver opens it and passes its descriptor around, but no call reaches the kernel.
const NODE: &CStr = c"/dev/null";
/// `DRM_NODE_RENDER`.
const RENDER_NODE: c_int = 2;

#[repr(C)]
struct PciPlace {
    domain: u16,
    bus: u8,
    device: u8,
    function: u8,
}

#[repr(C)]
struct PciDevice {
    vendor: u16,
    device: u16,
    subsystem_vendor: u16,
    subsystem: u16,
    revision: u8,
}

/// `drmDevice`.
#[repr(C)]
struct DrmDevice {
    nodes: *mut *mut c_char,
    /// Bit i: node i exists.
    available_nodes: c_int,
    /// 0 is PCI.
    bus: c_int,
    place: *mut PciPlace,
    device: *mut PciDevice,
    /// What the pointers above point to.
    storage: ([*mut c_char; 3], PciPlace, PciDevice),
}

fn device() -> *mut c_void {
    let node = NODE.as_ptr().cast_mut();
    let pci = PciDevice { vendor: VENDOR, device: DEVICE, subsystem_vendor: VENDOR, subsystem: 0, revision: REVISION };
    let device = Box::into_raw(Box::new(DrmDevice {
        nodes: std::ptr::null_mut(),
        // A primary and a render node.
        available_nodes: 0b101,
        bus: 0,
        place: std::ptr::null_mut(),
        device: std::ptr::null_mut(),
        storage: ([node; 3], PciPlace { domain: 0, bus: 1, device: 0, function: 0 }, pci),
    }));
    // SAFETY: the device was just made, and stays where it is.
    unsafe {
        let storage = &raw mut (*device).storage;
        (*device).nodes = (&raw mut (*storage).0).cast();
        (*device).place = &raw mut (*storage).1;
        (*device).device = &raw mut (*storage).2;
    }
    device.cast()
}

/// A copy that the caller frees.
fn node_name() -> *mut c_char {
    // SAFETY: the text ends with zero.
    unsafe { libc::strdup(NODE.as_ptr()) }
}

/// Describes the GPU.
///
/// # Safety
/// `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmGetDevice2(_fd: c_int, _flags: u32, result: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { result.write(device()) };
    0
}

/// Describes the GPU.
///
/// # Safety
/// `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmGetDevice(fd: c_int, result: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { drmGetDevice2(fd, 0, result) }
}

/// Describes the GPU, whatever the number of its node.
///
/// # Safety
/// `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmGetDeviceFromDevId(_node: libc::dev_t, _flags: u32, result: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { drmGetDevice2(0, 0, result) }
}

/// Lists the GPUs: one.
///
/// # Safety
/// `results` is null or has space for `most` pointers.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmGetDevices2(_flags: u32, results: *mut *mut c_void, most: c_int) -> c_int {
    if !results.is_null() && most > 0 {
        // SAFETY: the caller's promise.
        unsafe { results.write(device()) };
    }
    1
}

/// Lists the GPUs: one.
///
/// # Safety
/// As for [`drmGetDevices2`].
#[unsafe(no_mangle)]
unsafe extern "C" fn drmGetDevices(results: *mut *mut c_void, most: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { drmGetDevices2(0, results, most) }
}

/// Frees a description.
///
/// # Safety
/// `*device` comes from a function above, or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmFreeDevice(device: *mut *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { drmFreeDevices(device, 1) };
}

/// Frees descriptions.
///
/// # Safety
/// `devices` are that many, each from a function above or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmFreeDevices(devices: *mut *mut c_void, count: c_int) {
    for number in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: the caller's promise.
        let device = unsafe { std::ptr::replace(devices.add(number), std::ptr::null_mut()) };
        if !device.is_null() {
            // SAFETY: it was a box of this type.
            drop(unsafe { Box::from_raw(device.cast::<DrmDevice>()) });
        }
    }
}

/// Whether two descriptions are of the same GPU; there is one.
#[unsafe(no_mangle)]
extern "C" fn drmDevicesEqual(_a: *mut c_void, _b: *mut c_void) -> c_int {
    1
}

/// The kind of a node.
#[unsafe(no_mangle)]
extern "C" fn drmGetNodeTypeFromFd(_fd: c_int) -> c_int {
    RENDER_NODE
}

/// The path of a node.
#[unsafe(no_mangle)]
extern "C" fn drmGetRenderDeviceNameFromFd(_fd: c_int) -> *mut c_char {
    node_name()
}

/// The path of a node.
#[unsafe(no_mangle)]
extern "C" fn drmGetDeviceNameFromFd2(_fd: c_int) -> *mut c_char {
    node_name()
}

/// The path of a node.
#[unsafe(no_mangle)]
extern "C" fn drmGetDeviceNameFromFd(_fd: c_int) -> *mut c_char {
    node_name()
}

/// The path of a node.
#[unsafe(no_mangle)]
extern "C" fn drmGetPrimaryDeviceNameFromFd(_fd: c_int) -> *mut c_char {
    node_name()
}
