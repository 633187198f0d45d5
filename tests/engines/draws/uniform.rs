//! Programs that read neither inputs nor textures compute the same for all pixels, and may run once for all of them,
//! except if pixels can be discarded; each kind of value matches the reference.

use super::interpolation::program;
use super::stage::Stage;

const QUADS: u32 = 8;

/// Programs and the pixel that they leave; `None` if they discard all.
const PROGRAMS: [(&str, Option<[f32; 4]>); 9] = [
    ("CONTROL 0x03000040; MOVR R0, {0.25, -3, 1e30, 1};", Some([0.25, -3.0, 1e30, 1.0])),
    // A product below 2^-103 leaves the fast path; one below 2^-126 is 0.
    (
        "CONTROL 0x03000040; MOVR R1, {1.52587890625e-05, 0, 2, 1};
         MULR R2, R1, R1; MULR R2, R2, R2; MULR R3, R2, R2; MOVR R0, R2; MOVR R0.y, R3.x; MOVR R0.z, R1;",
        Some([1.0 / 18_446_744_073_709_551_616.0, 0.0, 2.0, 1.0]),
    ),
    ("CONTROL 0x030000c0; MOVRC RC, {1, 1, 1, 1}; MOVR R0, {0.5, 2, 3, 4}; KIL LT;", Some([0.5, 2.0, 3.0, 4.0])),
    ("CONTROL 0x030000c0; MOVRC RC, {1, 1, -1, 1}; MOVR R0, {0.5, 2, 3, 4}; KIL LT;", None),
    (
        "CONTROL 0x03000040; MOVRC RC.x, {-1, 0, 0, 0};
         IF LT.x; MOVR R0, {1, 2, 3, 4}; ELSE; MOVR R0, {5, 6, 7, 8}; ENDIF; NOP;",
        Some([1.0, 2.0, 3.0, 4.0]),
    ),
    (
        "CONTROL 0x03000040; MOVRC RC.x, {1, 0, 0, 0};
         IF LT.x; MOVR R0, {1, 2, 3, 4}; ELSE; MOVR R0, {5, 6, 7, 8}; ENDIF; NOP;",
        Some([5.0, 6.0, 7.0, 8.0]),
    ),
    (
        "CONTROL 0x03000040; MOVR R0, {0, 0, 0, 0}; REP {3, 0, 0}; ADDR R0, R0, {1, 2, 3, 4}; ENDREP; NOP;",
        Some([3.0, 6.0, 9.0, 12.0]),
    ),
    (
        "CONTROL 0x030000c0; MOVR R0, {0, 0, 0, 7};
         REP {4, 0, 0}; ADDR R0.x, R0, {1, 0, 0, 0}; ADDRC RC.x, R0, {-3, 0, 0, 0}; KIL GT.x; ENDREP; NOP;",
        None,
    ),
    (
        "CONTROL 0x030000c0; MOVR R0, {0, 0, 0, 7};
         REP {3, 0, 0}; ADDR R0.x, R0, {1, 0, 0, 0}; ADDRC RC.x, R0, {-3, 0, 0, 0}; KIL GT.x; ENDREP; NOP;",
        Some([3.0, 0.0, 0.0, 7.0]),
    ),
];

#[test]
fn programs_that_read_nothing_give_all_pixels_the_same() {
    for (text, expected) in PROGRAMS {
        let mut stage = Stage::new();
        program(&mut stage, &format!("!!NV40fp1.0\n{}\nEND\n", text.replace(';', ";\n")));
        // Two tiles wide, with the second quad over a part of the first.
        let points = [1.0, 2.0, 25.0, 2.0, 25.0, 23.0, 1.0, 23.0, 8.0, 8.0, 16.0, 8.0, 16.0, 16.0, 8.0, 16.0];
        stage.put_floats(0, &points);
        stage.array(0, 0, 0x0822);
        stage.draw_arrays(QUADS, 0, 8);
        let picture = stage.run();
        for (x, y) in (0..32).flat_map(|y| (0..32).map(move |x| (x, y))) {
            let is_inside = (1..25).contains(&x) && (2..23).contains(&y);
            let pixel = expected.filter(|_| is_inside).unwrap_or_default();
            assert_eq!(picture.at(x, y), pixel, "{text}: pixel {x}, {y}");
        }
    }
}
