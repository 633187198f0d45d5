// The inputs and outputs of vertices and fragments. Each warp of them is a block.
import package::compute::ballot::lane;
import package::compute::block::block_number;
import package::compute::parameters::compute_parameters;

// The number of the lane's vertex or fragment.
fn element() -> u32 {
    return block_number * 32u + lane;
}

// Where the tables have a word of the inputs that are given for each thread.
fn input_word(address: u32) -> u32 {
    return compute_parameters.inputs_start + element() * compute_parameters.input_words + (address >> 2u);
}

// Where memory has a word of the outputs.
fn output_word(word: u32) -> u32 {
    return compute_parameters.outputs_start + element() * compute_parameters.output_stride + word;
}
