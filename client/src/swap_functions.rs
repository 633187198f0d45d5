//! Where Mesa's functions that swap buffers are, once libglvnd has found them.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A place for a function, null until it is found.
pub(crate) type Place = AtomicPtr<c_void>;

/// Mesa's functions.
pub(crate) static EGL_SWAP: Place = Place::new(std::ptr::null_mut());
pub(crate) static EGL_SWAP_WITH_DAMAGE: Place = Place::new(std::ptr::null_mut());
pub(crate) static GLX_SWAP: Place = Place::new(std::ptr::null_mut());

/// Whether libglvnd has got the functions that swap from here, which it asks for before it calls any other.
pub(crate) fn swaps_are_seen() -> bool {
    [&EGL_SWAP, &GLX_SWAP].into_iter().any(|place| !place.load(Ordering::Acquire).is_null())
}
