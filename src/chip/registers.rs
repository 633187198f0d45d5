//! The register file of a class: one word per method, with the values after reset.

use crate::command::methods::ClassTable;

/// Words of the method space.
const WORDS: usize = 0x800;

/// All registers.
#[derive(Debug, Clone)]
pub(super) struct Registers {
    words: Box<[u32; WORDS]>,
}

impl Registers {
    /// All registers after reset.
    pub(super) fn new(class: &ClassTable) -> Self {
        let mut registers = Self { words: Box::new([0; WORDS]) };
        for row in class.rows() {
            for element in 0..row.count {
                registers.set(row.address + element * row.stride, row.reset);
            }
        }
        registers
    }

    /// The value of a method.
    pub(super) fn get(&self, method: u16) -> u32 {
        self.words[usize::from(method / 4) % WORDS]
    }

    /// The value of an element of an array of methods that are `stride` bytes apart.
    pub(super) fn element(&self, method: u16, stride: u16, index: usize) -> u32 {
        self.words[(usize::from(method / 4) + usize::from(stride / 4) * index) % WORDS]
    }

    /// Whether the lowest bit is set, for enables.
    pub(super) fn is_set(&self, method: u16) -> bool {
        self.get(method) & 1 != 0
    }

    pub(super) fn set(&mut self, method: u16, value: u32) {
        self.words[usize::from(method / 4) % WORDS] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::methods::three_d::CLASS;

    #[test]
    fn reset_values() {
        let registers = Registers::new(&CLASS);
        assert_eq!(registers.get(0x0208), 0x121, "RT_FORMAT");
        assert_eq!(registers.get(0x2c0 + 56), 0x0fff_0000, "the last VIEWPORT_CLIP_HORIZ");
        assert_eq!(registers.element(0x1a04, 0x20, 15), 0x18429, "the last TEX_FORMAT");
        assert_eq!(registers.get(0x1ff0), 0xffff, "VP_ATTRIB_EN");
    }
}
