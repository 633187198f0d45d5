//! Translates the source operands of fragment operations into WGSL values of four pixels.

use super::Generator;
use crate::recompiler::quad_inputs::{QuadInput, QuadSource};
use crate::recompiler::text::COMPONENTS;
use crate::shader::fragment::{FragmentInput, FragmentOperation, FragmentSourceKind, SourcePrecision, TEXCOORD0};
use crate::shader::fragment_function::Variant;
use crate::shader::kernel_function::{self as wgsl, KernelFunction};

/// The interpolant of an input.
pub(super) const fn quad_input(input: FragmentInput) -> QuadInput {
    match input {
        FragmentInput::WindowPosition => QuadInput::WindowPosition,
        FragmentInput::Color0 => QuadInput::Color(0),
        FragmentInput::Color1 => QuadInput::Color(1),
        FragmentInput::Fog => QuadInput::Fog,
        FragmentInput::TexCoord(index) => QuadInput::TexCoord(index),
        FragmentInput::Facing => QuadInput::Facing,
    }
}

impl Generator<'_> {
    /// One component of a source after swizzle, narrowing, magnitude and sign; bound to a name once per operation.
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
        if let Some(function) = narrowing(description.precision) {
            value = self.call(function, &[&value]);
        }
        if description.absolute {
            value = format!("({value} & vec4u(0x7fffffffu))");
        }
        if description.negate {
            value = format!("({value} ^ vec4u(0x80000000u))");
        }
        let is_name = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        if !is_name {
            value = self.text.bind("s", &value);
        }
        self.operands.insert((source, component), value.clone());
        value
    }

    /// The same without denormals, and with any NaN.
    pub(super) fn flushed_operand(&mut self, operation: &FragmentOperation, source: usize, component: usize) -> String {
        if !self.values.is_source_unflushed(operation, source, component) {
            return self.operand(operation, source, component);
        }
        if let Some(value) = self.flushed_operands.get(&(source, component)) {
            return value.clone();
        }
        let description = operation.sources[source];
        let selected = COMPONENTS[usize::from(description.swizzle.0[component & 3] & 3)];
        let value = match description.kind {
            FragmentSourceKind::Constant(index) => {
                let mut value = format!("vec4u(c{index}.{selected})");
                if description.absolute {
                    value = format!("({value} & vec4u(0x7fffffffu))");
                }
                if description.negate { format!("({value} ^ vec4u(0x80000000u))") } else { value }
            }
            _ => {
                let value = self.operand(operation, source, component);
                self.call(&wgsl::FLUSH, &[&value])
            }
        };
        let value = self.text.bind("s", &value);
        self.flushed_operands.insert((source, component), value.clone());
        value
    }

    /// One component of a source as an operand of a variant of a function.
    pub(super) fn operand_of(
        &mut self,
        operation: &FragmentOperation,
        (source, component): (usize, usize),
        variant: Variant,
    ) -> String {
        match variant {
            Variant::Full => self.operand(operation, source, component),
            Variant::Ftz => self.flushed_operand(operation, source, component),
        }
    }

    /// The first `count` components of a source as arguments.
    pub(super) fn operand_list(
        &mut self,
        operation: &FragmentOperation,
        source: usize,
        count: u8,
        variant: Variant,
    ) -> String {
        let components = 0..usize::from(count);
        let values: Vec<_> =
            components.map(|component| self.operand_of(operation, (source, component), variant)).collect();
        values.join(", ")
    }

    /// A whole source as one value.
    pub(super) fn operand_vector(&mut self, operation: &FragmentOperation, source: usize) -> String {
        format!("QuadVector({})", self.operand_list(operation, source, 4, Variant::Full))
    }

    fn input(&mut self, operation: &FragmentOperation, component: usize) -> String {
        let letter = COMPONENTS[component];
        if operation.is_input_indexed {
            let attribute = i32::from(TEXCOORD0) + i32::from(operation.input_displacement);
            let divides = operation.divides_by_w;
            return format!("indexed_input(loop_index + ({attribute}), {divides}).{letter}");
        }
        let value = format!("{}.{letter}", quad_input(operation.input).name());
        if operation.divides_by_w && matches!(operation.input, FragmentInput::TexCoord(_)) {
            if self.key.quads.source != QuadSource::Given {
                let product = self.call(&wgsl::MUL_FTZ, &[&value, "in_position.w"]);
                return self.call(&wgsl::CANONICAL, &[&product]);
            }
            return self.call(&wgsl::MUL, &[&value, "in_position.w"]);
        }
        value
    }

    /// Declares the function that reads an attribute by its number, for the numbers that loops can reach.
    pub(super) fn declare_indexed_input(&mut self) {
        let quads = self.key.quads.source.module();
        self.text.line("");
        self.text.open("fn indexed_input(number: i32, divides_by_w: bool) -> QuadVector {");
        self.text.open("switch number {");
        for attribute in self.usage.indexed_attributes.clone() {
            let Some(input) = FragmentInput::from_attribute(attribute) else { continue };
            let call = self.key.quads.input_call(&mut self.text, quad_input(input));
            if matches!(input, FragmentInput::TexCoord(_)) {
                self.text.import(quads, "input_window_position");
                self.text.open(format!("case {attribute}: {{"));
                self.text.line(format!("let value = {call};"));
                self.text.line("if !divides_by_w { return value; }");
                self.text.line("let w = input_window_position().w;");
                let scaled = COMPONENTS.map(|letter| self.call(&wgsl::MUL, &[&format!("value.{letter}"), "w"]));
                self.text.line(format!("return QuadVector({});", scaled.join(", ")));
                self.text.close();
            } else {
                self.text.line(format!("case {attribute}: {{ return {call}; }}"));
            }
        }
        self.text.line("default: { return QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u)); }");
        self.text.close();
        self.text.close();
    }
}

const fn narrowing(precision: SourcePrecision) -> Option<&'static KernelFunction> {
    match precision {
        SourcePrecision::Full => None,
        SourcePrecision::Half => Some(&wgsl::CLAMP_HALF),
        SourcePrecision::Fx12 => Some(&wgsl::CLAMP_FX12),
        SourcePrecision::Fx9 => Some(&wgsl::CLAMP_FX9),
        SourcePrecision::Saturate => Some(&wgsl::SATURATE),
    }
}
