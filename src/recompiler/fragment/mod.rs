//! Translates fragment programs into WGSL that shades 2×2 quads, for the kernel `shade_quads` and for tile kernels.
//!
//! Every register component is a `vec4u` with the bits of one value for the four pixels. Programs without flow become
//! straight-line code without masks. Flow becomes structured WGSL over the whole quad, with a mask of active pixels
//! that guards writes. All four pixels always compute, so that derivatives exist for any mask.

mod flow;
mod generator;
mod key;
mod operands;
mod operations;
mod quad_program;
mod registers;
mod shade_quads;

use super::condition::passing_codes;
use super::quad_program::{QuadProgram, TextureUnits};
use super::text::COMPONENTS;
use super::texture::unit;
use crate::pipeline::EngineError;
use crate::shader::condition::{ConditionTest, Relation};
use crate::shader::fragment::color_register;
use crate::shader::kernel_function as wgsl;
use generator::Generator;
pub use generator::INLINED_LIMIT;
pub use key::FragmentKernelKey;
pub(in crate::recompiler) use shade_quads::source as shade_quads_source;
pub use shade_quads::{WORKGROUP_SIZE, shaded_stride};

/// Writes the kernel; `texture_unit` returns the text that declares a sampled unit's functions, with its imports.
///
/// # Errors
/// If the program is too large after inlining its calls.
pub fn source(
    key: &FragmentKernelKey,
    texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
) -> Result<String, EngineError> {
    shade_quads::source(&key.quads, key.counts, &mut quad_program(key)?, texture_unit)
}

/// The program, for the kernels that shade quads.
///
/// # Errors
/// If the program is too large after inlining its calls.
pub(crate) fn quad_program(key: &FragmentKernelKey) -> Result<impl QuadProgram + '_, EngineError> {
    Generator::new(key)
}

impl Generator<'_> {
    /// Declares the functions of texture units and inputs.
    fn declare_functions(&mut self, texture_unit: TextureUnits<'_>) -> Result<(), EngineError> {
        let text = &mut self.text;
        text.import("fragment::quad", "QuadVector");
        for unit in (0..16u8).filter(|unit| self.usage.units >> unit & 1 != 0) {
            text.line("");
            for line in texture_unit(unit)?.lines() {
                text.line(line);
            }
        }
        self.key.quads.declare_centroids(text);
        if !self.usage.displacements.is_empty() {
            self.declare_indexed_input();
        }
        self.text.line("");
        Ok(())
    }

    /// Loads the values that all quads share, before any lane is masked; constant 0 is element `first` of the array
    /// `constants`.
    fn emit_prologue(&mut self, constants: &str, first: u32) {
        for unit in (0..16u8).filter(|unit| self.usage.units >> unit & 1 != 0) {
            self.text.line(unit::prologue(unit));
        }
        for constant in &self.usage.constants {
            self.text.line(format!("let k{constant} = {constants}[{}];", u32::from(*constant) + first));
            if !self.is_fast_path() {
                let flush = wgsl::FLUSH.exact;
                self.text.import(flush.module, flush.name);
                self.text.line(format!("let c{constant} = {}(k{constant});", flush.name));
            }
        }
    }

    fn emit_registers(&mut self) {
        let zero = self.zero();
        for variable in self.variables() {
            self.text.line(format!("var {variable} = {zero};"));
        }
        for register in (0..2u8).filter(|register| self.usage.conditions >> register & 1 != 0) {
            for component in COMPONENTS {
                // The initial condition is "equal".
                self.text.line(format!("var cc{register}{component} = vec4u(2u);"));
            }
        }
        if self.usage.has_loop_index {
            self.text.line("var loop_index = 0;");
        }
    }

    /// The pixels for which one component of a condition test passes.
    fn passing(test: ConditionTest, component: usize) -> String {
        let selected = COMPONENTS[usize::from(test.swizzle.0[component] & 3)];
        let codes = passing_codes(test.relation);
        format!("((cc{}{selected} & vec4u({codes}u)) != vec4u(0u))", test.register & 1)
    }

    /// The pixels for which any component of a condition test passes; `None` for all of them.
    fn passing_any(test: ConditionTest) -> Option<String> {
        match test.relation {
            Relation::Always => return None,
            Relation::Never => return Some("vec4<bool>(false)".to_owned()),
            _ => {}
        }
        let mut selected: Vec<u8> = test.swizzle.0.iter().map(|component| component & 3).collect();
        selected.sort_unstable();
        selected.dedup();
        let register = test.register & 1;
        let codes: Vec<_> =
            selected.iter().map(|component| format!("cc{register}{}", COMPONENTS[usize::from(*component)])).collect();
        Some(format!("((({}) & vec4u({}u)) != vec4u(0u))", codes.join(" | "), passing_codes(test.relation)))
    }

    /// The names of red, green, blue and alpha of a target's color.
    fn emit_color(&mut self, target: u8) -> [String; 4] {
        let register = color_register(target, self.key.has_full_outputs);
        std::array::from_fn(|component| {
            let mut value = self.read(register, component);
            if component == 3 && self.key.quads.has_alpha_coverage {
                value = self.call(&wgsl::MUL, &[&value, "alpha_coverage"]);
            }
            self.text.bind("t", &value)
        })
    }
}
