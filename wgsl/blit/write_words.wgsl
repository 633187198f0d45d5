// Writes up to four words, for fences and reports. A single invocation.
import package::memory::write::store_u32;

struct WordsParameters {
    // Which of the counters.
    counter: u32,
    // Mirror address of the first word.
    start: u32,
    // How many words.
    count: u32,
    // Which word the counter is added to; 4 for none.
    counter_word: u32,
    values: vec4u,
    // What the counter is multiplied by.
    factor: u32,
    padding: array<u32, 3>,
}

@group(0) @binding(14) var<storage, read> parameters: WordsParameters;
@group(0) @binding(15) var<storage, read> counters: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var index = 0u; index < parameters.count; index++) {
        var value = parameters.values[index];
        if index == parameters.counter_word {
            value += counters[parameters.counter] * parameters.factor;
        }
        store_u32(parameters.start + 4u * index, value);
    }
}
