//! What the server knows of a surface and of its commits.

use wayland_protocols::xdg::shell::server::xdg_surface::XdgSurface;
use wayland_protocols::xdg::shell::server::xdg_toplevel::XdgToplevel;
use wayland_server::backend::ObjectId;
use wayland_server::protocol::wl_buffer::WlBuffer;
use wayland_server::protocol::wl_callback::WlCallback;
use wayland_server::protocol::wl_surface::WlSurface;

use crate::buffer::Layout;

/// A surface.
pub(crate) struct Surface {
    pub(crate) surface: WlSurface,
    pub(crate) shell_surface: Option<XdgSurface>,
    pub(crate) toplevel: Option<XdgToplevel>,
    pub(crate) title: String,
    pub(crate) is_fullscreen: bool,
    /// Whether the shell has told it its size.
    pub(crate) is_configured: bool,
    /// The buffer of the next commit; `Some(None)` unmaps.
    pub(crate) attached: Option<Option<WlBuffer>>,
    pub(crate) callbacks: Vec<WlCallback>,
    /// Commits whose content is not here yet.
    pub(crate) reads: usize,
}

/// A commit whose content is not here yet.
pub(crate) struct Read {
    pub(crate) surface: ObjectId,
    pub(crate) buffer: WlBuffer,
    pub(crate) callbacks: Vec<WlCallback>,
    pub(crate) layout: Layout,
}
