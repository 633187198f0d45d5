// Where the outputs of vertex programs lie: register by register for eight vertices each, so that the same register of
// neighbors shares cache lines.

// The place of output register `number` of a vertex, of 16.
fn output_place(vertex: u32, number: u32) -> u32 {
    return (vertex & ~7u) * 16u + number * 8u + (vertex & 7u);
}
