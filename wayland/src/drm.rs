//! `wl_drm`: how Mesa's drivers pass their buffers, as files.

use wayland_server::protocol::wl_buffer::WlBuffer;
use wayland_server::{DataInit, New, Resource};

use crate::buffer::{Buffer, Format, PrimeBuffer};
use crate::dispatch::{global, requests};
use crate::state::State;
use protocol::wl_drm;
pub(crate) use protocol::wl_drm::WlDrm;

/// The interface, generated from its list of messages.
mod protocol {
    #![allow(
        unsafe_code,
        missing_docs,
        unreachable_pub,
        unused_qualifications,
        non_upper_case_globals,
        elided_lifetimes_in_paths,
        missing_debug_implementations,
        clippy::all,
        clippy::use_self,
        clippy::doc_markdown,
        clippy::cast_possible_truncation,
        clippy::unwrap_used,
        clippy::semicolon_if_nothing_returned,
        clippy::allow_attributes_without_reason,
        reason = "wayland-scanner writes this code"
    )]
    use wayland_server;
    use wayland_server::protocol::*;

    pub mod __interfaces {
        use wayland_server::protocol::__interfaces::*;
        wayland_scanner::generate_interfaces!("src/wl_drm.xml");
    }
    use self::__interfaces::*;

    wayland_scanner::generate_server_code!("src/wl_drm.xml");
}

/// The version of the interface.
pub(crate) const VERSION: u32 = 2;

/// The device that the client library shows the driver.
const DEVICE: &str = "/dev/null";

/// The capability to pass buffers as files.
const PRIME: u32 = 1;

impl State {
    fn create(
        &mut self,
        drm: &WlDrm,
        new: New<WlBuffer>,
        buffer: Result<PrimeBuffer, String>,
        init: &mut DataInit<'_, Self>,
    ) {
        self.count_buffer(drm);
        match buffer {
            Ok(buffer) => {
                init.init(new, Buffer::Prime(buffer));
            }
            Err(message) => {
                init.init(new, Buffer::Shared);
                drm.post_error(wl_drm::Error::InvalidFormat, message);
            }
        }
    }
}

global!(WlDrm, |_state, drm| {
    drm.device(DEVICE.to_owned());
    for format in Format::ALL {
        drm.format(format.code());
    }
    if drm.version() >= VERSION {
        drm.capabilities(PRIME);
    }
});

requests!(WlDrm, |state, drm, request, init| {
    match request {
        wl_drm::Request::Authenticate { .. } => drm.authenticated(),
        wl_drm::Request::CreatePrimeBuffer { id, file, width, height, format, offset0, stride0, .. } => {
            let buffer = PrimeBuffer::new(file, [width, height], format, offset0.into(), stride0.into())
                .map_err(|error| error.to_string());
            state.create(drm, id, buffer, init);
        }
        wl_drm::Request::CreateBuffer { id, .. } | wl_drm::Request::CreatePlanarBuffer { id, .. } => {
            state.create(drm, id, Err("buffers are passed as files".to_owned()), init);
        }
    }
});
