//! What the kernels that shade quads ask of a program, whatever its dialect.
//!
//! The text around a program covers a quad, interpolates its inputs, and merges or stores its outputs. All values are
//! `vec4u` with the bits of one value for the four pixels. The program removes the pixels that it discards from `coverage`.

use super::quad_inputs::{QuadInput, QuadKey};
use super::rop::shaded_color::ShadedColor;
use super::software::iteration_budget::QuadIterations;
use super::text::Text;
use crate::pipeline::EngineError;

/// What the keys of the kernels around a program depend on.
#[derive(Debug, Clone)]
pub struct ProgramFacts {
    /// The quads that it shades.
    pub quads: QuadKey,
    /// The inputs that it may read.
    pub inputs: Vec<QuadInput>,
    /// Whether what it reads besides these inputs may differ between the sides of a primitive.
    pub shows_sides: bool,
    /// Maximum numbers of loop iterations for shading a quad.
    pub rounds: QuadIterations,
    /// Maximum number of fraction bits in its constants; `None` if some constant needs the exact path.
    pub constant_fraction_bits: Option<u8>,
}

/// The text of a texture unit's functions, with its imports, by the unit's number.
pub(crate) type TextureUnits<'a> = &'a dyn Fn(u8) -> Result<String, EngineError>;

/// A program that shades quads: what the text around it depends on, and its own text.
pub(crate) trait QuadProgram {
    /// The inputs that it reads by [`QuadInput::name`].
    fn inputs(&self) -> Vec<QuadInput>;

    /// Bit i: it computes the color of target i.
    fn targets(&self) -> u8;

    /// Whether it computes depth instead of the rasterizer.
    fn exports_depth(&self) -> bool;

    /// Whether it may discard pixels.
    fn discards(&self) -> bool;

    /// Whether it computes the same results for all pixels of any draw.
    fn is_uniform(&self) -> bool {
        false
    }

    /// Whether it costs more than the tests of depth and stencil.
    fn costs_more_than_tests(&self) -> bool {
        true
    }

    /// The words that count its work for a quad, as expressions after [`shade`](Self::shade); those that never count are
    /// `0u`. Empty if its work is not counted.
    fn work_words(&self) -> Vec<String> {
        Vec::new()
    }

    /// Computes sums and products as single float operations from now on, if values can be checked for it; the constants
    /// have at most this many fraction bits. Returns whether it does.
    ///
    /// Each [`shade`](Self::shade) then leaves `no_value_underflowed`: whether all results are exact.
    fn take_fast_path(&mut self, _constant_fraction_bits: u8) -> bool {
        false
    }

    /// Declares the functions that it calls, with those of texture units; constant 0 is element `first` of the array
    /// `constants`.
    ///
    /// # Errors
    /// Those of `texture_units`.
    fn declare(
        &mut self,
        text: &mut Text,
        texture_units: TextureUnits<'_>,
        constants: (&str, u32),
    ) -> Result<(), EngineError>;

    /// Loads what all quads share, before any lane is masked; `constants` and `first` as for [`declare`](Self::declare).
    fn load_constants(&mut self, text: &mut Text, constants: &str, first: u32);

    /// Computes what the quads of the current primitive share, before [`shade`](Self::shade) for any of them.
    fn enter_primitive(&mut self, _text: &mut Text) {}

    /// Computes the outputs of the quad with the inputs at hand.
    ///
    /// # Errors
    /// If the program is too large.
    fn shade(&mut self, text: &mut Text) -> Result<(), EngineError>;

    /// The expression of the depth that it exports, after [`shade`](Self::shade).
    fn exported_depth(&mut self, text: &mut Text) -> String;

    /// The color of a target, after [`shade`](Self::shade); alpha is multiplied with `alpha_coverage` if quads have that.
    fn color(&mut self, text: &mut Text, target: u8) -> ShadedColor;
}
