//! Tests registers, masks, flow and result handling of fragment programs against results worked out by hand.

use super::{LodMode, NoTextures, TextureUnits, run_fragment_program};
use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op, FragmentWord};
use crate::isa::test_words::{CONSTANT, INPUT, Source, ended, flow, fragment, full, half, words};
use crate::pipeline::{EngineError, FragmentResult, QuadInputs, VEC4_INPUTS};
use crate::reference::observer::Unobserved;
use crate::shader::fragment::FragmentProgram;

const ZERO_ONE: [u32; 4] = [0, 0, 0, 0x3f80_0000];

fn bits(value: [f32; 4]) -> [u32; 4] {
    value.map(f32::to_bits)
}

/// Inputs with TEX0 given per fragment.
fn quad(texture_coordinate: [[f32; 4]; 4]) -> QuadInputs {
    let mut slots = vec![[[0; 4]; 4]; VEC4_INPUTS];
    slots[0] = [bits([4.0, 6.0, 0.5, 0.25]); 4];
    slots[1..4].fill([ZERO_ONE; 4]);
    slots[4] = texture_coordinate.map(bits);
    QuadInputs {
        x: 4,
        y: 6,
        coverage: 0b0111,
        samples: None,
        alpha_coverage: None,
        is_front_facing: false,
        depth: [0; 4],
        slots,
    }
}

/// x counts the fragments, y is its square.
fn counting() -> QuadInputs {
    quad([[0.0, 0.0, 0.0, 2.0], [1.0, 1.0, 0.0, 2.0], [2.0, 4.0, 0.0, 2.0], [3.0, 9.0, 0.0, 2.0]])
}

fn run(words: &[u32], inputs: &QuadInputs) -> FragmentResult {
    let program = FragmentProgram::decode(words).unwrap();
    run_fragment_program(&program, true, inputs, &mut NoTextures, &Unobserved).unwrap()
}

/// R0 of each fragment as floats.
fn r0(words: &[u32], inputs: &QuadInputs) -> [[f32; 4]; 4] {
    run(words, inputs).colors[0].map(|color| color.map(f32::from_bits))
}

fn tex0(opcode: Op, destination: u32) -> FragmentWord {
    fragment(opcode, destination, &[INPUT]).with(Field::INPUT, 4)
}

/// An instruction followed by its constant.
fn with_constant(word: FragmentWord, constant: [f32; 4]) -> [FragmentWord; 2] {
    [word, FragmentWord(bits(constant))]
}

fn program(parts: &[&[FragmentWord]], last: FragmentWord) -> Vec<u32> {
    let mut all = words(&parts.concat());
    all.extend(ended(vec![last]));
    all
}

fn nop() -> FragmentWord {
    fragment(Op::Nop, 0, &[])
}

/// CC0 = sign of TEX0.x − constant, in x.
fn compare_x(threshold: f32) -> [FragmentWord; 2] {
    let word = fragment(Op::Add, 0, &[INPUT.splat(0), CONSTANT.negated()])
        .with(Field::INPUT, 4)
        .with(Field::NO_DESTINATION, 1)
        .with(Field::CONDITION_UPDATE, 1);
    with_constant(word, [threshold; 4])
}

fn when(word: FragmentWord, relation: u32) -> FragmentWord {
    word.with(Field::CONDITION, relation).with(Field::CONDITION_SWIZZLE, 0)
}

#[test]
fn results_come_from_the_registers_of_their_mode() {
    let words = program(&[&[tex0(Op::Mov, 0), tex0(Op::Mov, 2), tex0(Op::Mov, 1).with(Field::WRITE_MASK, 4)]], nop());
    let program = FragmentProgram::decode(&words).unwrap();
    let inputs = counting();
    let full_outputs = run_fragment_program(&program, true, &inputs, &mut NoTextures, &Unobserved).unwrap();
    assert_eq!(full_outputs.colors[0], inputs.slots[4]);
    assert_eq!(full_outputs.colors[1], inputs.slots[4]);
    assert_eq!(full_outputs.colors[2], [[0; 4]; 4]);
    assert_eq!(full_outputs.coverage, 0b0111);
    // H4 is the lower half of R2, where 2.0 = 0x40000000 reads as the halves 0x0000 and 0x4000.
    let half_outputs = run_fragment_program(&program, false, &inputs, &mut NoTextures, &Unobserved).unwrap();
    assert_eq!(half_outputs.colors[1][2], bits([0.0, 2.0, 0.0, 2.25]));
}

#[test]
fn depth_is_z_of_the_second_register() {
    let word = fragment(Op::Mov, 1, &[INPUT.splat(1)]).with(Field::INPUT, 4);
    assert_eq!(run(&program(&[&[word]], nop()), &counting()).depth, bits([0.0, 1.0, 4.0, 9.0]));
}

#[test]
fn sources_are_swizzled_then_clamped_then_made_positive_then_negated() {
    let source = Source(INPUT.0 | 1 << 17).splat(0);
    let word = fragment(Op::Mov, 0, &[source]).with(Field::INPUT, 4).with(Field::ABS0, 1).with(Field::PRECISION0, 4);
    let inputs = quad([[-0.25, 0.0, 0.0, 0.0], [-3.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.0; 4]]);
    let results = r0(&program(&[&[word]], nop()), &inputs);
    assert_eq!(results.map(|result| result[1].to_bits()), [-0.0, -0.0, -0.5, -0.0f32].map(f32::to_bits));
}

#[test]
fn results_are_scaled_then_saturated_then_rounded() {
    let word = tex0(Op::Mov, 0).with(Field::SCALE, 2).with(Field::SATURATE, 1).with(Field::PRECISION, 2);
    let inputs = quad([[0.2, 0.3, -0.1, 0.0001], [0.0; 4], [0.0; 4], [0.0; 4]]);
    // 0.8·1024 = 819.2; 1.2 saturates; 0.0004·1024 = 0.41.
    assert_eq!(r0(&program(&[&[word]], nop()), &inputs)[0], [819.0 / 1024.0, 1.0, 0.0, 0.0]);
    let halved = tex0(Op::Mov, 0).with(Field::SCALE, 5);
    assert_eq!(r0(&program(&[&[halved]], nop()), &counting())[3], [1.5, 4.5, 0.0, 1.0]);
}

#[test]
fn full_copies_keep_packed_bits() {
    let pack = tex0(Op::Pk2h, 3).with(Field::PRECISION, 1).with(Field::SCALE, 1).with(Field::SATURATE, 1);
    let copy = fragment(Op::Mov, 4, &[full(3)]);
    let unpack = fragment(Op::Up2h, 0, &[full(4)]);
    let inputs = quad([[-1.5, 0.000_000_059_604_645, 0.0, 0.0], [0.0; 4], [0.0; 4], [0.0; 4]]);
    // 2⁻²⁴ is the least half float, whose bits are 1.
    assert_eq!(
        r0(&program(&[&[pack, copy, unpack]], nop()), &inputs)[0],
        [-1.5, 0.000_000_059_604_645, -1.5, 0.000_000_059_604_645]
    );
}

#[test]
fn predicates_select_components_of_each_fragment() {
    let compare = compare_x(1.0);
    let set = when(fragment(Op::Str, 0, &[]), 4).with(Field::WRITE_MASK, 0b0011);
    let results = r0(&program(&[&compare, &[set]], nop()), &counting());
    assert_eq!(results, [[0.0; 4], [0.0; 4], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]);
}

#[test]
fn conditions_are_those_of_the_written_value() {
    // 2⁻³⁰ becomes zero in a half register.
    let write = fragment(Op::Mov, 0, &[CONSTANT])
        .with(Field::DESTINATION, 20)
        .with(Field::DESTINATION_HALF, 1)
        .with(Field::CONDITION_UPDATE, 1)
        .with(Field::CONDITION_WRITTEN, 1);
    let set = fragment(Op::Str, 0, &[]).with(Field::CONDITION, 2).with(Field::CONDITION_TESTED, 1);
    let small = with_constant(write, [1.0 / 1_073_741_824.0, 1.0, -1.0, 0.0]);
    assert_eq!(r0(&program(&[&small, &[set]], nop()), &counting())[0], [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn both_sides_of_a_branch_run_with_their_fragments() {
    let compare = compare_x(1.0);
    let parts: Vec<FragmentWord> =
        [&compare[..], &[when(flow(Op::If, 20, 24), 6), fragment(Op::Str, 0, &[]), tex0(Op::Mov, 0)]].concat();
    let results = r0(&program(&[&parts[..4], &[nop()], &parts[4..]], nop()), &counting());
    assert_eq!(results, [[0.0, 0.0, 0.0, 2.0], [1.0; 4], [1.0; 4], [1.0; 4]]);
}

#[test]
fn a_loop_counts_and_fragments_leave_it_one_by_one() {
    // R0 += 1 in five iterations; a fragment leaves when R0.x > its x.
    let add = with_constant(fragment(Op::Add, 0, &[full(0), CONSTANT]), [1.0; 4]);
    let compare = fragment(Op::Add, 0, &[full(0), INPUT.splat(0).negated()])
        .with(Field::INPUT, 4)
        .with(Field::NO_DESTINATION, 1)
        .with(Field::CONDITION_UPDATE, 1);
    let body = [&[flow(Op::Rep, 3 << 2, 20)], &add[..], &[compare, when(flow(Op::Brk, 0, 0), 4)]].concat();
    let results = r0(&program(&[&body], nop()), &counting());
    // Fragment 3 would need four iterations.
    assert_eq!(results.map(|result| result[0]), [1.0, 2.0, 3.0, 3.0]);
}

#[test]
fn the_loop_index_selects_texture_coordinates() {
    // R0 += TEX0[A0 + 1] with A0 = 4, 2, 0: TEX5, TEX3, TEX1.
    let add = fragment(Op::Add, 0, &[full(0), INPUT]).with(Field::INPUT_INDEXED, 1).with(Field::DISPLACEMENT, 1);
    let body = [flow(Op::Loop, 3 << 2 | 4 << 10 | 0xfe << 19, 8), add];
    let mut inputs = counting();
    for (index, value) in [(1, 1.0), (3, 10.0), (5, 100.0)] {
        inputs.slots[4 + index] = [bits([value; 4]); 4];
    }
    assert_eq!(r0(&program(&[&body], nop()), &inputs)[0], [111.0; 4]);
}

#[test]
fn returns_leave_a_subroutine_or_the_program() {
    let compare = compare_x(2.0);
    let one = fragment(Op::Str, 0, &[]);
    // 0 compare, 8 CAL 24, 12 R0.y = 0, 16 RET if < 2, 20 R0.z = 0 END; 24: RET if >= 2, R0 = 1, RET.
    let mut all = words(&[
        compare[0],
        compare[1],
        flow(Op::Cal, 24, 0),
        fragment(Op::Sfl, 0, &[]).with(Field::WRITE_MASK, 2),
        when(flow(Op::Ret, 0, 0), 1),
    ]);
    all.extend(ended(vec![fragment(Op::Mov, 0, &[full(9)]).with(Field::WRITE_MASK, 4)]));
    all.extend(words(&[when(flow(Op::Ret, 0, 0), 6), one, flow(Op::Ret, 0, 0)]));
    assert_eq!(r0(&all, &counting()), [[1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.0; 4], [0.0; 4]]);
}

#[test]
fn derivatives_look_at_neighbours_whatever_the_mask() {
    let compare = compare_x(2.0);
    let inputs = counting();
    let across = when(tex0(Op::Ddx, 0), 1);
    let differences = r0(&program(&[&compare, &[across]], nop()), &inputs);
    assert_eq!(differences.map(|value| value[1]), [1.0, 1.0, 0.0, 0.0]);
    let down = r0(&program(&[&[tex0(Op::Ddy, 0)]], nop()), &inputs);
    assert_eq!(down.map(|value| value[1]), [4.0, 8.0, 4.0, 8.0]);
    let across = r0(&program(&[&[tex0(Op::Ddx, 0)]], nop()), &inputs);
    assert_eq!(across.map(|value| value[1]), [1.0, 1.0, 5.0, 5.0]);
}

#[test]
fn kil_discards_and_goes_on() {
    let compare = compare_x(1.0);
    let kil = when(fragment(Op::Kil, 0, &[]), 2);
    let result = run(&program(&[&compare, &[kil, tex0(Op::Mov, 0)]], nop()), &counting());
    assert_eq!(result.coverage, 0b0101);
    assert_eq!(result.colors[0][1], bits([1.0, 1.0, 0.0, 2.0]));
}

#[test]
fn facing_and_perspective_inputs() {
    let facing = fragment(Op::Mov, 0, &[INPUT]).with(Field::INPUT, 14);
    assert_eq!(r0(&program(&[&[facing]], nop()), &counting())[0], [-1.0, 0.0, 0.0, 1.0]);
    let divided = tex0(Op::Mov, 0).with(Field::DIVIDES_BY_W, 1);
    assert_eq!(r0(&program(&[&[divided]], nop()), &counting())[2], [0.5, 1.0, 0.0, 0.5]);
}

/// Records the requests and answers with the coordinates.
#[derive(Default)]
struct Echo {
    asked: Vec<(u8, [[u32; 4]; 4], LodMode)>,
}

impl TextureUnits for Echo {
    fn sample(&mut self, unit: u8, coordinates: &[[u32; 4]; 4], mode: LodMode) -> Result<[[u32; 4]; 4], EngineError> {
        self.asked.push((unit, *coordinates, mode));
        Ok(*coordinates)
    }
}

#[test]
fn texture_operations_give_coordinates_and_level() {
    let unit = |word: FragmentWord| word.with(Field::TEXTURE_UNIT, 5);
    let gradient = fragment(Op::Txd, 3, &[full(1), full(2), full(0)]);
    let code = [Op::Tex, Op::Txp, Op::Txb, Op::Txl].map(|opcode| unit(tex0(opcode, 1)));
    let words = program(&[&code, &[unit(gradient)]], unit(tex0(Op::Tex, 0)).with(Field::EXPAND_TEXEL, 1));
    let mut echo = Echo::default();
    let inputs = counting();
    let result =
        run_fragment_program(&FragmentProgram::decode(&words).unwrap(), true, &inputs, &mut echo, &Unobserved).unwrap();
    let coordinates = inputs.slots[4];
    let twos = bits([2.0; 4]);
    let no_bias = LodMode::Implicit { bias: [0; 4] };
    let projected = [0.0f32, 1.0, 2.0, 3.0].map(|x| bits([x / 2.0, x * x / 2.0, 0.0, 2.0]));
    assert_eq!(echo.asked[0], (5, coordinates, no_bias));
    assert_eq!(echo.asked[1], (5, projected, no_bias));
    assert_eq!(echo.asked[2], (5, coordinates, LodMode::Implicit { bias: twos }));
    assert_eq!(echo.asked[3], (5, coordinates, LodMode::Explicit(twos)));
    let (x, y) = ([[0; 4]; 4], [[0; 4]; 4]);
    assert_eq!(echo.asked[4], (5, coordinates, LodMode::Gradient { x, y }));
    assert_eq!(result.colors[0][3], bits([5.0, 17.0, -1.0, 3.0]));
}

#[test]
fn bump_environments_move_coordinates_and_scale_colours() {
    // The bump (2, 3) with the matrix (10, 100, 1000, 10000) moves x by 20 + 300 and y by 2000 + 30000.
    let set = |register, value| with_constant(fragment(Op::Mov, register, &[CONSTANT]), value);
    let operands = [INPUT, full(1), full(2)];
    let fetch = |opcode: Op| fragment(opcode, 3, &operands).with(Field::INPUT, 4);
    let words = program(
        &[
            &set(1, [2.0, 3.0, 0.5, 0.0]),
            &set(2, [10.0, 100.0, 1000.0, 10_000.0]),
            &[fetch(Op::TexBem), fetch(Op::TxpBem), fetch(Op::TimesWTex)],
        ],
        fragment(Op::BemLum, 0, &operands).with(Field::INPUT, 4),
    );
    let mut echo = Echo::default();
    let inputs = counting();
    let result =
        run_fragment_program(&FragmentProgram::decode(&words).unwrap(), true, &inputs, &mut echo, &Unobserved).unwrap();
    let coordinates = |of: fn(f32) -> [f32; 4]| [0.0f32, 1.0, 2.0, 3.0].map(of).map(bits);
    assert_eq!(echo.asked[0].1, coordinates(|x| [x + 320.0, x * x + 32_000.0, 0.0, 2.0]));
    assert_eq!(echo.asked[1].1, coordinates(|x| [(x + 320.0) / 2.0, (x * x + 32_000.0) / 2.0, 0.0, 2.0]));
    assert_eq!(echo.asked[2].1, coordinates(|x| [2.0 * x, 2.0 * x * x, 0.0, 2.0]));
    // The luminance is 0.5·10 + 100.
    assert_eq!(result.colors[0], coordinates(|x| [105.0 * x, 105.0 * x * x, 0.0, 210.0]));
}

#[test]
fn endless_loops_end_at_the_limit() {
    // Four nested loops of 255 iterations: R0 += 1 in each of the innermost.
    let add = with_constant(fragment(Op::Add, 0, &[full(0), CONSTANT]), [1.0; 4]);
    let rep = flow(Op::Rep, 255 << 2, 24);
    let words = program(&[&[rep; 4], &add], nop());
    let result = r0(&words, &counting())[0][0];
    // The counter is 2 + 1 + 1 + 1 when the innermost loop begins for the first time. Every iteration adds 1, and so
    // does re-entering an outer iteration: 65,535 = 5 + rounds + rounds/255 + rounds/255².
    let rounds =
        (0u32..).find(|&n| 5 + n + n.saturating_sub(1) / 255 + n.saturating_sub(1) / 65_025 >= 65_535).unwrap();
    assert!((f64::from(result) - f64::from(rounds)).abs() <= 1.0, "{result} rounds where {rounds} are expected");
}

#[test]
fn half_registers_round_what_is_written() {
    let write = tex0(Op::Mov, 0).with(Field::DESTINATION, 6).with(Field::DESTINATION_HALF, 1);
    let read = fragment(Op::Mov, 0, &[half(6)]);
    let inputs = quad([[0.1, 65_520.0, 1.0 + 1.0 / 2048.0, -2.0], [0.0; 4], [0.0; 4], [0.0; 4]]);
    // 0.1 → 0x2e66 = 1638·2⁻¹⁴; a tie goes to the even half.
    assert_eq!(r0(&program(&[&[write, read]], nop()), &inputs)[0], [1638.0 / 16_384.0, f32::INFINITY, 1.0, -2.0]);
}

#[test]
fn a_source_is_clamped_before_its_magnitude() {
    // Saturation as a PlayStation 3 does it (RPCS3, pull request 19326): -0.5 gives 0. The least values of fx12 and fx9 have
    // a greater magnitude than their greatest.
    let inputs = quad([[-0.5, 2.0, -3.0, 3.0]; 4]);
    for (precision, expected) in [
        (0, [0.5, 2.0, 3.0, 3.0]),
        (1, [0.5, 2.0, 3.0, 3.0]),
        (2, [0.5, 2047.0 / 1024.0, 2.0, 2047.0 / 1024.0]),
        (3, [0.5, 255.0 / 256.0, 1.0, 255.0 / 256.0]),
        (4, [0.0, 1.0, 0.0, 1.0]),
        (5, [0.5, 2.0, 3.0, 3.0]),
    ] {
        let word = tex0(Op::Mov, 0).with(Field::PRECISION0, precision).with(Field::ABS0, 1);
        assert_eq!(r0(&ended(vec![word]), &inputs)[0], expected, "{precision}");
    }
}
