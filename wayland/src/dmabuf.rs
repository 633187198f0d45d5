//! `zwp_linux_dmabuf_v1`: how Mesa's drivers find the device and pass their buffers, as files. Mesa from 25.2 on may be
//! built without `wl_drm`.

use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, makedev, memfd_create};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_buffer_params_v1::{
    self, Error, Flags, ZwpLinuxBufferParamsV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_dmabuf_feedback_v1::{
    TrancheFlags, ZwpLinuxDmabufFeedbackV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_dmabuf_v1::{self, ZwpLinuxDmabufV1};
use wayland_server::backend::ClientId;
use wayland_server::protocol::wl_buffer::WlBuffer;
use wayland_server::{Client, DataInit, Dispatch, DisplayHandle, Resource, WEnum};

use crate::Event;
use crate::buffer::{Buffer, BufferError, Format, PrimeBuffer};
use crate::dispatch::{global, requests};
use crate::state::State;

/// The version of the interface, the first with feedback.
pub(crate) const VERSION: u32 = 4;

/// Major and minor number of the device that the client library shows the driver, `/dev/null`.
const DEVICE: [u32; 2] = [1, 3];

/// The modifier of every format, `DRM_FORMAT_MOD_INVALID` of `drm_fourcc.h`: it leaves the order of the pixels to the driver,
/// as `wl_drm` does. Of a driver without modifiers, Xwayland cannot show buffers that it has asked for with another one.
const MODIFIER: u64 = 0x00ff_ffff_ffff_ffff;

/// The high and the low half of a modifier.
const fn halves(modifier: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = modifier.to_be_bytes();
    [u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])]
}

/// A file that holds all formats with their modifier, which nobody can change, and its bytes.
fn format_table() -> io::Result<(OwnedFd, u32)> {
    let entry = |format: Format| {
        // The second word has no meaning.
        [[format.code(), 0].map(u32::to_ne_bytes).concat(), MODIFIER.to_ne_bytes().to_vec()].concat()
    };
    let bytes: Vec<u8> = Format::ALL.into_iter().flat_map(entry).collect();
    let mut file = std::fs::File::from(memfd_create("curie formats", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
    file.write_all(&bytes)?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok((file.into(), u32::try_from(bytes.len()).unwrap_or(0)))
}

/// Tells the device, the formats and their modifiers: one tranche. Without the flag for scanout, since with it Mesa drops
/// the depth buffer.
fn send_feedback(feedback: &ZwpLinuxDmabufFeedbackV1) -> io::Result<()> {
    let (table, bytes) = format_table()?;
    let [major, minor] = DEVICE;
    let device = makedev(major, minor).to_ne_bytes().to_vec();
    let indices = (0_u16..).zip(Format::ALL).flat_map(|(index, _)| index.to_ne_bytes()).collect();
    feedback.format_table(table.as_fd(), bytes);
    feedback.main_device(device.clone());
    feedback.tranche_target_device(device);
    feedback.tranche_flags(TrancheFlags::empty());
    feedback.tranche_formats(indices);
    feedback.tranche_done();
    feedback.done();
    Ok(())
}

/// What a program has said of a buffer so far.
#[derive(Debug, Default)]
pub(crate) enum Params {
    /// Nothing.
    #[default]
    Empty,
    /// Its plane; formats of more than one are not offered.
    Plane(Plane),
    /// All; a buffer came of it, or none.
    Used,
}

/// The plane of a buffer.
#[derive(Debug)]
pub(crate) struct Plane {
    file: OwnedFd,
    offset: u32,
    stride: u32,
    modifier: u64,
}

/// Why there is no buffer.
enum Failure {
    /// The program broke the protocol.
    Broken(Error, String),
    /// This server does not take what the protocol allows.
    Refused(String),
}

impl From<BufferError> for Failure {
    fn from(error: BufferError) -> Self {
        let message = error.to_string();
        match error {
            BufferError::Format(_) => Self::Broken(Error::InvalidFormat, message),
            BufferError::NoPixels(_) => Self::Broken(Error::InvalidDimensions, message),
            BufferError::Stride { .. } | BufferError::Offset(_) | BufferError::End { .. } => {
                Self::Broken(Error::OutOfBounds, message)
            }
            BufferError::TooLarge(_) | BufferError::File(_) => Self::Refused(message),
        }
    }
}

fn lock(params: &Mutex<Params>) -> MutexGuard<'_, Params> {
    params.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds the plane with this index.
fn add(params: &Mutex<Params>, index: u32, plane: Plane) -> Result<(), (Error, String)> {
    let mut params = lock(params);
    match *params {
        Params::Used => Err((Error::AlreadyUsed, "a plane after the buffer".to_owned())),
        _ if index > 0 => Err((Error::PlaneIdx, format!("plane {index}: every format has one plane"))),
        Params::Plane(_) => Err((Error::PlaneSet, "plane 0 is set".to_owned())),
        Params::Empty => {
            *params = Params::Plane(plane);
            Ok(())
        }
    }
}

/// Makes the buffer; the parameters are used up, whatever comes of them.
fn import(
    params: &Mutex<Params>,
    version: u32,
    size: [i32; 2],
    format: u32,
    flags: WEnum<Flags>,
) -> Result<PrimeBuffer, Failure> {
    let plane = match std::mem::replace(&mut *lock(params), Params::Used) {
        Params::Used => return Err(Failure::Broken(Error::AlreadyUsed, "a second buffer".to_owned())),
        Params::Empty => return Err(Failure::Broken(Error::Incomplete, "a buffer without a plane".to_owned())),
        Params::Plane(plane) => plane,
    };
    if plane.modifier != MODIFIER {
        let message = format!("modifier {:#x} is not offered", plane.modifier);
        // Only since then is it an error.
        return Err(match version >= 4 {
            true => Failure::Broken(Error::InvalidFormat, message),
            false => Failure::Refused(message),
        });
    }
    let buffer = PrimeBuffer::new(plane.file, size, format, plane.offset.into(), plane.stride.into())?;
    if flags != WEnum::Value(Flags::empty()) {
        return Err(Failure::Refused("a buffer that is upside down or interlaced".to_owned()));
    }
    Ok(buffer)
}

global!(ZwpLinuxDmabufV1, |_state, dmabuf| {
    let version = dmabuf.version();
    // From then on, a program asks for feedback.
    if version >= zwp_linux_dmabuf_v1::REQ_GET_DEFAULT_FEEDBACK_SINCE {
        return;
    }
    if version < zwp_linux_dmabuf_v1::EVT_MODIFIER_SINCE {
        return Format::ALL.into_iter().for_each(|format| dmabuf.format(format.code()));
    }
    for format in Format::ALL {
        let [high, low] = halves(MODIFIER);
        dmabuf.modifier(format.code(), high, low);
    }
});

requests!(ZwpLinuxDmabufV1, |state, dmabuf, request, init| {
    match request {
        zwp_linux_dmabuf_v1::Request::CreateParams { params_id } => {
            init.init(params_id, Mutex::default());
            // It may hold a file, as a buffer does.
            state.count_buffer(dmabuf);
        }
        zwp_linux_dmabuf_v1::Request::GetDefaultFeedback { id }
        | zwp_linux_dmabuf_v1::Request::GetSurfaceFeedback { id, .. } => {
            if let Err(error) = send_feedback(&init.init(id, ())) {
                state.refuse(dmabuf, format!("no table of formats: {error}"));
            }
        }
        _ => {}
    }
});

impl Dispatch<ZwpLinuxBufferParamsV1, Mutex<Params>> for State {
    fn request(
        state: &mut Self,
        client: &Client,
        params: &ZwpLinuxBufferParamsV1,
        request: zwp_linux_buffer_params_v1::Request,
        own: &Mutex<Params>,
        display: &DisplayHandle,
        init: &mut DataInit<'_, Self>,
    ) {
        match request {
            zwp_linux_buffer_params_v1::Request::Add { fd, plane_idx, offset, stride, modifier_hi, modifier_lo } => {
                let modifier = u64::from(modifier_hi) << 32 | u64::from(modifier_lo);
                let plane = Plane { file: fd, offset, stride, modifier };
                if let Err((error, message)) = add(own, plane_idx, plane) {
                    params.post_error(error, message);
                }
            }
            zwp_linux_buffer_params_v1::Request::Create { width, height, format, flags } => {
                match import(own, params.version(), [width, height], format, flags) {
                    Ok(buffer) => {
                        let version = WlBuffer::interface().version;
                        let buffer = Buffer::Prime(buffer);
                        if let Ok(buffer) = client.create_resource::<WlBuffer, Buffer, Self>(display, version, buffer) {
                            params.created(&buffer);
                            state.count_buffer(params);
                        }
                    }
                    Err(Failure::Broken(error, message)) => params.post_error(error, message),
                    Err(Failure::Refused(message)) => {
                        params.failed();
                        state.host.event(Event::Trouble(message));
                    }
                }
            }
            zwp_linux_buffer_params_v1::Request::CreateImmed { buffer_id, width, height, format, flags } => {
                state.count_buffer(params);
                let (buffer, error) = match import(own, params.version(), [width, height], format, flags) {
                    Ok(buffer) => (Buffer::Prime(buffer), None),
                    Err(Failure::Broken(error, message)) => (Buffer::Shared, Some((error, message))),
                    Err(Failure::Refused(message)) => (Buffer::Shared, Some((Error::InvalidWlBuffer, message))),
                };
                init.init(buffer_id, buffer);
                if let Some((error, message)) = error {
                    params.post_error(error, message);
                }
            }
            _ => {}
        }
    }

    fn destroyed(state: &mut Self, client: ClientId, _: &ZwpLinuxBufferParamsV1, _: &Mutex<Params>) {
        state.forget_buffer(client);
    }
}

requests!(ZwpLinuxDmabufFeedbackV1, |_state, _object, _request, _init| {
    // Its only request is its end.
});
