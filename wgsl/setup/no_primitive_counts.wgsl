// Replaces `primitive_counts.wgsl` where nothing is counted.

fn count_primitives(draw: u32, culled: u32, rejected: u32, valid: u32, clipped: u32) {}
