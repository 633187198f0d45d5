//! Compiles PTX texts and runs the kernels on the reference, against calculations in Rust.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arithmetic;
mod flow;
mod folding;
mod kernels;
mod memory;
mod random_programs;
mod uniform;
mod wide;

use curie::pipeline::{Filter, Sampler, SimtStage, TextureView};
use std::collections::BTreeMap;
use std::sync::Arc;

use curie::asm::ptx::compile_ptx;
use curie::isa::tesla::module::{RELOCATION_CONSTANT_SPACE, TeslaModule};
use curie::pipeline::launch::{
    GlobalSpace, Launch, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport, LaunchTextures, LaunchThreads,
    STACK_ENTRIES,
};
use curie::reference::compute::run_launch;
use curie::shader::simt::SimtProgram;

/// Compiles a text without errors.
fn compile(text: &str) -> TeslaModule {
    compile_ptx("test.ptx", text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A module with memory in which its kernels run.
#[derive(Debug)]
struct Machine {
    module: TeslaModule,
    memory: LaunchMemory,
    constants: BTreeMap<u8, Vec<u8>>,
    textures: LaunchTextures,
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Machine {
    /// Compiles a text and places its variables.
    fn new(text: &str) -> Self {
        let module = compile(text);
        let (mut memory, mut constants) = (LaunchMemory::default(), BTreeMap::<u8, Vec<u8>>::new());
        let mut put = |space: u8, offset: u32, bytes: &[u8]| {
            let space = constants.entry(space).or_default();
            let end = offset as usize + bytes.len();
            if space.len() < end {
                space.resize(end, 0);
            }
            space[offset as usize..end].copy_from_slice(bytes);
        };
        for constant in &module.constants {
            let mut bytes = bytes_of(&constant.words);
            bytes.resize(constant.bytes as usize, 0);
            put(constant.space, constant.offset, &bytes);
        }
        for global in &module.globals {
            let mut bytes = bytes_of(&global.words);
            bytes.resize(global.bytes as usize, 0);
            let address = memory.allocate(&global.name, bytes).unwrap();
            put(RELOCATION_CONSTANT_SPACE, global.address_offset, &address.to_le_bytes());
        }
        Self { module, memory, constants, textures: LaunchTextures::default() }
    }

    /// Binds a texture to the unit of its name, filtered linearly and clamped to the edge.
    fn texture(&mut self, name: &str, texture: &TextureView, words: &[u32]) {
        let found = self.module.textures.iter().find(|known| known.name == name).unwrap();
        self.textures.bind_texels(found.unit, texture, &bytes_of(words), &mut self.memory).unwrap();
        let (min_filter, mag_filter) = (Filter::Linear, Filter::Linear);
        let sampler = Sampler { min_filter, mag_filter, ..Sampler::CLAMPED };
        self.textures.bind_sampler(found.unit, &sampler).unwrap();
    }

    /// A buffer with words; its address.
    fn buffer(&mut self, name: &str, words: &[u32]) -> u32 {
        self.memory.allocate(name, bytes_of(words)).unwrap()
    }

    /// The words of a buffer.
    fn words(&self, name: &str) -> Vec<u32> {
        let buffer = self.memory.buffers().iter().find(|buffer| buffer.name == name);
        words_of(&buffer.unwrap().bytes)
    }

    /// Runs a kernel with parameters of four bytes each, without faults and races.
    fn run(&mut self, kernel: &str, grid: [u32; 2], block: [u32; 3], parameters: &[u32]) -> LaunchReport {
        let report = self.run_with(kernel, grid, block, bytes_of(parameters), 0);
        assert_eq!(report.races, []);
        report
    }

    /// Runs a kernel with parameters as bytes and more shared memory, without faults.
    fn run_with(
        &mut self,
        kernel: &str,
        grid: [u32; 2],
        block: [u32; 3],
        parameters: Vec<u8>,
        more_shared: u32,
    ) -> LaunchReport {
        let kernel = self.module.kernels.iter().find(|known| known.name == kernel).unwrap();
        let launch = Launch {
            threads: LaunchThreads::Grid,
            stage: SimtStage {
                program: Arc::new(SimtProgram::decode(&kernel.code)),
                generation: self.module.generation,
                registers: kernel.registers.into(),
                local_bytes: kernel.local_bytes,
                constants: Arc::new(self.constants.clone()),
            },
            grid: [grid[0], grid[1], 1],
            block,
            grid_id: 0,
            shared_bytes: kernel.shared_bytes + more_shared,
            parameters,
            globals: BTreeMap::from([(14, GlobalSpace::WHOLE)]),
            stack_entries: STACK_ENTRIES,
            textures: Arc::new(self.textures.clone()),
        };
        let options = LaunchOptions { instruction_limit: 50_000_000, finds_races: true, ..LaunchOptions::default() };
        let report = run_launch(&launch, &LaunchLimits::G80, &mut self.memory, &options, &mut |_| ()).unwrap();
        assert_eq!(report.faults, []);
        report
    }
}
