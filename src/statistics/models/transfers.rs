//! Computes the traffic of clears, copies, images, the host and the display.
//!
//! A clear writes its rectangle row by row, as it is not known how fast clears use memory;
//! [`compression`](super::compression) has the cost for compressed tiles. A copy reads and writes line by line, an
//! image row by row. A host write transfers the bytes that change.
// Unverified: the order of a clear's and an image's accesses, and that reports, notifiers and fences of 4 to 16
// bytes cost nothing.

use super::frame_work::FrameWork;
use super::loads::{color_loads, depth_loads, memory_loads};
use super::traffic::Traffic;
use crate::chip::BoundSurface;
use crate::memory::MemoryWindow;
use crate::pipeline::{
    Clear, ColorTarget, ImageOperation, ImageSource, LayoutKind, MemoryCopy, Rect, ScaledImage, SurfaceLayout,
};
use crate::statistics::memory_partitions::{ACCESS_BYTES, Client};
use crate::statistics::time::Loads;

impl FrameWork {
    /// Its name in files.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Draw(_) => "draw",
            Self::Clear(_) => "clear",
            Self::CopyMemory(_) => "copy",
            Self::ScaleImage(_) => "image",
            Self::Upload(_) => "upload",
            Self::Methods => "methods",
        }
    }

    /// Its reads and writes, except for a draw.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let mut traffic = Traffic::default();
        match self {
            Self::Draw(_) | Self::Methods => {}
            Self::Clear(clear) => clear_traffic(clear, &mut traffic),
            Self::CopyMemory(copy) => copy_traffic(copy, &mut traffic),
            Self::ScaleImage(image) => image_traffic(image, &mut traffic),
            Self::Upload(windows) => upload_traffic(windows, &mut traffic),
        }
        traffic
    }

    /// Its load on the units with this traffic, except for a draw.
    pub(super) fn loads(&self, traffic: &Traffic) -> Loads {
        let mut loads = memory_loads(traffic);
        if let Self::Clear(clear) = self {
            // Unverified: that the ROP clears as fast as it draws.
            let samples = u64::from(clear.targets.samples.count());
            let texels = u64::from(clear.rect.width) * u64::from(clear.rect.height);
            for target in clear.cleared_colors() {
                color_loads(&mut loads, target.format, texels, samples);
            }
            if clear.cleared_colors().next().is_none() && cleared_zeta(clear) != [0; 2] {
                depth_loads(&mut loads, texels, samples);
            }
        }
        loads
    }
}

/// Merges runs of bytes where one ends in the access in which the next begins.
fn upload_traffic(windows: &[MemoryWindow], traffic: &mut Traffic) {
    let mut last = None;
    for window in windows.iter().filter(|window| window.bytes > 0) {
        traffic.from_host += u64::from(window.bytes);
        let mut rest = *window;
        if last == Some(window.start / ACCESS_BYTES) {
            rest = window.from_offset(ACCESS_BYTES - window.start % ACCESS_BYTES);
        }
        traffic.window(rest, Client::Host, true);
        last = Some((window.start + window.bytes - 1) / ACCESS_BYTES);
    }
}

/// The bits of a depth pixel's words that a clear writes.
pub(super) fn cleared_zeta(clear: &Clear) -> [u32; 2] {
    clear.targets.zeta.as_ref().map_or([0; 2], |zeta| clear.zeta_masks(zeta.format))
}

/// Whether a mask keeps parts of bytes, so that memory must be read.
fn has_parts(mask: u32) -> bool {
    mask.to_le_bytes().iter().any(|byte| ![0, 255].contains(byte))
}

fn clear_traffic(clear: &Clear, traffic: &mut Traffic) {
    for ColorTarget { window, layout, format } in clear.cleared_colors() {
        // Pixels of 16 bits have their mask in the low half.
        let low = u32::MAX >> (32 - 8 * format.bytes().min(4));
        let reads = clear.color_word_masks(*format).iter().any(|mask| has_parts(mask & low));
        fill(traffic, (*window, *layout, format.bytes()), clear.rect, Client::Color, reads);
    }
    let masks = cleared_zeta(clear);
    if let Some(zeta) = clear.targets.zeta.as_ref().filter(|_| masks != [0; 2]) {
        let surface = (zeta.window, zeta.layout, zeta.format.bytes());
        fill(traffic, surface, clear.rect, Client::Zeta, masks.into_iter().any(has_parts));
    }
}

fn fill(traffic: &mut Traffic, surface: (MemoryWindow, SurfaceLayout, u32), rect: Rect, client: Client, reads: bool) {
    for y in rect.y..rect.y.saturating_add(rect.height) {
        let row = Rect { y, height: 1, ..rect };
        match surface.1 {
            SurfaceLayout::Linear { .. } => {
                if reads {
                    traffic.pixels(surface, row, client, false);
                }
                traffic.pixels(surface, row, client, true);
            }
            SurfaceLayout::Swizzled { .. } | SurfaceLayout::BlockLinear { .. } => {
                if reads {
                    traffic.pixels(surface, rect, client, false);
                }
                return traffic.pixels(surface, rect, client, true);
            }
        }
    }
}

fn copy_traffic(copy: &MemoryCopy, traffic: &mut Traffic) {
    let span = |increment: u32| (copy.line_length - 1).saturating_mul(increment).saturating_add(1);
    if copy.line_length == 0 {
        return;
    }
    for line in 0..copy.line_count {
        let source = copy.source.from_offset(line.saturating_mul(copy.source_pitch));
        traffic.window(source.truncated(span(copy.source_increment)), Client::Copy, false);
        let destination = copy.destination.from_offset(line.saturating_mul(copy.destination_pitch));
        traffic.window(destination.truncated(span(copy.destination_increment)), Client::Copy, true);
    }
}

fn image_traffic(image: &ScaledImage, traffic: &mut Traffic) {
    let [columns, rows] = [0, 1].map(|axis| image.destination_range(axis));
    if columns.count == 0 || rows.count == 0 {
        return;
    }
    let reads_surface = match image.operation.operation {
        ImageOperation::SourceCopy | ImageOperation::SourceCopyAnd | ImageOperation::SourceCopyPremultiplied => false,
        ImageOperation::BlendAnd | ImageOperation::BlendPremultiplied => true,
        // Bit 0 of each truth table index is the surface's bit.
        ImageOperation::RopAnd => (image.operation.rop ^ image.operation.rop >> 1) & 0x55 != 0,
    };
    let surface = (image.destination, image.destination_layout, image.destination_format.bytes());
    let whole = Rect { x: columns.first, y: rows.first, width: columns.count, height: rows.count };
    let mut last_read = None;
    for y in rows.first..rows.first + rows.count {
        let tap = image.source_tap(1, y);
        let source = (tap.first, if tap.weight == 0 { tap.first } else { tap.first + 1 });
        if let (ImageSource::Memory(window), true) = (&image.source, last_read != Some(source)) {
            source_traffic(image, *window, source, traffic);
        }
        last_read = Some(source);
        if let SurfaceLayout::Linear { .. } = image.destination_layout {
            let row = Rect { y, height: 1, ..whole };
            if reads_surface {
                traffic.pixels(surface, row, Client::Copy, false);
            }
            traffic.pixels(surface, row, Client::Copy, true);
        }
    }
    if image.destination_layout.kind() != LayoutKind::Linear {
        if reads_surface {
            traffic.pixels(surface, whole, Client::Copy, false);
        }
        traffic.pixels(surface, whole, Client::Copy, true);
    }
}

/// Rows of the source, limited to the sampled columns.
fn source_traffic(image: &ScaledImage, window: MemoryWindow, (first_row, last_row): (u32, u32), traffic: &mut Traffic) {
    let columns = image.destination_range(0);
    let ends = [columns.first, columns.first + columns.count - 1].map(|x| image.source_tap(0, x));
    let first = ends.iter().map(|tap| tap.first).min().unwrap_or(0);
    let last = ends.iter().map(|tap| tap.first + u32::from(tap.weight != 0)).max().unwrap_or(0);
    let surface = (window, SurfaceLayout::Linear { pitch_bytes: image.source_pitch }, image.source_format.bytes());
    let rect = Rect { x: first, y: first_row, width: last - first + 1, height: last_row - first_row + 1 };
    traffic.pixels(surface, rect, Client::Copy, false);
}

/// The display's reads of a picture, once.
#[must_use]
pub fn scan_out_traffic(picture: &BoundSurface) -> Traffic {
    let mut traffic = Traffic::default();
    let rect = Rect { x: 0, y: 0, width: picture.width, height: picture.height };
    traffic.pixels((picture.window, picture.layout, picture.format.bytes()), rect, Client::ScanOut, false);
    traffic
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ColorFormat, ImageFormat, ZetaFormat};
    use crate::memory::MemorySpace;
    use crate::pipeline::{MAX_COLOR_TARGETS, PixelOperation, SampleMode, Targets, ZetaTarget};

    const VRAM: MemoryWindow = MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: 1 << 20 };
    const GART: MemoryWindow = MemoryWindow { space: MemorySpace::Gart, start: 0, bytes: 1 << 20 };

    /// Reads and writes of video memory, in accesses.
    fn counts(traffic: &Traffic) -> [usize; 2] {
        [false, true].map(|is_write| traffic.accesses.iter().filter(|access| access.is_write() == is_write).count())
    }

    fn clear(color_mask: u8, clears_depth: bool, stencil_mask: u8) -> Clear {
        let layout = SurfaceLayout::Linear { pitch_bytes: 256 };
        let mut color = [None; MAX_COLOR_TARGETS];
        color[0] = Some(ColorTarget { window: VRAM, layout, format: ColorFormat::A8R8G8B8 });
        let targets = Targets {
            color,
            zeta: Some(ZetaTarget {
                window: VRAM.from_offset(1 << 16),
                layout,
                format: ZetaFormat::Z24S8,
                is_float: false,
            }),
            samples: SampleMode::One,
            rect: Rect { x: 0, y: 0, width: 64, height: 64 },
        };
        Clear {
            targets,
            rect: Rect { x: 8, y: 0, width: 16, height: 10 },
            color: [0; 4],
            zeta: [0; 2],
            color_mask,
            clears_depth,
            clears_stencil: stencil_mask != 0,
            stencil_mask,
        }
    }

    #[test]
    fn clears_write_their_rectangle_and_read_where_bytes_are_kept_in_part() {
        // Ten rows of sixteen pixels are twenty accesses of each surface.
        for (color_mask, clears_depth, stencil_mask, expected) in [
            (15, true, 255, [0, 40]),
            (1, true, 0, [0, 40]),
            (0, true, 0, [0, 20]),
            (15, false, 0, [0, 20]),
            (0, true, 0x0f, [20, 20]),
            (0, false, 0, [0, 0]),
        ] {
            let work = FrameWork::Clear(Box::new(clear(color_mask, clears_depth, stencil_mask)));
            let traffic = work.traffic();
            assert_eq!(counts(&traffic), expected, "{color_mask} {clears_depth} {stencil_mask}");
            let loads = work.loads(&traffic);
            let pixels = if color_mask != 0 { [160, 0] } else { [0, if expected[1] > 0 { 160 } else { 0 }] };
            assert_eq!([loads.pixels, loads.depth_only_pixels], pixels);
        }
    }

    #[test]
    fn copies_go_line_by_line() {
        let copy = MemoryCopy {
            source: VRAM,
            destination: VRAM.from_offset(1 << 16),
            source_pitch: 128,
            destination_pitch: 40,
            line_length: 20,
            line_count: 3,
            source_increment: 1,
            destination_increment: 2,
        };
        // Each line of the source is one access; those of 39 bytes at 0, 40 and 80 are two each.
        let traffic = FrameWork::CopyMemory(copy.clone()).traffic();
        assert_eq!(counts(&traffic), [3, 6]);
        assert!(!traffic.accesses[0].is_write() && traffic.accesses[1].is_write());
        let to_host = FrameWork::CopyMemory(MemoryCopy { destination: GART, ..copy.clone() }).traffic();
        assert_eq!((counts(&to_host), to_host.to_host, to_host.from_host), ([3, 0], 3 * 39, 0));
        let from_host = FrameWork::CopyMemory(MemoryCopy { source: GART, ..copy.clone() }).traffic();
        assert_eq!((counts(&from_host), from_host.from_host), ([0, 6], 3 * 20));
        let empty = MemoryCopy { line_length: 0, ..copy };
        assert_eq!(FrameWork::CopyMemory(empty).traffic(), Traffic::default());
    }

    fn image() -> ScaledImage {
        ScaledImage {
            source: ImageSource::Memory(VRAM),
            source_pitch: 64,
            source_format: ImageFormat::A8R8G8B8,
            source_size: [16, 16],
            origin_is_corner: false,
            is_bilinear: false,
            source_point: [0, 0],
            step: [1 << 20, 1 << 20],
            destination: VRAM.from_offset(1 << 16),
            destination_layout: SurfaceLayout::Linear { pitch_bytes: 64 },
            destination_format: ImageFormat::A8R8G8B8,
            out_point: [0, 0],
            out_size: [16, 8],
            clip_point: [0, 0],
            clip_size: [16, 16],
            operation: PixelOperation::COPY,
        }
    }

    #[test]
    fn images_read_what_they_sample_once() {
        let counts_of = |image: ScaledImage| counts(&FrameWork::ScaleImage(image).traffic());
        assert_eq!(counts_of(image()), [16, 16]);
        // Every row twice as high: four rows of the source.
        assert_eq!(counts_of(ScaledImage { step: [1 << 20, 1 << 19], ..image() }), [8, 16]);
        assert_eq!(counts_of(ScaledImage { source: ImageSource::Words(Vec::new()), ..image() }), [0, 16]);
        let swizzled = SurfaceLayout::swizzled(4, 4);
        assert_eq!(counts_of(ScaledImage { destination_layout: swizzled, ..image() }), [16, 16]);
        // Bitwise operations read the surface where their table asks for it: a copy does not, an exclusive or does.
        for (rop, reads) in [(0xcc, 16), (0x66, 32)] {
            let operation = PixelOperation { operation: ImageOperation::RopAnd, rop, ..PixelOperation::COPY };
            assert_eq!(counts_of(ScaledImage { operation, ..image() }), [reads, 16], "{rop:#x}");
        }
        assert_eq!(counts_of(ScaledImage { out_size: [0, 8], ..image() }), [0, 0]);
    }

    #[test]
    fn runs_of_the_host_that_share_an_access_are_one() {
        let run = |start, bytes| VRAM.from_offset(start).truncated(bytes);
        let upload = FrameWork::Upload(vec![run(0, 3), run(5, 1), run(30, 40), run(70, 2), run(96, 32), run(127, 1)]);
        let traffic = upload.traffic();
        let addresses: Vec<u32> = traffic.accesses.iter().map(|access| access.address()).collect();
        assert_eq!(addresses, [0, 32, 64, 96]);
        assert_eq!((traffic.from_host, upload.loads(&traffic).memory.host), (79, 128));
    }
}
