//! A random valid stream: memory filled at random, then clears and draws with random state.

mod crowd;
mod merger;
mod programs;
mod raster;
mod settled;
mod textures;
mod vertices;

use curie::capture::Capture;
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::memory::MemorySpace;

use self::crowd::Data;
use self::settled::Settled;
use crate::common::random::Random;

/// The start of a stream's memory in VRAM.
pub(crate) const MEMORY_START: u32 = 1 << 20;
/// The size of a stream's memory.
pub(crate) const MEMORY_BYTES: u32 = 0x4_0000;

/// Color target i starts at this times i.
pub(crate) const COLOR_BYTES: u32 = 0x4000;
/// The depth and stencil surface.
pub(crate) const ZETA: u32 = 0x1_0000;
/// Textures.
pub(crate) const TEXTURES: u32 = 0x1_4000;
/// The range of bytes that textures start in.
pub(crate) const TEXTURE_BYTES: u32 = 0x1_8000;
/// Vertex arrays.
pub(crate) const ARRAYS: u32 = 0x3_0000;
/// Size of the vertex arrays in bytes.
pub(crate) const ARRAY_BYTES: u32 = 0x8000;
/// Indices.
pub(crate) const INDICES: u32 = 0x3_8000;
/// Size of the indices in bytes.
pub(crate) const INDEX_BYTES: u32 = 0x800;
/// The fragment program.
pub(crate) const PROGRAM: u32 = 0x3_9000;

/// The 3D class's subchannel.
pub(crate) const THREE_D: u8 = 7;

/// How many states of each part a block of seeds cycles through. A part takes a few kernels, and compiling one costs as much
/// as ten streams; no two streams of a block combine the same states.
const POOLS: [u64; 6] = [31, 40, 37, 40, 29, 23];
/// Seeds that share pools.
pub(crate) const BLOCK: u64 = 4_000;

/// The state of each part of a seed's pipeline, by its place in the part's pool.
pub(crate) fn places(seed: u64) -> [u64; POOLS.len()] {
    POOLS.map(|pool| seed % BLOCK % pool)
}

/// The generator of one part of a seed's pipeline.
fn pipeline(seed: u64, part: u8) -> Random {
    Random::new((seed / BLOCK) << 32 | places(seed)[usize::from(part)] << 8 | u64::from(part))
}

/// Whether anything in the targets differs from the contents after random memory and clears alone; judges the generator.
pub(crate) fn has_drawn(memory: &[u8]) -> bool {
    let report = &memory[MEMORY_BYTES as usize + 0x40..][..16];
    u32::from_le_bytes([report[8], report[9], report[10], report[11]]) != 0
}

/// Names a byte of the compared memory.
pub(crate) fn place(at: usize) -> String {
    let at = u32::try_from(at).expect("memory is small");
    match at {
        0..ZETA => format!("color{} + {:#x}", at / COLOR_BYTES, at % COLOR_BYTES),
        ZETA..TEXTURES => format!("zeta + {:#x}", at - ZETA),
        MEMORY_BYTES.. => format!("reports + {:#x}", at - MEMORY_BYTES),
        _ => format!("memory + {at:#x}"),
    }
}

/// The generators of a stream, and the kind of its data.
pub(crate) struct Sources<Baked> {
    /// Makes the generator of one part of the state that is compiled into kernels, by the part's number:
    /// vertex program, fragment program, targets, texture units, rasterizer.
    pub(crate) baked: Baked,
    /// Supplies everything else but the contents of memory.
    pub(crate) state: Random,
    /// Fills memory.
    pub(crate) contents: Random,
    /// Methods and values, not necessarily legal ones, that are written last before each draw.
    pub(crate) overrides: Vec<(u16, u32)>,
    /// The choices that the members of a family make together; without them, each draw makes its own.
    pub(crate) settled: Option<Settled>,
    pub(crate) data: Data,
}

/// A random stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RandomStream {
    /// The seed of all that kernels depend on, so that the members of a family share them.
    pub(crate) family: u64,
    /// The seed of the rest: vertices, primitives, constants, textures, targets, values of the state. Member 0 has few
    /// primitives, and the others have crowds.
    pub(crate) member: u64,
}

impl RandomStream {
    /// The stream's records.
    pub(crate) fn capture(self) -> Capture {
        let Self { family, member } = self;
        let [mut state, contents] = [0xff, 0xfe].map(|part| Random::new(member << 40 ^ family << 8 ^ part));
        let data = if member == 0 { Data::Sparse } else { Data::crowd(&mut state) };
        stream(Sources {
            baked: |part| pipeline(family, part),
            state,
            contents,
            overrides: Vec::new(),
            settled: Some(settled(family)),
            data,
        })
    }

    /// The stored pixel that a byte of a surface belongs to, by its place in memory.
    pub(crate) fn pixel(self, at: usize) -> Option<[u32; 2]> {
        merger::target(&mut pipeline(self.family, 2)).pixel(u32::try_from(at).ok()?)
    }
}

fn settled(seed: u64) -> Settled {
    Settled::new(&mut pipeline(seed, 5))
}

/// The stream of an input with the pipeline of a seed.
pub(crate) fn with_pipeline(seed: u64, input: &[u8]) -> Capture {
    let mut state = Random::of_input(input);
    let contents = Random::new(state.word().into());
    stream(Sources {
        baked: |part| pipeline(seed, part),
        state,
        contents,
        overrides: Vec::new(),
        settled: Some(settled(seed)),
        data: Data::Sparse,
    })
}

/// The stream of an input, with all state from its bytes: first the state that is compiled into kernels.
pub(crate) fn of_input(input: &[u8], overrides: Vec<(u16, u32)>) -> Capture {
    const PART_BYTES: usize = 32;
    const PARTS: usize = 5;
    let (baked, state) = input.split_at(input.len().min(PARTS * PART_BYTES));
    let parts: Vec<&[u8]> = baked.chunks(PART_BYTES).collect();
    let baked = |part: u8| Random::of_input(parts.get(usize::from(part)).copied().unwrap_or_default());
    let mut state = Random::of_input(state);
    let contents = Random::new(state.word().into());
    stream(Sources { baked, state, contents, overrides, settled: None, data: Data::Sparse })
}

/// The stream of these generators.
pub(crate) fn stream(sources: Sources<impl Fn(u8) -> Random>) -> Capture {
    let Sources { baked, state: mut random, mut contents, overrides, settled, data } = sources;
    let settled = settled.as_ref();
    let mut builder = CaptureBuilder::new();
    let memory = builder.buffer(MemorySpace::Vram, MEMORY_BYTES.into());
    assert_eq!(memory.offset, u64::from(MEMORY_START));

    let vertex = programs::vertex(&mut baked(0));
    let fragment = programs::fragment(&mut baked(1)).computing(settled);
    let target = merger::target(&mut baked(2));

    let mut bytes: Vec<u8> = (0..MEMORY_BYTES / 4).flat_map(|_| data.word(&mut contents).to_le_bytes()).collect();
    let mut place = |offset: u32, content: &[u8]| bytes[offset as usize..][..content.len()].copy_from_slice(content);
    place(ARRAYS, &vertices::arrays(data, &mut random, &mut contents));
    place(INDICES, &vertices::indices(data, &mut contents));
    place(PROGRAM, &fragment.memory_bytes(settled, data, &mut contents));
    builder.write(&memory, &bytes);

    let mut stream = StreamBuilder::new();
    stream.bind(THREE_D, 0x4097, handles::object(0x4097));
    stream.methods(THREE_D, 0x184, &[handles::VRAM, handles::GART, handles::VRAM, 0, handles::VRAM, handles::VRAM]);
    stream.methods(THREE_D, 0x19c, &[handles::VRAM, handles::GART, handles::FENCE, handles::QUERY]);
    stream.methods(THREE_D, 0x1b4, &[handles::VRAM, handles::VRAM]);
    target.write(&mut stream, settled, &mut random);
    stream.method(THREE_D, 0x17c8, 1).method(THREE_D, 0x17cc, 1);
    vertex.write(&mut stream, data, &mut random);
    fragment.write(&mut stream, settled, &mut random);
    textures::write(&mut stream, settled, &mut baked(3), &mut random);
    for _ in 0..1 + random.below(3) {
        if random.below(3) == 0 {
            merger::clear(&mut stream, &mut random);
        }
        target.write_values(&mut stream, &mut random);
        raster::write(&mut stream, &vertex, settled, &mut baked(4), &mut random);
        for &(method, value) in &overrides {
            stream.method(THREE_D, method, value);
        }
        vertices::draw(&mut stream, &vertex, settled, data, &mut random);
    }
    stream.method(THREE_D, 0x1800, 1 << 24);
    builder.submit(stream);
    builder.finish()
}
