//! Compares the prefetching pipe with a clock-by-clock simulation and with published results.

use std::collections::VecDeque;

use super::*;
use crate::test_random::Random;
use crate::test_traces::{full_screen, random_prefetch, random_quads};

/// A request in the request FIFO or in the reorder buffer.
struct Request {
    quad: usize,
    number: u32,
    pushed: u64,
    arrival: u64,
}

/// A pipe with its queues, at the end of a clock.
struct Pipe<'a> {
    parameters: &'a PrefetchParameters,
    quads: &'a [QuadWork],
    /// The quad whose tags are checked, how many of its misses are pushed, and when the previous quad was done.
    checked: (usize, u16, u64),
    /// Requests so far.
    requests: u32,
    request_fifo: VecDeque<Request>,
    reorder: VecDeque<Request>,
    /// Numbers of quads and when they entered.
    fragment_fifo: VecDeque<(usize, u64)>,
    /// For each quad, how many of its lines arrived, and when the last did.
    lines: Vec<(u16, u64)>,
    left: usize,
    left_at: u64,
    /// When the first request in the FIFO became ready, and until when memory is busy in units of 1/bytes clocks.
    ready: Option<u64>,
    busy: u64,
}

impl Pipe<'_> {
    fn clock(&mut self, clock: u64) {
        let occupied = [self.request_fifo.len(), self.reorder.len(), self.fragment_fifo.len()]
            .map(|length| u32::try_from(length).unwrap());
        // The oldest quad leaves if its lines arrived in earlier clocks.
        if let Some(&(quad, came)) = self.fragment_fifo.front() {
            let work = self.quads[quad];
            let has_lines = work.misses == 0 || self.lines[quad].0 == work.misses && self.lines[quad].1 < clock;
            if came < clock && has_lines && clock >= self.left_at + u64::from(work.clocks.max(1)) {
                self.fragment_fifo.pop_front();
                self.left += 1;
                self.left_at = clock;
            }
        }
        // A line goes to the cache once the quads before its own have left.
        if let Some(request) = self.reorder.front()
            && request.arrival < clock
            && request.quad == self.left
        {
            let (count, last) = &mut self.lines[request.quad];
            *count += 1;
            *last = clock;
            self.reorder.pop_front();
        }
        self.issue(clock, occupied[1]);
        self.check(clock, occupied[0], occupied[2]);
    }

    fn issue(&mut self, clock: u64, occupied: u32) {
        let parameters = self.parameters;
        let is_ready = self.request_fifo.front().is_some_and(|request| request.pushed < clock);
        if !is_ready || occupied == parameters.reorder_slots {
            return;
        }
        let ready = *self.ready.get_or_insert(clock);
        let unit = u64::from(parameters.memory_bytes);
        if self.busy > clock * unit {
            return;
        }
        self.busy = self.busy.max(ready * unit) + u64::from(parameters.line_bytes * parameters.memory_clocks);
        let mut request = self.request_fifo.pop_front().unwrap();
        request.arrival = clock + u64::from(parameters.latency) + parameters.jitter_of(request.number);
        self.reorder.push_back(request);
        self.ready = None;
    }

    fn check(&mut self, clock: u64, requests: u32, fragments: u32) {
        let (quad, pushed, done) = self.checked;
        let Some(work) = self.quads.get(quad) else { return };
        let mut pushed = pushed;
        if pushed < work.misses && requests < self.parameters.request_fifo {
            pushed += 1;
            self.request_fifo.push_back(Request { quad, number: self.requests, pushed: clock, arrival: 0 });
            self.requests += 1;
        }
        self.checked = (quad, pushed, done);
        let is_done = pushed == work.misses && clock >= done + u64::from(work.clocks.max(1));
        if is_done && fragments < self.parameters.fragment_fifo {
            self.fragment_fifo.push_back((quad, clock));
            self.checked = (quad + 1, 0, clock);
        }
    }
}

fn clock_by_clock(quads: &[QuadWork], parameters: &PrefetchParameters) -> u64 {
    let mut pipe = Pipe {
        parameters,
        quads,
        checked: (0, 0, 0),
        requests: 0,
        request_fifo: VecDeque::new(),
        reorder: VecDeque::new(),
        fragment_fifo: VecDeque::new(),
        lines: vec![(0, 0); quads.len()],
        left: 0,
        left_at: 0,
        ready: None,
        busy: 0,
    };
    let mut clock = 0;
    while pipe.left < quads.len() {
        clock += 1;
        assert!(clock < 1 << 20, "the pipe stands still");
        pipe.clock(clock);
    }
    clock
}

#[test]
fn the_recurrences_give_what_queues_give() {
    let mut random = Random::new(7);
    for case in 0..300 {
        let one_in = 1 + random.below(6);
        let quads = random_quads(&mut random, 60, one_in);
        let parameters = random_prefetch(&mut random);
        let expected = clock_by_clock(&quads, &parameters);
        assert_eq!(cycles(&quads, &parameters), expected, "case {case}: {parameters:?}");
        assert!(expected <= max_cycles(&quads, &parameters));
    }
    // A planted difference: one more clock of latency shows.
    let quads = [QuadWork { misses: 1, clocks: 1 }];
    let parameters = PrefetchParameters { latency: 10, ..PrefetchParameters::default() };
    let longer = PrefetchParameters { latency: 11, ..parameters };
    assert_eq!(cycles(&quads, &longer), clock_by_clock(&quads, &parameters) + 1);
}

/// Results of pipes with different depths of the fragment FIFO.
fn of_depths(quads: &[QuadWork], parameters: &PrefetchParameters, depths: &[u32]) -> Vec<PrefetchResult> {
    let shapes = depths.iter().map(|&fragment_fifo| PrefetchParameters { fragment_fifo, ..*parameters });
    shapes.map(|shape| simulate(quads, &shape).unwrap()).collect()
}

/// The rate relative to that of memory without latency.
fn rate(result: &PrefetchResult) -> f64 {
    result.cycles_without_latency as f64 / result.cycles as f64
}

#[test]
fn a_fifo_as_deep_as_the_latency_hides_it() {
    // One quad in ten misses a line.
    let quads: Vec<_> = (0..20_000).map(|at| QuadWork { misses: u16::from(at % 10 == 0), clocks: 1 }).collect();
    let parameters = PrefetchParameters { latency: 250, ..PrefetchParameters::default() };
    let depths = [1, 8, 32, 64, 128, 256, 512];
    let results = of_depths(&quads, &parameters, &depths);
    let rates: Vec<f64> = results.iter().map(rate).collect();
    assert!(rates.windows(2).all(|pair| pair[0] <= pair[1]), "{rates:?}");
    assert!(rates[6] >= 0.97 && rates[5] >= 0.97, "{rates:?}");
    // The first quad pushes in clock 1, issues in 2, commits in 3 and leaves in 4; then one leaves per clock.
    assert_eq!(results[0].cycles_without_latency, 4 + 19_999);
    // In a shallow FIFO, as many quads as the FIFO and the tag check hold pass per request latency.
    for (depth, rate) in depths.iter().zip(&rates).take(5) {
        let bound = f64::from(depth + 10) / 250.0;
        assert!(*rate <= bound, "{depth}: {rate} {bound}");
    }
    assert!(rates[2] < 0.2, "{rates:?}");
}

#[test]
fn queues_bound_the_rate_as_calculated() {
    let quads = vec![QuadWork { misses: 1, clocks: 1 }; 4000];
    let wide = PrefetchParameters { memory_bytes: 65_535, memory_clocks: 1, ..PrefetchParameters::default() };
    // Every quad waits for its own line. A depth of F lets F of them wait together, plus one whose tag is checked
    // and whose request is issued, but which finds no slot. From a push: the request is issued one clock later,
    // the line arrives after the latency, reaches the cache in the next clock, the quad leaves in the next, the
    // slot is taken in the next, and the next push follows one clock later.
    let parameters = PrefetchParameters { fragment_fifo: 10, latency: 100, ..wide };
    let result = simulate(&quads, &parameters).unwrap();
    let period = 1 + 100 + 1 + 1 + 1 + 1;
    let expected = 4000 * period / 11;
    assert!(result.cycles.abs_diff(expected) < 2 * period, "{} {expected}", result.cycles);
    // Bandwidth: 64 bytes at 352 per 17 clocks take 64·17/352 clocks, with latency and without.
    let quads = vec![QuadWork { misses: 4, clocks: 1 }; 4000];
    let result = simulate(&quads, &PrefetchParameters::default()).unwrap();
    // Four tags take four clocks, the lines 12.36.
    assert!(result.cycles.abs_diff(16_000 * 64 * 17 / 352) < 300, "{}", result.cycles);
    assert!(rate(&result) > 0.99);
}

#[test]
fn quads_of_a_pipe_follow_the_order_of_the_result() {
    let mut trace = full_screen(16);
    trace.lookups.iter_mut().for_each(|lookup| lookup.clocks = 2);
    let order = crate::texture_cache::QuadOrder::Tiled { quads: 4 };
    let result = crate::texture_cache::simulate(&trace, &Default::default(), order).unwrap();
    let quads: Vec<_> = (0..4).map(|pipe| quads_of_pipe(&trace, &result, pipe)).collect();
    assert!(quads.iter().all(|quads| quads.len() == 16 && quads[0].misses > 0 && quads[0].clocks == 2));
    let misses: u64 = quads.iter().flatten().map(|quad| u64::from(quad.misses)).sum();
    assert_eq!(misses, result.total().first.misses());
}

#[test]
fn a_textured_screen_runs_at_the_rate_without_latency() {
    let trace = full_screen(512);
    let order = crate::texture_cache::QuadOrder::Tiled { quads: 4 };
    let result = crate::texture_cache::simulate(&trace, &Default::default(), order).unwrap();
    let quads = quads_of_pipe(&trace, &result, 0);
    let parameters = PrefetchParameters::default();
    let rates: Vec<f64> = of_depths(&quads, &parameters, &[8, 64, 256]).iter().map(rate).collect();
    assert!(rates[0] < 0.3 && rates[0] < rates[1] && rates[2] >= 0.97, "{rates:?}");
}

#[test]
fn what_is_out_of_range_is_named() {
    let parameters = PrefetchParameters { reorder_slots: 0, ..PrefetchParameters::default() };
    assert_eq!(simulate(&[], &parameters).unwrap_err().to_string(), "reorder_slots is 0, not from 1 to 65536");
    let parameters = PrefetchParameters { jitter: 1 << 16, ..PrefetchParameters::default() };
    assert_eq!(simulate(&[], &parameters).unwrap_err().field, "jitter");
    let result = simulate(&[], &PrefetchParameters::default()).unwrap();
    assert_eq!((result.cycles, result.cycles_without_latency), (0, 0));
}
