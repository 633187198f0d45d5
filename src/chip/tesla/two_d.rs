//! The 2D class: uploads of images from the stream, and copies of images, point-sampled, with a raster operation.
//!
//! Source: envytools `rnndb/graph/g80_2d.xml`; what drivers ask for, Mesa's `nv50_surface.c` and `nv50_transfer.c`.

use std::ops::Range;

use super::address::Address;
use super::condition::holds;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field8};
use crate::chip::class::{Class, Context};
use crate::chip::registers::Registers;
use crate::command::methods::tesla::two_d as methods;
use crate::format::ColorFormat;
use crate::memory::MemoryWindow;
use crate::memory::block_linear::{BlockLinear, MAX_LOG2_BLOCK};

/// `OPERATION` that stores the source.
const SOURCE_COPY: u32 = 3;

/// `OPERATION` that combines source, destination and pattern by `ROP`.
const ROP: u32 = 4;

/// The most texels of a copy.
const MAX_TEXELS: u64 = 1 << 26;

/// State of the class.
#[derive(Debug)]
pub(super) struct TwoD {
    registers: Registers,
    /// The upload whose words follow.
    upload: Option<Upload>,
    /// Whether conditional rendering enables copies.
    is_enabled: bool,
}

/// An upload whose words follow.
#[derive(Debug)]
struct Upload {
    image: Image,
    /// The texels of rows, each of which begins with a word.
    place: [u32; 2],
    size: [u32; 2],
    /// The row, and its bytes so far.
    row: u32,
    bytes: Vec<u8>,
}

/// An image in memory.
#[derive(Debug, Clone, Copy)]
struct Image {
    address: u64,
    format: ColorFormat,
    /// Columns and rows.
    size: [u32; 2],
    layout: ImageLayout,
}

/// How an image lies in memory.
#[derive(Debug, Clone, Copy)]
enum ImageLayout {
    /// Rows with a pitch in bytes.
    Rows(u32),
    /// A slice of blocks.
    Blocks(BlockLinear, u32),
}

impl Default for TwoD {
    fn default() -> Self {
        Self { registers: Registers::new(&methods::CLASS), upload: None, is_enabled: true }
    }
}

impl Class for TwoD {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        if methods::CLASS.find(context.method).is_none() {
            return context.anomaly(Reason::UnknownMethod);
        }
        self.registers.set(context.method, value);
        match context.method {
            methods::COND_MODE => {
                let address = self.address(methods::COND_ADDRESS_HIGH);
                match holds(address, context)? {
                    Some(holds) => self.is_enabled = holds,
                    None => return context.anomaly(Reason::IllegalValue),
                }
            }
            methods::SIFC_DST_Y_INT => return self.begin_upload(context),
            methods::SIFC_DATA => return self.upload_word(context),
            methods::BLIT_SRC_Y_INT => return self.copy(context),
            methods::DRAW_POINT16 | methods::DRAW_POINT32_Y => {
                return context.anomaly(Reason::Unsupported("drawing in two dimensions"));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Image {
    /// The bytes of texels of a row, from the image's first byte.
    fn row(&self, [x, y]: [u32; 2], count: u32) -> Vec<Range<usize>> {
        let [first, length] = [x, count].map(|texels| texels as usize * self.format.bytes() as usize);
        match (self.layout, [first, length].map(u32::try_from)) {
            (ImageLayout::Rows(pitch), _) => {
                let start = y as usize * pitch as usize + first;
                std::iter::once(start..start + length).collect()
            }
            (ImageLayout::Blocks(blocks, slice), [Ok(first), Ok(length)]) => {
                blocks.pieces([first, y, slice], length).collect()
            }
            // Rows of blocks have fewer than 2³² bytes.
            (ImageLayout::Blocks(..), _) => Vec::new(),
        }
    }

    /// Its memory up to the end of these bytes.
    fn window(&self, pieces: &[Range<usize>], context: &Context<'_>) -> Result<MemoryWindow, Reason> {
        let end = pieces.iter().map(|piece| piece.end).max().unwrap_or(0);
        let window = context.objects.virtual_window(self.address);
        match u32::try_from(end) {
            Ok(end) if end <= window.bytes => Ok(window.truncated(end)),
            _ => Err(Reason::OutsideBuffers),
        }
    }
}

impl TwoD {
    fn address(&self, high: u16) -> Address {
        Address { high: self.registers.get(high), low: self.registers.get(high + 4) }
    }

    /// The image that the registers from a format's on describe.
    fn image(&self, first: u16) -> Result<Image, Reason> {
        let register = |offset: u16| self.registers.get(first + offset);
        let format = ColorFormat::from_tesla_code(register(0)).ok_or(Reason::Unsupported("this format of an image"))?;
        let size = [register(0x18), register(0x1c)];
        let log2_block = [3, 7, 11].map(|high| field8(register(0x08), high, high - 3));
        let layout = match bit(register(0x04), 0) {
            true => ImageLayout::Rows(register(0x14)),
            false => {
                let row_bytes = size[0].checked_mul(format.bytes()).ok_or(Reason::IllegalValue)?;
                let blocks = BlockLinear { size: [row_bytes, size[1], register(0x0c).max(1)], log2_block };
                if log2_block.iter().any(|log2| *log2 > MAX_LOG2_BLOCK) || register(0x10) >= blocks.size[2] {
                    return Err(Reason::IllegalValue);
                }
                ImageLayout::Blocks(blocks, register(0x10))
            }
        };
        Ok(Image { address: self.address(first + 0x20).value(), format, size, layout })
    }

    /// Begins an upload.
    fn begin_upload(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        self.upload = None;
        let registers = &self.registers;
        let image = match self.image(methods::DST_FORMAT) {
            Ok(image) => image,
            Err(reason) => return context.anomaly(reason),
        };
        let is_same = ColorFormat::from_tesla_code(registers.get(methods::SIFC_FORMAT)) == Some(image.format);
        if !is_same || registers.is_set(methods::SIFC_BITMAP_ENABLE) {
            return context.anomaly(Reason::Unsupported("an upload that converts an image"));
        }
        let steps = [methods::SIFC_DX_DU_INT, methods::SIFC_DY_DV_INT].map(|method| registers.get(method));
        let fractions = [methods::SIFC_DX_DU_FRACT, methods::SIFC_DY_DV_FRACT].map(|method| registers.get(method));
        if steps != [1; 2] || fractions != [0; 2] {
            return context.anomaly(Reason::Unsupported("an upload that scales an image"));
        }
        if registers.is_set(methods::CLIP_ENABLE) {
            return context.anomaly(Reason::Unsupported("an upload that is clipped"));
        }
        let of = |methods: [u16; 2]| methods.map(|method| registers.get(method));
        let upload = Upload {
            image,
            place: of([methods::SIFC_DST_X_INT, methods::SIFC_DST_Y_INT]),
            size: of([methods::SIFC_WIDTH, methods::SIFC_HEIGHT]),
            row: 0,
            bytes: Vec::new(),
        };
        self.upload = self.is_enabled.then_some(upload);
        Ok(())
    }

    /// Takes a word of an upload; words beyond the image's end have no effect.
    // Unverified: that each row begins with a word.
    fn upload_word(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let Upload { image, place: [x, y], size: [width, height], row, bytes } = upload;
        if row >= height {
            return Ok(());
        }
        bytes.extend(context.value.to_le_bytes());
        let length = width.saturating_mul(image.format.bytes()) as usize;
        if bytes.len() < length {
            return Ok(());
        }
        // What lies beyond the image is cut off; a row of memory has no end of its own.
        let columns = match image.layout {
            ImageLayout::Rows(_) => *width,
            ImageLayout::Blocks(..) => (*width).min(image.size[0].saturating_sub(*x)),
        };
        let line = y.saturating_add(*row);
        let is_inside = matches!(image.layout, ImageLayout::Rows(_)) || line < image.size[1];
        let pieces = if is_inside { image.row([*x, line], columns) } else { Vec::new() };
        let (mut rest, address) = (&bytes[..length], image.address);
        let mut outcome = Ok(());
        for piece in pieces {
            let (own, behind) = rest.split_at(piece.len());
            outcome = outcome.and(context.write_virtual(address + piece.start as u64, own));
            rest = behind;
        }
        *row += 1;
        bytes.clear();
        outcome
    }

    /// Copies a rectangle between images: each texel of the destination takes the nearest one of the source.
    // Unverified: that the source's place of texel i is that of the first one and i steps, rounded down.
    fn copy(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        if !self.is_enabled {
            return Ok(());
        }
        match self.copied(context) {
            Ok(done) => done,
            Err(reason) => context.anomaly(reason),
        }
    }

    /// What a copy asks for that is not executed.
    fn unsupported_copy(&self, operation: u32) -> Option<&'static str> {
        let registers = &self.registers;
        let is_moved = registers.get(methods::PATTERN_OFFSET) != 0;
        match operation {
            _ if registers.is_set(methods::COLOR_KEY_ENABLE) => Some("a copy with a color key"),
            SOURCE_COPY => None,
            ROP if registers.get(methods::PATTERN_SELECT) == 0 && !is_moved => None,
            ROP => Some("a pattern of another shape or place"),
            _ => Some("this operation of a copy"),
        }
    }

    fn copied(&self, context: &mut Context<'_>) -> Result<Result<(), ChipError>, Reason> {
        let registers = &self.registers;
        let [from, to] = [self.image(methods::SRC_FORMAT)?, self.image(methods::DST_FORMAT)?];
        let operation = registers.get(methods::OPERATION);
        if let Some(what) = self.unsupported_copy(operation) {
            return Err(Reason::Unsupported(what));
        }
        let fixed = |fraction: u16| {
            let [fraction, whole] = [fraction, fraction + 4].map(|method| u64::from(registers.get(method)));
            (whole << 32 | fraction).cast_signed()
        };
        let starts = [methods::BLIT_SRC_X_FRACT, methods::BLIT_SRC_Y_FRACT].map(fixed);
        let steps = [methods::BLIT_DU_DX_FRACT, methods::BLIT_DV_DY_FRACT].map(fixed);
        if registers.get(methods::BLIT_CONTROL) >> 4 & 1 != 0 && steps != [1 << 32; 2] {
            return Err(Reason::Unsupported("a copy that filters an image"));
        }
        let of = |methods: [u16; 2]| methods.map(|method| u64::from(registers.get(method)));
        let first = of([methods::BLIT_DST_X, methods::BLIT_DST_Y]);
        let size = of([methods::BLIT_DST_W, methods::BLIT_DST_H]);
        let clip = match registers.is_set(methods::CLIP_ENABLE) {
            true => [of([methods::CLIP_X, methods::CLIP_Y]), of([methods::CLIP_W, methods::CLIP_H])],
            false => [[0; 2], [u64::MAX; 2]],
        };
        // The destination's columns and rows that lie in it and in the clip rectangle.
        let narrow = |place: u64| u32::try_from(place).unwrap_or(u32::MAX);
        let [columns, rows]: [Range<u32>; 2] = std::array::from_fn(|axis| {
            let end = (first[axis] + size[axis]).min(to.size[axis].into());
            let [start, end] = [first[axis].max(clip[0][axis]), end.min(clip[0][axis].saturating_add(clip[1][axis]))];
            narrow(start)..narrow(end)
        });
        let count = columns.end.saturating_sub(columns.start);
        if u64::from(count) * u64::from(rows.end.saturating_sub(rows.start)) > MAX_TEXELS {
            return Err(Reason::Unsupported("a copy of so many texels"));
        }
        // The source texel of a destination texel along an axis, at an edge of the source if it is beyond.
        let source = |axis: usize, at: u32| {
            let offset = (u64::from(at) - first[axis]).cast_signed();
            let texel = (starts[axis].wrapping_add(steps[axis].wrapping_mul(offset))) >> 32;
            narrow(texel.clamp(0, i64::from(from.size[axis]) - 1).cast_unsigned())
        };
        if from.size.contains(&0) || count == 0 || rows.is_empty() {
            return Ok(Ok(()));
        }
        let whole: Vec<_> = rows.clone().flat_map(|y| from.row([0, source(1, y)], from.size[0])).collect();
        let written: Vec<_> = rows.clone().flat_map(|y| to.row([columns.start, y], count)).collect();
        let (source_window, window) = (from.window(&whole, context)?, to.window(&written, context)?);
        let [texel, stored_texel] = [from, to].map(|image| image.format.bytes() as usize);
        Ok((|| {
            let mut read = vec![0; source_window.bytes as usize];
            context.engine.read_memory(source_window, &mut read)?;
            let mut stored = vec![0; window.bytes as usize];
            context.engine.read_memory(window, &mut stored)?;
            for y in rows {
                let line: Vec<u8> = from
                    .row([0, source(1, y)], from.size[0])
                    .into_iter()
                    .flat_map(|piece| &read[piece])
                    .copied()
                    .collect();
                let mut texels = columns.clone().flat_map(|x| {
                    let place = source(0, x) as usize * texel;
                    converted(&line[place..place + texel], from.format, to.format)
                });
                let (mut x, mut byte) = (columns.start, 0);
                for place in to.row([columns.start, y], count).into_iter().flatten() {
                    let value = texels.next().unwrap_or(0);
                    stored[place] = match operation {
                        ROP => self.combined(value, stored[place], self.pattern([x, y]), byte),
                        _ => value,
                    };
                    byte += 1;
                    if byte == stored_texel {
                        (x, byte) = (x + 1, 0);
                    }
                }
            }
            context.note_written(to.address);
            Ok(context.engine.write_memory(window, &stored)?)
        })())
    }

    /// The color of the pattern at a texel: an 8×8 bitmap of two colors.
    // Unverified: the order of the bitmap's bits, rows from the first byte on, each with its left bit lowest.
    fn pattern(&self, [x, y]: [u32; 2]) -> u32 {
        let row = y & 7;
        let word = self.registers.element(methods::PATTERN_BITMAP, 4, (row / 4) as usize);
        let is_set = bit(word, row % 4 * 8 + (x & 7));
        self.registers.element(methods::PATTERN_BITMAP_COLOR, 4, is_set.into())
    }

    /// A byte of a texel after the raster operation, whose number has a bit for each pattern, source and destination bit.
    fn combined(&self, source: u8, destination: u8, pattern: u32, byte: usize) -> u8 {
        let operation = self.registers.get(methods::ROP);
        let pattern = pattern.to_le_bytes()[byte % 4];
        (0..8).filter(|case| bit(operation, *case)).fold(0, |result, case| {
            let taken = |value: u8, is_set: bool| if is_set { value } else { !value };
            let bits = taken(pattern, bit(case, 2)) & taken(source, bit(case, 1)) & taken(destination, bit(case, 0));
            result | bits
        })
    }
}

/// The bytes of a texel in another format.
// Unverified: the conversion, by way of the color's floats or integers; those of the same format keep their bits.
fn converted(texel: &[u8], from: ColorFormat, to: ColorFormat) -> Vec<u8> {
    if from == to {
        return texel.to_vec();
    }
    let mut bytes = [0; 16];
    bytes[..texel.len()].copy_from_slice(texel);
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let stored = to.encode(from.decode(words)).into_iter().flat_map(u32::to_le_bytes);
    stored.take(to.bytes() as usize).collect()
}
