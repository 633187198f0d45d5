//! Which products and sums of a straight program may take the short way of `wgsl/arith/vertex_normal_range.wgsl`, and what
//! must be checked for it.
//!
//! A program is written twice: the short way, which finds out whether all values were in the normal range, and the exact way for
//! vertices with other values.

use std::collections::{BTreeMap, BTreeSet};

use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use crate::recompiler::text::{COMPONENTS, Text};
use crate::shader::condition::{Relation, WriteMask};
use crate::shader::vertex::{CONSTANT_SLOTS, VertexInstruction, VertexProgram, VertexSource, VertexSourceKind};
use crate::shader::vertex_blocks::BlockExit;

/// Fewest products that are worth a second text.
const LEAST_PRODUCTS: usize = 12;

/// What is known of a component of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Zero or in the normal range, or the vertex takes the exact way.
    InRange,
    /// Anything but denormal.
    Normal,
    /// The same, and often infinite or tiny.
    Wild,
    /// Anything.
    Unknown,
}

/// What is known of all registers while a program is written.
#[derive(Debug, Default)]
pub(super) struct NormalRange {
    temporaries: BTreeMap<u8, [Class; 4]>,
    /// What was checked of attributes and their components.
    inputs: BTreeMap<(u8, u8), Class>,
    /// Constants and their components that the host checks.
    pub(super) constants: BTreeSet<(u16, u8)>,
}

/// A short operation: its function, the components of the first two sources that are factors, and those of its result.
struct Short {
    function: &'static str,
    factors: [u8; 2],
    result: u8,
    is_product: bool,
}

impl Short {
    fn of(instruction: &VertexInstruction) -> Option<Self> {
        let mask = bits(instruction.vector_mask);
        let short = |function, factors, result| Some(Self { function, factors, result, is_product: false });
        match instruction.vector {
            VectorOpcode::Mul => {
                Some(Self { function: "normal_range_mul", factors: [mask; 2], result: mask, is_product: true })
            }
            VectorOpcode::Mad => short("normal_range_mad", [mask; 2], mask),
            VectorOpcode::Add => short("normal_range_add", [0; 2], mask),
            VectorOpcode::Dp3 => short("normal_range_dp3", [7; 2], 1),
            VectorOpcode::Dph => short("normal_range_dph", [7, 15], 1),
            VectorOpcode::Dp4 => short("normal_range_dp4", [15; 2], 1),
            _ => None,
        }
    }
}

/// Bit i: component i.
fn bits(mask: WriteMask) -> u8 {
    (0..4u8).filter(|component| mask.has(usize::from(*component))).fold(0, |bits, component| bits | 1 << component)
}

impl NormalRange {
    /// Nothing is known yet; `None` for programs that have one way only.
    pub(super) fn of(program: &VertexProgram) -> Option<Self> {
        let products: usize =
            program.instructions.iter().filter_map(Short::of).map(|short| short.factors[0].count_ones() as usize).sum();
        let is_plain = |instruction: &VertexInstruction| {
            !instruction.is_input_indexed
                && !instruction.is_constant_indexed
                && !instruction.output.is_some_and(|output| output.is_indexed)
                && instruction.vector != VectorOpcode::Txl
        };
        let is_straight = matches!(
            program.blocks().as_slice(),
            [block] if matches!(block.exit, BlockExit::Continue { next: None })
                && block.instructions == (0..program.instructions.len())
        );
        (products >= LEAST_PRODUCTS && is_straight && program.instructions.iter().all(is_plain)).then(Self::default)
    }

    /// Emits the checks of an instruction that may take the short way; returns its value.
    pub(super) fn value(
        &mut self,
        text: &mut Text,
        instruction: &VertexInstruction,
        sources: &[String; 3],
    ) -> Option<String> {
        let short = Short::of(instruction)?;
        // A product by itself needs both factors in the normal range.
        let wanted = if short.is_product { Class::InRange } else { Class::Wild };
        let factors = || {
            let sources = instruction.sources.iter().zip(short.factors);
            sources.flat_map(|(source, components)| {
                (0..4)
                    .filter(move |component| components >> component & 1 != 0)
                    .map(move |component| (source, component))
            })
        };
        let is_wild = |(source, component)| self.class(instruction, source, component) == Class::Wild;
        if short.is_product && factors().any(is_wild) {
            return None;
        }
        factors().for_each(|(source, component)| self.check(text, instruction, (source, component), wanted));
        text.import("arith::vertex_normal_range", short.function);
        let [a, b, c] = sources;
        let arguments = match instruction.vector {
            VectorOpcode::Add => format!("{a}, {c}"),
            VectorOpcode::Mad => format!("{a}, {b}, {c}"),
            _ => format!("{a}, {b}"),
        };
        let result = text.bind("m", &format!("{}({arguments})", short.function));
        if short.is_product {
            return Some(result);
        }
        text.import("arith::vertex_normal_range", "normal_range_is_wrong_term");
        for (_, name) in COMPONENTS.iter().enumerate().filter(|(index, _)| short.result >> index & 1 != 0) {
            text.line(format!("is_exact |= normal_range_is_wrong_term({result}.largest.{name});"));
        }
        Some(format!("{result}.value"))
    }

    /// Notes what an instruction writes.
    pub(super) fn note(&mut self, instruction: &VertexInstruction) {
        let is_conditional = instruction.condition.is_some_and(|test| test.relation != Relation::Always);
        let writes = [
            (instruction.vector_destination, instruction.vector_mask, self.vector_classes(instruction)),
            (instruction.scalar_destination, instruction.scalar_mask, self.scalar_classes(instruction)),
        ];
        for (register, mask, classes) in writes {
            let (Some(register), Some(classes)) = (register, classes) else { continue };
            let known = self.temporaries.entry(register).or_insert([Class::InRange; 4]);
            for component in (0..4).filter(|component| mask.has(*component)) {
                let new = classes[component];
                known[component] = if is_conditional { known[component].max(new) } else { new };
            }
        }
    }

    fn vector_classes(&self, instruction: &VertexInstruction) -> Option<[Class; 4]> {
        let of = |index: usize, component: usize| self.class(instruction, &instruction.sources[index], component);
        let either = |component: usize| of(0, component).max(of(1, component));
        match instruction.vector {
            VectorOpcode::Nop | VectorOpcode::Arl | VectorOpcode::Arr | VectorOpcode::Ara => None,
            VectorOpcode::Mov => Some(std::array::from_fn(|component| of(0, component))),
            VectorOpcode::Min | VectorOpcode::Max => Some(std::array::from_fn(either)),
            VectorOpcode::Sfl | VectorOpcode::Str => Some([Class::InRange; 4]),
            VectorOpcode::Mul => {
                Some(std::array::from_fn(|component| either(component).clamp(Class::Normal, Class::Wild)))
            }
            // Two components are copies.
            VectorOpcode::Dst | VectorOpcode::Txl => Some([Class::Unknown; 4]),
            _ => Some([Class::Normal; 4]),
        }
    }

    fn scalar_classes(&self, instruction: &VertexInstruction) -> Option<[Class; 4]> {
        let of = |component: usize| self.class(instruction, &instruction.sources[2], component);
        match instruction.scalar {
            ScalarOpcode::Nop => None,
            ScalarOpcode::Mov => Some(std::array::from_fn(of)),
            // Powers come as LG2, MUL, EX2, of zeros too.
            ScalarOpcode::Lg2 | ScalarOpcode::Ex2 => Some([Class::Wild; 4]),
            ScalarOpcode::Rcp | ScalarOpcode::Rcc | ScalarOpcode::Rsq | ScalarOpcode::Sin | ScalarOpcode::Cos => {
                Some([Class::Normal; 4])
            }
            _ => Some([Class::Unknown; 4]),
        }
    }

    /// What is known of a component of a source after its swizzle.
    fn class(&self, instruction: &VertexInstruction, source: &VertexSource, component: usize) -> Class {
        let component = source.swizzle.0[component] & 3;
        match source.kind {
            VertexSourceKind::Temporary(register) => {
                self.temporaries.get(&register).map_or(Class::InRange, |known| known[usize::from(component)])
            }
            VertexSourceKind::Input => {
                *self.inputs.get(&(instruction.input_index & 15, component)).unwrap_or(&Class::Unknown)
            }
            VertexSourceKind::Constant => {
                let index = instruction.constant_index;
                let is_checked = usize::from(index) >= CONSTANT_SLOTS || self.constants.contains(&(index, component));
                if is_checked { Class::InRange } else { Class::Unknown }
            }
        }
    }

    /// Emits the check that a factor is of a class, once.
    fn check(
        &mut self,
        text: &mut Text,
        instruction: &VertexInstruction,
        (source, component): (&VertexSource, usize),
        wanted: Class,
    ) {
        if self.class(instruction, source, component) <= wanted {
            return;
        }
        let known = if wanted == Class::InRange { Class::InRange } else { Class::Normal };
        let component = source.swizzle.0[component] & 3;
        let name = match source.kind {
            VertexSourceKind::Temporary(register) => {
                let classes = self.temporaries.entry(register).or_insert([Class::InRange; 4]);
                classes[usize::from(component)] = known;
                format!("r{register}")
            }
            VertexSourceKind::Input => {
                let index = instruction.input_index & 15;
                self.inputs.insert((index, component), known);
                format!("v{index}")
            }
            VertexSourceKind::Constant => {
                self.constants.insert((instruction.constant_index, component));
                return;
            }
        };
        let function =
            if wanted == Class::InRange { "normal_range_is_wrong_factor" } else { "normal_range_is_denormal" };
        text.import("arith::vertex_normal_range", function);
        let component = COMPONENTS[usize::from(component)];
        text.line(format!("is_exact |= {function}({name}.{component});"));
    }
}

/// Constants and their components that are factors, without those that an index reaches; empty for programs that have
/// one way only.
pub(super) fn factor_constants(program: &VertexProgram) -> BTreeSet<(u16, u8)> {
    let Some(mut normal_range) = NormalRange::of(program) else { return BTreeSet::new() };
    let mut text = Text::default();
    for instruction in &program.instructions {
        normal_range.value(&mut text, instruction, &Default::default());
        normal_range.note(instruction);
    }
    normal_range.constants
}

/// Whether these bits are a factor in the normal range; the twin of `normal_range_is_wrong_factor`.
pub(super) const fn is_in_range(bits: u32) -> bool {
    let magnitude = bits & 0x7fff_ffff;
    magnitude == 0 || magnitude.wrapping_sub(0x2000_0000) < 0x3f80_0000
}
