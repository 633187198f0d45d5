// Classifies tiles of a color surface by whether all samples of each pixel are equal. One invocation per tile; the
// function on the host is `statistics::tile_compression::classify`.
import package::models::sample_surface::{run, memory, classes, tile_of, is_partial, first_sample, PLAIN, COMPRESSED, CONSTANT, PARTIAL};

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let tile = tile_of(id);
    if tile >= run.tile_count {
        return;
    }
    if is_partial(tile) {
        classes[tile] = PARTIAL;
        return;
    }
    let first = first_sample(tile);
    let color = memory[first];
    var fits = true;
    var is_constant = true;
    for (var sample = 0u; sample < 32u; sample++) {
        let row = sample >> 3u;
        let column = sample & 7u;
        let value = memory[first + row * run.surface.pitch_words + column];
        let pixel_row = (row >> run.log2_rows) << run.log2_rows;
        let pixel_column = (column >> run.log2_columns) << run.log2_columns;
        fits = fits && value == memory[first + pixel_row * run.surface.pitch_words + pixel_column];
        is_constant = is_constant && value == color;
    }
    classes[tile] = select(PLAIN, select(COMPRESSED, CONSTANT, is_constant), fits);
}
