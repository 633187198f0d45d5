//! Summarizes what fragment microcode needs bound: control word, interpolants, texture units and results.

use std::collections::BTreeSet;

use crate::assembly::{DEPTH, FULL_OUTPUTS, FragmentAssembly, TextureUse, WindowConventions, control_word};
use crate::isa::nv40_fragment::decode::FragmentDecodeError;
use crate::language::Language;
use crate::shader::fragment::{
    FragmentInput, FragmentOperation, FragmentOperationKind, FragmentProgram, FragmentRegister, FragmentSourceKind,
    color_register,
};
use crate::shader::fragment_blocks::operations;

/// Describes microcode by its words. Without a control word, it has half results and no depth.
///
/// # Errors
/// When the words are not a program.
pub(crate) fn summarized(
    language: Language,
    words: Vec<u32>,
    control: Option<u32>,
) -> Result<FragmentAssembly, FragmentDecodeError> {
    let program = FragmentProgram::decode(&words)?;
    let mut summary = Summary::default();
    operations(program.blocks()).for_each(|operation| summary.operation(operation));
    let control = control.unwrap_or_else(|| control_word(false, false, summary.kills, summary.registers.max(2)));
    let has_full_outputs = control & FULL_OUTPUTS != 0;
    let color_targets = (0..4u8)
        .filter(|&target| {
            let place = color_register(target, has_full_outputs);
            target == 0 || summary.written.iter().any(|&written| written.overlaps(place))
        })
        .fold(0, |targets, target| targets | 1 << target);
    Ok(FragmentAssembly {
        language,
        words,
        constants: Vec::new(),
        loops: Vec::new(),
        parameters: Vec::new(),
        control,
        textures: summary.units.iter().map(|&unit| TextureUse::same(unit, None)).collect(),
        inputs: summary.inputs,
        color_targets,
        writes_depth: control & DEPTH != 0,
        conventions: WindowConventions::default(),
    })
}

#[derive(Default)]
struct Summary {
    kills: bool,
    registers: u32,
    inputs: u16,
    units: BTreeSet<u8>,
    written: Vec<FragmentRegister>,
}

impl Summary {
    fn operation(&mut self, operation: &FragmentOperation) {
        self.kills |= operation.kind == FragmentOperationKind::Kill;
        if operation.kind.samples() {
            self.units.insert(operation.texture_unit);
        }
        for source in operation.read_sources() {
            match source.kind {
                FragmentSourceKind::Register(register) => self.register(register),
                FragmentSourceKind::Input if operation.is_input_indexed => {
                    let coordinates = (0..10).map(FragmentInput::TexCoord);
                    self.inputs |= coordinates.fold(0, |inputs, input| inputs | 1 << input.attribute());
                }
                FragmentSourceKind::Input => self.inputs |= 1 << operation.input.attribute(),
                FragmentSourceKind::Constant(_) => {}
            }
        }
        if let Some(register) = operation.destination {
            self.register(register);
            self.written.push(register);
        }
    }

    fn register(&mut self, register: FragmentRegister) {
        self.registers = self.registers.max(u32::from(register.full_index()) + 1);
    }
}
