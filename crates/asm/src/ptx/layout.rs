//! Where the variables of a module and of its kernels are in memory.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Base, Function, Module, Operand, Statement, Variable};
use super::types::{Kind, StateSpace};
use crate::cubin::{self, CONSTANT_BYTES, LOCAL_BYTES, SHARED_BYTES, TEXTURES};
use crate::cursor::Parsed;
use crate::diagnostic::Diagnostic;
use crate::isa::tesla::module::{
    PARAMETERS_OFFSET, TeslaConstants, TeslaGlobal, TeslaParameter, TeslaParameterKind, TeslaTexture,
    USER_CONSTANT_SPACE,
};

/// The places of variables.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    /// By variable, its offset in its space; for global variables, where its address is, and for textures, the unit.
    offsets: BTreeMap<usize, u32>,
    /// The shared memory of a block, with the parameters.
    pub(super) shared_bytes: u32,
    /// The local memory of a thread.
    pub(super) local_bytes: u32,
}

impl Layout {
    /// The offset of a variable; 0 if the kernel does not use it.
    pub(super) fn offset(&self, variable: usize) -> u32 {
        self.offsets.get(&variable).copied().unwrap_or(0)
    }

    fn place(&mut self, index: usize, variable: &Variable, end: u32, limit: u32) -> Parsed<u32> {
        let offset = end.next_multiple_of(variable.alignment);
        let end = offset.saturating_add(variable.bytes);
        if end > limit {
            let message = format!("`{}` ends at byte {end} of {}", variable.name, variable.space.name());
            return Err(Diagnostic::new(variable.span.clone(), message).note(format!("limit: {limit} bytes")));
        }
        self.offsets.insert(index, offset);
        Ok(end)
    }

    /// Places the variables that all kernels share.
    pub(super) fn of_module(module: &Module) -> Parsed<Self> {
        let mut layout = Self::default();
        let (mut constants, mut globals, mut textures) = (0, 0, 0);
        for (index, variable) in module.variables.iter().enumerate() {
            match variable.space {
                StateSpace::Constant => constants = layout.place(index, variable, constants, CONSTANT_BYTES)?,
                StateSpace::Global => {
                    layout.offsets.insert(index, globals);
                    globals += 4;
                    if globals > CONSTANT_BYTES {
                        return Err(Diagnostic::new(variable.span.clone(), "too many global variables"));
                    }
                }
                StateSpace::Texture => {
                    if textures == TEXTURES {
                        let (span, count) = (variable.span.clone(), textures as usize + 1);
                        return Err(Diagnostic::over_limit(span, "textures", count, TEXTURES as usize, "units"));
                    }
                    layout.offsets.insert(index, textures);
                    textures += 1;
                }
                StateSpace::Parameter | StateSpace::Shared | StateSpace::Local => {}
            }
        }
        Ok(layout)
    }

    /// Places the parameters of a kernel, and the shared and local variables that it uses, too.
    pub(super) fn with_kernel(&self, module: &Module, kernel: &Function) -> Parsed<Self> {
        let mut layout = self.clone();
        let mut end = PARAMETERS_OFFSET;
        for parameter in &kernel.parameters {
            end = layout.place(*parameter, &module.variables[*parameter], end, SHARED_BYTES)?;
        }
        let mut used = BTreeSet::new();
        collect(module, kernel, &mut used);
        // Memory whose size the launch gives comes last.
        let is_open = |index: &usize| module.variables[*index].bytes == 0;
        let (open, sized): (Vec<_>, Vec<_>) = used.into_iter().partition(is_open);
        let mut local = 0;
        for index in sized {
            let variable = &module.variables[index];
            match variable.space {
                StateSpace::Shared => end = layout.place(index, variable, end, SHARED_BYTES)?,
                StateSpace::Local => local = layout.place(index, variable, local, LOCAL_BYTES)?,
                _ => {}
            }
        }
        layout.shared_bytes = end;
        for index in open {
            if module.variables[index].space == StateSpace::Shared {
                let begin = layout.place(index, &module.variables[index], end, SHARED_BYTES)?;
                layout.shared_bytes = layout.shared_bytes.max(begin);
            }
        }
        layout.local_bytes = local;
        Ok(layout)
    }
}

/// Adds the variables that a function and those that it calls name.
fn collect(module: &Module, function: &Function, used: &mut BTreeSet<usize>) {
    let (mut pending, mut seen) = (vec![function], BTreeSet::new());
    while let Some(function) = pending.pop() {
        for statement in &function.body {
            let Statement::Instruction(instruction) = statement else { continue };
            for operand in &instruction.operands {
                match operand {
                    Operand::Call { function, arguments, .. } => {
                        used.extend(arguments.iter().filter_map(named));
                        if seen.insert(*function) {
                            pending.push(&module.functions[*function]);
                        }
                    }
                    Operand::Vector(elements) => used.extend(elements.iter().filter_map(named)),
                    other => used.extend(named(other)),
                }
            }
        }
    }
}

/// The variable that an operand names.
const fn named(operand: &Operand) -> Option<usize> {
    match operand {
        Operand::VariableAddress { variable, .. } | Operand::Memory { base: Base::Variable(variable), .. } => {
            Some(*variable)
        }
        _ => None,
    }
}

/// The initial words of a variable.
fn words(variable: &Variable, layout: &Layout) -> Vec<u32> {
    let mut bytes = variable.initial.clone();
    for address in &variable.addresses {
        let place = &mut bytes[address.offset..][..variable.element.bytes() as usize];
        let added = place.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        let value = added.wrapping_add(layout.offset(address.variable).into());
        place.copy_from_slice(&value.to_le_bytes()[..place.len()]);
    }
    cubin::words(&bytes)
}

/// The variables of a space, with their offsets.
fn of_space<'module>(
    module: &'module Module,
    layout: &Layout,
    space: StateSpace,
) -> impl Iterator<Item = (u32, &'module Variable)> {
    let variables = module.variables.iter().enumerate().filter(move |(_, variable)| variable.space == space);
    variables.map(|(index, variable)| (layout.offset(index), variable))
}

/// The variables in constant memory, with their values.
pub(super) fn constants(module: &Module, layout: &Layout) -> Vec<TeslaConstants> {
    of_space(module, layout, StateSpace::Constant)
        .map(|(offset, variable)| TeslaConstants {
            name: variable.name.clone(),
            space: USER_CONSTANT_SPACE,
            offset,
            bytes: variable.bytes,
            words: words(variable, layout),
        })
        .collect()
}

/// The variables in global memory, with their values.
pub(super) fn globals(module: &Module, layout: &Layout) -> Vec<TeslaGlobal> {
    of_space(module, layout, StateSpace::Global)
        .map(|(offset, variable)| TeslaGlobal {
            name: variable.name.clone(),
            bytes: variable.bytes,
            alignment: variable.alignment,
            words: words(variable, layout),
            address_offset: offset,
        })
        .collect()
}

/// The textures.
pub(super) fn textures(module: &Module, layout: &Layout) -> Vec<TeslaTexture> {
    of_space(module, layout, StateSpace::Texture)
        .map(|(offset, variable)| TeslaTexture { name: variable.name.clone(), unit: u8::try_from(offset).unwrap_or(0) })
        .collect()
}

/// The end of a kernel's parameters.
pub(super) fn parameters_end(module: &Module, kernel: &Function, layout: &Layout) -> u32 {
    let end = |index: &usize| layout.offset(*index) + module.variables[*index].bytes;
    kernel.parameters.iter().map(end).max().unwrap_or(PARAMETERS_OFFSET)
}

/// The parameters of a kernel.
pub(super) fn parameters(module: &Module, kernel: &Function, layout: &Layout) -> Vec<TeslaParameter> {
    let of = |index: &usize| {
        let variable = &module.variables[*index];
        let kind = match variable.element.kind {
            Kind::Signed => TeslaParameterKind::Signed,
            Kind::Float => TeslaParameterKind::Float,
            Kind::Bits => TeslaParameterKind::Bits,
            Kind::Unsigned | Kind::Predicate => TeslaParameterKind::Unsigned,
        };
        TeslaParameter { name: variable.name.clone(), offset: layout.offset(*index), bytes: variable.bytes, kind }
    };
    kernel.parameters.iter().map(of).collect()
}
