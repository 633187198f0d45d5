//! Buffer objects: their addresses, their memory, and waits for the chip.

use std::ffi::{c_int, c_void};
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{MemfdFlags, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::abi;
use crate::address_space::PAGE_BYTES;
use crate::device::{Device, State};
use crate::protocol::{self, words};
use crate::push_buffer::PushBuffer;

/// The kernel's numbers of the places, which captures have.
const VRAM_DOMAIN: u32 = 2;
const GART_DOMAIN: u32 = 4;

/// A buffer, with the structure that the driver sees first.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) abi: abi::Buffer,
    references: AtomicU32,
    /// The memory that the emulator shares once the program has mapped the buffer; `None` until it is mapped or named.
    file: Option<OwnedFd>,
    /// Whether the emulator knows the file as the name of the buffer.
    is_named: bool,
    /// The push buffer with the submission that will use this buffer, and its number there.
    pub(crate) user: Option<(*mut PushBuffer, usize)>,
    /// How submissions used the buffer since the last wait, as flags of an access.
    pub(crate) uses: u32,
}

impl Buffer {
    /// Creates a buffer in the first place that the flags name; fails with a number of `errno.h`.
    pub(crate) fn create(
        device: &Device,
        flags: u32,
        alignment: u32,
        bytes: u64,
        config: Option<[u32; 8]>,
    ) -> Result<*mut Self, c_int> {
        let place = if flags & abi::BO_VRAM != 0 { abi::BO_VRAM } else { abi::BO_GART };
        let size = bytes.max(1).checked_next_multiple_of(PAGE_BYTES).ok_or(libc::ENOMEM)?;
        let mut state = device.state();
        let alignment = u64::from(alignment).checked_next_power_of_two().ok_or(libc::EINVAL)?;
        let offset = state.addresses.allocate(place, size, alignment).ok_or(libc::ENOMEM)?;
        state.last_handle += 1;
        let handle = state.last_handle;
        let config = config.unwrap_or_default();
        let abi = abi::Buffer {
            device: std::ptr::from_ref(&device.abi).cast_mut(),
            handle,
            size,
            flags: flags & !abi::BO_PLACES | place,
            offset,
            map: std::ptr::null_mut(),
            config,
        };
        let buffer = Box::into_raw(Box::new(Self {
            abi,
            references: AtomicU32::new(1),
            file: None,
            is_named: false,
            user: None,
            uses: 0,
        }));
        state.buffers.insert(handle, buffer);
        // SAFETY: the buffer was just made.
        state.connection.send(protocol::CREATE_BUFFER, &unsafe { &*buffer }.location());
        Ok(buffer)
    }

    /// The buffer behind the driver's pointer.
    pub(crate) const fn of(buffer: *mut c_void) -> *mut Self {
        // The structure that the driver sees is the first field.
        buffer.cast()
    }

    /// The device of a buffer.
    pub(crate) fn device(&self) -> &Device {
        // SAFETY: a device outlives its buffers.
        unsafe { Device::of(self.abi.device) }
    }

    /// The kernel's number of the place where it lies.
    pub(crate) const fn domain(&self) -> u32 {
        domain(self.abi.flags & abi::BO_PLACES)
    }

    /// The handle, size and address, as captures hold them. The configuration begins with what captures call flags of tiling
    /// and its mode; on chips with virtual addresses these are the type of the memory and the mode.
    fn location(&self) -> Vec<u8> {
        let abi::Buffer { handle, size, offset, config, .. } = &self.abi;
        let mut message = words(&[*handle, self.domain(), config[1], config[0]]);
        message.extend_from_slice(&size.to_le_bytes());
        message.extend_from_slice(&offset.to_le_bytes());
        message
    }

    /// Whether the buffer lies in one of these places.
    pub(crate) const fn lies_in(&self, places: u32) -> bool {
        places & abi::BO_PLACES == 0 || self.abi.flags & places & abi::BO_PLACES != 0
    }

    /// Moves the buffer to its other place, as the kernel does for a submission that needs it there.
    pub(crate) fn change_place(&mut self) {
        // SAFETY: a device outlives its buffers.
        let mut state = unsafe { Device::of(self.abi.device) }.state();
        let abi::Buffer { size, offset, flags, .. } = self.abi;
        let Some(moved) = state.addresses.change_place(flags, offset, size) else {
            // The chip will not find it, which the emulator reports.
            return;
        };
        self.abi.flags = flags ^ abi::BO_PLACES;
        self.abi.offset = moved;
        state.connection.send(protocol::MOVE_BUFFER, &self.location());
    }

    /// Adds a reference.
    pub(crate) fn retain(&self) {
        self.references.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until the chip is idle on the buffer and its memory is up to date, as far as an access needs that.
    fn prepare(&mut self, access: u32) {
        let writes = access & abi::BO_WRITE != 0;
        if self.uses & abi::BO_WRITE != 0 || writes && self.uses != 0 {
            let flags = if writes { protocol::PREPARE_WRITE } else { 0 };
            let message = words(&[self.abi.handle, flags]);
            self.device().state().connection.request(protocol::PREPARE, &message, protocol::DONE);
            self.uses = 0;
        }
    }

    /// The file of the buffer, whose size is the buffer's.
    fn file(&mut self) -> Result<BorrowedFd<'_>, c_int> {
        if self.file.is_none() {
            let file = memfd_create("curie buffer", MemfdFlags::CLOEXEC).map_err(|error| error.raw_os_error())?;
            ftruncate(&file, self.abi.size).map_err(|error| error.raw_os_error())?;
            self.file = Some(file);
        }
        self.file.as_ref().map(OwnedFd::as_fd).ok_or(libc::EMFILE)
    }

    /// Gives the file out as the name of the buffer. Its content need not be in the file.
    fn name(&mut self, state: &State) -> Result<OwnedFd, c_int> {
        let (handle, is_named) = (self.abi.handle, self.is_named);
        let file = self.file()?;
        if !is_named {
            state.connection.send_with(protocol::NAME, &words(&[handle]), file);
        }
        let file = file.try_clone_to_owned().map_err(|_| libc::EMFILE)?;
        self.is_named = true;
        Ok(file)
    }

    /// Maps the memory of the buffer, which the emulator shares from then on.
    fn share(&mut self, state: &State) -> Result<(), c_int> {
        let bytes = usize::try_from(self.abi.size).map_err(|_| libc::ENOMEM)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let handle = self.abi.handle;
        let file = self.file()?;
        // SAFETY: a new mapping, at an address that the system chooses.
        let map = unsafe { mmap(std::ptr::null_mut(), bytes, access, MapFlags::SHARED, file, 0) };
        let map = map.map_err(|error| error.raw_os_error())?;
        state.connection.send_with(protocol::SHARE, &words(&[handle]), file);
        self.abi.map = map;
        Ok(())
    }
}

/// The kernel's number of a place.
const fn domain(place: u32) -> u32 {
    if place & abi::BO_VRAM != 0 { VRAM_DOMAIN } else { GART_DOMAIN }
}

/// Drops a reference; the last one destroys the buffer.
///
/// # Safety
/// The buffer exists, and the caller holds a reference, which it does not use afterwards.
pub(crate) unsafe fn release(buffer: *mut Buffer) {
    // SAFETY: the caller holds a reference.
    if unsafe { (*buffer).references.fetch_sub(1, Ordering::AcqRel) } > 1 {
        return;
    }
    // SAFETY: this was the last reference, and buffers are boxes.
    let buffer = unsafe { Box::from_raw(buffer) };
    let abi::Buffer { handle, size, offset, flags, map, .. } = buffer.abi;
    let mut state = buffer.device().state();
    state.buffers.remove(&handle);
    state.connection.send(protocol::DESTROY_BUFFER, &words(&[handle]));
    state.addresses.release(flags, offset, size);
    if !map.is_null() {
        let bytes = usize::try_from(size).expect("it was mapped");
        // SAFETY: the mapping was made with this size, and no reference to the buffer is left.
        let _unmapped = unsafe { munmap(map, bytes) };
    }
}

/// Creates a buffer.
///
/// # Safety
/// `device` is a device; `config` is null or a configuration; `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_new(
    device: *mut c_void,
    flags: u32,
    alignment: u32,
    bytes: u64,
    config: *const [u32; 8],
    result: *mut *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise.
    let (device, config) = unsafe { (Device::of(device.cast()), config.as_ref().copied()) };
    match Buffer::create(device, flags, alignment, bytes, config) {
        Ok(buffer) => {
            // SAFETY: the caller's promise.
            unsafe { result.write(buffer.cast()) };
            0
        }
        Err(error) => -error,
    }
}

/// Replaces the reference in `*place` by one to `buffer`; both may be null.
///
/// # Safety
/// `place` holds a reference or null, or is null; `buffer` exists or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_ref(buffer: *mut c_void, place: *mut *mut c_void) {
    if !buffer.is_null() {
        // SAFETY: the caller's promise.
        unsafe { (*Buffer::of(buffer)).retain() };
    }
    if place.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let old = unsafe { std::ptr::replace(place, buffer) };
    if !old.is_null() {
        // SAFETY: the place held a reference.
        unsafe { release(Buffer::of(old)) };
    }
}

/// Finds the buffer with a handle, and adds a reference.
///
/// # Safety
/// `device` is a device; `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_wrap(device: *mut c_void, handle: u32, result: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let found = unsafe { Device::of(device.cast()) }.state().buffers.get(&handle).copied();
    let Some(buffer) = found else { return -libc::ENOENT };
    // SAFETY: buffers in the table exist; `result` by the caller's promise.
    unsafe {
        (*buffer).retain();
        result.write(buffer.cast());
    }
    0
}

/// Finds the buffer with a name, which is its handle.
///
/// # Safety
/// As for [`nouveau_bo_wrap`].
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_name_ref(device: *mut c_void, name: u32, result: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { nouveau_bo_wrap(device, name, result) }
}

/// The name of a buffer.
///
/// # Safety
/// `buffer` exists; `name` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_name_get(buffer: *mut c_void, name: *mut u32) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { name.write((*Buffer::of(buffer)).abi.handle) };
    0
}

/// Gives out a descriptor by which a display server knows the buffer.
///
/// # Safety
/// `buffer` exists; `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_set_prime(buffer: *mut c_void, result: *mut c_int) -> c_int {
    // SAFETY: the caller's promise.
    let buffer = unsafe { &mut *Buffer::of(buffer) };
    // SAFETY: a device outlives its buffers.
    let device = unsafe { Device::of(buffer.abi.device) };
    match buffer.name(&device.state()) {
        Ok(file) => {
            // SAFETY: the caller's promise.
            unsafe { result.write(file.into_raw_fd()) };
            0
        }
        Err(error) => -error,
    }
}

/// Finds the buffer whose memory a descriptor is.
///
/// # Safety
/// `device` is a device; `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_prime_handle_ref(
    device: *mut c_void,
    descriptor: c_int,
    result: *mut *mut c_void,
) -> c_int {
    let identity = |descriptor| fstat(descriptor).map(|status| (status.st_dev, status.st_ino)).ok();
    // SAFETY: the caller passes an open descriptor; `device` by its promise.
    let (asked, device) = unsafe { (identity(BorrowedFd::borrow_raw(descriptor)), Device::of(device.cast())) };
    let state = device.state();
    let found = state.buffers.values().copied().find(|&buffer| {
        // SAFETY: buffers in the table exist.
        let file = unsafe { (*buffer).file.as_ref() };
        asked.is_some() && file.and_then(|file| identity(file.as_fd())) == asked
    });
    let Some(buffer) = found else { return -libc::EINVAL };
    // SAFETY: the buffer exists while the table is locked; `result` by the caller's promise.
    unsafe {
        (*buffer).retain();
        result.write(buffer.cast());
    }
    0
}

/// Maps a buffer unless it is mapped.
pub(crate) fn map(buffer: &mut Buffer) -> Result<(), c_int> {
    if !buffer.abi.map.is_null() {
        return Ok(());
    }
    // SAFETY: a device outlives its buffers.
    let device = unsafe { Device::of(buffer.abi.device) };
    buffer.share(&device.state())?;
    // The driver may know by a fence that the chip has written.
    buffer.prepare(0);
    Ok(())
}

/// Maps a buffer, and waits until it can be accessed.
///
/// # Safety
/// `buffer` exists.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_map(buffer: *mut c_void, access: u32, client: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let mapped = map(unsafe { &mut *Buffer::of(buffer) });
    match mapped {
        // SAFETY: the caller's promise.
        Ok(()) => unsafe { nouveau_bo_wait(buffer, access, client) },
        Err(error) => -error,
    }
}

/// Waits until the chip is idle on a buffer and its memory is up to date.
///
/// # Safety
/// `buffer` exists.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bo_wait(buffer: *mut c_void, access: u32, _client: *mut c_void) -> c_int {
    let buffer = Buffer::of(buffer);
    if access & (abi::BO_READ | abi::BO_WRITE) == 0 {
        return 0;
    }
    // SAFETY: the caller's promise; a push buffer leaves the field before it is deleted.
    unsafe {
        if let Some((push, _)) = (*buffer).user {
            PushBuffer::kick(push);
        }
        (*buffer).prepare(access);
    }
    0
}
