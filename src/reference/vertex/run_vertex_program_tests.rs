//! Tests flow, addressing, predication and dual issue of vertex programs against results worked out by hand.

use super::{VertexContext, run_state_program, run_vertex_program};
use crate::arith::vertex::VertexRuleSet;
use crate::arith::vertex_functions::ADD;
use crate::isa::nv40_vertex::{
    ScalarOpcode as Sca, VectorOpcode as Vec4, VertexField as Field, VertexMicroprogram, VertexWord,
};
use crate::isa::test_words::{VERTEX_NOP, vertex_branch, vertex_source};
use crate::reference::observer::Unobserved;
use crate::reference::vertex::sample_vertex_texture::NoVertexTextures;
use crate::shader::condition::WriteMask;
use crate::shader::test_programs::{
    attribute, bundle, constant as typed_constant, operation, program, temporary as typed_temporary,
};
use crate::shader::vertex::{
    ConditionUpdate, FlowAction, FlowTest, LOOP_COUNTER, OperationKind, Unit, VertexBundle, VertexConstantWrite,
    VertexFlow, VertexOperand, VertexOutput, VertexRegister,
};

const XYZW: [u32; 4] = [0, 1, 2, 3];
const ZERO_ONE: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// An unswizzled input source; `INPUT_ADDR` selects the attribute.
fn input() -> u32 {
    vertex_source(2, 0, XYZW)
}

fn temporary(index: u32) -> u32 {
    vertex_source(1, index, XYZW)
}

fn constant() -> u32 {
    vertex_source(3, 0, XYZW)
}

/// A vector operation on all components, without a destination.
fn vector(opcode: Vec4, s0: u32, s1: u32) -> VertexWord {
    VERTEX_NOP
        .with(Field::OP_VEC, u32::from(opcode.code()))
        .with(Field::WM_VEC, 15)
        .with(Field::SRC0, s0)
        .with(Field::SRC1, s1)
}

fn to_output(word: VertexWord, index: u32) -> VertexWord {
    word.with(Field::OUT_ADDR, index).with(Field::OUT_FROM_VEC, 1)
}

/// o[index] = s0.
fn move_to_output(index: u32, s0: u32) -> VertexWord {
    to_output(vector(Vec4::Mov, s0, input()), index)
}

fn scalar(opcode: Sca) -> u32 {
    u32::from(opcode.code())
}

struct Setting {
    constants: Vec<[u32; 4]>,
    booleans: u32,
    limit: u32,
    indexed: (u16, u16),
}

impl Default for Setting {
    fn default() -> Self {
        let constants = (0..544u16).map(|index| [f32::from(index).to_bits(), 0, 0, 0]).collect();
        Self { constants, booleans: 0, limit: 0xffff, indexed: (0, 543) }
    }
}

impl Setting {
    /// Runs instructions with v[0] = `first` and v[1] = `second`; the last instruction ends the program.
    fn run(&self, program: &[VertexWord], first: [f32; 4], second: [f32; 4]) -> [[f32; 4]; 16] {
        let slots: Vec<[u32; 4]> = program.iter().map(|word| word.words()).collect();
        let program = VertexMicroprogram::decode(&slots, 0).unwrap().lower();
        let mut inputs = [[0; 4]; 16];
        inputs[0] = first.map(f32::to_bits);
        inputs[1] = second.map(f32::to_bits);
        let context = VertexContext {
            constants: &self.constants,
            rules: VertexRuleSet::Nv40Modern,
            booleans: self.booleans,
            instruction_limit: self.limit,
            indexed_constants: self.indexed,
        };
        let vertex = run_vertex_program(&program, &context, &inputs, &NoVertexTextures, &Unobserved);
        std::array::from_fn(|slot| vertex.outputs[slot].map(f32::from_bits))
    }
}

fn end(word: VertexWord) -> VertexWord {
    word.with(Field::END, 1)
}

#[test]
fn outputs_begin_as_0001_and_temporaries_as_0() {
    let outputs = Setting::default().run(&[end(move_to_output(2, temporary(9)))], ZERO_ONE, ZERO_ONE);
    assert_eq!(outputs[2], [0.0; 4]);
    assert_eq!(outputs[3], ZERO_ONE);
}

#[test]
fn add_takes_the_third_source_and_modifiers_apply_in_order() {
    // o[1].xy = |v0.wzyx| negated + c[7].xxxx
    let word = to_output(vector(Vec4::Add, vertex_source(2, 0, [3, 2, 1, 0]) | 1 << 16, temporary(0)), 1)
        .with(Field::SRC2, vertex_source(3, 0, [0; 4]))
        .with(Field::ABS0, 1)
        .with(Field::CONST_ADDR, 7)
        .with(Field::WM_VEC, 0b1100);
    let outputs = Setting::default().run(&[end(word)], [1.0, 2.0, 3.0, -4.0], ZERO_ONE);
    assert_eq!(outputs[1], [3.0, 4.0, 0.0, 1.0]);
}

#[test]
fn both_units_read_before_either_writes() {
    // R1 = v0; then R1 = R1 * R1 beside o[0] = 1 / R1.x, which reads the old R1.
    let load = vector(Vec4::Mov, input(), input()).with(Field::DST_VEC, 1);
    let both = vector(Vec4::Mul, temporary(1), temporary(1))
        .with(Field::DST_VEC, 1)
        .with(Field::OP_SCA, scalar(Sca::Rcp))
        .with(Field::WM_SCA, 15)
        .with(Field::SRC2, temporary(1))
        .with(Field::OUT_ADDR, 0)
        .with(Field::OUT_FROM_VEC, 0);
    let outputs =
        Setting::default().run(&[load, both, end(move_to_output(1, temporary(1)))], [4.0, 3.0, 2.0, 1.0], ZERO_ONE);
    assert_eq!(outputs[0], [0.25; 4]);
    assert_eq!(outputs[1], [16.0, 9.0, 4.0, 1.0]);
}

#[test]
fn writes_are_predicated_per_component_and_saturated() {
    // CC1 = sign of v0; o[0] (LT1.wzyx) = v1 saturated.
    let compare = vector(Vec4::Mov, input(), input())
        .with(Field::COND_UPDATE, 1)
        .with(Field::COND_FROM_VEC, 1)
        .with(Field::COND_SEL, 1);
    let write = move_to_output(0, input())
        .with(Field::INPUT_ADDR, 1)
        .with(Field::COND_TEST, 1)
        .with(Field::COND, 1)
        .with(Field::COND_SEL, 1)
        .with(Field::COND_SWZ, 0b11_10_01_00)
        .with(Field::SATURATE, 1);
    // COND_SWZ holds x in its top bits: x tests w, y tests z, z tests y, w tests x.
    let outputs = Setting::default().run(&[compare, end(write)], [-1.0, 2.0, -3.0, f32::NAN], [5.0, 6.0, -7.0, 0.5]);
    assert_eq!(outputs[0], [0.0, 1.0, 0.0, 0.5]);
}

#[test]
fn indexed_constants_have_limits_and_negative_addresses() {
    let setting = Setting { indexed: (3, 100), ..Setting::default() };
    let load = vector(Vec4::Arl, input(), input()).with(Field::DST_VEC, 1);
    let read = |output: u32, component: u32| {
        move_to_output(output, constant())
            .with(Field::CONST_ADDR, 10)
            .with(Field::CONST_INDEXED, 1)
            .with(Field::ADDR_SEL, 1)
            .with(Field::ADDR_SWZ, component)
    };
    let program = [load, read(0, 0), read(1, 1), read(2, 2), end(read(3, 3))];
    let outputs = setting.run(&program, [2.9, -7.0, -8.0, 90.5], ZERO_ONE);
    assert_eq!([0, 1, 2, 3].map(|output| outputs[output][0]), [12.0, 3.0, 0.0, 100.0]);
}

#[test]
fn outputs_and_inputs_are_indexed_and_writes_outside_are_dropped() {
    let load = vector(Vec4::Arr, input(), input()).with(Field::DST_VEC, 0);
    let write = move_to_output(12, input())
        .with(Field::INPUT_INDEXED, 1)
        .with(Field::OUT_INDEXED, 1)
        .with(Field::INPUT_ADDR, 0);
    let outputs = Setting::default().run(
        &[load, write, end(write.with(Field::ADDR_SWZ, 1))],
        [0.6, 7.0, 0.0, 0.0],
        [9.0, 8.0, 7.0, 6.0],
    );
    assert_eq!(outputs[13], [9.0, 8.0, 7.0, 6.0]);
    assert!((0..16).filter(|&output| output != 13).all(|output| outputs[output] == ZERO_ONE));
}

#[test]
fn a_loop_runs_until_its_condition_fails() {
    // R0.x = 0; do R0 += c[1].x (1.0); while R0.x < v0.x.
    let add = vector(Vec4::Add, temporary(0), input())
        .with(Field::SRC2, vertex_source(3, 0, [0; 4]))
        .with(Field::CONST_ADDR, 1)
        .with(Field::DST_VEC, 0);
    let compare = vector(Vec4::Slt, temporary(0), input()).with(Field::COND_UPDATE, 1).with(Field::COND_FROM_VEC, 1);
    let again =
        vertex_branch(scalar(Sca::Bra), 0).with(Field::COND_TEST, 1).with(Field::COND, 4).with(Field::COND_SWZ, 0);
    let program = [add, compare, again, end(move_to_output(0, temporary(0)))];
    let outputs = Setting::default().run(&program, [6.5, 0.0, 0.0, 0.0], ZERO_ONE);
    assert_eq!(outputs[0][0], 7.0);

    // Blocks begin at 0, 3, 6 and 9 executed instructions; the limit ends the program at the start of a block.
    let limited = Setting { limit: 9, ..Setting::default() }.run(&program, [6.5, 0.0, 0.0, 0.0], ZERO_ONE);
    assert_eq!(limited[0], ZERO_ONE);
}

#[test]
fn calls_return_behind_themselves_and_the_ninth_ends_the_program() {
    let program = [
        vertex_branch(scalar(Sca::Cal), 3),
        move_to_output(1, input()),
        end(VERTEX_NOP),
        move_to_output(0, input()),
        vertex_branch(scalar(Sca::Ret), 0),
    ];
    let outputs = Setting::default().run(&program, [1.0; 4], ZERO_ONE);
    assert_eq!((outputs[0], outputs[1]), ([1.0; 4], [1.0; 4]));

    // A subroutine adds 1 and calls itself: eight entries fit, and the ninth call ends the program.
    let add = to_output(vector(Vec4::Add, temporary(0), input()), 0)
        .with(Field::SRC2, vertex_source(3, 0, [0; 4]))
        .with(Field::CONST_ADDR, 1)
        .with(Field::DST_VEC, 0);
    let program = [add, vertex_branch(scalar(Sca::CalIndirect), 0), end(move_to_output(0, input()))];
    assert_eq!(Setting::default().run(&program, [0.0; 4], ZERO_ONE)[0], [9.0; 4]);
}

#[test]
fn booleans_decide_brb_with_either_polarity() {
    let program = |polarity: u32| {
        [
            vertex_branch(scalar(Sca::Brb), 2).with(Field::BRANCH_BOOLEAN, 5).with(Field::BRANCH_POLARITY, polarity),
            move_to_output(0, input()),
            end(VERTEX_NOP),
        ]
    };
    let setting = Setting { booleans: 1 << 5, ..Setting::default() };
    assert_eq!(setting.run(&program(1), [2.0; 4], ZERO_ONE)[0], ZERO_ONE);
    assert_eq!(setting.run(&program(0), [2.0; 4], ZERO_ONE)[0], [2.0; 4]);
}

#[test]
fn addresses_are_pushed_and_popped() {
    let load = |source: u32| vector(Vec4::Arl, source, source).with(Field::DST_VEC, 0);
    let stack = |opcode: Sca| VERTEX_NOP.with(Field::OP_SCA, scalar(opcode)).with(Field::DST_VEC, 0);
    let read = move_to_output(0, constant()).with(Field::CONST_INDEXED, 1).with(Field::CONST_ADDR, 0);
    let other = load(input()).with(Field::INPUT_ADDR, 1);
    let program = [load(input()), stack(Sca::PushA), other, stack(Sca::PopA), end(read)];
    let outputs = Setting::default().run(&program, [5.0, 0.0, 0.0, 0.0], [6.0, 0.0, 0.0, 0.0]);
    assert_eq!(outputs[0][0], 5.0);
    // RET to an address ends the program.
    let program = [stack(Sca::PushA), vertex_branch(scalar(Sca::Ret), 0), end(read)];
    assert_eq!(Setting::default().run(&program, ZERO_ONE, ZERO_ONE)[0], ZERO_ONE);
}

#[test]
fn ara_adds_pairs_of_the_selected_register() {
    let load = vector(Vec4::Arl, input(), input()).with(Field::DST_VEC, 1);
    let pairs = vector(Vec4::Ara, input(), input()).with(Field::ADDR_SEL, 1).with(Field::DST_VEC, 0);
    let read = move_to_output(0, constant())
        .with(Field::CONST_INDEXED, 1)
        .with(Field::CONST_ADDR, 20)
        .with(Field::ADDR_SWZ, 3);
    let outputs = Setting::default().run(&[load, pairs, end(read)], [1.0, 2.0, 30.0, -5.0], ZERO_ONE);
    assert_eq!(outputs[0][0], 17.0);
}

#[test]
fn every_vector_and_scalar_opcode_computes_what_its_row_says() {
    let a = [2.5f32, -1.0, 0.0, 4.0];
    let b = [2.0f32, -1.0, 3.0, 0.5];
    let vectors: &[(Vec4, [f32; 4])] = &[
        (Vec4::Mov, a),
        (Vec4::Mul, [5.0, 1.0, 0.0, 2.0]),
        (Vec4::Add, [4.5, -2.0, 3.0, 4.5]),
        (Vec4::Mad, [7.0, 0.0, 3.0, 2.5]),
        (Vec4::Dp3, [6.0; 4]),
        (Vec4::Dph, [6.5; 4]),
        (Vec4::Dp4, [8.0; 4]),
        (Vec4::Dst, [1.0, 1.0, 0.0, 0.5]),
        (Vec4::Min, [2.0, -1.0, 0.0, 0.5]),
        (Vec4::Max, [2.5, -1.0, 3.0, 4.0]),
        (Vec4::Slt, [0.0, 0.0, 1.0, 0.0]),
        (Vec4::Sge, [1.0, 1.0, 0.0, 1.0]),
        (Vec4::Frc, [0.5, 0.0, 0.0, 0.0]),
        (Vec4::Flr, [2.0, -1.0, 0.0, 4.0]),
        (Vec4::Seq, [0.0, 1.0, 0.0, 0.0]),
        (Vec4::Sfl, [0.0; 4]),
        (Vec4::Sgt, [1.0, 0.0, 0.0, 1.0]),
        (Vec4::Sle, [0.0, 1.0, 1.0, 0.0]),
        (Vec4::Sne, [1.0, 0.0, 1.0, 1.0]),
        (Vec4::Str, [1.0; 4]),
        (Vec4::Ssg, [1.0, -1.0, 0.0, 1.0]),
    ];
    let load = vector(Vec4::Mov, input(), input()).with(Field::INPUT_ADDR, 1).with(Field::DST_VEC, 1);
    for &(opcode, expected) in vectors {
        let word = to_output(vector(opcode, input(), temporary(1)), 0).with(Field::SRC2, temporary(1));
        assert_eq!(Setting::default().run(&[load, end(word)], a, b)[0], expected, "{opcode:?}");
    }
    // Powers of two are exact in the other functions; LIT of (4, −1, 0, …) has y ≤ 0 and w = 0.5.
    let scalars: &[(Sca, [f32; 4])] = &[
        (Sca::Mov, [4.0, -1.0, 0.0, 0.5]),
        (Sca::Rcp, [0.25; 4]),
        (Sca::Rcc, [0.25; 4]),
        (Sca::Rsq, [0.5; 4]),
        (Sca::Exp, [16.0, 0.0, 16.0, 1.0]),
        (Sca::Log, [2.0, 1.0, 2.0, 1.0]),
        (Sca::Lit, [1.0, 4.0, 0.0, 1.0]),
        (Sca::Lg2, [2.0; 4]),
        // The first row of the exponential's table is 1 unit in the last place above 0.
        (Sca::Ex2, [f32::from_bits(0x4180_0001); 4]),
    ];
    for &(opcode, expected) in scalars {
        let word = VERTEX_NOP
            .with(Field::OP_SCA, scalar(opcode))
            .with(Field::WM_SCA, 15)
            .with(Field::SRC2, input())
            .with(Field::OUT_ADDR, 0)
            .with(Field::OUT_FROM_VEC, 0);
        assert_eq!(Setting::default().run(&[end(word)], [4.0, -1.0, 0.0, 0.5], b)[0], expected, "{opcode:?}");
    }
}

/// An integer constant as loops read them.
fn integers(x: u32, y: u32, z: u32) -> [u32; 4] {
    [x, y, z, 0]
}

/// Runs a typed program whose constants are c[n] = (n, 0, 0, 0), but for the first.
fn run_scopes(bundles: Vec<VertexBundle>, first: &[[u32; 4]], booleans: u32) -> [[f32; 4]; 16] {
    let mut setting = Setting { booleans, ..Setting::default() };
    setting.constants[..first.len()].copy_from_slice(first);
    let context = VertexContext {
        constants: &setting.constants,
        rules: VertexRuleSet::Nv40Modern,
        booleans,
        instruction_limit: 0xffff,
        indexed_constants: (0, 543),
    };
    let vertex = run_vertex_program(&program(bundles), &context, &[[0; 4]; 16], &NoVertexTextures, &Unobserved);
    std::array::from_fn(|slot| vertex.outputs[slot].map(f32::from_bits))
}

fn flow(action: FlowAction) -> VertexBundle {
    let test = FlowTest::Condition;
    VertexBundle { flow: Some(VertexFlow { action, test }), ..VertexBundle::idle(0) }
}

/// R0 += c[1].
fn count() -> VertexBundle {
    bundle(operation(OperationKind::Arithmetic(&ADD), &[typed_temporary(0), typed_constant(1)], Some(0)))
}

/// o[index] = the operand.
fn store(index: u8, source: VertexOperand) -> VertexBundle {
    let output = VertexOutput { index, relative: None, unit: Unit::Vector, mask: WriteMask::ALL };
    VertexBundle { output: Some(output), ..bundle(operation(OperationKind::Move, &[source], None)) }
}

/// c[20 + the loop counter].
fn counted_constant() -> VertexOperand {
    let register = VertexRegister::Constant { index: 20, relative: Some(LOOP_COUNTER) };
    VertexOperand { register, ..typed_constant(0) }
}

#[test]
fn nested_loops_multiply_and_the_counter_of_the_outer_one_stays() {
    for (n, m, step) in [(4, 4, 1), (4, 7, 2), (9, 4, 2), (9, 7, 1)] {
        let bundles = vec![
            flow(FlowAction::Loop { parameters: 2, end: 4 }),
            flow(FlowAction::Loop { parameters: 3, end: 3 }),
            count(),
            VertexBundle::idle(0),
            store(0, typed_temporary(0)),
            store(1, counted_constant()),
        ];
        let one = [1.0f32.to_bits(); 4];
        let outputs = run_scopes(bundles, &[[0; 4], one, integers(n, 0, step), integers(m, 0, 1)], 0);
        let expected = ((n + 1) * (m + 1)) as f32;
        assert_eq!((outputs[0], outputs[1][0]), ([expected; 4], (20 + (n + 1) * step) as f32), "{n} {m} {step}");
    }
}

#[test]
fn loops_that_end_at_the_same_slot_leave_the_outer_one_open() {
    let bundles = vec![
        flow(FlowAction::Loop { parameters: 2, end: 3 }),
        flow(FlowAction::Loop { parameters: 3, end: 3 }),
        count(),
        store(0, typed_temporary(0)),
    ];
    let outputs = run_scopes(bundles, &[[0; 4], [1.0f32.to_bits(); 4], integers(4, 0, 1), integers(6, 0, 1)], 0);
    assert_eq!(outputs[0], [7.0; 4]);
}

#[test]
fn calls_inside_calls_return_where_their_slots_end() {
    // Slot 0 calls 3 to 5, slot 3 calls 6: three counts.
    let bundles = vec![
        flow(FlowAction::CallUntil { target: 3, end: 6 }),
        store(0, typed_temporary(0)),
        VertexBundle { is_last: true, ..VertexBundle::idle(0) },
        flow(FlowAction::CallUntil { target: 6, end: 7 }),
        count(),
        count(),
        count(),
        store(1, typed_temporary(0)),
    ];
    let outputs = run_scopes(bundles, &[[0; 4], [1.0f32.to_bits(); 4]], 0);
    assert_eq!((outputs[0], outputs[1]), ([3.0; 4], ZERO_ONE), "nothing behind the end runs");
}

#[test]
fn an_if_runs_one_side() {
    let bundles = |index| {
        let test = FlowTest::Boolean { index, value: true };
        let action = FlowAction::If { or_else: 2, end: 3 };
        vec![
            VertexBundle { flow: Some(VertexFlow { action, test }), ..VertexBundle::idle(0) },
            store(0, typed_constant(5)),
            store(1, typed_constant(6)),
            store(2, typed_constant(7)),
        ]
    };
    let taken = run_scopes(bundles(3), &[], 1 << 3);
    assert_eq!([taken[0][0], taken[1][0], taken[2][0]], [5.0, 0.0, 7.0]);
    let untaken = run_scopes(bundles(4), &[], 1 << 3);
    assert_eq!([untaken[0][0], untaken[1][0], untaken[2][0]], [0.0, 6.0, 7.0]);
}

#[test]
fn a_break_leaves_its_loop() {
    let test = FlowTest::Boolean { index: 0, value: true };
    let bundles = vec![
        flow(FlowAction::Loop { parameters: 2, end: 4 }),
        count(),
        VertexBundle { flow: Some(VertexFlow { action: FlowAction::Break, test }), ..VertexBundle::idle(0) },
        count(),
        store(0, typed_temporary(0)),
    ];
    let first = [[0; 4], [1.0f32.to_bits(); 4], integers(9, 0, 1)];
    assert_eq!(run_scopes(bundles.clone(), &first, 1)[0], [1.0; 4]);
    assert_eq!(run_scopes(bundles, &first, 0)[0], [20.0; 4]);
}

#[test]
fn flags_are_combined_by_and_or_alone() {
    // CC0 = (1, 0, …): x is true, y false.
    let mut load = bundle(operation(OperationKind::Move, &[typed_constant(4)], Some(1)));
    load.condition_update = Some(ConditionUpdate { register: 0, unit: Some(Unit::Vector) });
    for x in [None, Some(false), Some(true)] {
        for y in [None, Some(false), Some(true)] {
            for needs_both in [false, true] {
                let test = FlowTest::Flags { x, y, needs_both };
                let action = FlowAction::If { or_else: 3, end: 3 };
                let bundles = vec![
                    load.clone(),
                    VertexBundle { flow: Some(VertexFlow { action, test }), ..VertexBundle::idle(0) },
                    store(0, typed_constant(5)),
                    store(1, typed_constant(6)),
                ];
                let first = [[0; 4], [0; 4], [0; 4], [0; 4], [1.0f32.to_bits(), 0, 0, 0]];
                let y = y.map(|wanted: bool| !wanted);
                let passes = match (x, y) {
                    (None, None) => needs_both,
                    (Some(term), None) | (None, Some(term)) => term,
                    (Some(x), Some(y)) if needs_both => x && y,
                    (Some(x), Some(y)) => x || y,
                };
                let outputs = run_scopes(bundles, &first, 0);
                assert_eq!(outputs[0][0] == 5.0, passes, "{test:?}");
            }
        }
    }
}

#[test]
fn state_programs_read_back_outputs_and_write_constants() {
    let mut read = attribute(0);
    read.register = VertexRegister::Output(2);
    let mut first = bundle(operation(OperationKind::Move, &[attribute(0)], None));
    first.output = Some(VertexOutput { index: 2, relative: None, unit: Unit::Vector, mask: WriteMask(3) });
    let mut second = bundle(operation(OperationKind::Move, &[read], None));
    second.constant_write = Some(VertexConstantWrite { index: 1, unit: Unit::Vector, mask: WriteMask(0b1101) });
    let mut third = bundle(operation(OperationKind::Move, &[typed_constant(1)], None));
    third.constant_write = Some(VertexConstantWrite { index: 3, unit: Unit::Vector, mask: WriteMask::ALL });
    // Without an operation, and beyond the store.
    let mut idle = third.clone();
    idle.constant_write.as_mut().unwrap().unit = Unit::Scalar;
    let mut beyond = third.clone();
    beyond.constant_write.as_mut().unwrap().index = 544;
    let program = program(vec![first, second, third, idle, beyond]);
    let context = VertexContext {
        constants: &[[5; 4], [6; 4]],
        rules: VertexRuleSet::Nv40Legacy,
        booleans: 0,
        instruction_limit: 0xffff,
        indexed_constants: (0, 543),
    };
    let store = run_state_program(&program, &context, &[[7, 8, 9, 10]; 16]);
    let written = [7, 6, 0, 1.0f32.to_bits()];
    assert_eq!(store[..4], [[5; 4], written, [0; 4], written]);
    assert_eq!(store.len(), 544);
    let vertex = run_vertex_program(&program, &context, &[[7, 8, 9, 10]; 16], &NoVertexTextures, &Unobserved);
    assert_eq!(vertex.outputs[2], [7, 8, 0, 1.0f32.to_bits()]);
}
