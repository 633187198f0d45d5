//! Finds the texels beyond the edges of a cube map's faces, which linear filters read from the adjacent faces.
//!
//! Source: `ARB_seamless_cube_map`. It recommends the mean of three texels beyond a corner, where no face has a texel.

use super::addressing::{FACE_AXES, cube_face};
use crate::arith::fragment;

/// The places, numbers from −1 (modulo 2³²) to `side`, whose mean is the texel at one of them.
///
/// That is the place itself, or beyond a corner: the face's own texel at the corner, then its neighbours beyond the edges of x and y.
#[must_use]
pub fn averaged_places([x, y]: [u32; 2], side: u32) -> Vec<[u32; 2]> {
    if x < side || y < side {
        return vec![[x, y]];
    }
    let [column, row] = [x, y].map(|texel| if texel == side { side - 1 } else { 0 });
    vec![[column, row], [x, row], [column, y]]
}

/// The face and the texel at a place of a `face`, which is beyond one of its edges at most.
#[must_use]
pub fn texel_on_cube(face: u32, place: [u32; 2], side: u32) -> (u32, [u32; 2]) {
    if place.iter().all(|texel| *texel < side) {
        return (face, place);
    }
    // In halves of a texel, the cube reaches from −side to side. The center is one half beyond the edge. The cube is folded there, so
    // that it lies on the adjacent face, one half from this one.
    let end = side.cast_signed();
    let mut direction = [0; 3];
    direction[(face / 2) as usize] = signed(end - 1, face & 1 != 0);
    for (texel, (component, is_negative)) in place.into_iter().zip(FACE_AXES[face as usize]) {
        let center = 2 * texel.cast_signed() + 1 - end;
        direction[component] = signed(center.clamp(-end, end), is_negative);
    }
    let adjacent = cube_face(direction.map(fragment::int_to_float));
    let texel = |(component, is_negative): (usize, bool)| (signed(direction[component], is_negative) + end - 1) / 2;
    (adjacent, FACE_AXES[adjacent as usize].map(|axis| texel(axis).cast_unsigned()))
}

const fn signed(value: i32, is_negative: bool) -> i32 {
    if is_negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The center of a texel in halves of a texel from the middle of the cube, by the table of OpenGL 3.3, section 3.8.10.
    fn center(face: u32, [x, y]: [u32; 2], side: u32) -> [i32; 3] {
        let end = side.cast_signed();
        let [s, t] = [x, y].map(|texel| 2 * texel.cast_signed() + 1 - end);
        [[end, -t, -s], [-end, -t, s], [s, end, t], [s, -end, -t], [s, -t, end], [-s, -t, -end]][face as usize]
    }

    /// All places of a face that are beyond one edge, with the texel before the edge.
    fn across_edges(side: u32) -> impl Iterator<Item = ([u32; 2], [u32; 2])> {
        let before = u32::MAX;
        (0..side).flat_map(move |n| {
            [([before, n], [0, n]), ([side, n], [side - 1, n]), ([n, before], [n, 0]), ([n, side], [n, side - 1])]
        })
    }

    #[test]
    fn texels_across_an_edge_are_neighbors() {
        for side in [1, 2, 3, 8, 8192] {
            for face in 0..6 {
                for (beyond, inside) in across_edges(side).step_by(side.div_ceil(8) as usize) {
                    let (adjacent, texel) = texel_on_cube(face, beyond, side);
                    assert!(texel.iter().all(|number| *number < side) && adjacent / 2 != face / 2, "{face} {beyond:?}");
                    // Half a texel to the edge on this face, and half a texel away from it on the other.
                    let (from, to) = (center(face, inside, side), center(adjacent, texel, side));
                    let mut steps: [i32; 3] = std::array::from_fn(|axis| (to[axis] - from[axis]).abs());
                    steps.sort_unstable();
                    assert_eq!(steps, [0, 1, 1], "{face} {beyond:?}");
                }
            }
        }
    }

    #[test]
    fn texels_inside_stay() {
        for face in 0..6 {
            assert_eq!(texel_on_cube(face, [1, 2], 3), (face, [1, 2]));
            assert_eq!(averaged_places([1, 2], 3), [[1, 2]]);
        }
        assert_eq!(averaged_places([u32::MAX, 0], 1), [[u32::MAX, 0]]);
    }

    /// The cube's corner (1, 1, 1) is the upper left one of +x, the lower right one of +y and the upper right one of +z.
    #[test]
    fn three_texels_meet_at_a_corner() {
        let before = u32::MAX;
        for (face, beyond) in [(0, [before, before]), (2, [4, 4]), (4, [4, before])] {
            let mut found: Vec<_> =
                averaged_places(beyond, 4).into_iter().map(|place| texel_on_cube(face, place, 4)).collect();
            assert_eq!(found[0].0, face);
            found.sort_unstable();
            assert_eq!(found, [(0, [0, 0]), (2, [3, 3]), (4, [3, 0])]);
        }
    }
}
