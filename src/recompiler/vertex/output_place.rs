//! Where the outputs of vertex programs lie in memory of the device; the twin of `wgsl/vertex/output_place.wgsl`.

/// The vertices whose registers of one number lie side by side.
const NEIGHBORS: usize = 8;

/// The vectors that the output registers of this many vertices take.
#[must_use]
pub const fn output_vectors(vertices: usize) -> usize {
    vertices.next_multiple_of(NEIGHBORS) * 16
}

/// The output slots that the buffer of vertices holds.
pub const MAX_SLOTS: u32 = 16;

/// The vector that holds output register `number`, of 16, of a vertex.
#[must_use]
pub const fn output_place(vertex: usize, number: usize) -> usize {
    vertex / NEIGHBORS * NEIGHBORS * 16 + number * NEIGHBORS + vertex % NEIGHBORS
}

/// The output registers of this many vertices, vertex by vertex.
#[must_use]
pub fn outputs_by_vertex(vectors: &[[u32; 4]], vertices: usize) -> Vec<[[u32; 4]; 16]> {
    let outputs = |vertex| std::array::from_fn(|number| vectors[output_place(vertex, number)]);
    (0..vertices).map(outputs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_register_of_each_vertex_has_a_place() {
        assert_eq!([output_vectors(0), output_vectors(1), output_vectors(9)], [0, 128, 256]);
        let mut places: Vec<_> =
            (0..24).flat_map(|vertex| (0..16).map(move |number| output_place(vertex, number))).collect();
        assert_eq!([places[0], places[1], places[16], places[8 * 16]], [0, 8, 1, 128]);
        places.sort_unstable();
        assert_eq!(places, (0..output_vectors(24)).collect::<Vec<_>>());
    }
}
