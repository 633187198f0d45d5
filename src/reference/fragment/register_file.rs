//! The temporaries of one fragment: 48 full registers, the first 32 of which are also 64 half registers.

use crate::arith::fragment as fp;
use crate::shader::condition::WriteMask;
use crate::shader::fragment::FULL_REGISTERS;
use crate::shader::fragment::FragmentRegister;

/// The registers of a fragment. R(n) is H(2n) in its lower 64 bits and H(2n+1) in its upper.
#[derive(Debug, Clone)]
pub(crate) struct RegisterFile {
    full: [[u32; 4]; FULL_REGISTERS as usize],
}

impl RegisterFile {
    /// Registers that all hold zero. Unverified: the chip keeps what the last program left there.
    pub(crate) const fn new() -> Self {
        Self { full: [[0; 4]; FULL_REGISTERS as usize] }
    }

    /// Reads a register as float bits; a register beyond the last reads zero.
    pub(crate) fn read(&self, register: FragmentRegister) -> [u32; 4] {
        if !register.is_half {
            return self.full.get(usize::from(register.index)).copied().unwrap_or_default();
        }
        let full = self.full.get(usize::from(register.index / 2)).copied().unwrap_or_default();
        let first = usize::from(register.index % 2) * 2;
        let [low, high] = [full[first], full[first + 1]];
        [low & 0xffff, low >> 16, high & 0xffff, high >> 16]
            .map(|half| fp::half_bits_to(u16::try_from(half).expect("halves were masked")))
    }

    /// Writes the components of the mask, rounding to half precision for half registers.
    pub(crate) fn write(&mut self, register: FragmentRegister, value: [u32; 4], mask: WriteMask) {
        let index = if register.is_half { register.index / 2 } else { register.index };
        let Some(full) = self.full.get_mut(usize::from(index)) else { return };
        let first = usize::from(register.index % 2) * 2;
        for component in (0..4).filter(|&component| mask.has(component)) {
            if register.is_half {
                let word = &mut full[first + component / 2];
                let shift = component % 2 * 16;
                *word = *word & !(0xffff << shift) | u32::from(fp::half_bits_from(value[component])) << shift;
            } else {
                full[component] = value[component];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RegisterFile;
    use crate::shader::condition::WriteMask;
    use crate::shader::fragment::FragmentRegister;

    const fn full(index: u8) -> FragmentRegister {
        FragmentRegister { index, is_half: false }
    }

    const fn half(index: u8) -> FragmentRegister {
        FragmentRegister { index, is_half: true }
    }

    #[test]
    fn two_half_registers_lie_in_a_full_one() {
        let mut registers = RegisterFile::new();
        let values = [1.0f32, 2.0, -0.5, 0.0].map(f32::to_bits);
        registers.write(half(3), values, WriteMask::ALL);
        // 1.0 = 0x3c00, 2.0 = 0x4000, −0.5 = 0xb800 in half precision; H3 is the upper half of R1.
        assert_eq!(registers.read(full(1)), [0, 0, 0x4000_3c00, 0x0000_b800]);
        assert_eq!(registers.read(half(3)), values);
        registers.write(full(1), [0x3c00_0000, 0, 0, 0], WriteMask(1));
        assert_eq!(registers.read(half(2)), [0, 1.0f32.to_bits(), 0, 0]);
        assert_eq!(registers.read(half(3)), values);
    }

    #[test]
    fn a_mask_keeps_the_other_components() {
        let mut registers = RegisterFile::new();
        registers.write(half(0), [1.0f32.to_bits(); 4], WriteMask(0b0110));
        assert_eq!(registers.read(full(0)), [0x3c00_0000, 0x0000_3c00, 0, 0]);
    }
}
