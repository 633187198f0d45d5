//! Carries of 64-bit counts in two words: from the low words, one count at a time or after many.

use crate::common;

const COUNTS: u32 = 32;
const INVOCATIONS: u32 = 64;
const ROUNDS: u32 = 3;

/// The amount that an invocation adds to a count in an iteration: often large enough that low words overflow each time.
const AMOUNT: &str = "fn amount(invocation: u32, count: u32, round: u32) -> u32 {
    let mixed = (invocation * 2654435769u) ^ (count * 2246822519u) ^ (round * 3266489917u);
    return select(mixed, mixed | 0xf0000000u, count % 2u == 0u) * u32(count % 5u != 0u);
}";

fn amount(invocation: u32, count: u32, round: u32) -> u32 {
    let mixed =
        invocation.wrapping_mul(2_654_435_769) ^ count.wrapping_mul(2_246_822_519) ^ round.wrapping_mul(3_266_489_917);
    match count {
        _ if count.is_multiple_of(5) => 0,
        _ if count.is_multiple_of(2) => mixed | 0xf000_0000,
        _ => mixed,
    }
}

/// Runs a kernel that adds all amounts in `body`; returns the counts.
fn counts(gpu: &curie::gpu::Gpu, imports: &str, body: &str) -> Vec<u64> {
    let source = format!(
        "import package::counters::draw_counts::{{{imports}, counters}};\n{AMOUNT}\n
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) invocation: u32) {{
            for (var round = 0u; round < {ROUNDS}u; round += 1u) {{
                {body}
            }}
        }}"
    );
    // Passing samples and three unused words precede the counts.
    let mut words = vec![0u32; 4 + 2 * COUNTS as usize];
    gpu.run("carries", &source, &mut [(15, &mut words)], [1, 1, 1]).unwrap();
    assert_eq!(words[..4], [0; 4]);
    words[4..].chunks(2).map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect()
}

#[test]
fn nothing_is_lost_where_low_words_overflow() {
    let Some(gpu) = common::gpu() else { return };
    let sum = |count: u32| -> u64 {
        let rounds = (0..INVOCATIONS).flat_map(|invocation| (0..ROUNDS).map(move |round| (invocation, round)));
        rounds.map(|(invocation, round)| u64::from(amount(invocation, count, round))).sum()
    };
    let expected: Vec<u64> = (0..COUNTS).map(sum).collect();
    assert!(expected.iter().filter(|sum| **sum > 50 << 32).count() > 20);
    let together = "
        var carries = 0u;
        for (var count = 0u; count < 32u; count += 1u) {
            carries |= add_low_word(count, amount(invocation, count, round)) << count;
        }
        carry_counts(0u, carries);";
    let alone = "
        for (var count = 0u; count < 32u; count += 1u) {
            add_count(count, amount(invocation, count, round));
        }";
    assert_eq!(counts(&gpu, "add_low_word, carry_counts", together), expected);
    assert_eq!(counts(&gpu, "add_count", alone), expected);
}
