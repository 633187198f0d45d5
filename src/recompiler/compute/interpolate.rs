//! Interpolants of fragments: plane equations at the places of the fragments, or values that are given.

use super::emitter::Emitter;
use super::operands::modified_float;
use super::thread_program::interpolant_name;
use crate::shader::simt::{Instruction, InterpolationMode, Operand};

impl Emitter<'_> {
    /// Interpolates; a second source is a factor.
    pub(super) fn emit_interpolation(&mut self, instruction: &Instruction, mode: InterpolationMode, lanes: &str) {
        let at = instruction.address;
        let Some(source) = instruction.sources.first() else { return };
        let Operand::Memory(operand) = source.operand else { return };
        let interpolant = if self.thread.is_some() {
            self.thread_interpolant(&operand, mode)
        } else {
            let Some(place) = self.emit_place(at, &operand, lanes) else { return };
            let mode = match mode {
                InterpolationMode::Center => 0,
                InterpolationMode::Centroid => 1,
                InterpolationMode::Flat => 2,
            };
            let function = self.text.import("compute::interpolate", "interpolant");
            format!("{function}({}, {mode}u, {})", place.address, place.is_valid)
        };
        let mut value = modified_float(self.text.bind("value", &interpolant), source);
        let planes = self.fast.as_ref().map_or(&[][..], |fast| &fast.planes);
        let is_plane = planes.iter().any(|word| interpolant == interpolant_name((mode, u32::from(*word))));
        if self.emit_fast_interpolation(instruction, (&value, is_plane), lanes) {
            return;
        }
        self.emit_settled(instruction);
        if let Some(factor) = instruction.sources.get(1) {
            let factor = modified_float(self.value(at, factor, lanes), factor);
            let function = self.text.import("arith::tesla_float", "tesla_multiply");
            let product = format!("{function}({value}, {factor})");
            value = self.text.bind("value", &product);
        }
        self.emit_write(instruction, &[value], lanes);
    }
}
