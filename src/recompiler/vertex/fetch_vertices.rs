//! Translates the layout of vertex arrays into WGSL that reads and converts one vertex's attributes.

use super::{Advance, AttributeLayout, ElementAlignment, VertexFetch};
use crate::arith::vertex::VertexRuleSet;
use crate::format::{AttributeFormat, TeslaVertexFormat, TeslaVertexKind, VertexFormat};
use crate::recompiler::text::{COMPONENTS, Text};

/// The fetch of a kernel.
pub(in crate::recompiler) struct FetchText<'key> {
    /// The source of attributes.
    pub(in crate::recompiler) fetch: &'key VertexFetch,
    /// The rule set of the arithmetic.
    pub(in crate::recompiler) rules: VertexRuleSet,
    /// Bit i: attribute i is read.
    pub(in crate::recompiler) read: u16,
    /// Whether the kernel fetches texels; their module also declares memory.
    pub(in crate::recompiler) has_textures: bool,
    /// Whether the program reads the index of the vertex.
    pub(in crate::recompiler) reads_index: bool,
}

impl FetchText<'_> {
    /// The attributes that are read.
    fn attributes(&self) -> impl Iterator<Item = usize> + use<> {
        let read = self.read;
        (0..16).filter(move |attribute| read >> attribute & 1 != 0)
    }

    /// Declares the bindings of the fetch besides the parameters.
    pub(in crate::recompiler) fn declare(&self, text: &mut Text) {
        match self.fetch {
            VertexFetch::Immediate => {
                text.line("@group(0) @binding(3) var<storage, read> immediate_attributes: array<vec4u>;");
            }
            VertexFetch::Arrays(layouts) => {
                let has_arrays =
                    self.attributes().any(|attribute| matches!(layouts[attribute], AttributeLayout::Array { .. }));
                if has_arrays && !self.has_textures {
                    text.line("@group(0) @binding(0) var<storage, read> memory: array<u32>;");
                }
                if has_arrays || self.reads_index {
                    text.line("@group(0) @binding(3) var<storage, read> vertex_indices: array<u32>;");
                }
            }
        }
    }

    /// Emits `array<n>` for each array, and `let v<n>` for each constant attribute that is read.
    pub(in crate::recompiler) fn emit_uniform_loads(&self, text: &mut Text) {
        let VertexFetch::Arrays(layouts) = self.fetch else { return };
        let mut has_arrays = false;
        for attribute in self.attributes() {
            match layouts[attribute] {
                AttributeLayout::Constant => {
                    emit_attribute(
                        text,
                        self.rules,
                        attribute,
                        &format!("vertex_parameters.arrays[{attribute}].value"),
                    );
                }
                AttributeLayout::Array { .. } => {
                    has_arrays = true;
                    text.line(format!("let array{attribute} = vertex_parameters.arrays[{attribute}];"));
                }
            }
        }
        if has_arrays {
            text.line("let base_index = vertex_parameters.base_index;");
        }
    }

    /// Emits `let v<n>` for each attribute that is read and differs between vertices.
    pub(in crate::recompiler) fn emit(&self, text: &mut Text) {
        match self.fetch {
            VertexFetch::Immediate => {
                for attribute in self.attributes() {
                    let value = format!("immediate_attributes[vertex * 16u + {attribute}u]");
                    emit_attribute(text, self.rules, attribute, &value);
                }
            }
            VertexFetch::Arrays(layouts) => {
                let mut has_index = false;
                for attribute in self.attributes() {
                    let AttributeLayout::Array { format, advance, alignment } = layouts[attribute] else {
                        continue;
                    };
                    if !has_index {
                        text.line("let index = vertex_indices[vertex] + base_index;");
                        has_index = true;
                    }
                    emit_array(text, attribute, advance, alignment, format.bytes());
                    let value = match format {
                        AttributeFormat::Nv40 { components, size } => conversion(text, attribute, components, size),
                        AttributeFormat::Tesla(format) => tesla_conversion(text, attribute, format),
                    };
                    emit_attribute(text, self.rules, attribute, &value);
                }
            }
        }
    }
}

/// A component that an array lacks. Drivers multiply by a zero that they know without looking for NaN.
const ZERO: &str = "opaque_zero";

/// Emits `let v<n>`, the value that the input register holds.
pub(in crate::recompiler) fn emit_attribute(text: &mut Text, rules: VertexRuleSet, attribute: usize, value: &str) {
    match rules {
        VertexRuleSet::Nv40Legacy | VertexRuleSet::Nv40Modern => text.line(format!("let v{attribute} = {value};")),
        VertexRuleSet::Pica200 => {
            let function = text.import("arith::pica", "pica_from_single");
            text.line(format!("let v{attribute} = {function}({value});"));
        }
    }
}

/// Emits `w<n>_<k>`: the words of one element, zero unless it is entirely inside its window.
fn emit_array(text: &mut Text, attribute: usize, advance: Advance, alignment: ElementAlignment, bytes: u32) {
    let array = format!("array{attribute}");
    let element = match advance {
        Advance::Every => "index".to_owned(),
        Advance::Divide => format!("index / {array}.divider"),
        Advance::Modulo => format!("index % {array}.divider"),
    };
    // With a stride of 0, every index is valid; the host writes the largest count.
    text.line(format!("let element{attribute} = min({element}, 0xfffffffeu);"));
    text.line(format!("let inside{attribute} = element{attribute} < {array}.element_count;"));
    text.line(format!(
        "let address{attribute} = select(0u, {array}.start + element{attribute} * {array}.stride, inside{attribute});"
    ));
    let words = bytes.div_ceil(4);
    text.line(format!("let word{attribute} = address{attribute} >> 2u;"));
    if alignment == ElementAlignment::Words {
        for word in 0..words {
            text.line(format!(
                "let w{attribute}_{word} = select(0u, memory[word{attribute} + {word}u], inside{attribute});"
            ));
        }
        return;
    }
    for word in 0..=words {
        text.line(format!("let m{attribute}_{word} = memory[word{attribute} + {word}u];"));
    }
    text.line(format!("let shift{attribute} = (address{attribute} & 3u) * 8u;"));
    for word in 0..words {
        // Two shifts to the left keep the distance below 32.
        text.line(format!(
            "let w{attribute}_{word} = select(0u, (m{attribute}_{word} >> shift{attribute}) | \
             ((m{attribute}_{} << 1u) << (31u - shift{attribute})), inside{attribute});",
            word + 1
        ));
    }
}

/// The expression that converts the words of an element of the NV40.
fn conversion(text: &mut Text, attribute: usize, format: VertexFormat, size: u8) -> String {
    let size = usize::from(size.clamp(1, 4));
    let word = format!("w{attribute}_0");
    let two_words = match format.bytes() as usize * size {
        ..=4 => format!("vec2u({word}, 0u)"),
        _ => format!("vec2u({word}, w{attribute}_1)"),
    };
    let (function, argument) = match format {
        VertexFormat::F32 => {
            let words: Vec<_> = (0..4)
                .map(|component| match component {
                    _ if component < size => format!("w{attribute}_{component}"),
                    3 => "0x3f800000u".to_owned(),
                    _ => ZERO.to_owned(),
                })
                .collect();
            return format!("vec4u({})", words.join(", "));
        }
        VertexFormat::B8G8R8A8Unorm | VertexFormat::U8Unorm => ("unorm8_elements", word),
        VertexFormat::U8 => ("u8_elements", word),
        VertexFormat::S11S11S10Norm => ("s11s11s10_elements", word),
        VertexFormat::S16Norm => ("snorm16_elements", two_words),
        VertexFormat::S16 => ("s16_elements", two_words),
        VertexFormat::F16 => ("half_elements", two_words),
    };
    text.import("vertex::attribute_formats", function);
    text.line(format!("let e{attribute} = {function}({argument});"));
    if format == VertexFormat::S11S11S10Norm {
        return format!("e{attribute}");
    }
    let mut components: Vec<String> = (0..4)
        .map(|component| match component {
            _ if component < size => format!("e{attribute}.{}", COMPONENTS[component]),
            3 => "0x3f800000u".to_owned(),
            _ => ZERO.to_owned(),
        })
        .collect();
    if format == VertexFormat::B8G8R8A8Unorm {
        components.swap(0, 2);
    }
    format!("vec4u({})", components.join(", "))
}

/// The expression that converts the words of an element of the Tesla generation; zeros outside of the window.
fn tesla_conversion(text: &mut Text, attribute: usize, format: TeslaVertexFormat) -> String {
    let mut components = [ZERO.to_owned(), ZERO.to_owned(), ZERO.to_owned(), format!("{:#x}u", format.kind.one())];
    let mut start = 0;
    for (component, &bits) in components.iter_mut().zip(format.sizes.component_bits()) {
        let word = format!("w{attribute}_{}", start / 32);
        let above = 32 - start % 32 - bits;
        let field = match format.kind.is_signed() {
            true => format!("bitcast<u32>((bitcast<i32>({word}) << {above}u) >> {}u)", 32 - bits),
            false => format!("({word} << {above}u) >> {}u", 32 - bits),
        };
        let (function, arguments) = match format.kind {
            TeslaVertexKind::Unorm => ("tesla_unorm_component", format!("{field}, {bits}u")),
            TeslaVertexKind::Snorm => ("tesla_snorm_component", format!("{field}, {bits}u")),
            TeslaVertexKind::Uscaled => ("tesla_integer_component", format!("{field}, false")),
            TeslaVertexKind::Sscaled => ("tesla_integer_component", format!("{field}, true")),
            TeslaVertexKind::Float if bits < 32 => ("tesla_float_component", format!("{field}, {bits}u")),
            TeslaVertexKind::Float | TeslaVertexKind::Sint | TeslaVertexKind::Uint => ("", field),
        };
        *component = if function.is_empty() {
            arguments
        } else {
            text.import("vertex::tesla_attribute_formats", function);
            format!("{function}({arguments})")
        };
        start += bits;
    }
    text.line(format!("let e{attribute} = vec4u({});", components.join(", ")));
    format!("select(vec4u(0u), e{attribute}, inside{attribute})")
}
