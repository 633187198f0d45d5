//! The registers that describe a launch.

use super::address::Address;
use super::texture_units::TextureUnits;

/// The registers of a global space.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GlobalRegisters {
    pub(super) address: Address,
    pub(super) limit: u32,
    pub(super) mode: u32,
}

/// The registers that describe a launch.
#[derive(Debug)]
pub(super) struct LaunchState {
    pub(super) stack_size_log: u32,
    pub(super) local_size_log: u32,
    pub(super) block: [u32; 3],
    pub(super) block_threads: u32,
    pub(super) grid: [u32; 2],
    pub(super) grid_id: u16,
    pub(super) shared_bytes: u32,
    pub(super) parameter_count: u32,
    pub(super) parameters: [u32; 64],
    pub(super) globals: [GlobalRegisters; 16],
    pub(super) textures: TextureUnits,
    /// Whether zero wins in products.
    pub(super) zero_wins: bool,
}

impl Default for LaunchState {
    fn default() -> Self {
        Self {
            stack_size_log: 0,
            local_size_log: 0,
            block: [1; 3],
            block_threads: 0,
            grid: [1; 2],
            grid_id: 0,
            shared_bytes: 0,
            parameter_count: 0,
            parameters: [0; 64],
            globals: [GlobalRegisters::default(); 16],
            textures: TextureUnits::default(),
            zero_wins: false,
        }
    }
}
