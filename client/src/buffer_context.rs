//! References to buffers that a driver keeps from submission to submission, in bins that it empties one by one.

use std::ffi::{c_int, c_void};

use crate::abi::{self, BufferReference, List};

/// A context, with the structure that the driver sees first.
#[repr(C)]
#[derive(Debug)]
struct BufferContext {
    abi: abi::BufferContext,
    bins: Vec<Bin>,
}

#[derive(Debug, Default)]
struct Bin {
    references: Vec<*mut BufferReference>,
    /// How many of them write an address into the push buffer.
    relocations: c_int,
}

const EMPTY: List = List { previous: std::ptr::null_mut(), next: std::ptr::null_mut() };

/// Creates a context with this many bins.
///
/// # Safety
/// `result` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bufctx_new(client: *mut c_void, bins: c_int, result: *mut *mut c_void) -> c_int {
    let abi = abi::BufferContext { client: client.cast(), head: EMPTY, pending: EMPTY, current: EMPTY, relocations: 0 };
    let bins = (0..bins).map(|_| Bin::default()).collect();
    let context = Box::into_raw(Box::new(BufferContext { abi, bins }));
    // SAFETY: the context was just made; `result` by the caller's promise.
    unsafe {
        List::init(&raw mut (*context).abi.head);
        List::init(&raw mut (*context).abi.pending);
        List::init(&raw mut (*context).abi.current);
        result.write(context.cast());
    }
    0
}

/// Deletes a context and its references.
///
/// # Safety
/// `*context` comes from [`nouveau_bufctx_new`], or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bufctx_del(context: *mut *mut c_void) {
    // SAFETY: the caller's promise.
    let context = unsafe { std::ptr::replace(context, std::ptr::null_mut()) }.cast::<BufferContext>();
    if context.is_null() {
        return;
    }
    // SAFETY: it was a box of this type; its references are in lists of its own.
    unsafe {
        let bins = (*context).bins.len();
        (0..bins).for_each(|bin| empty(&mut *context, bin));
        List::unlink(&raw mut (*context).abi.head);
        drop(Box::from_raw(context));
    }
}

/// Deletes the references of a bin.
fn empty(context: &mut BufferContext, bin: usize) {
    let bin = &mut context.bins[bin];
    for reference in bin.references.drain(..) {
        // SAFETY: the references of a bin are boxes, in a list of the context.
        unsafe {
            List::unlink(&raw mut (*reference).link);
            drop(Box::from_raw(reference));
        }
    }
    context.abi.relocations -= std::mem::take(&mut bin.relocations);
}

/// Empties a bin.
///
/// # Safety
/// `context` exists and has the bin.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bufctx_reset(context: *mut c_void, bin: c_int) {
    // SAFETY: the caller's promise.
    empty(unsafe { &mut *context.cast() }, usize::try_from(bin).expect("a bin of the context"));
}

/// Adds a reference to a bin.
///
/// # Safety
/// `context` exists and has the bin; `buffer` exists as long as the reference.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bufctx_refn(
    context: *mut c_void,
    bin: c_int,
    buffer: *mut c_void,
    flags: u32,
) -> *mut c_void {
    let reference = Box::into_raw(Box::new(BufferReference {
        link: EMPTY,
        buffer: buffer.cast(),
        packet: 0,
        flags,
        data: 0,
        vram_or: 0,
        gart_or: 0,
        user_data: 0,
        user: std::ptr::null_mut(),
    }));
    // SAFETY: the caller's promise.
    unsafe {
        let context = context.cast::<BufferContext>();
        List::append(&raw mut (*context).abi.pending, &raw mut (*reference).link);
        (&mut (*context).bins)[usize::try_from(bin).expect("a bin of the context")].references.push(reference);
    }
    reference.cast()
}

/// Adds a reference whose address each submission writes with a method.
///
/// # Safety
/// As for [`nouveau_bufctx_refn`].
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_bufctx_mthd(
    context: *mut c_void,
    bin: c_int,
    packet: u32,
    buffer: *mut c_void,
    data: u64,
    flags: u32,
    vram_or: u32,
    gart_or: u32,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe {
        let reference = nouveau_bufctx_refn(context, bin, buffer, flags).cast::<BufferReference>();
        (*reference).packet = packet;
        #[expect(clippy::cast_possible_truncation, reason = "the field of the reference has 32 bits")]
        let data = data as u32;
        (*reference).data = data;
        (*reference).vram_or = vram_or;
        (*reference).gart_or = gart_or;
        let context = &mut *context.cast::<BufferContext>();
        context.abi.relocations += 1;
        context.bins[usize::try_from(bin).expect("a bin of the context")].relocations += 1;
        reference.cast()
    }
}
