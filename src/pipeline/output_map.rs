//! Defines how output registers of a vertex program become those that later stages read.

use super::OutputComponent;
use crate::arith::{ONE, pica};

/// The source of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MappedComponent {
    /// Always 1.
    #[default]
    One,
    /// A component of an output register of the program.
    Output(OutputComponent),
    /// The same, limited as a color; see [`pica::color`].
    Color(OutputComponent),
}

impl MappedComponent {
    /// The component of the program's output registers, if it has one.
    #[must_use]
    pub const fn output(self) -> Option<OutputComponent> {
        match self {
            Self::One => None,
            Self::Output(output) | Self::Color(output) => Some(output),
        }
    }

    /// Its value, from the program's output registers.
    fn of(self, outputs: &[[u32; 4]]) -> u32 {
        match self {
            Self::One => ONE,
            Self::Output(output) => output.of(outputs),
            Self::Color(output) => pica::color(output.of(outputs)),
        }
    }
}

/// The source of each component of the sixteen registers that later stages read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OutputMap(pub [[MappedComponent; 4]; 16]);

impl OutputMap {
    /// The registers that later stages read, from the program's output registers.
    #[must_use]
    pub fn apply(&self, outputs: &[[u32; 4]]) -> Vec<[u32; 4]> {
        self.0.iter().map(|slot| slot.map(|component| component.of(outputs))).collect()
    }

    /// Bit i: one of these registers of later stages has a component of the program's output register i.
    #[must_use]
    pub fn sources(&self, registers: u16) -> u16 {
        let mapped = self.0.iter().enumerate().filter(|(register, _)| registers >> register & 1 != 0);
        let outputs = mapped.flat_map(|(_, components)| components).filter_map(|component| component.output());
        outputs.fold(0, |mask, output| mask | 1 << (output.slot & 15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_from_the_registers_that_the_map_names() {
        let output = |slot, component| MappedComponent::Output(OutputComponent { slot, component });
        let color = |slot, component| MappedComponent::Color(OutputComponent { slot, component });
        let mut map = OutputMap::default();
        map.0[0] = [output(3, 3), output(15, 0), MappedComponent::One, output(3, 3)];
        map.0[9] = [color(5, 1), color(5, 2), color(5, 3), color(5, 0)];
        let mut outputs = [[0; 4]; 16];
        outputs[3][3] = 7;
        outputs[15][0] = 8;
        outputs[5] = [-0.25f32, -3.0, 0.5, f32::NAN].map(f32::to_bits);
        let mapped = map.apply(&outputs);
        assert_eq!(mapped[0], [7, 8, ONE, 7]);
        assert_eq!(mapped[9].map(f32::from_bits), [1.0, 0.5, 1.0, 0.25]);
        assert_eq!(mapped[1], [ONE; 4]);
        assert_eq!(map.sources(1), 1 << 3 | 1 << 15);
        assert_eq!(map.sources(0x0202), 1 << 5, "register 9 alone; register 1 has no source");
    }
}
