//! Random vertex and fragment programs, with the state that is compiled together with them.

use curie::command::builder::StreamBuilder;
use curie::isa::nv40_fragment::{FragmentField, FragmentOpcode, FragmentWord};
use curie::isa::nv40_vertex::{VertexField, VertexMicroprogram, VertexWord};
use curie::shader::fragment::FragmentProgram;

use super::crowd::{Data, vary_constant};
use super::settled::{FOG_MODES, Settled};
use super::{MEMORY_START, PROGRAM, THREE_D};
use crate::common::microcode::{Generator, fragment_block, vertex_slots};
use crate::common::random::Random;

/// A vertex program, its rules and its vertex layout.
pub(crate) struct Vertex {
    slots: Vec<[u32; 4]>,
    rules: u32,
    /// Enabled outputs, one of the two for each pixel pipeline.
    pub(crate) results: [u32; 2],
    /// `VTXFMT` bits 7:0 of each attribute.
    pub(crate) formats: [u32; 16],
    /// Bit i: attribute i has a frequency divider.
    pub(crate) divided: u32,
    /// `FREQ_DIVIDER_OPERATION`.
    pub(crate) modulo: u32,
    /// Bit i: user clip plane i is enabled.
    pub(crate) clip_planes: u32,
}

/// Copies input `input` to output `output`, all four components: `MOV o[output], v[input]`.
fn pass(output: u32, input: u32) -> VertexWord {
    const IN_PLACE: u32 = 0b00_01_10_11;
    VertexWord::new([0; 4])
        .with(VertexField::OP_VEC, 1)
        .with(VertexField::INPUT_ADDR, input)
        .with(VertexField::SRC0, 2 | IN_PLACE << 8)
        .with(VertexField::SRC1, 1)
        .with(VertexField::SRC2, 1)
        .with(VertexField::COND, 7)
        .with(VertexField::COND_SWZ, IN_PLACE)
        .with(VertexField::DST_VEC, 0x3f)
        .with(VertexField::DST_SCA, 0x3f)
        .with(VertexField::WM_VEC, 15)
        .with(VertexField::OUT_FROM_VEC, 1)
        .with(VertexField::OUT_ADDR, output)
}

/// The vertex program of one pipeline.
pub(crate) fn vertex(random: &mut Random) -> Vertex {
    let mut generator = Generator(random.word() | 1);
    let slots = loop {
        let is_plain = random.flag();
        let mut slots = if is_plain { Vec::new() } else { vertex_slots(&mut generator) };
        // The position comes first, so that most random programs draw, and again last for programs that overwrite it.
        for slot in &mut slots {
            *slot = VertexWord::new(*slot).with(VertexField::END, 0).words();
        }
        slots.insert(0, pass(0, 0).words());
        for output in 1..16 {
            if slots.len() <= usize::from(is_plain) * 15 || random.below(3) == 0 {
                slots.push(pass(output, output).words());
            }
        }
        slots.push(pass(0, 0).with(VertexField::END, 1).words());
        if VertexMicroprogram::decode(&slots, 0).is_ok() {
            break slots;
        }
    };
    let is_immediate = random.below(5) == 0;
    let formats = std::array::from_fn(|attribute| match attribute {
        _ if is_immediate => 2,
        0 => 0x42,
        _ => match random.below(9) {
            0 => random.pick(&[3, 4]) << 4,
            6 => 0x16,
            8 => 2,
            kind => (1 + random.below(4)) << 4 | kind,
        },
    });
    let results = [0x3f_ffff, random.word() & 0x3f_ffff];
    let clip_planes = if random.below(5) == 0 { 1 + random.below(63) } else { 0 };
    let divided = random.word() & random.word() & 0xfffe;
    Vertex { slots, rules: random.below(2), results, formats, divided, modulo: random.word() & 0xffff, clip_planes }
}

impl Vertex {
    /// Uploads the program, and constants that are new in each case.
    pub(crate) fn write(&self, stream: &mut StreamBuilder, data: Data, random: &mut Random) {
        stream.method(THREE_D, 0x1e9c, 0);
        for slot in &self.slots {
            stream.methods(THREE_D, 0xb80, slot);
        }
        stream.method(THREE_D, 0x1ea0, 0);
        stream.method(THREE_D, 0x1e94, 1 | self.rules << 4);
        stream.methods(THREE_D, 0x1ff0, &[0xffff, self.results[0], random.word()]);
        stream.method(THREE_D, 0x1ef8, 0x0020_0000 | (1 + random.below(400)));
        let lowest = random.below(200);
        stream.method(THREE_D, 0x1d64, lowest | (lowest + random.below(300)) << 16);
        let mut generator = Generator(random.word() | 1);
        for first in (0..64).step_by(8) {
            stream.method(THREE_D, 0x1efc, first);
            let words: Vec<u32> = match data {
                Data::Sparse => (0..32).map(|_| generator.float()).collect(),
                Data::Crowd { .. } => (0..32).map(|_| data.number(random).to_bits()).collect(),
            };
            stream.methods(THREE_D, 0x1f00, &words);
        }
    }
}

/// A fragment program and its controls.
pub(crate) struct Fragment {
    words: Vec<u32>,
    control: u32,
}

/// The fragment program of one pipeline.
pub(crate) fn fragment(random: &mut Random) -> Fragment {
    let mut generator = Generator(random.word() | 1);
    loop {
        let mut words = Vec::new();
        let loops = u32::from(random.below(6) == 0);
        let length = 3 + random.below(6);
        fragment_block(&mut generator, &mut words, length, 2, loops);
        words.extend([1, 0x1c9c_0000, 0, 0]);
        if words.len() < 1200 && FragmentProgram::decode(&words).is_ok() {
            let control = random.below(2) << 6 | if random.below(4) == 0 { 0xe } else { 0 } | 1 << 7 | 24 << 24;
            return Fragment { words, control };
        }
    }
}

/// Instructions that always run and compute the color from inputs, constants and registers, which few random ones do.
fn computation(random: &mut Random, is_full: bool) -> Vec<u32> {
    use FragmentOpcode::{Add, Dp3, Dp4, Frc, Lg2, Mad, Max, Min, Mov, Mul, Pow, Rsq};
    const MAGNITUDES: [FragmentField; 3] = [FragmentField::ABS0, FragmentField::ABS1, FragmentField::ABS2];
    const PRECISIONS: [FragmentField; 3] =
        [FragmentField::PRECISION0, FragmentField::PRECISION1, FragmentField::PRECISION2];
    let count = 2 + random.below(4);
    let instruction = |place: u32| {
        let opcode = random.pick(&[Mov, Mul, Mul, Add, Add, Mad, Mad, Mad, Dp3, Dp4, Min, Max, Frc, Rsq, Lg2, Pow]);
        let mut word = FragmentWord([0; 4])
            .with(FragmentField::OPCODE, u32::from(opcode.code()))
            .with(FragmentField::DESTINATION, if place + 1 == count { 0 } else { random.below(4) })
            .with(FragmentField::DESTINATION_HALF, u32::from(!is_full && place + 1 == count))
            .with(FragmentField::WRITE_MASK, 15)
            .with(FragmentField::INPUT, random.pick(&[1, 2, 4, 4, 5, 6, 7, 8]))
            .with(FragmentField::SATURATE, u32::from(random.below(6) == 0))
            .with(FragmentField::CONDITION, 7)
            .with(FragmentField::CONDITION_SWIZZLE, 0xe4);
        for source in 0..3 {
            let file = if place == 0 || source == 0 { 1 + u32::from(source == 1) } else { random.below(3) };
            word = word
                .with(FragmentField::source_type(source), file)
                .with(FragmentField::source_register(source), random.below(4))
                .with(FragmentField::source_swizzle(source), random.pick(&[0xe4, 0xe4, 0x1b, 0x39]))
                .with(FragmentField::source_negate(source), random.below(2))
                .with(MAGNITUDES[usize::from(source)], u32::from(random.below(4) == 0))
                .with(PRECISIONS[usize::from(source)], if random.below(4) == 0 { 1 + random.below(4) } else { 0 });
        }
        let constant = [(); 4].map(|()| (random.below(4096) as f32 / 1024.0 - 2.0).to_bits());
        let words = word.0.into_iter();
        if word.has_constant() { words.chain(constant).collect::<Vec<_>>() } else { words.collect() }
    };
    (0..count).flat_map(instruction).collect()
}

impl Fragment {
    /// The same with instructions before its end whose results depend on the data, if the family is for tile kernels.
    pub(crate) fn computing(mut self, settled: Option<&Settled>) -> Self {
        const END_WORDS: usize = 4;
        if let Some(settled) = settled.filter(|settled| settled.suits_tiles) {
            let mut random = Random::new(settled.last_instructions.into());
            let end = self.words.len() - END_WORDS;
            self.words.splice(end..end, computation(&mut random, self.control >> 6 & 1 != 0));
        }
        self
    }

    /// The program's bytes in memory, with constants of the stream.
    pub(crate) fn memory_bytes(&self, settled: Option<&Settled>, data: Data, random: &mut Random) -> Vec<u8> {
        let mut words = self.words.clone();
        let (vectors, _) = words.as_chunks_mut::<4>();
        let mut is_constant = false;
        for vector in vectors {
            if is_constant && Settled::is_for_tiles(settled) {
                vector.iter_mut().for_each(enlarge);
            }
            if is_constant && matches!(data, Data::Crowd { .. }) {
                vary_constant(vector, random);
            }
            is_constant = !is_constant && FragmentWord(*vector).has_constant();
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Activates the program.
    pub(crate) fn write(&self, stream: &mut StreamBuilder, settled: Option<&Settled>, random: &mut Random) {
        stream.method(THREE_D, 0x8e4, (MEMORY_START + PROGRAM) | 1);
        stream.method(THREE_D, 0x1d60, self.control);
        stream.method(THREE_D, 0x1d88, random.below(64) | random.below(2) << 12 | random.below(2) << 16);
        stream.method(THREE_D, 0x8cc, settled.map_or_else(|| random.pick(&FOG_MODES), |settled| settled.fog));
        stream.floats(THREE_D, 0x8d0, &[random.below(64) as f32 / 16.0, random.below(64) as f32 / 32.0 - 1.0, 0.0]);
    }
}

/// Gives a tiny float an exponent near 0: the fast path has no constants with a bit below 2⁻¹²⁶.
fn enlarge(bits: &mut u32) {
    if *bits << 1 != 0 && *bits >> 23 & 0xff < 24 {
        *bits = *bits & 0x807f_ffff | 0x3f00_0000;
    }
}
