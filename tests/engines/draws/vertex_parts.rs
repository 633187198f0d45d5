//! Draws whose vertices share one kernel, each with its own constants, arrays and indices.

use curie::command::methods::three_d::{draw, program, vertex};
use curie::isa::nv40_vertex::{VectorOpcode, VertexField as Field};
use curie::kernels::KernelPath;

use super::stage::{SIZE, Stage, THREE_D, source, to_output};

const POINTS: u32 = 1;
/// The start of the two position arrays and of the brightness array.
const RISING: usize = 0;
const FALLING: usize = 0x2000;
const BRIGHTNESS: usize = 0x4000;
/// Number of elements in each array.
const ELEMENTS: u32 = 500;

/// A draw of points.
struct Part {
    first: u32,
    count: u32,
    base: u32,
    positions: usize,
    /// The offset of positions, and the factor or summand of brightness.
    moved: [f32; 2],
    scale: f32,
}

impl Part {
    /// Pixels and their element, in order.
    fn pixels(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        (self.first + self.base..self.first + self.base + self.count).map(|element| {
            let x = if self.positions == RISING { element % SIZE } else { SIZE - 1 - element % SIZE };
            (x + self.moved[0] as u32, element / SIZE + self.moved[1] as u32, element)
        })
    }

    fn draw(&self, stage: &mut Stage) {
        let [x, y] = self.moved;
        let rows = [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0; 4], [0.0, 0.0, 0.0, 1.0], [self.scale; 4]];
        stage.stream.method(THREE_D, program::VP_UPLOAD_CONST_ID, 3);
        for row in rows {
            stage.stream.floats(THREE_D, program::VP_UPLOAD_CONST, &row);
        }
        stage.array(0, self.positions, 0x0822);
        stage.stream.method(THREE_D, vertex::VB_ELEMENT_BASE, self.base);
        if self.base == 0 {
            stage.draw_arrays(POINTS, self.first, self.count);
            return;
        }
        stage.begin(POINTS);
        for index in self.first..self.first + self.count {
            stage.stream.method(THREE_D, draw::VB_ELEMENT_U32, index);
        }
        stage.end();
    }
}

/// A stage with the arrays.
fn stage() -> Stage {
    let mut stage = Stage::new();
    let middle = |pixel: u32| pixel as f32 + 0.5;
    for (offset, x) in [(RISING, [0, 1]), (FALLING, [SIZE - 1, u32::MAX])] {
        let position = |element: u32| x[0].wrapping_add(x[1].wrapping_mul(element % SIZE));
        let points = (0..ELEMENTS).flat_map(|element| [middle(position(element)), middle(element / SIZE)]);
        stage.put_floats(offset, &points.collect::<Vec<_>>());
    }
    stage.put_floats(BRIGHTNESS, &(0..ELEMENTS).map(brightness).collect::<Vec<_>>());
    stage.array(8, BRIGHTNESS, 0x0412);
    stage
}

fn brightness(element: u32) -> f32 {
    1.0 + element as f32
}

/// o0 = the matrix c3..c6 times v0, and o7 = v8 `operation` c7.
fn transformed(stage: &mut Stage, operation: VectorOpcode) {
    let constant = source(3, 0);
    let row = |row: u32| {
        let word = to_output(VectorOpcode::Dp4, 0, 0).with(Field::SRC1, constant);
        word.with(Field::CONST_ADDR, 3 + row).with(Field::WM_VEC, 8 >> row)
    };
    // A sum takes its operands from the first and the third source.
    let operand = if operation == VectorOpcode::Add { Field::SRC2 } else { Field::SRC1 };
    let color = to_output(operation, 8, 7).with(operand, constant).with(Field::CONST_ADDR, 7);
    stage.vertex_program(&[row(0), row(1), row(2), row(3), color]);
}

#[test]
fn draws_through_one_program_keep_their_inputs() {
    let part =
        |[first, count, base]: [u32; 3], positions, moved, scale| Part { first, count, base, positions, moved, scale };
    let parts = [
        part([0, 1, 0], RISING, [0.0, 0.0], 2.0),
        // More than one workgroup, with one vertex in the last.
        part([3, 257, 4], FALLING, [0.0, 1.0], 0.5),
        part([100, 7, 0], RISING, [3.0, 8.0], 1.0),
        part([0, 300, 64], RISING, [0.0, 16.0], 4.0),
        // A factor outside the normal range, only in this draw.
        part([0, 40, 1], FALLING, [0.0, 30.0], f32::from_bits(0x0080_0000)),
        part([0, 40, 2], RISING, [0.0, 32.0], 0.25),
        part([0, 16, 0], FALLING, [0.0, 40.0], -1.0),
    ];
    for path in [KernelPath::Invocations, KernelPath::Workgroups, KernelPath::Stages] {
        let mut stage = stage();
        transformed(&mut stage, VectorOpcode::Mul);
        parts.iter().for_each(|part| part.draw(&mut stage));
        let picture = stage.run_on(path);
        for part in &parts {
            for (x, y, element) in part.pixels() {
                let expected = brightness(element) * part.scale;
                assert_eq!(picture.at(x, y), [expected, 0.0, 0.0, part.scale], "{x}, {y}");
            }
        }
        assert_eq!(picture.drawn().len(), parts.iter().map(|part| part.count as usize).sum::<usize>());
        assert_eq!(picture.vertices_run, 661);
        assert!(picture.geometry_passes.is_none_or(|passes| passes == 1));
    }
}

#[test]
fn draws_through_programs_in_turn_keep_their_order() {
    let operations = [VectorOpcode::Mul, VectorOpcode::Add, VectorOpcode::Mul, VectorOpcode::Mul, VectorOpcode::Add];
    for path in [KernelPath::Invocations, KernelPath::Workgroups, KernelPath::Stages] {
        let mut stage = stage();
        let mut expected = [[0.0; 2]; 22];
        for (number, operation) in (0u8..).zip(operations) {
            // Each draw covers all but the first two pixels of the previous one.
            let place = 2 * u32::from(number);
            let part = Part {
                first: 0,
                count: 10,
                base: u32::from(number),
                positions: RISING,
                moved: [place as f32, 0.0],
                scale: f32::from(number + 3),
            };
            transformed(&mut stage, operation);
            part.draw(&mut stage);
            for (x, _, element) in part.pixels() {
                expected[x as usize] = match operation {
                    VectorOpcode::Add => [brightness(element) + part.scale, 1.0 + part.scale],
                    _ => [brightness(element) * part.scale, part.scale],
                };
            }
        }
        let picture = stage.run_on(path);
        for (x, [red, alpha]) in (0..).zip(expected) {
            assert_eq!([picture.at(x, 0)[0], picture.at(x, 0)[3]], [red, alpha], "pixel {x}");
        }
        assert!(picture.geometry_passes.is_none_or(|passes| passes == 1));
    }
}

#[test]
fn values_outside_the_normal_range_are_exact_in_each_draw() {
    let mut stage = stage();
    transformed(&mut stage, VectorOpcode::Mul);
    // Denormals, tiny and huge numbers, infinities and NaN, also as positions.
    let wild = [1, 0x0070_0000, 0x1f80_0000, 0x7e80_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x8000_0000];
    stage.put_words(BRIGHTNESS + 4 * 40, &wild);
    stage.put_words(RISING + 8 * 100, &wild);
    for (number, scale) in (0u8..).zip([1.0, f32::from_bits(0x1f00_0000), 3.0, f32::INFINITY, 0.1, 1e-40]) {
        let moved = [0.0, 8.0 * f32::from(number)];
        Part { first: u32::from(number), count: 120, base: 0, positions: RISING, moved, scale }.draw(&mut stage);
    }
    let picture = stage.run();
    assert_eq!(picture.vertices_run, 720);
    // All but a few positions, and the draw that is flushed entirely.
    assert!((550..=600).contains(&picture.drawn().len()));
}
