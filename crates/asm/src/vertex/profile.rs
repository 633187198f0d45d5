//! The operations, registers and limits of each vertex language.

use super::opcodes::Sets;
use crate::arith::vertex::VertexRuleSet;
use crate::language::Language;
use crate::options::{OptionTable, Options, ProgramOption};

/// A limit and the name that its document gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    /// The largest number.
    pub(super) most: usize,
    /// Its name.
    pub(super) name: &'static str,
}

/// What a language allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Profile {
    /// Its operations.
    pub(super) sets: Sets,
    /// Most statements.
    pub(super) instructions: Limit,
    /// R registers of the NV languages.
    pub(super) temporaries: u8,
    /// c registers of the NV languages.
    pub(super) parameters: u16,
    /// Address registers.
    pub(super) addresses: u8,
    /// Whether address registers have four components, which vectors load.
    pub(super) has_address_vectors: bool,
    /// Condition registers.
    pub(super) conditions: u8,
    /// Whether an operand may begin with `+`.
    pub(super) has_plus: bool,
    /// Whether `|…|` takes a magnitude.
    pub(super) has_absolute: bool,
    /// Largest offset added to and subtracted from an address.
    pub(super) offsets: (u32, u32),
    /// Whether attributes and texture coordinates can be indexed.
    pub(super) has_indexed_attributes: bool,
    /// Whether clip distances are results.
    pub(super) has_clip_distances: bool,
    /// Whether an instruction names at most one parameter and one attribute.
    pub(super) has_single_operands: bool,
    /// Whether the position must be written.
    pub(super) needs_position: bool,
    /// Whether RSQ takes the magnitude of its operand.
    pub(super) has_absolute_roots: bool,
    /// Whether a number without a component may be a scalar operand.
    pub(super) has_bare_scalars: bool,
    /// The arithmetic.
    pub(super) rules: VertexRuleSet,
}

/// The constants of the vertex processor that programs can use.
pub(super) const CONSTANTS: Limit = Limit { most: 468, name: "constant vectors of the vertex processor" };
/// The temporaries of the vertex processor.
pub(super) const TEMPORARIES: Limit = Limit { most: 32, name: "temporaries of the vertex processor" };
/// The instructions that a driver lets a program have.
pub(super) const INSTRUCTIONS: Limit = Limit { most: 512, name: "instructions of the vertex processor" };
/// The vertex texture units.
pub(super) const TEXTURE_UNITS: Limit = Limit { most: 4, name: "MAX_VERTEX_TEXTURE_IMAGE_UNITS" };

/// The options of a language.
pub(super) const fn options_of(language: Language) -> &'static OptionTable {
    match language {
        Language::Vp1_1 | Language::Vp2_0 | Language::Vp3_0 => {
            &[("NV_position_invariant", ProgramOption::PositionInvariant)]
        }
        Language::ArbVp1_0 => &[
            ("ARB_position_invariant", ProgramOption::PositionInvariant),
            ("NV_position_invariant", ProgramOption::PositionInvariant),
            ("NV_vertex_program2", ProgramOption::VertexProgram2),
            ("NV_vertex_program3", ProgramOption::VertexProgram3),
        ],
        _ => &[],
    }
}

impl Profile {
    /// What a language allows with these options.
    pub(super) const fn new(language: Language, options: Options) -> Self {
        match language {
            Language::Vp2_0 => Self::vp2(),
            Language::Vp3_0 => Self {
                sets: Sets::VP2_0.and(Sets::OPTION3),
                instructions: INSTRUCTIONS,
                temporaries: 32,
                conditions: 2,
                has_indexed_attributes: true,
                has_single_operands: false,
                ..Self::vp2()
            },
            Language::ArbVp1_0 => Self::arb(options),
            _ => {
                let is_first = matches!(language, Language::Vp1_0 | Language::Vsp1_0);
                let is_invariant = options.has(ProgramOption::PositionInvariant);
                Self {
                    sets: if is_first { Sets::VP1_0 } else { Sets::VP1_1 },
                    has_plus: !is_first,
                    needs_position: !matches!(language, Language::Vsp1_0) && !is_invariant,
                    // The position transform takes four of the 128.
                    instructions: if is_invariant {
                        Limit { most: 124, name: "instructions of a position-invariant !!VP1.1 program" }
                    } else {
                        Limit { most: 128, name: "instructions of NV_vertex_program" }
                    },
                    ..Self::vp1()
                }
            }
        }
    }

    const fn vp1() -> Self {
        Self {
            sets: Sets::VP1_0,
            instructions: Limit { most: 128, name: "instructions of NV_vertex_program" },
            temporaries: 12,
            parameters: 96,
            addresses: 1,
            has_address_vectors: false,
            conditions: 0,
            has_plus: false,
            has_absolute: false,
            offsets: (63, 64),
            has_indexed_attributes: false,
            has_clip_distances: false,
            has_single_operands: true,
            needs_position: true,
            has_absolute_roots: true,
            has_bare_scalars: false,
            rules: VertexRuleSet::Nv40Legacy,
        }
    }

    const fn vp2() -> Self {
        Self {
            sets: Sets::VP2_0,
            instructions: Limit { most: 256, name: "instructions of NV_vertex_program2" },
            temporaries: 16,
            parameters: 256,
            addresses: 2,
            has_address_vectors: true,
            conditions: 1,
            has_plus: true,
            has_absolute: true,
            offsets: (255, 256),
            has_indexed_attributes: false,
            has_clip_distances: true,
            has_single_operands: true,
            needs_position: false,
            has_absolute_roots: false,
            has_bare_scalars: false,
            rules: VertexRuleSet::Nv40Modern,
        }
    }

    const fn arb(options: Options) -> Self {
        let third = options.has(ProgramOption::VertexProgram3);
        let second = third || options.has(ProgramOption::VertexProgram2);
        let sets = match (second, third) {
            (_, true) => Sets::ARB.and(Sets::OPTION2).and(Sets::OPTION3),
            (true, false) => Sets::ARB.and(Sets::OPTION2),
            (false, false) => Sets::ARB,
        };
        Self {
            sets,
            instructions: Limit { most: INSTRUCTIONS.most, name: "MAX_PROGRAM_INSTRUCTIONS" },
            temporaries: 0,
            parameters: 0,
            has_address_vectors: second,
            conditions: if third { 2 } else { second as u8 },
            has_absolute: second,
            offsets: (63, 64),
            has_indexed_attributes: third,
            has_clip_distances: second,
            has_single_operands: false,
            has_absolute_roots: true,
            has_bare_scalars: second,
            ..Self::vp2()
        }
    }
}
