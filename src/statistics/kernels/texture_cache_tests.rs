//! Compares the texture caches on the device with those on the host.

use super::*;
use crate::statistics::kernels::test_gpu;
use crate::statistics::test_random::Random;
use crate::statistics::test_traces::{full_screen, random_caches, random_lookups};
use crate::statistics::texture_cache::{
    SweepAxes, simulate as simulate_on_host, simulate_filling as simulate_filling_on_host, sweep as sweep_on_host,
};

#[test]
fn random_traces_and_shapes_give_the_numbers_of_the_host() {
    let Some(gpu) = test_gpu() else { return };
    let mut random = Random::new(6);
    let trace = random_lookups(&mut random, 4, 700);
    let orders = [QuadOrder::Recorded, QuadOrder::Scanline, QuadOrder::Tiled { quads: 3 }];
    let cases: Vec<_> =
        (0..24).map(|case| SweepCase { parameters: random_caches(&mut random, 4), order: orders[case % 3] }).collect();
    let expected = sweep_on_host(&trace, &cases).unwrap();
    let results = sweep(&gpu, &trace, &cases).unwrap();
    for (result, expected) in results.iter().zip(&expected) {
        assert_eq!(result, expected);
    }
    assert_eq!(results.len(), expected.len());
    // A planted difference.
    let mut other = trace.clone();
    other.texels[5] += 1 << 20;
    assert_ne!(sweep(&gpu, &other, &cases[..1]).unwrap(), expected[..1]);
}

#[test]
fn lines_come_from_memory_as_on_the_host() {
    let Some(gpu) = test_gpu() else { return };
    let mut random = Random::new(13);
    let trace = random_lookups(&mut random, 4, 300);
    for order in [QuadOrder::Recorded, QuadOrder::Scanline] {
        // With a second level and without.
        for second in [random_caches(&mut random, 4).second, None] {
            let parameters = TextureCacheParameters { second, ..random_caches(&mut random, 4) };
            let Ok(()) = parameters.check() else { continue };
            let mut fills = Vec::new();
            let expected = simulate_filling_on_host(&trace, &parameters, order, |line| fills.push(line)).unwrap();
            let case = SweepCase { parameters, order };
            let filled = with_buffers(&gpu, &trace, |buffers| simulate_filling(&gpu, buffers, &case)).unwrap();
            assert_eq!(filled, (expected, fills));
        }
    }
}

#[test]
fn a_trace_of_many_dispatches_gives_the_numbers_of_the_host() {
    let Some(gpu) = test_gpu() else { return };
    let mut trace = full_screen(128);
    // One pipe has most of the load.
    trace.lookups.iter_mut().for_each(|lookup| lookup.pipe &= (lookup.position & 2) as u16);
    let parameters = TextureCacheParameters::default();
    let order = QuadOrder::Tiled { quads: 4 };
    let expected = simulate_on_host(&trace, &parameters, order).unwrap();
    assert!(dispatches(trace.texels.len() as u64) > 1);
    assert_eq!(expected.memory_bytes(), 128 * 128 * 4);
    assert_eq!(sweep(&gpu, &trace, &[SweepCase { parameters, order }]).unwrap(), [expected]);
}

#[test]
fn nothing_and_what_does_not_fit() {
    let Some(gpu) = test_gpu() else { return };
    let cases = SweepAxes::default().cases();
    let results = sweep(&gpu, &TextureTrace::default(), &cases[..3]).unwrap();
    assert!(results.iter().all(|result| result.total() == LevelCounts::default()));
    assert_eq!(sweep(&gpu, &full_screen(4), &[]).unwrap(), []);
    let mut trace = full_screen(4);
    trace.texels[3] = u32::MAX;
    let first = CacheParameters { size_bytes: 1024, line_bytes: 256, ways: 2 };
    let parameters = TextureCacheParameters { first, second: None, ..TextureCacheParameters::default() };
    let expected = simulate_on_host(&trace, &parameters, QuadOrder::Recorded).unwrap();
    let case = SweepCase { parameters, order: QuadOrder::Recorded };
    assert_eq!(sweep(&gpu, &trace, &[case]).unwrap(), [expected]);
    trace.lookups[0].pipe = 4;
    let error = sweep(&gpu, &trace, &cases[..1]).unwrap_err();
    assert!(matches!(error, ModelError::Parameter(ParameterError { field: "pipe", .. })), "{error}");
}
