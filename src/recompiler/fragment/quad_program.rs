//! Fragment programs as the programs of the kernels that shade quads.

use super::generator::Generator;
use super::key::FragmentKernelKey;
use super::operands::quad_input;
use crate::pipeline::EngineError;
use crate::recompiler::quad_inputs::QuadInput;
use crate::recompiler::quad_program::{ProgramFacts, QuadProgram, TextureUnits};
use crate::recompiler::rop::shaded_color::{ShadedColor, ValueRange};
use crate::recompiler::software::iteration_budget::QuadIterations;
use crate::recompiler::text::Text;
use crate::shader::analysis::ArithmeticPath;
use crate::shader::analysis::nan_and_denormals::NanAndDenormals;
use crate::shader::analysis::underflow::{Underflow, constant_fraction_bits};
use crate::shader::fragment::{FragmentInput, FragmentNode, FragmentOperationKind, FragmentOutputs, output_registers};

impl FragmentKernelKey {
    /// What tile kernels depend on, of a program with these constants; `fetch` returns the loop iterations of a texture unit.
    pub(crate) fn facts(&self, constants: &[[u32; 4]], fetch: &dyn Fn(u8) -> QuadIterations) -> ProgramFacts {
        let usage = self.resource_usage();
        ProgramFacts {
            quads: self.quads,
            inputs: FragmentInput::all().filter(|input| usage.reads(*input)).map(quad_input).collect(),
            shows_sides: false,
            rounds: self.max_rounds(fetch),
            constant_fraction_bits: constant_fraction_bits(constants),
        }
    }
}

impl Generator<'_> {
    /// Appends what `write` writes to a text.
    fn append<T>(&mut self, text: &mut Text, write: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.text, text);
        let written = write(self);
        std::mem::swap(&mut self.text, text);
        written
    }
}

impl QuadProgram for Generator<'_> {
    fn inputs(&self) -> Vec<QuadInput> {
        self.usage.inputs.iter().map(|input| quad_input(*input)).collect()
    }

    fn targets(&self) -> u8 {
        self.key.targets
    }

    fn exports_depth(&self) -> bool {
        self.key.exports_depth
    }

    fn discards(&self) -> bool {
        self.key.discarding_units != 0
            || self.usage.has_flow
            || self.key.body.iter().any(
                |node| matches!(node, FragmentNode::Operation(operation) if operation.kind == FragmentOperationKind::Kill),
            )
    }

    fn is_uniform(&self) -> bool {
        let usage = &self.usage;
        let reads_inputs = !usage.inputs.is_empty() || !usage.indexed_attributes.is_empty();
        !reads_inputs && usage.units == 0 && !usage.has_flow && !self.discards()
    }

    fn costs_more_than_tests(&self) -> bool {
        self.usage.units != 0 || self.usage.has_flow || self.key.body.len() >= 4
    }

    fn work_words(&self) -> Vec<String> {
        self.flow_words()
    }

    fn take_fast_path(&mut self, constant_fraction_bits: u8) -> bool {
        // The input that an index selects is unknown before the program runs.
        let takes = self.usage.displacements.is_empty();
        if takes {
            let view = self.key.view();
            self.values = NanAndDenormals::of(&view, &self.usage, ArithmeticPath::Fast);
            self.underflow = Some(Underflow::of(&view, &self.usage, &self.values, constant_fraction_bits));
        }
        takes
    }

    fn declare(
        &mut self,
        text: &mut Text,
        texture_units: TextureUnits<'_>,
        _constants: (&str, u32),
    ) -> Result<(), EngineError> {
        self.append(text, |program| program.declare_functions(texture_units))
    }

    fn load_constants(&mut self, text: &mut Text, constants: &str, first: u32) {
        self.append(text, |program| program.emit_prologue(constants, first));
    }

    fn shade(&mut self, text: &mut Text) -> Result<(), EngineError> {
        self.append(text, |program| {
            program.emit_registers();
            if program.is_fast_path() {
                program.text.import("software::fragment_fast", "begin_values");
                program.text.import("software::fragment_fast", "no_value_underflowed");
                program.text.line("begin_values();");
            }
            program.emit_program()?;
            if program.is_fast_path() {
                program.text.line("let no_value_underflowed = no_value_underflowed();");
            }
            Ok(())
        })
    }

    fn exported_depth(&mut self, text: &mut Text) -> String {
        self.append(text, |program| program.read(FragmentOutputs::DEPTH, 2))
    }

    fn color(&mut self, text: &mut Text, target: u8) -> ShadedColor {
        if usize::from(target) >= output_registers(self.key.has_full_outputs).len() {
            return ShadedColor { values: [(); 4].map(|()| "vec4u(0u)".to_owned()), ranges: [ValueRange::ANY; 4] };
        }
        let values = self.append(text, |program| program.emit_color(target));
        ShadedColor { values, ranges: self.color_ranges(target) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::nv40_fragment::{FragmentField, FragmentOpcode};
    use crate::isa::test_words::{INPUT, ended, fragment};
    use crate::recompiler::quad_inputs::QuadSource;
    use crate::shader::fragment::FragmentProgram;

    #[test]
    fn programs_that_read_inputs_by_index_are_not_uniform() {
        let is_uniform = |indexed: u32| {
            let read = fragment(FragmentOpcode::Mov, 0, &[INPUT]).with(FragmentField::INPUT, 4);
            let program =
                FragmentProgram::decode(&ended(vec![read.with(FragmentField::INPUT_INDEXED, indexed)])).unwrap();
            let key = FragmentKernelKey::new(&program, false, true, 1, QuadSource::Interpolated);
            let mut generator = Generator::new(&key).unwrap();
            generator.declare(&mut Text::default(), &|_| Ok(String::new()), ("constants", 0)).unwrap();
            generator.is_uniform()
        };
        assert_eq!([0, 1].map(is_uniform), [false, false]);
    }
}
