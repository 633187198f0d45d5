//! Registers of the fragment processor as WGSL variables, and the two views R and H of the same file.
//!
//! A full register is four variables of float bits. A half register that no full register overlaps is four variables
//! too, holding values already rounded to half as float bits. Where a program uses both views of one register, the full
//! one is the store and half accesses pack and unpack its words.

use super::Generator;
use crate::program::FULL_REGISTERS;
use crate::program::fragment::FragmentRegister;
use crate::recompiler::text::COMPONENTS;

/// The full register of this number.
pub(super) const fn full(index: u8) -> FragmentRegister {
    FragmentRegister { index, is_half: false }
}

/// The register that holds the colour of a target when the program ends.
pub(super) const fn color_output(target: u8, is_full: bool) -> FragmentRegister {
    let index = if target == 0 { 0 } else { target + 1 };
    if is_full { full(index) } else { FragmentRegister { index: index * 2, is_half: true } }
}

/// The variable that holds one component, when no views overlap.
pub(super) fn variable(register: FragmentRegister, component: usize) -> String {
    let file = if register.is_half { 'h' } else { 'r' };
    format!("{file}{}{}", register.index, COMPONENTS[component & 3])
}

/// Registers beyond the last read zero and take no writes.
pub(super) const fn exists(register: FragmentRegister) -> bool {
    let index = if register.is_half { register.index / 2 } else { register.index };
    index < FULL_REGISTERS
}

/// Word component and bit offset of a half register's component inside of its full register.
fn place(register: FragmentRegister, component: usize) -> (String, u32) {
    let word = usize::from(register.index & 1) * 2 + component / 2;
    (variable(full(register.index / 2), word), if component & 1 == 0 { 0 } else { 16 })
}

impl Generator<'_> {
    fn is_packed(&self, register: FragmentRegister) -> bool {
        register.is_half && self.needs.shared.contains(&(register.index / 2))
    }

    /// The value of one component for the four pixels.
    pub(super) fn read(&mut self, register: FragmentRegister, component: usize) -> String {
        if !exists(register) {
            return "vec4u(0u)".to_owned();
        }
        if !self.is_packed(register) {
            return variable(register, component);
        }
        let (word, shift) = place(register, component);
        let bits = if shift == 0 { format!("{word} & vec4u(0xffffu)") } else { format!("{word} >> vec4u(16u)") };
        self.call("fp_half_bits_to", &[&bits])
    }

    /// Writes one component; `value` is already rounded to the register's size, `guard` selects the pixels.
    pub(super) fn write(&mut self, register: FragmentRegister, component: usize, value: &str, guard: Option<&str>) {
        if !exists(register) {
            return;
        }
        let (target, value) = if self.is_packed(register) {
            let (word, shift) = place(register, component);
            let half = self.call("fp_half_bits_from", &[value]);
            let packed = if shift == 0 {
                format!("(({word} & vec4u(0xffff0000u)) | {half})")
            } else {
                format!("(({word} & vec4u(0xffffu)) | ({half} << vec4u(16u)))")
            };
            (word, packed)
        } else {
            (variable(register, component), value.to_owned())
        };
        match guard {
            Some(guard) => self.text.line(format!("{target} = select({target}, {value}, {guard});")),
            None => self.text.line(format!("{target} = {value};")),
        }
    }
}
