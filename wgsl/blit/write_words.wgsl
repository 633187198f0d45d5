// Writes up to four words, for fences and reports. A single invocation.
import package::memory::write::store_u32;

struct WordsParameters {
    // Which of the counters.
    counter: u32,
    // Mirror address of the first word.
    start: u32,
    // How many words.
    count: u32,
    // Which word is the counter; 4 for none.
    counter_word: u32,
    values: vec4u,
}

@group(0) @binding(14) var<storage, read> parameters: WordsParameters;
@group(0) @binding(15) var<storage, read> counters: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var index = 0u; index < parameters.count; index++) {
        var value = parameters.values[index];
        if index == parameters.counter_word {
            value = counters[parameters.counter];
        }
        store_u32(parameters.start + 4u * index, value);
    }
}
