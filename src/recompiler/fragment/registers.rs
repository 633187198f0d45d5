//! Declares registers of the fragment processor as WGSL variables, with the two views R and H of the same file.
//!
//! A full register is four variables of float bits. A half register that no full register overlaps is also four
//! variables, with values already rounded to half, as float bits. If a program uses both views of one register, the
//! full view is the storage, and half accesses pack and unpack its words. Without flow, each word is instead stored in
//! the view that was written last, so that a copy into a half result needs no packing.

use super::generator::{Generator, HalfForm};
use crate::recompiler::text::COMPONENTS;
use crate::shader::fragment::FragmentRegister;
use crate::shader::kernel_function as wgsl;

/// The variable that holds one component, if no views overlap.
pub(super) fn variable(register: FragmentRegister, component: usize) -> String {
    let file = if register.is_half { 'h' } else { 'r' };
    format!("{file}{}{}", register.index, COMPONENTS[component & 3])
}

/// The full register with this number.
const fn full(index: u8) -> FragmentRegister {
    FragmentRegister { index, is_half: false }
}

/// The full register, word and half (0 low, 1 high) that hold a half register's component.
fn place(register: FragmentRegister, component: usize) -> (u8, usize, usize) {
    (register.index / 2, usize::from(register.index & 1) * 2 + component / 2, component & 1)
}

/// The half register variable that holds one half of a word while the word is split.
fn half_variable(number: u8, word: usize, half: usize) -> String {
    let register = FragmentRegister { index: number * 2 + u8::from(word >= 2), is_half: true };
    variable(register, (word & 1) * 2 + half)
}

impl Generator<'_> {
    /// The variables of the registers.
    pub(super) fn variables(&self) -> Vec<String> {
        let stores = self.usage.stored_registers(self.splits_words);
        stores.into_iter().flat_map(|register| (0..4).map(move |component| variable(register, component))).collect()
    }

    /// The value of one component for the four pixels.
    pub(super) fn read(&mut self, register: FragmentRegister, component: usize) -> String {
        if !register.exists() {
            return self.zero().to_owned();
        }
        if !self.usage.is_shared(register) {
            return variable(register, component);
        }
        if !register.is_half {
            return self.whole_word(register.index, component);
        }
        let (number, word, half) = place(register, component);
        match self.split_words.get(&(number, word)) {
            Some(forms) => {
                let name = half_variable(number, word, half);
                if forms[half] == HalfForm::Value { name } else { self.call(&wgsl::HALF_BITS_TO, &[&name]) }
            }
            None => {
                let bits = half_of(&variable(full(number), word), half);
                self.call(&wgsl::HALF_BITS_TO, &[&bits])
            }
        }
    }

    /// A word of a full register; packs its halves if it is split.
    fn whole_word(&mut self, number: u8, word: usize) -> String {
        let Some(forms) = self.split_words.get(&(number, word)).copied() else {
            return variable(full(number), word);
        };
        let [low, high] = [0, 1].map(|half| {
            let name = half_variable(number, word, half);
            if forms[half] == HalfForm::Bits { name } else { self.call(&wgsl::HALF_BITS_FROM, &[&name]) }
        });
        format!("({low} | ({high} << vec4u(16u)))")
    }

    /// Writes one component; `value` is already rounded to the register's size, `guard` selects the pixels.
    pub(super) fn write(&mut self, register: FragmentRegister, component: usize, value: &str, guard: Option<&str>) {
        if !register.exists() {
            return;
        }
        if !self.usage.is_shared(register) {
            self.assign(&variable(register, component), value, guard);
        } else if !register.is_half {
            self.write_word(register.index, component, value, guard);
        } else if self.splits_words {
            self.write_split(register, component, value, guard);
        } else {
            let (number, word, half) = place(register, component);
            let target = variable(full(number), word);
            let bits = self.call(&wgsl::HALF_BITS_FROM, &[value]);
            let packed = if half == 0 {
                format!("(({target} & vec4u(0xffff0000u)) | {bits})")
            } else {
                format!("(({target} & vec4u(0xffffu)) | ({bits} << vec4u(16u)))")
            };
            self.assign(&target, &packed, guard);
        }
    }

    fn write_word(&mut self, number: u8, word: usize, value: &str, guard: Option<&str>) {
        let target = variable(full(number), word);
        if guard.is_some() {
            let whole = self.whole_word(number, word);
            if whole != target {
                self.assign(&target, &whole, None);
            }
        }
        self.split_words.remove(&(number, word));
        self.assign(&target, value, guard);
    }

    /// Writes a half of a word, which stays split into two variables until the whole word is written.
    fn write_split(&mut self, register: FragmentRegister, component: usize, value: &str, guard: Option<&str>) {
        let (number, word, half) = place(register, component);
        let mut forms = self.split_words.get(&(number, word)).copied();
        if forms.is_none() {
            for half in 0..2 {
                let bits = half_of(&variable(full(number), word), half);
                self.assign(&half_variable(number, word, half), &bits, None);
            }
        }
        let forms = forms.get_or_insert([HalfForm::Bits; 2]);
        let target = half_variable(number, word, half);
        if guard.is_some() && forms[half] == HalfForm::Bits {
            let bits = self.call(&wgsl::HALF_BITS_FROM, &[value]);
            self.assign(&target, &bits, guard);
        } else {
            forms[half] = HalfForm::Value;
            self.assign(&target, value, guard);
        }
        self.split_words.insert((number, word), *forms);
    }

    fn assign(&mut self, target: &str, value: &str, guard: Option<&str>) {
        match guard {
            Some(guard) => self.text.line(format!("{target} = select({target}, {value}, {guard});")),
            None => self.text.line(format!("{target} = {value};")),
        }
    }
}

/// The low (0) or high (1) sixteen bits of a word.
fn half_of(word: &str, half: usize) -> String {
    if half == 0 { format!("({word} & vec4u(0xffffu))") } else { format!("({word} >> vec4u(16u))") }
}
