//! The state while the text of a fragment program is generated.

use std::collections::HashMap;

use super::FragmentKernelKey;
use crate::counters::ProgramNumbers;
use crate::pipeline::EngineError;
use crate::recompiler::rop::shaded_color::ValueRange;
use crate::recompiler::text::Text;
use crate::shader::analysis::ArithmeticPath;
use crate::shader::analysis::execution_bounds::inlined_operations;
use crate::shader::analysis::execution_order::{EarlyEnds, Step, execution_order};
use crate::shader::analysis::nan_and_denormals::NanAndDenormals;
use crate::shader::analysis::resource_usage::ResourceUsage;
use crate::shader::analysis::underflow::Underflow;
use crate::shader::analysis::value_ranges::ValueRanges;
use crate::shader::fragment::color_register;

/// Maximum number of operations in a program after its subroutines are inlined.
pub const INLINED_LIMIT: u64 = 1 << 16;

/// A scope that pixels can leave early, with the variable of the pixels that left.
#[derive(Debug, Clone)]
pub(super) enum Scope {
    /// A loop, with the variable of the pixels that broke out.
    Loop(String),
    /// A subroutine, with the variable of the pixels that returned.
    Call(String),
}

/// The contents of the variable for one half of a split word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HalfForm {
    /// The raw sixteen bits; they may be a NaN that a value would not preserve.
    Bits,
    /// The value as float bits.
    Value,
}

/// The state of code generation.
pub(super) struct Generator<'k> {
    pub(super) key: &'k FragmentKernelKey,
    pub(super) usage: ResourceUsage,
    pub(super) values: NanAndDenormals,
    pub(super) ranges: ValueRanges,
    /// How products are checked on the fast path; `None` on the exact path.
    pub(super) underflow: Option<Underflow>,
    /// Whether some pixel may skip each operation, by the operation's number.
    pub(super) masks: Vec<bool>,
    pub(super) early_ends: EarlyEnds,
    /// The number of the next operation in execution order, as the analyses number them.
    pub(super) next_operation: usize,
    pub(super) text: Text,
    /// Values of the current operation's source components, by (source, component).
    pub(super) operands: HashMap<(usize, usize), String>,
    /// The same without denormals.
    pub(super) flushed_operands: HashMap<(usize, usize), String>,
    /// Words of shared registers that are stored as two halves, by register and word.
    pub(super) split_words: HashMap<(u8, usize), [HalfForm; 2]>,
    /// Half writes split words instead of packing them; this does not extend across flow.
    pub(super) splits_words: bool,
    pub(super) scopes: Vec<Scope>,
    /// The current operation's writes are guarded by `active_pixels`.
    pub(super) is_masked: bool,
    pub(super) numbers: ProgramNumbers,
}

impl<'k> Generator<'k> {
    /// # Errors
    /// If the program is too large after inlining its calls.
    pub(super) fn new(key: &'k FragmentKernelKey) -> Result<Self, EngineError> {
        let view = key.view();
        let inlined = inlined_operations(&view);
        if inlined > INLINED_LIMIT {
            return Err(EngineError::TooLarge {
                what: "fragment program with inlined calls",
                size: inlined,
                limit: INLINED_LIMIT,
            });
        }
        let usage = ResourceUsage::of(&view);
        let masks = execution_order(&view).into_iter().filter_map(|step| match step {
            Step::Operation { is_masked, .. } => Some(is_masked),
            Step::Join => None,
        });
        Ok(Self {
            key,
            split_words: HashMap::new(),
            splits_words: !usage.has_flow,
            values: NanAndDenormals::of(&view, &usage, ArithmeticPath::Exact),
            ranges: ValueRanges::of(&view, &usage),
            underflow: None,
            masks: masks.collect(),
            early_ends: EarlyEnds::of(&view),
            next_operation: 0,
            usage,
            text: Text::default(),
            operands: HashMap::new(),
            flushed_operands: HashMap::new(),
            scopes: Vec::new(),
            is_masked: false,
            numbers: ProgramNumbers::new(&key.body, &key.subroutines),
        })
    }

    /// Whether sums and products are single float operations.
    pub(super) const fn is_fast_path(&self) -> bool {
        self.underflow.is_some()
    }

    /// The value ranges of the color that the program leaves for a target.
    pub(super) fn color_ranges(&self, target: u8) -> [ValueRange; 4] {
        let register = color_register(target, self.key.has_full_outputs);
        [0, 1, 2, 3].map(|component| match component {
            3 if self.key.quads.has_alpha_coverage => ValueRange::ANY,
            _ => ValueRange { is_half: register.is_half, is_unit: self.ranges.is_unit_at_end(register, component) },
        })
    }

    /// A zero, the initial value of variables.
    pub(super) fn zero(&mut self) -> &'static str {
        if !self.is_fast_path() {
            return "vec4u(0u)";
        }
        self.text.import("arith::optimization_barrier", "opaque_zero");
        "vec4u(opaque_zero)"
    }
}
