//! Lists the subchannels of a scene's objects.

/// The subchannel of the memory copy.
pub(super) const COPY: u8 = 0;

/// The subchannel of the destination surface.
pub(super) const SURFACE: u8 = 1;

/// The subchannel of the scaled image.
pub(super) const IMAGE: u8 = 2;

/// The subchannel of the vertex processor of PICA200.
pub(super) const PICA200: u8 = 5;

/// The subchannel of the vertex engine of NV20.
pub(super) const NV20: u8 = 6;

pub(super) use crate::command::builder::THREE_D;
