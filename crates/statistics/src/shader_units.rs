//! Parameters of the shader unit models: numbers of units, depth of the pipe, cycles of flow instructions.

/// The shader units of a chip. [`Self::default`] describes the GeForce 6800 Ultra.
///
/// `docs/shader-schedule.md` has the source of each number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ShaderUnits {
    /// Quad pipes. Each processes four pixels at a time. 6800 Ultra: 4 (GPU Gems 2, chapter 30).
    pub quad_pipes: u32,
    /// The most quads that a pipe keeps in flight. 256 is a guess of 3DCenter.
    pub quads_in_flight: u32,
    /// Registers of four fp32 that a quad may have while all of them are in flight: 4 (GPU Gems 2, chapter 30).
    pub free_registers: u32,
    /// Distinct half registers (fp16×4) that a pass may read; derived from statements on bandwidth.
    pub register_reads: u32,
    /// Cycles that flow instructions cost a quad.
    pub flow: FlowCycles,
    /// Vertex units. 6800 Ultra: 6 (GPU Gems 2, chapter 30).
    pub vertex_units: u32,
    /// Cycles that a taken branch costs a vertex: 2 (GPU Gems 2, chapter 30).
    pub vertex_branch: u32,
}

/// Cycles of flow instructions in fragment programs (GPU Gems 2, chapter 30, table 30-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FlowCycles {
    /// IF with ENDIF.
    pub if_endif: u32,
    /// IF with ELSE and ENDIF.
    pub if_else_endif: u32,
    /// CAL.
    pub call: u32,
    /// RET.
    pub ret: u32,
    /// LOOP with ENDLOOP, or REP with ENDREP, for one iteration.
    pub loop_endloop: u32,
    /// Each further iteration; not in the table.
    pub further_round: u32,
    /// BRK; not in the table.
    pub brk: u32,
}

impl Default for ShaderUnits {
    fn default() -> Self {
        Self {
            quad_pipes: 4,
            quads_in_flight: 256,
            free_registers: 4,
            register_reads: 6,
            flow: FlowCycles::default(),
            vertex_units: 6,
            vertex_branch: 2,
        }
    }
}

impl Default for FlowCycles {
    fn default() -> Self {
        // Unverified: the table has pairs only, each at two cycles per instruction. ENDLOOP of each further
        // iteration, and BRK, are assumed to cost the same.
        Self { if_endif: 4, if_else_endif: 6, call: 2, ret: 2, loop_endloop: 4, further_round: 2, brk: 2 }
    }
}

impl ShaderUnits {
    /// Quads that a pipe keeps in flight if each has this many half registers (fp16×4); at least one.
    #[must_use]
    pub fn quads_with(&self, half_registers: u32) -> u32 {
        let registers = half_registers.div_ceil(2).max(1);
        if registers <= self.free_registers {
            return self.quads_in_flight.max(1);
        }
        let quads = u64::from(self.quads_in_flight) * u64::from(self.free_registers) / u64::from(registers);
        u32::try_from(quads).unwrap_or(u32::MAX).max(1)
    }

    /// Pixels per clock of the whole chip if a quad takes this many clocks of its pipe.
    #[must_use]
    pub fn pixels_per_clock(&self, clocks_per_quad: u64) -> f64 {
        f64::from(self.quad_pipes) * 4.0 / (clocks_per_quad.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::ShaderUnits;

    #[test]
    fn four_registers_keep_all_quads_in_flight() {
        let units = ShaderUnits::default();
        // 256 · min(1, 4 / ceil(r)) for r = 0, ½, 4, 4½, 8, 48.
        let quads = [0, 1, 8, 9, 16, 96].map(|halves| units.quads_with(halves));
        assert_eq!(quads, [256, 256, 256, 204, 128, 21]);
    }

    #[test]
    fn one_clock_a_quad_is_sixteen_pixels_a_clock() {
        let units = ShaderUnits::default();
        assert_eq!([1, 2, 64].map(|clocks| units.pixels_per_clock(clocks)), [16.0, 8.0, 0.25]);
    }
}
