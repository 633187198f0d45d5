//! Lowers operations of the languages to instructions of the chip, each with at most one interpolant and one constant.

use super::code::{Clamp, FragmentCode, InputRead, Instruction, Node, Register, RegisterRow, Source, SourceKind};
use super::opcodes::Operation;
use crate::arith::{MINUS_ONE, ONE, Precision};
use crate::constants::ConstantSource;
use crate::diagnostic::Span;
use crate::isa::Operand;
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::operand::{Selector, SwizzleElement};
use crate::shader::condition::{ConditionTest, Relation, Swizzle, WriteMask};
use crate::shader::fragment::FragmentInput;

/// The condition register that expansions use; the languages know only the other one.
const SCRATCH_CONDITION: u8 = 1;

/// Where a result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// `None`: only the condition register is written.
    pub(super) register: Option<Register>,
    pub(super) mask: WriteMask,
    pub(super) updates_condition: bool,
    pub(super) condition: ConditionTest,
    pub(super) precision: Precision,
    pub(super) clamp: Clamp,
    pub(super) texture_unit: u8,
    /// Components of a coordinate that a texture's target reads, without w.
    pub(super) coordinates: WriteMask,
    pub(super) span: Span,
}

impl Target {
    /// The target of an unconditional operation at full precision.
    pub(super) const fn new(register: Option<Register>, mask: WriteMask, span: Span) -> Self {
        Self {
            register,
            mask,
            updates_condition: false,
            condition: ConditionTest::ALWAYS,
            precision: Precision::Fp32,
            clamp: Clamp::None,
            texture_unit: 0,
            coordinates: WriteMask::ALL,
            span,
        }
    }

    /// The same with only a register and a mask, for intermediate values.
    fn plain(&self, register: Option<Register>, mask: WriteMask) -> Self {
        let Self { texture_unit, coordinates, .. } = *self;
        Self { texture_unit, coordinates, ..Self::new(register, mask, self.span.clone()) }
    }
}

/// Appends instructions to a block.
pub(super) struct Expander<'code> {
    pub(super) code: &'code mut FragmentCode,
    pub(super) block: &'code mut Vec<Node>,
}

impl Expander<'_> {
    /// Appends the instructions of an operation.
    pub(super) fn operation(&mut self, operation: Operation, target: &Target, sources: &[Source]) {
        match (operation, sources) {
            (Operation::Chip(opcode), _) => self.finish(opcode, target, sources),
            (Operation::Absolute, [source]) => {
                self.finish(FragmentOpcode::Mov, target, &[source.magnitude()]);
            }
            (Operation::Subtract, [a, b]) => self.finish(FragmentOpcode::Add, target, &[*a, b.negated()]),
            (Operation::HomogeneousDot, [a, b]) => {
                let sum = self.scratch(FragmentOpcode::Dp3, WriteMask(1), target, &[*a, *b]);
                self.finish(FragmentOpcode::Add, target, &[sum.splat(0), b.splat(3)]);
            }
            (Operation::Power, [base, exponent]) => {
                let logarithm = self.scratch(FragmentOpcode::Lg2, WriteMask(1), target, &[*base]);
                let product = self.scratch(FragmentOpcode::Mul, WriteMask(1), target, &[logarithm, *exponent]);
                self.finish(FragmentOpcode::Ex2, target, &[product.splat(0)]);
            }
            (Operation::CrossProduct, [a, b]) => {
                let (next, last) = ([1, 2, 0, 3], [2, 0, 1, 3]);
                let xyz = WriteMask(7);
                let minus = self.scratch(FragmentOpcode::Mul, xyz, target, &[a.swizzled(last), b.swizzled(next)]);
                let target = Target { mask: WriteMask(target.mask.0 & xyz.0), ..target.clone() };
                self.finish(FragmentOpcode::Mad, &target, &[a.swizzled(next), b.swizzled(last), minus.negated()]);
            }
            (Operation::SineCosine, [angle]) => self.parts(
                target,
                &[(FragmentOpcode::Cos, WriteMask(1), *angle), (FragmentOpcode::Sin, WriteMask(2), *angle)],
            ),
            (Operation::Compare, [value, less, otherwise]) => self.compare(target, *value, *less, *otherwise),
            (Operation::KillNegative, [value]) => {
                let none = Target { register: None, mask: WriteMask::ALL, ..target.clone() };
                self.update_scratch_condition(&none, *value);
                self.kill(
                    ConditionTest { register: SCRATCH_CONDITION, relation: Relation::Less, swizzle: Swizzle::IDENTITY },
                    target,
                );
            }
            (Operation::KillTested, _) => self.kill(target.condition, target),
            _ => debug_assert!(false, "the grammar gives each operation its operands"),
        }
    }

    /// `SWZ`: each component is 0, 1 or a component of the source, with a sign.
    pub(super) fn extended_swizzle(&mut self, target: &Target, source: Source, elements: [SwizzleElement; 4]) {
        let mut parts = Vec::new();
        let mut constant = [0; 4];
        let mut constants = WriteMask(0);
        for is_negative in [false, true] {
            let mut mask = WriteMask(0);
            let mut swizzle = [0; 4];
            for (position, SwizzleElement { selector, negate }) in elements.into_iter().enumerate() {
                match selector {
                    Selector::Component(component) if negate == is_negative => {
                        mask.0 |= 1 << position;
                        swizzle[position] = component;
                    }
                    Selector::Component(_) => {}
                    Selector::Zero | Selector::One => {
                        constants.0 |= 1 << position;
                        let bits = if selector == Selector::One { ONE } else { 0 };
                        constant[position] = bits ^ u32::from(negate) << 31;
                    }
                }
            }
            let source = source.swizzled(swizzle);
            parts.push((FragmentOpcode::Mov, mask, if is_negative { source.negated() } else { source }));
        }
        parts.push((FragmentOpcode::Mov, constants, Source::literal(constant)));
        self.parts(target, &parts);
    }

    /// Appends operations of one source that each write some of the components.
    fn parts(&mut self, target: &Target, parts: &[(FragmentOpcode, WriteMask, Source)]) {
        let parts: Vec<_> = parts
            .iter()
            .map(|&(opcode, mask, source)| (opcode, WriteMask(mask.0 & target.mask.0), source))
            .filter(|(_, mask, _)| mask.0 != 0)
            .collect();
        let written = parts.iter().fold(0, |mask, part| mask | part.1.0);
        let reads_target = parts.iter().any(|(_, _, source)| reads(*source, target.register));
        if parts.len() > 1 && (reads_target || target.updates_condition || target.clamp == Clamp::Signed) {
            let value = self.aux();
            for (opcode, mask, source) in parts {
                self.finish(opcode, &target.plain(Some(value), mask), &[source]);
            }
            let target = Target { mask: WriteMask(written), ..target.clone() };
            return self.finish(FragmentOpcode::Mov, &target, &[Source::of_register(value)]);
        }
        for (opcode, mask, source) in parts {
            self.finish(opcode, &Target { mask, ..target.clone() }, &[source]);
        }
    }

    fn compare(&mut self, target: &Target, value: Source, less: Source, otherwise: Source) {
        self.update_scratch_condition(&Target { register: None, ..target.clone() }, value);
        let is_less =
            ConditionTest { register: SCRATCH_CONDITION, relation: Relation::Less, swizzle: Swizzle::IDENTITY };
        let is_direct = target.condition.relation == Relation::Always
            && target.clamp != Clamp::Signed
            && !reads(less, target.register);
        if is_direct {
            self.finish(FragmentOpcode::Mov, target, &[otherwise]);
            return self.finish(FragmentOpcode::Mov, &Target { condition: is_less, ..target.clone() }, &[less]);
        }
        let result = self.aux();
        let plain = target.plain(Some(result), target.mask);
        self.finish(FragmentOpcode::Mov, &plain, &[otherwise]);
        self.finish(FragmentOpcode::Mov, &Target { condition: is_less, ..plain }, &[less]);
        self.finish(FragmentOpcode::Mov, target, &[Source::of_register(result)]);
    }

    /// Sets the scratch condition register from a value.
    fn update_scratch_condition(&mut self, target: &Target, value: Source) {
        let target = target.plain(target.register, target.mask);
        let mut instruction = instruction(FragmentOpcode::Mov, &target, &[value]);
        instruction.condition_update = Some(SCRATCH_CONDITION);
        self.push(instruction);
    }

    fn kill(&mut self, condition: ConditionTest, target: &Target) {
        let target = Target { register: None, mask: WriteMask(0), condition, ..target.clone() };
        let mut kill = instruction(FragmentOpcode::Kil, &target, &[]);
        kill.condition_update = None;
        self.push(kill);
    }

    /// The result of an operation at full precision, in a new register.
    fn scratch(&mut self, opcode: FragmentOpcode, mask: WriteMask, target: &Target, sources: &[Source]) -> Source {
        let register = self.aux();
        self.finish(opcode, &target.plain(Some(register), mask), sources);
        Source::of_register(register)
    }

    fn aux(&mut self) -> Register {
        self.code.register(RegisterRow { is_half: false, place: None })
    }

    /// Appends the operation that gives the result.
    pub(super) fn finish(&mut self, opcode: FragmentOpcode, target: &Target, sources: &[Source]) {
        if target.mask.0 == 0 {
            return;
        }
        if target.clamp == Clamp::Signed {
            let value = self.aux();
            let mut first = target.plain(Some(value), target.mask);
            first.precision = target.precision;
            self.finish(opcode, &first, sources);
            let raised = self.aux();
            let bound = Source::literal([MINUS_ONE; 4]);
            self.finish(
                FragmentOpcode::Max,
                &target.plain(Some(raised), target.mask),
                &[Source::of_register(value), bound],
            );
            let last = Target { clamp: Clamp::None, ..target.clone() };
            return self.finish(FragmentOpcode::Min, &last, &[Source::of_register(raised), Source::literal([ONE; 4])]);
        }
        let instruction = instruction(opcode, target, sources);
        self.push(instruction);
    }

    /// Appends an instruction, after moves into registers if it reads several interpolants or constants.
    fn push(&mut self, mut instruction: Instruction) {
        let span = instruction.span.clone();
        let mut input: Option<InputRead> = None;
        let mut moved: Vec<(SourceKind, Register)> = Vec::new();
        let constant = merge_literals(&mut instruction);
        for (source, mask) in instruction.sources.iter_mut().zip(instruction.reads) {
            let components = source.components(mask);
            let must_move = match source.register {
                SourceKind::Register(_) => false,
                SourceKind::Input(read) if is_fog_beyond_x(read, components) => {
                    let register = self.fog(&span);
                    source.register = SourceKind::Register(register);
                    false
                }
                SourceKind::Input(read) => *input.get_or_insert(read) != read,
                SourceKind::Constant(source) => constant.is_some_and(|constant| constant != source),
            };
            if must_move {
                let known = moved.iter().find(|(kind, _)| *kind == source.register).map(|(_, register)| *register);
                let register = known.unwrap_or_else(|| {
                    let register = self.aux();
                    moved.push((source.register, register));
                    self.block.push(Node::Instruction(copy(register, source.register, &span)));
                    register
                });
                source.register = SourceKind::Register(register);
            }
        }
        self.block.push(Node::Instruction(instruction));
    }

    /// The fog coordinate as the languages define it, (f, 0, 0, 1); the chip's y is the fog factor.
    fn fog(&mut self, span: &Span) -> Register {
        let register = self.aux();
        let constant = SourceKind::Constant(ConstantSource::Literal([0, 0, 0, ONE]));
        self.block.push(Node::Instruction(copy(register, constant, span)));
        let input = SourceKind::Input(InputRead { input: FragmentInput::Fog, displacement: None });
        let mut first = copy(register, input, span);
        first.mask = WriteMask(1);
        self.block.push(Node::Instruction(first));
        register
    }
}

fn is_fog_beyond_x(read: InputRead, components: WriteMask) -> bool {
    read.displacement.is_none() && read.input == FragmentInput::Fog && components.0 & 0b1110 != 0
}

fn reads(source: Source, register: Option<Register>) -> bool {
    register.is_some_and(|register| source.register == SourceKind::Register(register))
}

fn copy(register: Register, kind: SourceKind, span: &Span) -> Instruction {
    let target = Target::new(Some(register), WriteMask::ALL, span.clone());
    instruction(FragmentOpcode::Mov, &target, &[Source::new(kind)])
}

fn instruction(opcode: FragmentOpcode, target: &Target, sources: &[Source]) -> Instruction {
    Instruction {
        opcode,
        destination: target.register,
        mask: target.mask,
        condition_update: target.updates_condition.then_some(0),
        condition: target.condition,
        precision: target.precision,
        saturate: target.clamp == Clamp::Unsigned,
        texture_unit: target.texture_unit,
        sources: sources.to_vec(),
        reads: reads_of(opcode, target),
        span: target.span.clone(),
    }
}

/// Which positions of each source's swizzle the result depends on.
fn reads_of(opcode: FragmentOpcode, target: &Target) -> [WriteMask; 3] {
    const X: u8 = 1;
    const XY: u8 = 3;
    const XYZ: u8 = 7;
    const XYZW: u8 = 15;
    const W: u8 = 8;
    let coordinates = target.coordinates.0;
    let masks = match opcode {
        FragmentOpcode::Dp2 => [XY, XY, 0],
        FragmentOpcode::Dp2a => [XY, XY, X],
        FragmentOpcode::Dp3 => [XYZ, XYZ, 0],
        FragmentOpcode::Dp4 => [XYZW, XYZW, 0],
        FragmentOpcode::Dst => [0b0110, 0b1010, 0],
        FragmentOpcode::Lit => [0b1011, 0, 0],
        FragmentOpcode::Rcp
        | FragmentOpcode::Rsq
        | FragmentOpcode::Ex2
        | FragmentOpcode::Lg2
        | FragmentOpcode::Cos
        | FragmentOpcode::Sin
        | FragmentOpcode::Up2h
        | FragmentOpcode::Up2us
        | FragmentOpcode::Up4b
        | FragmentOpcode::Up4ub
        | FragmentOpcode::Up4ubg => [X, 0, 0],
        FragmentOpcode::Pow => [X, X, 0],
        FragmentOpcode::Pk2h | FragmentOpcode::Pk2us => [XY, 0, 0],
        FragmentOpcode::Pk4b | FragmentOpcode::Pk4ub | FragmentOpcode::Pk4ubg => [XYZW, 0, 0],
        FragmentOpcode::X2d => [XY, XY, XYZW],
        FragmentOpcode::Rfl => [XYZ | target.mask.0, XYZ | target.mask.0, 0],
        FragmentOpcode::Nrm => [XYZ, 0, 0],
        FragmentOpcode::Div | FragmentOpcode::DivSq => [target.mask.0, X, 0],
        FragmentOpcode::Tex => [coordinates, 0, 0],
        FragmentOpcode::Txp | FragmentOpcode::Txb | FragmentOpcode::Txl => [coordinates | W, 0, 0],
        FragmentOpcode::Txd => [coordinates; 3],
        _ => Operand::ALL.map(|operand| if opcode.row().operands.contains(&operand) { target.mask.0 } else { 0 }),
    };
    masks.map(WriteMask)
}

/// Merges the numbers of all literal operands into one constant if they fit. Returns the constant that the instruction
/// keeps.
fn merge_literals(instruction: &mut Instruction) -> Option<ConstantSource> {
    let constants: Vec<ConstantSource> = instruction
        .sources
        .iter()
        .filter_map(|source| match source.register {
            SourceKind::Constant(constant) => Some(constant),
            SourceKind::Register(_) | SourceKind::Input(_) => None,
        })
        .collect();
    let &first = constants.first()?;
    if constants.iter().all(|&constant| constant == first) {
        return Some(first);
    }
    // A constant that is patched later stays in the instruction, and numbers move.
    let kept = constants.iter().copied().find(|constant| !matches!(constant, ConstantSource::Literal(_)));
    if kept.is_some() {
        return kept;
    }
    let mut merged: Vec<u32> = Vec::new();
    let mut swizzles = Vec::new();
    for (source, mask) in instruction.sources.iter().zip(instruction.reads) {
        let SourceKind::Constant(ConstantSource::Literal(value)) = source.register else {
            swizzles.push(source.swizzle);
            continue;
        };
        let mut swizzle = [0; 4];
        for position in (0..4).filter(|&position| mask.has(position)) {
            let bits = value[usize::from(source.swizzle.0[position] & 3)];
            let place = merged.iter().position(|&known| known == bits).unwrap_or_else(|| {
                merged.push(bits);
                merged.len() - 1
            });
            swizzle[position] = u8::try_from(place).unwrap_or(u8::MAX);
        }
        swizzles.push(Swizzle(swizzle));
    }
    if merged.len() > 4 {
        return Some(first);
    }
    merged.resize(4, 0);
    let constant = ConstantSource::Literal([merged[0], merged[1], merged[2], merged[3]]);
    for (source, swizzle) in instruction.sources.iter_mut().zip(swizzles) {
        source.swizzle = swizzle;
        if matches!(source.register, SourceKind::Constant(_)) {
            source.register = SourceKind::Constant(constant);
        }
    }
    Some(constant)
}
