//! `wl_drm`: how Mesa's drivers pass their buffers, as files.

use std::collections::hash_map::Entry;
use std::os::fd::OwnedFd;

use wayland_server::backend::ClientId;
use wayland_server::protocol::wl_buffer::WlBuffer;
use wayland_server::{Client, DataInit, Dispatch, DisplayHandle, GlobalDispatch, New, Resource};

use crate::FileIdentity;
use crate::buffer::{Format, Layout};
use crate::state::State;
use crate::surface::Buffer;
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

/// Buffers of a client that may exist at a time.
const MOST_BUFFERS: usize = 1024;

/// A buffer of the program's driver.
#[derive(Debug)]
pub(crate) struct PrimeBuffer {
    pub(crate) layout: Layout,
    pub(crate) identity: FileIdentity,
    /// While the file is open, no other has its number.
    _file: OwnedFd,
}

/// The bytes and the identity of a file.
fn inspect(file: &OwnedFd) -> Result<(u64, FileIdentity), String> {
    let found = rustix::fs::fstat(file).map_err(|error| format!("the file of a buffer: {error}"))?;
    let bytes = u64::try_from(found.st_size).unwrap_or(0);
    Ok((bytes, FileIdentity { device: found.st_dev, inode: found.st_ino }))
}

impl State {
    /// Counts a new buffer of the resource's client, which ends if it has too many.
    pub(crate) fn count_buffer(&mut self, resource: &impl Resource) {
        let Some(client) = resource.client() else { return };
        let buffers = self.buffers.entry(client.id()).or_default();
        *buffers += 1;
        if *buffers > MOST_BUFFERS {
            self.refuse(resource, format!("more than {MOST_BUFFERS} buffers"));
        }
    }

    /// A buffer of this client is gone.
    pub(crate) fn forget_buffer(&mut self, client: ClientId) {
        if let Entry::Occupied(mut buffers) = self.buffers.entry(client) {
            *buffers.get_mut() -= 1;
            if *buffers.get() == 0 {
                buffers.remove();
            }
        }
    }

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

impl GlobalDispatch<WlDrm, ()> for State {
    fn bind(_: &mut Self, _: &DisplayHandle, _: &Client, new: New<WlDrm>, (): &(), init: &mut DataInit<'_, Self>) {
        let drm = init.init(new, ());
        drm.device(DEVICE.to_owned());
        for format in Format::ALL {
            drm.format(format.code());
        }
        if drm.version() >= VERSION {
            drm.capabilities(PRIME);
        }
    }
}

impl Dispatch<WlDrm, ()> for State {
    fn request(
        state: &mut Self,
        _: &Client,
        drm: &WlDrm,
        request: wl_drm::Request,
        (): &(),
        _: &DisplayHandle,
        init: &mut DataInit<'_, Self>,
    ) {
        match request {
            wl_drm::Request::Authenticate { .. } => drm.authenticated(),
            wl_drm::Request::CreatePrimeBuffer { id, file, width, height, format, offset0, stride0, .. } => {
                let buffer = inspect(&file).and_then(|(bytes, identity)| {
                    let layout = Layout::new([width, height], format, offset0, stride0, bytes)?;
                    Ok(PrimeBuffer { layout, identity, _file: file })
                });
                state.create(drm, id, buffer, init);
            }
            wl_drm::Request::CreateBuffer { id, .. } | wl_drm::Request::CreatePlanarBuffer { id, .. } => {
                state.create(drm, id, Err("buffers are passed as files".to_owned()), init);
            }
        }
    }
}
