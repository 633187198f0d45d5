//! Answers which GPU the machine has: one, on PCI, with the nodes of the null device.

use std::ffi::{CStr, c_char, c_int, c_void};

/// NVIDIA.
pub(crate) const VENDOR: u16 = 0x10de;
/// GeForce 6800.
pub(crate) const DEVICE: u16 = 0x0041;

/// The path of every node. The driver opens it and passes its descriptor around, but no call reaches the kernel.
const NODE: &CStr = c"/dev/null";
/// `DRM_NODE_RENDER`.
const RENDER_NODE: c_int = 2;
/// `DRM_CAP_PRIME`, with import and export.
const PRIME: (u64, u64) = (5, 3);

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

/// `drmVersion`.
#[repr(C)]
struct DrmVersion {
    major: c_int,
    minor: c_int,
    patch: c_int,
    name_length: c_int,
    name: *mut c_char,
    date_length: c_int,
    date: *mut c_char,
    description_length: c_int,
    description: *mut c_char,
}

fn device() -> *mut c_void {
    let node = NODE.as_ptr().cast_mut();
    let pci = PciDevice { vendor: VENDOR, device: DEVICE, subsystem_vendor: VENDOR, subsystem: 0, revision: 0xa1 };
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

/// The name and version of the kernel's driver.
#[unsafe(no_mangle)]
extern "C" fn drmGetVersion(_fd: c_int) -> *mut c_void {
    let text = |text: &'static CStr| (c_int::try_from(text.count_bytes()).unwrap_or(0), text.as_ptr().cast_mut());
    let (name_length, name) = text(c"nouveau");
    let (date_length, date) = text(c"20120801");
    let (description_length, description) = text(c"curie");
    let (major, minor, patch) = (1, 3, 1);
    let version =
        DrmVersion { major, minor, patch, name_length, name, date_length, date, description_length, description };
    Box::into_raw(Box::new(version)).cast()
}

/// Frees what [`drmGetVersion`] returned.
///
/// # Safety
/// `version` comes from there, or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmFreeVersion(version: *mut c_void) {
    if !version.is_null() {
        // SAFETY: it was a box of this type.
        drop(unsafe { Box::from_raw(version.cast::<DrmVersion>()) });
    }
}

/// Answers what the kernel's driver can do: share buffers.
///
/// # Safety
/// `value` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmGetCap(_fd: c_int, capability: u64, value: *mut u64) -> c_int {
    let answer = if capability == PRIME.0 { PRIME.1 } else { 0 };
    // SAFETY: the caller's promise.
    unsafe { value.write(answer) };
    0
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
