//! Source operands of fragment operations into WGSL values of four pixels.

use super::Generator;
use crate::program::fragment::{FragmentInput, FragmentOperation, FragmentSourceKind, SourcePrecision};
use crate::recompiler::text::COMPONENTS;

/// The variable that holds an interpolant.
pub(super) fn input_name(input: FragmentInput) -> String {
    match input {
        FragmentInput::WindowPosition => "in_position".to_owned(),
        FragmentInput::Color0 => "in_color0".to_owned(),
        FragmentInput::Color1 => "in_color1".to_owned(),
        FragmentInput::Fog => "in_fog".to_owned(),
        FragmentInput::TexCoord(index) => format!("in_texcoord{index}"),
        FragmentInput::Facing => "in_facing".to_owned(),
    }
}

impl Generator<'_> {
    /// One component of a source after swizzle, magnitude, narrowing and sign; named once per operation.
    pub(super) fn operand(&mut self, operation: &FragmentOperation, source: usize, component: usize) -> String {
        if let Some(value) = self.operands.get(&(source, component)) {
            return value.clone();
        }
        let description = operation.sources[source];
        let selected = usize::from(description.swizzle.0[component & 3] & 3);
        let mut value = match description.kind {
            FragmentSourceKind::Register(register) => self.read(register, selected),
            FragmentSourceKind::Constant(index) => format!("vec4u(k{index}.{})", COMPONENTS[selected]),
            FragmentSourceKind::Input => self.input(operation, selected),
        };
        if description.absolute {
            value = format!("({value} & vec4u(0x7fffffffu))");
        }
        if let Some(function) = narrowing(description.precision) {
            self.text.import("numeric_fragment", function);
            value = format!("{function}({value})");
        }
        if description.negate {
            value = format!("({value} ^ vec4u(0x80000000u))");
        }
        let is_plain = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        if !is_plain {
            value = self.text.bind("s", &value);
        }
        self.operands.insert((source, component), value.clone());
        value
    }

    /// Components x, y, z, w of a source as arguments, as many as `count`.
    pub(super) fn operand_list(&mut self, operation: &FragmentOperation, source: usize, count: usize) -> String {
        let values: Vec<_> = (0..count).map(|component| self.operand(operation, source, component)).collect();
        values.join(", ")
    }

    /// A whole source as one value.
    pub(super) fn operand_vector(&mut self, operation: &FragmentOperation, source: usize) -> String {
        format!("QuadVector({})", self.operand_list(operation, source, 4))
    }

    fn input(&mut self, operation: &FragmentOperation, component: usize) -> String {
        let letter = COMPONENTS[component];
        let value = if operation.is_input_indexed {
            let index = self.text.bind("i", &format!("u32(loop_index + ({}))", operation.input_displacement));
            // Coordinates beyond the last one read zero.
            let coordinate = self.text.bind("s", &format!("input_texcoord(min({index}, 9u)).{letter}"));
            format!("select(vec4u(0u), {coordinate}, {index} < 10u)")
        } else {
            format!("{}.{letter}", input_name(operation.input))
        };
        if operation.divides_by_w {
            self.text.import("numeric_fragment", "fp_mul");
            return format!("fp_mul({value}, in_position.w)");
        }
        value
    }
}

const fn narrowing(precision: SourcePrecision) -> Option<&'static str> {
    match precision {
        SourcePrecision::Full => None,
        SourcePrecision::Half => Some("fp_clamp_half"),
        SourcePrecision::Fx12 => Some("fp_clamp_fx12"),
        SourcePrecision::Fx9 => Some("fp_clamp_fx9"),
        SourcePrecision::Saturate => Some("fp_saturate"),
    }
}
