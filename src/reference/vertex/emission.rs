//! Collects the vertices that a geometry shader emits, as triangles.
//!
//! Source: azahar, `video_core/pica/shader_unit.cpp` and, for the winding, `primitive_assembly.cpp`, which behave as
//! tests on the PICA200 found.

use crate::pipeline::{EmittedTriangles, ShadedVertex};
use crate::shader::vertex::{EMISSION_SLOTS, Emission, EmissionTarget, KEPT_TRIANGLES, UNWRITTEN_OUTPUT};

/// The sixteen output registers.
type Outputs = [[u32; 4]; 16];

const UNWRITTEN: Outputs = [UNWRITTEN_OUTPUT; 16];

/// The emitted vertices of one invocation.
#[derive(Debug)]
pub(super) struct Emitter {
    target: EmissionTarget,
    slots: [Outputs; EMISSION_SLOTS],
    /// The output registers that are not written before the next emission.
    other_bank: Outputs,
    /// The completed triangles.
    pub(super) emitted: EmittedTriangles,
}

impl Default for Emitter {
    // Unverified: what EMIT does before the first SETEMIT. Slots, banks and the target may hold what the previous
    // invocation left; here an invocation starts with slot 0, no triangle, and unwritten registers.
    fn default() -> Self {
        Self {
            target: EmissionTarget::default(),
            slots: [UNWRITTEN; EMISSION_SLOTS],
            other_bank: UNWRITTEN,
            emitted: EmittedTriangles::default(),
        }
    }
}

impl Emitter {
    /// Executes an operation on the emitted vertices; an emission changes the bank of output registers.
    pub(super) fn execute(&mut self, emission: Emission, outputs: &mut Outputs) {
        match emission {
            Emission::Select(target) => self.target = target,
            Emission::Emit => {
                self.emit(*outputs);
                std::mem::swap(outputs, &mut self.other_bank);
            }
        }
    }

    fn emit(&mut self, outputs: Outputs) {
        let EmissionTarget { vertex, completes_triangle, is_inverted } = self.target;
        // Unverified: vertex 3, which azahar refuses. Here the vertex is lost, and the rest happens.
        if let Some(slot) = self.slots.get_mut(usize::from(vertex)) {
            *slot = outputs;
        }
        if !completes_triangle {
            return;
        }
        if self.emitted.count < KEPT_TRIANGLES {
            let mut triangle = self.slots.map(|outputs| ShadedVertex { outputs: outputs.to_vec() });
            if is_inverted {
                triangle.swap(0, 1);
            }
            self.emitted.triangles.push(triangle);
        }
        self.emitted.count = self.emitted.count.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::{Emitter, Outputs, UNWRITTEN};
    use crate::pipeline::ShadedVertex;
    use crate::shader::vertex::{Emission, EmissionTarget, KEPT_TRIANGLES};

    /// Emits the first register with this value.
    fn emit(emitter: &mut Emitter, outputs: &mut Outputs, value: u32) {
        outputs[0][0] = value;
        emitter.execute(Emission::Emit, outputs);
    }

    const fn select(vertex: u8, completes_triangle: bool, is_inverted: bool) -> Emission {
        Emission::Select(EmissionTarget { vertex, completes_triangle, is_inverted })
    }

    fn values(triangle: &[ShadedVertex; 3]) -> [u32; 3] {
        triangle.each_ref().map(|vertex| vertex.outputs[0][0])
    }

    #[test]
    fn a_slot_keeps_its_vertex_and_inversion_exchanges_the_first_two() {
        let (mut emitter, mut outputs) = (Emitter::default(), UNWRITTEN);
        emit(&mut emitter, &mut outputs, 10);
        for (vertex, value) in [(1, 11), (2, 12)] {
            emitter.execute(select(vertex, vertex == 2, false), &mut outputs);
            emit(&mut emitter, &mut outputs, value);
        }
        emitter.execute(select(0, true, true), &mut outputs);
        emit(&mut emitter, &mut outputs, 13);
        emitter.execute(select(3, true, false), &mut outputs);
        emit(&mut emitter, &mut outputs, 14);
        let triangles: Vec<_> = emitter.emitted.triangles.iter().map(values).collect();
        assert_eq!(triangles, [[10, 11, 12], [11, 13, 12], [13, 11, 12]]);
    }

    #[test]
    fn two_banks_take_turns() {
        let (mut emitter, mut outputs) = (Emitter::default(), UNWRITTEN);
        outputs[5] = [1, 2, 3, 4];
        emitter.execute(Emission::Emit, &mut outputs);
        assert_eq!(outputs, UNWRITTEN);
        outputs[5][1] = 9;
        emitter.execute(Emission::Emit, &mut outputs);
        assert_eq!(outputs[5], [1, 2, 3, 4]);
        emitter.execute(Emission::Emit, &mut outputs);
        assert_eq!(outputs[5], [0, 9, 0, UNWRITTEN[5][3]]);
    }

    #[test]
    fn memory_is_bounded() {
        let (mut emitter, mut outputs) = (Emitter::default(), UNWRITTEN);
        emitter.execute(select(1, true, false), &mut outputs);
        for value in 1..=KEPT_TRIANGLES + 3 {
            emit(&mut emitter, &mut outputs, value);
        }
        assert_eq!(emitter.emitted.count, KEPT_TRIANGLES + 3);
        let last: Vec<_> = emitter.emitted.triangles.iter().map(|triangle| values(triangle)[1]).collect();
        assert!(last.into_iter().eq(1..=KEPT_TRIANGLES));
    }
}
