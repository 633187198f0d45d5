//! Appends the fog of the fixed pipeline to a program, for the fog options of `ARB_fragment_program`.

use std::collections::BTreeMap;

use super::bindings::FragmentOutput;
use super::code::{Clamp, FragmentCode, InputRead, Node, Register, RegisterRow, Source, SourceKind};
use super::expand::{Expander, Target};
use crate::constants::ConstantSource;
use crate::diagnostic::Span;
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::shader::condition::{ConditionTest, WriteMask};
use crate::shader::fragment::FragmentInput;
use crate::state::StateBinding;

/// How the fog factor depends on the fog coordinate c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FogMode {
    /// e to the power of −density·c.
    Exponential,
    /// e to the power of −(density·c)².
    Squared,
    /// (end − c)/(end − start).
    Linear,
}

/// Appends fog to every color. `outputs` then names the registers of the colors with fog.
pub(super) fn append_fog(
    code: &mut FragmentCode,
    outputs: &mut BTreeMap<FragmentOutput, (Register, bool)>,
    mode: FogMode,
    span: Span,
) {
    let mut body = std::mem::take(&mut code.body);
    if body.iter().any(returns) {
        // Fog must follow every exit, so the program becomes a subroutine.
        code.routines.push(body);
        body = vec![Node::Call { condition: ConditionTest::ALWAYS, routine: code.routines.len() - 1 }];
    }
    let mut fog = Fog { expander: Expander { code, block: &mut body }, span };
    let factor = fog.factor(mode);
    for (output, (register, is_half)) in outputs.iter_mut() {
        if matches!(output, FragmentOutput::Color(_)) {
            *register = fog.blend(factor, *register, *is_half);
        }
    }
    code.body = body;
}

fn returns(node: &Node) -> bool {
    match node {
        Node::Return { .. } => true,
        Node::If { then, otherwise, .. } => then.iter().chain(otherwise).any(returns),
        Node::Loop { body, .. } => body.iter().any(returns),
        Node::Instruction(_) | Node::Call { .. } | Node::Break { .. } => false,
    }
}

struct Fog<'code> {
    expander: Expander<'code>,
    span: Span,
}

impl Fog<'_> {
    fn target(&self, register: Register, mask: u8, clamp: Clamp) -> Target {
        Target { clamp, ..Target::new(Some(register), WriteMask(mask), self.span.clone()) }
    }

    fn register(&mut self, is_half: bool) -> Register {
        self.expander.code.register(RegisterRow { is_half, place: None })
    }

    /// The fog factor, clamped to 0..1, in x.
    fn factor(&mut self, mode: FogMode) -> Source {
        let parameters = Source::new(SourceKind::Constant(ConstantSource::State(StateBinding::FogParameters)));
        let coordinate = Source::new(SourceKind::Input(InputRead { input: FragmentInput::Fog, displacement: None }));
        let register = self.register(false);
        let value = Source::of_register(register).splat(0);
        let plain = self.target(register, 1, Clamp::None);
        let clamped = self.target(register, 1, Clamp::Unsigned);
        if mode == FogMode::Linear {
            let sources = [parameters.splat(2), coordinate.splat(0).negated()];
            self.expander.finish(FragmentOpcode::Add, &plain, &sources);
            self.expander.finish(FragmentOpcode::Mul, &clamped, &[value, parameters.splat(3)]);
            return value;
        }
        self.expander.finish(FragmentOpcode::Mul, &plain, &[parameters.splat(0), coordinate.splat(0)]);
        if mode == FogMode::Squared {
            self.expander.finish(FragmentOpcode::Mul, &plain, &[value, value]);
        }
        let log2_e = Source::literal([std::f32::consts::LOG2_E.to_bits(); 4]);
        self.expander.finish(FragmentOpcode::Mul, &plain, &[value, log2_e]);
        self.expander.finish(FragmentOpcode::Ex2, &clamped, &[value.negated()]);
        value
    }

    /// Clamps a color to 0..1, as the fixed pipeline does, and mixes it with the fog color. Alpha stays.
    fn blend(&mut self, factor: Source, color: Register, is_half: bool) -> Register {
        let result = self.register(is_half);
        let fog_color = Source::new(SourceKind::Constant(ConstantSource::State(StateBinding::FogColor)));
        // Unverified: that colors are clamped before fog whatever the format of the target.
        let clamped = self.register(false);
        let target = self.target(clamped, 7, Clamp::Unsigned);
        self.expander.finish(FragmentOpcode::Mov, &target, &[Source::of_register(color)]);
        let target = self.target(result, 7, Clamp::None);
        self.expander.finish(FragmentOpcode::Lrp, &target, &[factor, Source::of_register(clamped), fog_color]);
        let target = self.target(result, 8, Clamp::None);
        self.expander.finish(FragmentOpcode::Mov, &target, &[Source::of_register(color)]);
        result
    }
}
