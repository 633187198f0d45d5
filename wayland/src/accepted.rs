//! Interfaces that tool kits insist on and that show nothing here: memory, output, regions, subsurfaces, clipboard.

use wayland_server::protocol::wl_data_device::{self, WlDataDevice};
use wayland_server::protocol::wl_data_device_manager::{self, WlDataDeviceManager};
use wayland_server::protocol::wl_data_source::{self, WlDataSource};
use wayland_server::protocol::wl_output::{self, WlOutput};
use wayland_server::protocol::wl_region::{self, WlRegion};
use wayland_server::protocol::wl_shm::{self, WlShm};
use wayland_server::protocol::wl_shm_pool::{self, WlShmPool};
use wayland_server::protocol::wl_subcompositor::{self, WlSubcompositor};
use wayland_server::protocol::wl_subsurface::{self, WlSubsurface};
use wayland_server::{Client, DataInit, Dispatch, DisplayHandle, GlobalDispatch, New, Resource};

use crate::buffer::Buffer;
use crate::state::State;

/// The rate of the screen in millihertz.
const RATE: i32 = 60_000;

/// Millimeters of a pixel's side are this many hundredths: 96 pixels an inch.
const PIXEL_HUNDREDTHS: u32 = 26;

/// Accepts every request of an interface. Only requests that create an object have an effect.
macro_rules! accepted {
    ($interface:ty, $module:ident $(, $request:ident { $id:ident } => $data:expr)*) => {
        impl Dispatch<$interface, ()> for State {
            fn request(
                state: &mut Self,
                _: &Client,
                resource: &$interface,
                request: $module::Request,
                (): &(),
                _: &DisplayHandle,
                init: &mut DataInit<'_, Self>,
            ) {
                let _ = (&state, resource, &init);
                match request {
                    $($module::Request::$request { $id, .. } => {
                        init.init($id, ($data)(state, resource));
                    })*
                    _ => {}
                }
            }
        }
    };
}

/// A global whose binding sends nothing.
macro_rules! silent {
    ($interface:ty) => {
        impl GlobalDispatch<$interface, ()> for State {
            fn bind(
                _: &mut Self,
                _: &DisplayHandle,
                _: &Client,
                new: New<$interface>,
                (): &(),
                init: &mut DataInit<'_, Self>,
            ) {
                init.init(new, ());
            }
        }
    };
}

fn nothing<T>(_: &mut State, _: &T) {}

fn shared_buffer(state: &mut State, pool: &WlShmPool) -> Buffer {
    state.count_buffer(pool);
    Buffer::Shared
}

silent!(WlSubcompositor);
silent!(WlDataDeviceManager);
accepted!(WlSubcompositor, wl_subcompositor, GetSubsurface { id } => nothing);
accepted!(WlSubsurface, wl_subsurface);
accepted!(WlRegion, wl_region);
accepted!(WlOutput, wl_output);
accepted!(WlShm, wl_shm, CreatePool { id } => nothing);
accepted!(WlShmPool, wl_shm_pool, CreateBuffer { id } => shared_buffer);
accepted!(WlDataDeviceManager, wl_data_device_manager, CreateDataSource { id } => nothing, GetDataDevice { id } => nothing);
accepted!(WlDataSource, wl_data_source);
accepted!(WlDataDevice, wl_data_device);

impl GlobalDispatch<WlShm, ()> for State {
    fn bind(_: &mut Self, _: &DisplayHandle, _: &Client, new: New<WlShm>, (): &(), init: &mut DataInit<'_, Self>) {
        let shm = init.init(new, ());
        shm.format(wl_shm::Format::Argb8888);
        shm.format(wl_shm::Format::Xrgb8888);
    }
}

impl GlobalDispatch<WlOutput, ()> for State {
    fn bind(
        state: &mut Self,
        _: &DisplayHandle,
        _: &Client,
        new: New<WlOutput>,
        (): &(),
        init: &mut DataInit<'_, Self>,
    ) {
        let output = init.init(new, ());
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
    }
}
