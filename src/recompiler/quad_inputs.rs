//! The coverage and the inputs of quads, before any program shades them: their key, and the text that computes them.

use super::sample_positions::offset_vectors;
use super::text::Text;
use crate::pipeline::{Sample, SampleMode};

/// The source of interpolants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuadSource {
    /// Plane equations of the primitive of each quad.
    Interpolated,
    /// A buffer that holds every input of each quad.
    Given,
}

impl QuadSource {
    /// The module of `load_quad`.
    pub(super) const fn list_module(self) -> &'static str {
        match self {
            Self::Interpolated => "raster::listed_quads",
            Self::Given => "interp::immediate_quads",
        }
    }

    /// The module of the inputs.
    pub(super) const fn module(self) -> &'static str {
        match self {
            Self::Interpolated => "interp::interpolate",
            Self::Given => "interp::immediate_quads",
        }
    }
}

/// An input of the programs that shade quads: the rasterizer gives it, or it is interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuadInput {
    /// Window position (x, y, depth, 1/w).
    WindowPosition,
    /// Primary (0) or secondary (1) color.
    Color(u8),
    /// Fog coordinate and factor.
    Fog,
    /// Texture coordinate 0..9.
    TexCoord(u8),
    /// +1 on front faces, −1 on back faces, in x.
    Facing,
}

impl QuadInput {
    /// The name of its `QuadVector` in the text.
    pub(super) fn name(self) -> String {
        match self {
            Self::WindowPosition => "in_position".to_owned(),
            Self::Color(index) => format!("in_color{index}"),
            Self::Fog => "in_fog".to_owned(),
            Self::TexCoord(index) => format!("in_texcoord{index}"),
            Self::Facing => "in_facing".to_owned(),
        }
    }
}

/// The baked state of the quads that a program shades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QuadKey {
    /// The source of interpolants.
    pub source: QuadSource,
    /// Alpha is multiplied with the coverage of smooth lines and polygons.
    pub has_alpha_coverage: bool,
    /// Some texture coordinate wraps around a cylinder.
    pub wraps_coordinates: bool,
    /// The samples of a pixel with individual coverage.
    pub samples: SampleMode,
    /// Whether depth is stored for each sample.
    pub has_sample_depths: bool,
    /// Bit i: texture coordinate i is sampled at a covered position.
    pub centroids: u16,
    /// Whether primitives select viewports.
    pub selects_viewports: bool,
}

/// What `load_centroid` does, for any number of samples.
fn emit_centroid(text: &mut Text, mode: SampleMode) {
    text.import("interp::quad_samples", "load_weights_at");
    text.line("var centroid_column = vec4i(0);");
    text.line("var centroid_row = vec4i(0);");
    text.line("var covers_all = vec4<bool>(true);");
    for (number, Sample { offset: [column, row], .. }) in mode.samples().iter().enumerate().rev() {
        let name = format!("covers{number}");
        text.line(format!(
            "let {name} = ((vec4u(sampled_quad.z >> {}u) >> vec4u(0u, 1u, 2u, 3u)) & vec4u(1u)) != vec4u(0u);",
            4 * number
        ));
        text.line(format!("centroid_column = select(centroid_column, vec4i({column}), {name});"));
        text.line(format!("centroid_row = select(centroid_row, vec4i({row}), {name});"));
        text.line(format!("covers_all = covers_all & {name};"));
    }
    let [column, row] = ["column", "row"].map(|axis| format!("select(centroid_{axis}, vec4i(0), covers_all)"));
    text.line(format!("load_weights_at(sampled_quad, {column}, {row});"));
}

impl QuadKey {
    /// The key of quads without coverage of smooth lines and polygons, multisampling and cylindrical wrap.
    #[must_use]
    pub const fn new(source: QuadSource) -> Self {
        Self {
            source,
            has_alpha_coverage: false,
            wraps_coordinates: false,
            samples: SampleMode::One,
            has_sample_depths: false,
            centroids: 0,
            selects_viewports: false,
        }
    }

    /// Takes the viewport that the primitive with a header selects, if primitives do.
    pub(super) fn emit_viewport(&self, text: &mut Text, header: &str) {
        if self.selects_viewports {
            text.import("raster::selected_viewport", "enter_viewport_of");
            text.line(format!("enter_viewport_of({header});"));
        }
    }

    /// Number of depths stored for each pixel.
    #[must_use]
    pub const fn sample_depths(&self) -> u32 {
        if self.has_sample_depths { self.samples.count() } else { 1 }
    }

    /// The expression that computes an input.
    pub(super) fn input_call(&self, text: &mut Text, input: QuadInput) -> String {
        let wraps = self.wraps_coordinates && self.source == QuadSource::Interpolated;
        if let QuadInput::TexCoord(index) = input
            && self.centroids >> index & 1 != 0
        {
            return format!("centroid_texcoord({index}u)");
        }
        let (function, argument) = match input {
            QuadInput::WindowPosition => ("input_window_position", String::new()),
            QuadInput::Color(0) => ("input_color0", String::new()),
            QuadInput::Color(_) => ("input_color1", String::new()),
            QuadInput::Fog => ("input_fog", String::new()),
            QuadInput::TexCoord(index) if wraps => ("input_wrapped_texcoord", format!("{index}u")),
            QuadInput::TexCoord(index) => ("input_texcoord", format!("{index}u")),
            QuadInput::Facing => ("input_facing", String::new()),
        };
        let is_wrapped = wraps && matches!(input, QuadInput::TexCoord(_));
        text.import(if is_wrapped { "interp::cylindrical_wrap" } else { self.source.module() }, function);
        format!("{function}({argument})")
    }

    /// Declares the function that interpolates a texture coordinate at covered positions, if some coordinate needs it.
    pub(super) fn declare_centroids(&self, text: &mut Text) {
        if self.centroids == 0 {
            return;
        }
        let (module, function) = match self.wraps_coordinates {
            true => ("interp::cylindrical_wrap", "input_wrapped_texcoord"),
            false => (self.source.module(), "input_texcoord"),
        };
        text.import(module, function);
        text.import("interp::interpolate", "quad_share");
        text.import("interp::quad_samples", "centroid_share");
        text.line("");
        text.open("fn centroid_texcoord(n: u32) -> QuadVector {");
        text.line("let center = quad_share;");
        text.line("quad_share = centroid_share;");
        text.line(format!("let value = {function}(n);"));
        text.line("quad_share = center;");
        text.line("return value;");
        text.close();
    }

    /// Computes which samples of a quad, as the rasterizer lists it, are covered; a pixel is covered if one of its samples
    /// is.
    pub(super) fn emit_samples(&self, text: &mut Text, quad: &str) {
        let mode = self.samples;
        text.import("interp::quad_samples", "quad_sample");
        text.line(format!("let sampled_quad = {quad};"));
        let samples: Vec<_> = (0..mode.count()).map(|sample| format!("sample{sample}")).collect();
        for (number, Sample { offset: [column, row], .. }) in mode.samples().iter().enumerate() {
            text.line(format!("let sample{number} = quad_sample(sampled_quad, {number}u, {column}, {row});"));
        }
        let planes: Vec<_> =
            samples.iter().zip(0..).map(|(sample, number)| format!("({sample}.coverage << {}u)", 4 * number)).collect();
        text.line(format!("let sample_coverage = {};", planes.join(" | ")));
        let pixels: Vec<_> = samples.iter().map(|sample| format!("{sample}.coverage")).collect();
        let pixels = pixels.join(" | ");
        text.line(format!("var coverage = (vec4u({pixels}) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);"));
        if self.centroids != 0 && mode.count() > 4 {
            emit_centroid(text, mode);
        } else if self.centroids != 0 {
            text.import("interp::quad_samples", "load_centroid");
            let [columns, rows] = offset_vectors(mode, 0);
            text.line(format!("load_centroid(sampled_quad, {}u, {columns}, {rows});", mode.count()));
        }
    }

    /// Removes pixels that smooth lines and polygons do not cover.
    pub(super) fn emit_alpha_coverage(&self, text: &mut Text) {
        if self.has_alpha_coverage {
            text.import(self.source.module(), "quad_alpha_coverage");
            text.line("let alpha_coverage = quad_alpha_coverage();");
            text.line("coverage &= alpha_coverage != vec4u(0u);");
        }
    }

    /// Computes inputs under their names.
    pub(super) fn emit_inputs(&self, text: &mut Text, inputs: &[QuadInput]) {
        for input in inputs {
            let call = self.input_call(text, *input);
            text.line(format!("let {} = {call};", input.name()));
        }
    }

    /// Computes the pixels left after shading as `covered`; returns the expression of their samples, four bits a sample.
    pub(super) fn emit_covered(&self, text: &mut Text) -> &'static str {
        text.line("let covered = dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), coverage), vec4u(1u));");
        match self.samples {
            SampleMode::One => "covered",
            _ => "(covered * 0x11111111u) & sample_coverage",
        }
    }
}
