//! Interfaces that tool kits insist on and that show nothing here: memory, output, regions, subsurfaces, clipboard.

use wayland_server::Resource;
use wayland_server::protocol::wl_data_device::WlDataDevice;
use wayland_server::protocol::wl_data_device_manager::{self, WlDataDeviceManager};
use wayland_server::protocol::wl_data_source::WlDataSource;
use wayland_server::protocol::wl_output::{self, WlOutput};
use wayland_server::protocol::wl_region::WlRegion;
use wayland_server::protocol::wl_shm::{self, WlShm};
use wayland_server::protocol::wl_shm_pool::{self, WlShmPool};
use wayland_server::protocol::wl_subcompositor::{self, WlSubcompositor};
use wayland_server::protocol::wl_subsurface::WlSubsurface;

use crate::buffer::Buffer;
use crate::dispatch::{global, requests};

/// The rate of the screen in millihertz.
const RATE: i32 = 60_000;

/// Millimeters of a pixel's side are this many hundredths: 96 pixels an inch.
const PIXEL_HUNDREDTHS: u32 = 26;

global!(WlSubcompositor);
global!(WlDataDeviceManager);

requests!(WlSubsurface);
requests!(WlRegion);
requests!(WlOutput);
requests!(WlDataSource);
requests!(WlDataDevice);

requests!(WlSubcompositor, |_state, _object, request, init| {
    if let wl_subcompositor::Request::GetSubsurface { id, .. } = request {
        init.init(id, ());
    }
});

requests!(WlShm, |_state, _object, request, init| {
    if let wl_shm::Request::CreatePool { id, .. } = request {
        init.init(id, ());
    }
});

requests!(WlShmPool, |state, pool, request, init| {
    if let wl_shm_pool::Request::CreateBuffer { id, .. } = request {
        state.count_buffer(pool);
        init.init(id, Buffer::Shared);
    }
});

requests!(WlDataDeviceManager, |_state, _object, request, init| match request {
    wl_data_device_manager::Request::CreateDataSource { id } => {
        init.init(id, ());
    }
    wl_data_device_manager::Request::GetDataDevice { id, .. } => {
        init.init(id, ());
    }
    _ => {}
});

global!(WlShm, |_state, shm| {
    shm.format(wl_shm::Format::Argb8888);
    shm.format(wl_shm::Format::Xrgb8888);
});

global!(WlOutput, |state, output| {
    let (width, height) = state.screen;
    let signed = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
    let millimeters = |pixels: u32| signed(pixels.saturating_mul(PIXEL_HUNDREDTHS) / 100);
    let (subpixel, transform) = (wl_output::Subpixel::Unknown, wl_output::Transform::Normal);
    let (maker, model) = ("curie".to_owned(), "window".to_owned());
    output.geometry(0, 0, millimeters(width), millimeters(height), subpixel, maker, model, transform);
    let mode = wl_output::Mode::Current | wl_output::Mode::Preferred;
    output.mode(mode, signed(width), signed(height), RATE);
    if output.version() >= 2 {
        output.scale(1);
        output.done();
    }
});
