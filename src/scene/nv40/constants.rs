//! The constants of the vertex processors, and the fragment programs that contain theirs.

use std::collections::HashMap;

use crate::asm::shbin::RegisterFile;
use crate::isa::VertexIsa;
use crate::scene::constants::Finder;
use crate::scene::error::SceneError;
use crate::scene::expression::Scope;
use crate::scene::loaded_program::{Constant, FragmentCode};
use crate::scene::plan::{DrawPlan, Plan};

/// The contents of the vertex processor's constants, by slot.
pub(super) type VertexConstants = HashMap<u32, [u32; 4]>;

/// The constants of the vertex program, by slot.
pub(super) fn vertex(plan: &Plan, draw: &DrawPlan, scope: &Scope<'_>) -> Result<Vec<(u32, [u32; 4])>, SceneError> {
    let program = &plan.scene.programs.0[draw.vertex].0;
    let constants = &plan.vertex_program(draw.vertex).constants;
    let finder = Finder { plan, name: &draw.name, constants: &draw.constants, scope, program };
    let is_integer = |slot: u32| {
        let register = RegisterFile::from_number(u16::try_from(slot).unwrap_or(u16::MAX));
        plan.vertex_program(draw.vertex).code.isa() == VertexIsa::Pica200
            && matches!(register, Some((RegisterFile::Integer, _)))
    };
    let value = |(slot, constant): &(u32, Constant)| {
        let bits = finder.bits(constant)?;
        if is_integer(*slot) && !bits.iter().all(|bits| is_byte(f32::from_bits(*bits))) {
            return Err(no_integers(&finder, constant));
        }
        Ok((*slot, bits))
    };
    constants.iter().map(value).collect()
}

/// The microcode of the fragment program with its constants.
pub(super) fn fragment(plan: &Plan, draw: &DrawPlan, scope: &Scope<'_>) -> Result<Vec<u32>, SceneError> {
    let name = &plan.scene.programs.0[draw.fragment].0;
    let program = plan.fragment_program(draw.fragment);
    let finder = Finder { plan, name: &draw.name, constants: &draw.constants, scope, program: name };
    let mut values = HashMap::new();
    for (source, constant) in &program.constants {
        values.insert(*source, finder.bits(constant)?);
    }
    Ok(match &program.code {
        FragmentCode::Words(words) => words.clone(),
        FragmentCode::Assembly(assembly) => assembly.patched(&|source| values.get(source).copied().unwrap_or_default()),
    })
}

fn no_integers(finder: &Finder<'_>, constant: &Constant) -> SceneError {
    let name = match constant {
        Constant::Parameter(names, _) => names.last().map_or("", String::as_str),
        Constant::Literal(_) | Constant::MatrixRow(..) => "",
    };
    let message = format!("the integer uniform `{name}` of program `{}` has other numbers", finder.program);
    finder.plan.source.at(finder.name, message, "four whole numbers from 0 to 255 are expected")
}

/// Whether a component fits an integer uniform of the PICA200.
fn is_byte(value: f32) -> bool {
    (0.0..=255.0).contains(&value) && value.fract() == 0.0
}
