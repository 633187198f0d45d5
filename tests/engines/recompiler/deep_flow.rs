//! Flow of fragment programs at the processor's maximum depth, from microcode, with counts calculated by hand.

use curie::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op, FragmentWord};
use curie::kernels::run_program::run_fragment_program as run_on_device;
use curie::pipeline::QuadInputs;
use curie::reference::fragment::run_fragment_program::{NoTextures, run_fragment_program};
use curie::reference::observer::Unobserved;
use curie::shader::fragment::FragmentProgram;

use super::fragment::random_quad;
use super::random::Random;
use crate::common;

const IN_PLACE: u32 = 0b11_10_01_00;

/// Microcode under construction.
#[derive(Default)]
struct Code {
    words: Vec<u32>,
}

impl Code {
    fn here(&self) -> u32 {
        self.words.len() as u32
    }

    fn instruction(&mut self, opcode: Op, sources: [u32; 3]) -> FragmentWord {
        FragmentWord([0, sources[0], sources[1], sources[2]])
            .with(Field::OPCODE, u32::from(opcode.code()))
            .with(Field::FLOW, u32::from(opcode.code()) >> 6)
            .with(Field::CONDITION, 7)
            .with(Field::CONDITION_SWIZZLE, IN_PLACE)
    }

    /// R0 += constant.
    fn add(&mut self, value: f32) {
        let sources = [IN_PLACE << 9, 2 | IN_PLACE << 9, IN_PLACE << 9];
        let word = self.instruction(Op::Add, sources).with(Field::WRITE_MASK, 15);
        self.words.extend(word.0);
        self.words.extend([value.to_bits(); 4]);
    }

    /// CC0 = R0 − TEX0 − constant; with `of_input`, TEX0 − constant.
    fn compare(&mut self, value: f32, of_input: bool) {
        let constant = 2 | IN_PLACE << 9 | 1 << 17;
        let negated_input = 1 | IN_PLACE << 9 | 1 << 17;
        let word = if of_input {
            self.instruction(Op::Add, [1 | IN_PLACE << 9, constant, IN_PLACE << 9])
        } else {
            // R0·1 … as R0 + (−TEX0); the constant slot stays, unread.
            self.instruction(Op::Mad, [IN_PLACE << 9, 2 | IN_PLACE << 9, negated_input])
        };
        let word = word
            .with(Field::INPUT, 4)
            .with(Field::WRITE_MASK, 15)
            .with(Field::NO_DESTINATION, 1)
            .with(Field::CONDITION_UPDATE, 1);
        self.words.extend(word.0);
        self.words.extend([if of_input { value } else { 1.0 }.to_bits(); 4]);
    }

    /// A flow instruction; words 2 and 3 may be patched at the returned index.
    fn flow(&mut self, opcode: Op, relation: u32, second: u32, third: u32) -> usize {
        let word = self
            .instruction(opcode, [0; 3])
            .with(Field::NO_DESTINATION, 1)
            .with(Field::CONDITION, relation)
            .with(Field::CONDITION_SWIZZLE, 0);
        let place = self.words.len();
        self.words.extend(word.0);
        self.words[place + 2] = second | 1 << 31;
        self.words[place + 3] = third;
        place
    }

    fn patch(&mut self, place: usize, second: Option<u32>, third: Option<u32>) {
        if let Some(second) = second {
            self.words[place + 2] = second | 1 << 31;
        }
        if let Some(third) = third {
            self.words[place + 3] = third;
        }
    }

    /// NOP with END.
    fn end(&mut self) {
        let word = self.instruction(Op::Nop, [0; 3]).with(Field::END, 1);
        self.words.extend(word.0);
    }
}

const GREATER: u32 = 4;
const ALWAYS: u32 = 7;

/// Quads whose TEX0.x holds these values, four to a quad.
fn quads(values: &[f32]) -> Vec<QuadInputs> {
    let mut random = Random::new(5);
    values
        .chunks(4)
        .map(|values| {
            let mut quad = random_quad(&mut random);
            for (pixel, value) in values.iter().enumerate() {
                quad.slots[4][pixel] = [value.to_bits(); 4];
            }
            quad
        })
        .collect()
}

/// Runs microcode on both engines and compares R0.x with the expected result for each value of TEX0.x.
fn check(code: &Code, values: &[f32], expected: impl Fn(f32) -> f32) {
    let program = FragmentProgram::decode(&code.words).unwrap();
    let quads = quads(values);
    let results: Vec<_> = quads
        .iter()
        .map(|quad| run_fragment_program(&program, true, quad, &mut NoTextures, &Unobserved).unwrap())
        .collect();
    for (index, value) in values.iter().enumerate() {
        let found = f32::from_bits(results[index / 4].colors[0][index % 4][0]);
        assert_eq!(found, expected(*value), "TEX0.x = {value}");
    }
    if let Some(gpu) = common::gpu() {
        assert_eq!(run_on_device(&gpu, &program, true, &quads).unwrap(), results);
    }
}

#[test]
fn conditions_nest_47_deep() {
    let mut code = Code::default();
    let mut places = Vec::new();
    for level in 0..47u8 {
        code.compare(f32::from(level), true);
        places.push(code.flow(Op::If, GREATER, 0, 0));
        code.add(1.0);
    }
    // The ELSE part of the outermost block adds 100.
    let otherwise = code.here();
    code.add(100.0);
    let end = code.here();
    for (level, place) in places.into_iter().enumerate() {
        if level == 0 {
            code.patch(place, Some(otherwise), Some(end));
        } else {
            code.patch(place, Some(otherwise), Some(otherwise));
        }
    }
    code.end();
    let values = [0.0, 0.5, 1.0, 7.5, 46.0, 46.5, 47.0, 99.0, -1.0, 23.0, 22.0, 24.5];
    check(&code, &values, |x| if x > 0.0 { x.ceil().min(47.0) } else { 100.0 });
}

#[test]
fn loops_nest_4_deep_and_fragments_break_out_of_the_innermost() {
    let mut code = Code::default();
    let loops: Vec<_> = [Op::Rep, Op::Loop, Op::Rep, Op::Rep].map(|op| code.flow(op, ALWAYS, 3 << 2, 0)).into();
    code.add(1.0);
    code.compare(0.0, false);
    let branch = code.flow(Op::If, GREATER, 0, 0);
    code.flow(Op::Brk, ALWAYS, 0, 0);
    let end = code.here();
    code.patch(branch, Some(end), Some(end));
    for place in loops {
        code.patch(place, None, Some(end));
    }
    code.end();
    let expected = |x: f32| {
        let mut count = 0.0;
        for _ in 0..27 {
            for _ in 0..3 {
                count += 1.0;
                if count - x > 0.0 {
                    break;
                }
            }
        }
        count
    };
    check(&code, &[0.0, 1.0, 2.0, 3.5, 40.0, 79.0, 80.0, 1000.0], expected);
}

#[test]
fn calls_nest_4_deep_and_fragments_return_one_by_one() {
    let mut code = Code::default();
    let mut call = code.flow(Op::Cal, ALWAYS, 0, 0);
    code.add(1.0);
    code.end();
    // Routine n adds 10ⁿ, returns if TEX0.x > 5 − n, calls the next and adds 10ⁿ again.
    for routine in 1..=4u8 {
        let start = code.here();
        code.patch(call, Some(start), None);
        let weight = 10.0f32.powi(i32::from(routine));
        code.add(weight);
        code.compare(f32::from(5 - routine), true);
        code.flow(Op::Ret, GREATER, 0, 0);
        if routine < 4 {
            call = code.flow(Op::Cal, ALWAYS, 0, 0);
        }
        code.add(weight);
        code.flow(Op::Ret, ALWAYS, 0, 0);
    }
    let expected = |x: f32| {
        let mut sum = 1.0;
        for routine in 1..=4u8 {
            let weight = 10.0f32.powi(i32::from(routine));
            sum += weight;
            if x > f32::from(5 - routine) {
                return sum + (1..routine).map(|outer| 10.0f32.powi(i32::from(outer))).sum::<f32>();
            }
        }
        sum + (1..=4u8).map(|outer| 10.0f32.powi(i32::from(outer))).sum::<f32>()
    };
    check(&code, &[0.0, 1.5, 2.5, 3.5, 4.5, 1.0, 2.0, 9.0], expected);
}
