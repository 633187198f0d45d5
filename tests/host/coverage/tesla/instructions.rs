//! Runs a program for each instruction of the processor, in each kind of program that has it.

use std::collections::BTreeMap;
use std::sync::Arc;

use curie::ComputeEngine;
use curie::isa::tesla::{TeslaForm, TeslaInstruction, TeslaPattern, decode};
use curie::pipeline::SimtStage;
use curie::pipeline::launch::{
    FaultKind, FragmentQuad, Fragments, Interpolants, Launch, LaunchLimits, LaunchMemory, LaunchOptions,
    LaunchTextures, LaunchThreads, Primitives, Vertices,
};
use curie::shader::simt::{ProgramKind, SimtProgram, TeslaGeneration};

use crate::host::coverage::probe::State;
use crate::host::coverage::rows::Row;

const KINDS: [(ProgramKind, &str); 4] = [
    (ProgramKind::Vertex, "vertex"),
    (ProgramKind::Geometry, "geometry"),
    (ProgramKind::Fragment, "fragment"),
    (ProgramKind::Compute, "compute"),
];

/// `exit nop`.
const EXIT: [u32; 2] = [0xf000_0001, 0xe000_0001 | 0x780];

/// A row for each kind of program and each name of its instructions.
pub(super) fn rows() -> Vec<Row> {
    KINDS.iter().flat_map(|(kind, label)| rows_of(*kind, label)).collect()
}

fn rows_of(kind: ProgramKind, label: &str) -> Vec<Row> {
    let mut forms: BTreeMap<&str, Vec<State>> = BTreeMap::new();
    for pattern in TeslaPattern::all(kind) {
        let Some((words, generation)) = encoded(pattern, kind) else { continue };
        forms.entry(pattern.name()).or_default().push(executed(words, generation, kind));
    }
    let row = |(name, states): (&str, Vec<State>)| {
        let executed = states.iter().filter(|state| **state == State::Executed).count();
        let total = states.len();
        let worst = states.into_iter().find(|state| *state != State::Executed);
        Row {
            section: format!("Instructions of {label} programs"),
            name: name.to_owned(),
            code: format!("{executed} of {}", curie::plural::counted(total, "form")),
            state: worst.filter(|_| executed == 0).unwrap_or(State::Executed),
            mutant: None,
        }
    };
    forms.into_iter().map(row).collect()
}

/// The words of a pattern's example, and the first generation that has it. One of one word has another one beside it.
fn encoded(pattern: &TeslaPattern, kind: ProgramKind) -> Option<([u32; 2], TeslaGeneration)> {
    let forms = [TeslaForm::Long, TeslaForm::Control, TeslaForm::Immediate, TeslaForm::Short, TeslaForm::ShortControl];
    forms.into_iter().find_map(|form| {
        let (instruction, generation) = (pattern.example.clone(), TeslaGeneration::Sm10);
        let word = TeslaInstruction { instruction, form, generation, unknown: 0, ignored: 0 }.encode(kind).ok()?;
        let halves = [word & 0xffff_ffff, word >> 32].map(|half| u32::try_from(half).expect("32 bits"));
        let words = if form.bytes() == 8 { halves } else { [halves[0]; 2] };
        Some((words, decode(0, word, kind).ok()?.generation))
    })
}

/// What becomes of an instruction and the end of the program.
fn executed(words: [u32; 2], generation: TeslaGeneration, kind: ProgramKind) -> State {
    let launch = launch([words, EXIT].concat(), generation, kind);
    let options = LaunchOptions { instruction_limit: 1000, ..LaunchOptions::default() };
    let mut memory = LaunchMemory::default();
    match ComputeEngine::REFERENCE.run(&launch, &LaunchLimits::of(generation), &mut memory, &options, &mut |_| ()) {
        Ok(report) => {
            let is_missing = |kind| matches!(kind, FaultKind::Unsupported | FaultKind::InvalidInstruction);
            let missing = report.faults.iter().find(|fault| is_missing(fault.kind));
            missing.map_or(State::Executed, |fault| State::Unsupported(fault.kind.to_string()))
        }
        // A branch to the program's begin never ends, and a trap ends the launch.
        Err(error) if ["instructions", "trap"].iter().any(|end| error.to_string().contains(end)) => State::Executed,
        Err(error) => State::Unsupported(error.to_string()),
    }
}

/// One thread, vertex, primitive or quad that runs a program.
fn launch(words: Vec<u32>, generation: TeslaGeneration, kind: ProgramKind) -> Launch {
    let quad = FragmentQuad { covered: 15, pixel: [0; 2], primitive: 0, centroids: [[8; 2]; 4], sample: 0 };
    let threads = match kind {
        ProgramKind::Compute => LaunchThreads::Grid,
        ProgramKind::Vertex => LaunchThreads::Vertices(Vertices {
            count: 1,
            attribute_words: 16,
            attributes: vec![0; 16],
            output_words: 16,
        }),
        ProgramKind::Geometry => LaunchThreads::Primitives(Primitives {
            count: 1,
            input_words: 7,
            inputs: vec![0; 7],
            vertices: 3,
            vertex_words: 8,
            vertex_values: vec![0; 24],
            output_words: 16,
            max_vertices: 4,
        }),
        ProgramKind::Fragment => LaunchThreads::Fragments(Fragments {
            quads: vec![quad],
            interpolant_words: 8,
            interpolants: Interpolants::Values(vec![0; 32]),
            results: 4,
        }),
    };
    let stage = SimtStage {
        program: Arc::new(SimtProgram::decode_kind(&words, kind)),
        generation,
        registers: 16,
        local_bytes: 64,
        constants: Arc::new(BTreeMap::from([(0, vec![0; 64])])),
    };
    if kind != ProgramKind::Compute {
        return stage.launch(threads, LaunchTextures::default());
    }
    Launch {
        threads,
        stage,
        grid: [1; 3],
        block: [1; 3],
        grid_id: 0,
        shared_bytes: 64,
        parameters: Vec::new(),
        globals: BTreeMap::new(),
        stack_entries: 16,
        textures: Arc::new(LaunchTextures::default()),
    }
}
