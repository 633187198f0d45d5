//! The start of streams that draw: the 3D object with its windows.

use curie::command::builder::{StreamBuilder, handles};
use curie::command::methods::three_d::sync;

/// The subchannel of the 3D object.
pub(crate) const THREE_D: u8 = 7;

/// Binds the 3D object and its windows: surfaces and textures are in video memory, or in system memory if allowed.
pub(crate) fn bind_three_d(stream: &mut StreamBuilder) {
    stream.bind(THREE_D, 0x4097, handles::object(0x4097));
    let (vram, gart) = (handles::VRAM, handles::GART);
    let slots = [handles::NOTIFIER, vram, gart, vram, 0, vram, vram, vram, gart, handles::FENCE, handles::QUERY];
    stream.methods(THREE_D, sync::DMA_NOTIFY, &slots);
    stream.methods(THREE_D, sync::DMA_COLOR2, &[vram, vram]);
}
