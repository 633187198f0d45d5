//! Turns registers of vertex arrays into [`VertexInput`].

use super::Processor;
use crate::chip::bits::{bit, field};
use crate::chip::objects::Objects;
use crate::chip::open_primitive::MAX_IMMEDIATE;
use crate::chip::tesla::address::Address;
use crate::command::methods::tesla::three_d::{below_1400 as methods, from_1400 as late};
use crate::format::{AttributeFormat, TeslaVertexFormat};
use crate::memory::MemoryWindow;
use crate::pipeline::{AttributeWord, Elements, VertexAttribute, VertexInput};

/// An attribute as `VERTEX_ARRAY_ATTRIB` describes it.
#[derive(Debug, Clone, Copy)]
struct Attribute {
    array: usize,
    offset: u32,
    format: TeslaVertexFormat,
}

impl Processor {
    /// An attribute that comes from an array or in packed vertices; `None` if its value is constant or has no known format.
    fn attribute(&self, number: usize) -> Option<Attribute> {
        let word = self.registers.element(late::VERTEX_ARRAY_ATTRIB, 4, number);
        if bit(word, 4) {
            return None;
        }
        let format = TeslaVertexFormat::from_codes(field(word, 24, 19), field(word, 30, 25))?;
        Some(Attribute { array: field(word, 3, 0) as usize, offset: field(word, 18, 5), format })
    }

    /// The components of attributes that a vertex program reads, in the order of their words; red and blue of an attribute
    /// may be exchanged.
    pub(super) fn attribute_words(&self, instance: u32) -> Vec<AttributeWord> {
        let registers = &self.registers;
        let mut words = Vec::new();
        for attribute in 0..16_u8 {
            let enabled = registers.element(late::VP_ATTR_EN, 4, usize::from(attribute / 8)) >> (4 * (attribute % 8));
            let is_swapped = bit(registers.element(late::VERTEX_ARRAY_ATTRIB, 4, attribute.into()), 31);
            let order = if is_swapped { [2, 1, 0, 3] } else { [0, 1, 2, 3] };
            let components = (0..4).filter(|component| enabled >> component & 1 != 0);
            words.extend(
                components.map(|component| AttributeWord::Component { attribute, component: order[component] }),
            );
        }
        let built_in = registers.get(late::VP_GP_BUILTIN_ATTR_EN);
        if bit(built_in, 0) {
            words.push(AttributeWord::Index);
        }
        if bit(built_in, 4) {
            words.push(AttributeWord::Word(instance));
        }
        words
    }

    /// The sources of attributes for these elements.
    pub(super) fn vertex_input(&self, elements: &Elements, objects: &Objects) -> VertexInput {
        let has_arrays = !matches!(elements, Elements::Immediate(_));
        let attributes = std::array::from_fn(|number| {
            let constant = VertexAttribute::Constant(self.attributes[number]);
            match self.attribute(number) {
                Some(attribute) if has_arrays => self.array(attribute, objects).unwrap_or(constant),
                _ => constant,
            }
        });
        let is_indexed = matches!(elements, Elements::Inline(_));
        VertexInput {
            attributes,
            base_index: if is_indexed { self.registers.get(late::VB_ELEMENT_BASE) } else { 0 },
            restart_index: if is_indexed { self.restart_index() } else { None },
        }
    }

    /// The array of an attribute; `None` if it is disabled.
    fn array(&self, attribute: Attribute, objects: &Objects) -> Option<VertexAttribute> {
        let Attribute { array, offset, format } = attribute;
        let element = |method, stride| self.registers.element(method, stride, array);
        let fetch = element(methods::VERTEX_ARRAY_FETCH, 16);
        if !bit(fetch, 29) {
            return None;
        }
        let start = Address {
            high: element(methods::VERTEX_ARRAY_START_HIGH, 16),
            low: element(methods::VERTEX_ARRAY_START_LOW, 16),
        };
        let limit = Address {
            high: element(methods::VERTEX_ARRAY_LIMIT_HIGH, 8),
            low: element(methods::VERTEX_ARRAY_LIMIT_LOW, 8),
        };
        let stride = field(fetch, 11, 0);
        let is_per_instance = bit(element(methods::VERTEX_ARRAY_PER_INSTANCE, 4), 0);
        let mut first = start.value() + u64::from(offset);
        if is_per_instance {
            // Unverified: that the base is added behind the division.
            let step = self.instance / element(methods::VERTEX_ARRAY_DIVISOR, 16).max(1);
            let number = step.wrapping_add(self.registers.get(late::VB_INSTANCE_BASE));
            first += u64::from(number) * u64::from(stride);
        }
        let bytes = u32::try_from((limit.value() + 1).saturating_sub(first)).unwrap_or(u32::MAX);
        let window = match bytes {
            0 => MemoryWindow::EMPTY,
            bytes => objects.virtual_window(first).truncated(bytes),
        };
        Some(VertexAttribute::Array {
            window,
            format: AttributeFormat::Tesla(format),
            stride: if is_per_instance { 0 } else { stride },
            divider: 0,
            is_modulo: false,
        })
    }

    /// The index that restarts the primitive, if enabled.
    pub(super) fn restart_index(&self) -> Option<u32> {
        self.registers.is_set(late::PRIM_RESTART_ENABLE).then(|| self.registers.get(late::PRIM_RESTART_INDEX))
    }

    /// The attributes of a packed vertex, each of which begins a new word.
    fn packed_attributes(&self) -> Vec<(usize, Attribute, usize)> {
        let attributes = (0..16).filter_map(|number| Some((number, self.attribute(number)?)));
        let words = |attribute: Attribute| attribute.format.sizes.bytes().div_ceil(4) as usize;
        attributes.map(|(number, attribute)| (number, attribute, words(attribute))).collect()
    }

    /// The number of words of a packed vertex.
    pub(super) fn words_per_vertex(&self) -> usize {
        self.packed_attributes().iter().map(|(.., words)| words).sum()
    }

    /// Unpacks vertices: the attributes in order.
    pub(super) fn unpack(&self, words: &[u32]) -> Option<Vec<[[u32; 4]; 16]>> {
        let attributes = self.packed_attributes();
        let per_vertex = self.words_per_vertex();
        if per_vertex == 0 || words.len() / per_vertex > MAX_IMMEDIATE {
            return None;
        }
        let vertex = |words: &[u32]| {
            let mut values = self.attributes;
            let mut rest = words;
            for (number, Attribute { format, .. }, count) in &attributes {
                let (own, others) = rest.split_at(*count);
                let mut bytes = [0; 16];
                for (target, word) in bytes.chunks_exact_mut(4).zip(own) {
                    target.copy_from_slice(&word.to_le_bytes());
                }
                values[*number] = format.decode(bytes);
                rest = others;
            }
            values
        };
        Some(words.chunks_exact(per_vertex).map(vertex).collect())
    }
}
