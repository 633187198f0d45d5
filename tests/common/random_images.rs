//! A random stream of the classes beside the 3D class: surfaces, contexts, copies, images, blits, rectangles. Each method of
//! a class's table has a value that its fields allow, for most.

use curie::capture::{Capture, Record};
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::{
    ClassTable, Field, FieldKind, MethodRow, blit, image_upload, memory_copy, pixel_context, rectangles, scaled_image,
    surfaces, texture_upload,
};
use curie::memory::MemorySpace;

use super::random::Random;
use super::random_stream::{MEMORY_BYTES, MEMORY_START};

/// What determines how pixels are combined.
const CONTEXTS: [&ClassTable; 6] = [
    &pixel_context::beta::CLASS,
    &pixel_context::beta4::CLASS,
    &pixel_context::rop::CLASS,
    &pixel_context::pattern::CLASS,
    &pixel_context::color_key::CLASS,
    &pixel_context::clip::CLASS,
];

/// What writes pixels or bytes.
const WRITERS: [&ClassTable; 6] = [
    &memory_copy::CLASS,
    &scaled_image::CLASS,
    &image_upload::CLASS,
    &texture_upload::CLASS,
    &blit::CLASS,
    &rectangles::CLASS,
];

const SURFACES: [&ClassTable; 2] = [&surfaces::CLASS_2D, &surfaces::CLASS_SWIZZLED];

/// The subchannel of all objects, one after the other.
const SUBCHANNEL: u8 = 6;

/// The most words that an image from the processor takes here.
const IMAGE_WORDS: u32 = 700;

/// Whether a stream of these bytes has changed the memory that it begins with; judges the generator.
pub(crate) fn has_written(input: &[u8], memory: &[u8]) -> bool {
    memory[..MEMORY_BYTES as usize] != Images::new(input).contents()
}

/// The stream of an input.
pub(crate) fn images(input: &[u8]) -> Capture {
    let mut images = Images::new(input);
    let mut builder = CaptureBuilder::new();
    let memory = builder.buffer(MemorySpace::Vram, MEMORY_BYTES.into());
    assert_eq!(memory.offset, u64::from(MEMORY_START));
    builder.write(&memory, &images.contents());
    let created = [0x39, 0x62, 0x309e, 0x3089];
    for table in CONTEXTS.iter().chain(&WRITERS).filter(|table| !created.contains(&table.class)) {
        builder.record(Record::Object { handle: handles::object(table.class), class: table.class });
    }
    for table in SURFACES {
        images.object(table);
    }
    for table in CONTEXTS {
        if images.random.flag() {
            images.object(table);
        }
    }
    for _ in 0..1 + images.random.below(4) {
        let table = images.random.pick(&WRITERS);
        images.object(table);
    }
    builder.submit(images.stream);
    builder.finish()
}

/// A stream under construction.
struct Images {
    random: Random,
    contents: u64,
    stream: StreamBuilder,
}

impl Images {
    fn new(input: &[u8]) -> Self {
        let mut random = Random::of_input(input);
        let contents = random.below(256).into();
        Self { random, contents, stream: StreamBuilder::new() }
    }

    /// The bytes of memory before the stream.
    fn contents(&self) -> Vec<u8> {
        let mut random = Random::new(self.contents);
        (0..MEMORY_BYTES / 4).flat_map(|_| random.word().to_le_bytes()).collect()
    }

    /// Writes the methods of an object in the order of their addresses: those that begin its work come last.
    fn object(&mut self, table: &ClassTable) {
        self.stream.bind(SUBCHANNEL, table.class, handles::object(table.class));
        let mut rows: Vec<&MethodRow> = table.rows().filter(|row| row.address >= 0x180).collect();
        rows.sort_by_key(|row| row.address);
        for row in rows {
            let is_needed =
                row.name.starts_with("DMA_") || !matches!(row.fields, [Field { kind: FieldKind::Handle, .. }]);
            // Nothing knows how fonts lie in memory, and notifiers only tell the time.
            let is_left_out = row.name.contains("FONT") || row.name.contains("CHARACTER") || row.name == "DMA_NOTIFY";
            if is_left_out || self.random.below(if is_needed { 16 } else { 2 }) == 0 {
                continue;
            }
            self.row(row);
        }
    }

    /// Writes a method, or a part of the elements of an array.
    fn row(&mut self, row: &MethodRow) {
        if row.name == "COLOR" && row.count > 1 {
            let words: Vec<u32> = (0..self.random.below(IMAGE_WORDS)).map(|_| self.random.word()).collect();
            self.stream.repeated(SUBCHANNEL, row.address, &words);
            return;
        }
        let elements = if row.count > 1 { self.random.below(8).min(row.count.into()) } else { 1 };
        for element in 0..elements {
            let element = u16::try_from(element).expect("a few elements");
            let value = self.value(row);
            self.stream.method(SUBCHANNEL, row.address + element * row.stride, value);
        }
    }

    /// A value that the fields allow, rarely any.
    fn value(&mut self, row: &MethodRow) -> u32 {
        // Sizes stay small, so that a stream takes no time.
        let has_size = |field: &Field| matches!(field.kind, FieldKind::Unsigned | FieldKind::Signed);
        if self.random.below(64) == 0 && !row.fields.iter().any(has_size) {
            return self.random.word();
        }
        row.fields.iter().fold(0, |word, field| {
            let width = u32::from(field.high - field.low) + 1;
            word | (self.field(row.name, field, width) & (u32::MAX >> (32 - width))) << field.low
        })
    }

    fn field(&mut self, name: &str, field: &Field, width: u32) -> u32 {
        let random = &mut self.random;
        match field.kind {
            FieldKind::Enum(values) => random.pick(values).0,
            FieldKind::Handle => handle(random, name),
            FieldKind::Address => (MEMORY_START + random.below(MEMORY_BYTES - 0x4000)) & !63,
            FieldKind::Flag => random.below(2),
            FieldKind::Float | FieldKind::Bits => random.word(),
            FieldKind::Unsigned | FieldKind::Signed => match (name, field.name) {
                ("DU_DX" | "DV_DY", _) => {
                    let (steps, any) = (random.below(3 << 20), random.word());
                    random.pick(&[1 << 20, 1 << 20, 1 << 19, steps, any])
                }
                ("PITCH", _) => 64 * (1 + random.below(8)),
                ("PITCH_IN" | "PITCH_OUT", _) => random.below(300),
                ("FORMAT", "input_increment" | "output_increment") => random.pick(&[1, 1, 1, 2, 4]),
                ("FORMAT", "pitch") => random.below(200),
                (_, "log2_width" | "log2_height") => random.below(7),
                (_, "factor_1_31" | "blue" | "green" | "red" | "alpha") => random.word(),
                ("POINT", "u_12_4" | "v_12_4") => random.below(512),
                _ if matches!(field.kind, FieldKind::Signed) => random.below(48).wrapping_sub(8),
                _ => random.below(if width < 8 { 1 << width } else { 32 }),
            },
        }
    }
}

/// The object of a slot, rarely none.
fn handle(random: &mut Random, name: &str) -> u32 {
    let class = match name {
        "PATTERN" => pixel_context::pattern::CLASS.class,
        "ROP" => pixel_context::rop::CLASS.class,
        "BETA" => pixel_context::beta::CLASS.class,
        "BETA4" => pixel_context::beta4::CLASS.class,
        "COLOR_KEY" => pixel_context::color_key::CLASS.class,
        "CLIP" => pixel_context::clip::CLASS.class,
        "SURFACE" => random.pick(&SURFACES).class,
        _ => return handles::VRAM,
    };
    if random.below(8) == 0 { 0 } else { handles::object(class) }
}
