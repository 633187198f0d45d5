//! Random numbers, float patterns and validation shared by the recompiler tests.

use curie::gpu::{link, module_source};

/// A small seeded generator; the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// Bits of a float: often a normal-range number, sometimes any pattern or a special value.
    pub(crate) fn float(&mut self) -> u32 {
        const SPECIAL: [u32; 16] = [
            0,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x7fff_ffff,
            0x0000_0001,
            0x807f_ffff,
            0x0080_0000,
            0x7f7f_ffff,
            0x4300_0000,
            0xc300_0000,
            0x3f00_0000,
            0x4020_0000,
        ];
        match self.below(8) {
            0 => self.next(),
            1 => self.choose(&SPECIAL),
            2 => (self.below(2001) as f32 / 4.0 - 250.0).to_bits(),
            3 | 4 => (self.below(1 << 20) as f32 / (1 << 20) as f32).to_bits(),
            _ => ((self.next() as f32 / u32::MAX as f32 - 0.5) * 8.0).to_bits(),
        }
    }

    pub(crate) fn vector(&mut self) -> [u32; 4] {
        std::array::from_fn(|_| self.float())
    }
}

/// Links and validates a kernel as a device would, without an adapter.
pub(crate) fn assert_valid(source: &str) {
    let linked = link("kernel", source, &module_source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let module = naga::front::wgsl::parse_str(&linked.source)
        .unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string(&linked.source)));
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::default());
    validator.validate(&module).unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string(&linked.source)));
}

/// `count` seeds from `first`; with `CURIE_RANDOM_PROGRAMS=N`, N times as many; with `SKIPPED+N`, those after that many
/// times `count`. A device keeps every kernel, so that many programs need several runs.
pub(crate) fn seeds(first: u64, count: u64) -> std::ops::Range<u64> {
    let setting = std::env::var("CURIE_RANDOM_PROGRAMS").unwrap_or_else(|_| "1".to_owned());
    let (skipped, times) = setting.split_once('+').unwrap_or(("0", &setting));
    let [skipped, times] =
        [skipped, times].map(|text| text.parse::<u64>().expect("CURIE_RANDOM_PROGRAMS is N or SKIPPED+N"));
    let first = first + count * skipped;
    first..first + count * times
}
