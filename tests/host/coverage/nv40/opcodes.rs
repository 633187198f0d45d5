//! Runs a program for each opcode of the two processors.

use curie::arith::vertex::VertexRuleSet;
use curie::asm::inputs::ElementInputs;
use curie::asm::program_file::Program;
use curie::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode, FragmentWord};
use curie::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField, VertexMicroprogram, VertexWord};
use curie::pipeline::program_run::RunSettings;
use curie::reference::run_program::run_program;
use curie::shader::fragment::FragmentProgram;

use crate::host::coverage::probe::State;
use crate::host::coverage::rows::Row;

const SETTINGS: RunSettings = RunSettings {
    rules: VertexRuleSet::Nv40Modern,
    booleans: 0,
    indexed_constants: (0, 543),
    has_full_outputs: true,
    exports_depth: false,
};

/// A row for each opcode.
pub(super) fn rows() -> Vec<Row> {
    let row = |section: &str, code: u32, name: &str, state| Row {
        section: section.to_owned(),
        name: name.to_owned(),
        code: format!("{code:#04x}"),
        state,
        mutant: None,
    };
    let vectors = VectorOpcode::ALL
        .iter()
        .map(|opcode| row("Vertex opcodes, vector", opcode.code().into(), opcode.mnemonic(), vector(*opcode)));
    let scalars = ScalarOpcode::ALL
        .iter()
        .map(|opcode| row("Vertex opcodes, scalar", opcode.code().into(), opcode.mnemonic(), scalar(*opcode)));
    let fragments = FragmentOpcode::ALL
        .iter()
        .map(|opcode| row("Fragment opcodes", opcode.code().into(), opcode.mnemonic(), fragment(*opcode)));
    vectors.chain(scalars).chain(fragments).collect()
}

/// Runs a program; its words must decode, or the row of the opcode is wrong.
fn state(program: Result<Program, String>) -> State {
    match program.and_then(|program| {
        run_program(&program, &SETTINGS, &ElementInputs::default()).map_err(|error| error.to_string())
    }) {
        Ok(_) => State::Executed,
        Err(message) => State::Unsupported(message),
    }
}

const NOP: VertexWord = VertexWord::new([0x001f_9c6c, 0x0000_000d, 0x8106_c083, 0x6041_fffc]);

fn vertex(word: VertexWord) -> State {
    let sources = 1 | 0b00_01_10_11 << 8;
    let word = word.with(VertexField::SRC0, sources).with(VertexField::SRC1, sources).with(VertexField::WM_VEC, 15);
    // A branch targets the last instruction and skips the next one.
    let slots = [word, NOP, NOP.with(VertexField::END, 1)].map(VertexWord::words);
    state(
        VertexMicroprogram::decode(&slots, 0)
            .map(|program| Program::Vertex(program.lower()))
            .map_err(|error| error.to_string()),
    )
}

fn vector(opcode: VectorOpcode) -> State {
    vertex(NOP.with(VertexField::OP_VEC, u32::from(opcode.code())))
}

fn scalar(opcode: ScalarOpcode) -> State {
    let word = NOP.with(VertexField::OP_SCA, u32::from(opcode.code()));
    let has_target = matches!(
        opcode,
        ScalarOpcode::Bra | ScalarOpcode::CalIndirect | ScalarOpcode::Cal | ScalarOpcode::Brb | ScalarOpcode::Clb
    );
    let word = if has_target {
        word.with(VertexField::TARGET_LOW, 2).with(VertexField::TARGET_MIDDLE, 0).with(VertexField::TARGET_HIGH, 0)
    } else {
        word
    };
    vertex(word)
}

const IN_PLACE: u32 = 0b11_10_01_00;

fn instruction(opcode: FragmentOpcode) -> FragmentWord {
    FragmentWord([0, IN_PLACE << 9, IN_PLACE << 9, IN_PLACE << 9])
        .with(Field::OPCODE, u32::from(opcode.code()))
        .with(Field::FLOW, u32::from(opcode.code()) >> 6)
        .with(Field::CONDITION, 7)
        .with(Field::CONDITION_SWIZZLE, IN_PLACE)
        .with(Field::WRITE_MASK, 15)
}

fn fragment(opcode: FragmentOpcode) -> State {
    let operation = instruction(FragmentOpcode::Mov);
    let end = operation.with(Field::END, 1);
    let flow = |second: u32, third: u32| {
        let mut word = instruction(opcode);
        word.0[2] = 1 << 31 | second;
        word.0[3] = third;
        word
    };
    // Offsets are in words.
    let words: Vec<FragmentWord> = match opcode {
        FragmentOpcode::If => vec![flow(8, 12), operation, operation, end],
        FragmentOpcode::Loop | FragmentOpcode::Rep => vec![flow(2 << 2 | 1 << 19, 8), operation, end],
        FragmentOpcode::Brk => {
            let mut repeat = instruction(FragmentOpcode::Rep);
            (repeat.0[2], repeat.0[3]) = (1 << 31 | 2 << 2, 8);
            vec![repeat, flow(0, 0), end]
        }
        FragmentOpcode::Cal => {
            let mut back = instruction(FragmentOpcode::Ret);
            back.0[2] = 1 << 31;
            vec![flow(8, 0), end, operation, back]
        }
        FragmentOpcode::Ret => vec![flow(0, 0), end],
        _ => vec![instruction(opcode), end],
    };
    let words: Vec<u32> = words.iter().flat_map(|word| word.0).collect();
    state(FragmentProgram::decode(&words).map(Program::Fragment).map_err(|error| error.to_string()))
}
