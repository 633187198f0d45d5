// Counts the quads of a primitive that the tile kernel skips as a group. `HAS_WINDOW_CLIP`, `HAS_STIPPLE` and the
// constants that the imports need are constants of the kernel.

import package::fragment::count_pixels::counted_quad;
import package::raster::coverage_at_centers::covered_bits;
import package::software::iteration_budget::loop_iterations;
import package::raster::quad_traversal::{edge_at, edge_quad, pixel_tests};

// Counts the quads of a primitive from even pixels `first` to `last`, and their pixels inside its edges. All of
// them are inside the depth range. Takes one loop iteration per quad.
fn counted_coverage(setup: u32, header: vec4u, edges: array<vec4i, 4>, first: vec2u, last: vec2u) -> u32 {
    var sum = 0u;
    var x = first.x;
    var y = select(first.y, last.y + 1u, first.x > last.x);
    while y <= last.y {
        loop_iterations += 1u;
        let columns = vec4u(x, x + 1u, x, x + 1u);
        let rows = vec4u(y, y, y + 1u, y + 1u);
        let values = array<vec4i, 4>(
            edge_quad(edges[0], edge_at(edges[0], i32(x), i32(y))),
            edge_quad(edges[1], edge_at(edges[1], i32(x), i32(y))),
            edge_quad(edges[2], edge_at(edges[2], i32(x), i32(y))),
            edge_quad(edges[3], edge_at(edges[3], i32(x), i32(y))),
        );
        sum += counted_quad(covered_bits(setup, header, columns, rows, pixel_tests(header, columns, rows), edges, values));
        let ends_row = x + 2u > last.x;
        y += select(0u, 2u, ends_row);
        x = select(x + 2u, first.x, ends_row);
    }
    return sum;
}
