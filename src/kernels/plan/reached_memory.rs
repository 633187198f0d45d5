//! The guest memory that kernels reach for a command: each window from the start that they are given to the last byte that
//! they read or write.

use super::vertex_sources::vertex_windows;
use crate::memory::MemoryWindow;
use crate::pipeline::{Clear, Draw, GpuCommand, ImageSource, MemoryCopy, ScaledImage};

/// The memory that a command reaches.
#[derive(Debug, Default)]
pub(in crate::kernels) struct ReachedMemory {
    /// What it may read.
    pub(in crate::kernels) read: Vec<MemoryWindow>,
    /// What it may write.
    pub(in crate::kernels) written: Vec<MemoryWindow>,
}

impl ReachedMemory {
    /// All windows.
    pub(in crate::kernels) fn windows(self) -> Vec<MemoryWindow> {
        [self.read, self.written].concat()
    }

    /// Memory of a command other than a draw, unless it is refused. Launches run on copies, reports reach two pages at most, and
    /// what is zeroed need not be on the device.
    pub(in crate::kernels) fn of_command(command: &GpuCommand) -> Self {
        match command {
            GpuCommand::Clear(clear) if clear.unsupported().is_none() => {
                Self { read: Vec::new(), written: cleared(clear) }
            }
            GpuCommand::CopyMemory(copy) if copy.unsupported().is_none() => {
                let [source, destination] = copied(copy);
                Self { read: vec![source], written: vec![destination] }
            }
            GpuCommand::ScaleImage(image) if image.unsupported().is_none() => {
                let [source, destination] = scaled(image);
                Self { read: vec![source], written: vec![destination] }
            }
            GpuCommand::Draw(_)
            | GpuCommand::Clear(_)
            | GpuCommand::CopyMemory(_)
            | GpuCommand::ScaleImage(_)
            | GpuCommand::ZeroMemory(_)
            | GpuCommand::Launch(_)
            | GpuCommand::ResetSampleCounter
            | GpuCommand::WriteReport { .. }
            | GpuCommand::WriteNotifier { .. }
            | GpuCommand::WriteFence { .. } => Self::default(),
        }
    }

    /// Memory of a draw that runs these vertices. Programs and indices are read on the host.
    pub(in crate::kernels) fn of_draw<'a>(draw: &Draw, batches: impl Iterator<Item = &'a [u32]>) -> Self {
        let textures = draw.all_fetched_textures().map(|(texture, reads_texels)| {
            let end = |window: &MemoryWindow| u64::from(window.start) + u64::from(window.bytes);
            let fetched = texture.fetched_windows(reads_texels).iter().map(end).max().unwrap_or(0);
            truncated(texture.view.window, fetched.saturating_sub(texture.view.window.start.into()))
        });
        let vertices = batches.flat_map(|batch| vertex_windows(draw, batch));
        let clip = draw.raster.clip.texels(draw.targets.samples);
        let written = draw.written_surfaces().map(|surface| truncated(surface.window, surface.range(clip).end));
        let streams = draw.stream_out.iter().flat_map(|stream_out| &stream_out.buffers).map(|buffer| buffer.window);
        Self { read: textures.chain(vertices).collect(), written: written.chain(streams).collect() }
    }
}

/// The surfaces of a clear up to the last pixel of its rectangle.
pub(in crate::kernels) fn cleared(clear: &Clear) -> Vec<MemoryWindow> {
    let (right, bottom) = (clear.rect.x + clear.rect.width, clear.rect.y + clear.rect.height);
    let color = clear.targets.color.iter().flatten();
    let color = color.map(|target| (target.window, target.layout, target.format.bytes()));
    let zeta = clear.targets.zeta.iter().map(|zeta| (zeta.window, zeta.layout, zeta.format.bytes()));
    color
        .chain(zeta)
        .map(|(window, layout, bytes)| truncated(window, layout.span_bytes(right, bottom, bytes)))
        .collect()
}

/// The source and the destination of a copy.
pub(in crate::kernels) fn copied(copy: &MemoryCopy) -> [MemoryWindow; 2] {
    let [source, destination] = copy.spans();
    [truncated(copy.source, source), truncated(copy.destination, destination)]
}

/// The source and the destination of an image; a source in the stream is empty.
pub(in crate::kernels) fn scaled(image: &ScaledImage) -> [MemoryWindow; 2] {
    let source = match image.source {
        ImageSource::Memory(window) => truncated(window, image.source_span()),
        ImageSource::Words(_) => MemoryWindow::EMPTY,
    };
    let [columns, rows] = [0, 1].map(|axis| image.destination_range(axis));
    let (right, bottom) = (columns.first + columns.count, rows.first + rows.count);
    let bytes = image.destination_layout.span_bytes(right, bottom, image.destination_format.bytes());
    [source, truncated(image.destination, bytes)]
}

fn truncated(window: MemoryWindow, bytes: u64) -> MemoryWindow {
    window.truncated(u32::try_from(bytes).unwrap_or(u32::MAX))
}
