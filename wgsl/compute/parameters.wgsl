// Parameters of a launch, and the tables that it reads.

struct ComputeParameters {
    // Always zero.
    zero: u32,
    // The number of this dispatch.
    dispatch: u32,
    // The blocks of the grid, and how many of them are in x.
    blocks: u32,
    grid_width: u32,
    // Of a block: warps, threads, and threads in x and y.
    warps: u32,
    threads: u32,
    block_width: u32,
    block_height: u32,
    // The instructions of a warp after which another one runs.
    turn_limit: u32,
    // The instructions of all warps together, and the passes of all loops, after which this dispatch ends.
    instruction_limit: u32,
    pass_limit: u32,
    // The entries of the stack of a warp.
    stack_entries: u32,
    // The words of local memory of a thread.
    local_words: u32,
    // Where global memory begins, and its pages of 256 bytes.
    memory_start: u32,
    memory_pages: u32,
    // The words of the parameters.
    argument_words: u32,
    // The words of a slot, and those before the registers of its warps.
    slot_words: u32,
    slot_start: u32,
    // The first three words of shared memory.
    header: array<u32, 3>,
    // The threads of the last block.
    last_threads: u32,
    // The words of `a[]` or `v[]` of a thread, where the tables have inputs and fragments, and whether inputs are planes.
    input_words: u32,
    inputs_start: u32,
    fragments_start: u32,
    has_planes: u32,
    // The number of words of `o[]`, the number of result words of a thread, and the place in memory where results begin.
    output_words: u32,
    output_stride: u32,
    outputs_start: u32,
    reserved: u32,
    // Of each constant space, its first word in the tables and its bytes.
    constants: array<vec2u, 16>,
    // Of each global space, where it begins in memory and the last address in it.
    globals: array<vec2u, 16>,
}

@group(0) @binding(40) var<storage, read> compute_parameters: ComputeParameters;

// The bytes of each page of global memory that belong to a buffer, in sparse memory with the page's number above, then the
// parameters, the constant spaces, the inputs of threads, and fragments.
@group(0) @binding(41) var<storage, read> compute_tables: array<u32>;
