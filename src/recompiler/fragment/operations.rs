//! Translates one fragment operation into WGSL: results per component, then precision, scale, saturation, and guarded
//! writes.

use super::Generator;
use crate::arith::fragment::scale_exponent;
use crate::recompiler::text::COMPONENTS;
use crate::shader::analysis::underflow::ProductCheck;
use crate::shader::fragment::{
    Axis, FragmentOperation, FragmentOperationKind, LodSource, Precision, Projection, Scale, TextureFetch,
};
use crate::shader::fragment_function::{Argument, FragmentFunction, KernelText, ResultForm, Term, Variant, functions};
use crate::shader::kernel_function::{self as wgsl, KernelFunction};

const ZERO: &str = "vec4u(0u)";
const ONE: &str = "vec4u(0x3f800000u)";

/// The result of an operation before write masks.
enum Value {
    /// The name of one value for all components.
    Replicated(String),
    /// The name of a `QuadVector`.
    Vector(String),
}

impl Value {
    /// The wanted components.
    fn components(self, wanted: &[usize]) -> Vec<String> {
        match self {
            Self::Replicated(name) => vec![name; wanted.len()],
            Self::Vector(name) => wanted.iter().map(|component| format!("{name}.{}", COMPONENTS[*component])).collect(),
        }
    }
}

impl Generator<'_> {
    /// Emits one operation, the next in execution order.
    pub(super) fn emit_operation(&mut self, operation: &FragmentOperation) {
        let number = self.next_operation;
        self.next_operation += 1;
        self.is_masked = self.masks[number];
        self.operands.clear();
        self.flushed_operands.clear();
        let components: Vec<usize> = (0..4).filter(|component| operation.mask.has(*component)).collect();
        let values = match operation.kind {
            FragmentOperationKind::Kill => return self.emit_kill(operation),
            FragmentOperationKind::Fence(_) | FragmentOperationKind::Nothing => return,
            FragmentOperationKind::Move | FragmentOperationKind::Derivative(_) | FragmentOperationKind::Compute(_)
                if !operation.writes() =>
            {
                return;
            }
            FragmentOperationKind::Sample(fetch) => {
                if !operation.writes() {
                    if self.can_discard(operation) {
                        self.texel(operation, fetch);
                    }
                    return;
                }
                let texel = self.texel(operation, fetch);
                Value::Vector(texel).components(&components)
            }
            FragmentOperationKind::Move => components.iter().map(|c| self.operand(operation, 0, *c)).collect(),
            FragmentOperationKind::Derivative(axis) => {
                components.iter().map(|c| self.derivative(operation, axis, *c)).collect()
            }
            FragmentOperationKind::Compute(function) => self.computed(operation, function, &components, number),
        };
        let values: Vec<String> = components
            .iter()
            .zip(&values)
            .map(|(component, value)| {
                self.finish(operation, *component, value, self.ranges.is_unit(number, *component))
            })
            .collect();
        let guards: Vec<Option<String>> =
            components.iter().map(|component| self.guard(operation, *component)).collect();
        if let Some(register) = operation.condition_update {
            self.text.import("arith::condition", "condition_codes");
            for ((component, value), guard) in components.iter().zip(&values).zip(&guards) {
                let target = format!("cc{}{}", register & 1, COMPONENTS[*component]);
                let codes = format!("condition_codes({value})");
                match guard {
                    Some(guard) => self.text.line(format!("{target} = select({target}, {codes}, {guard});")),
                    None => self.text.line(format!("{target} = {codes};")),
                }
            }
        }
        if let Some(register) = operation.destination {
            for ((component, value), guard) in components.iter().zip(&values).zip(&guards) {
                self.write(register, *component, value, guard.as_deref());
            }
        }
    }

    /// Whether an operation's fetch can discard fragments.
    const fn can_discard(&self, operation: &FragmentOperation) -> bool {
        operation.kind.samples() && self.key.discarding_units >> (operation.texture_unit & 15) & 1 != 0
    }

    fn emit_kill(&mut self, operation: &FragmentOperation) {
        let mut terms: Vec<String> = Self::passing_any(operation.condition).into_iter().collect();
        if self.is_masked {
            terms.push("active_pixels".to_owned());
        }
        if terms.is_empty() {
            self.text.line("coverage = vec4<bool>(false);");
        } else {
            self.text.line(format!("coverage = coverage & !({});", terms.join(" & ")));
        }
    }

    /// The name of the mask of pixels that write a component; `None` for all pixels.
    fn guard(&mut self, operation: &FragmentOperation, component: usize) -> Option<String> {
        match (operation.is_predicated(), self.is_masked) {
            (false, false) => None,
            (false, true) => Some("active_pixels".to_owned()),
            (true, is_masked) => {
                let mut expression = Self::passing(operation.condition, component);
                if is_masked {
                    expression = format!("{expression} & active_pixels");
                }
                Some(self.text.bind("p", &expression))
            }
        }
    }

    /// Applies scale, saturation and rounding to one component; returns its name. Packed bits stay unchanged.
    fn finish(&mut self, operation: &FragmentOperation, component: usize, value: &str, is_unit: bool) -> String {
        let round_to_half = if is_unit { &wgsl::ROUND_UNIT_TO_HALF } else { &wgsl::ROUND_TO_HALF };
        let mut value = value.to_owned();
        let is_rounded = operation.is_rounded();
        if gives_any_nan(operation.kind)
            && !is_rounded
            && operation.destination.is_some_and(|register| self.values.is_copied(register, component))
        {
            value = self.call(&wgsl::CANONICAL, &[&value]);
        }
        let packs = operation.kind.packs();
        if !packs {
            if operation.scale != Scale::One {
                let exponent = scale_exponent(operation.scale).to_string();
                value = self.call(&wgsl::SCALE, &[&value, &exponent]);
            }
            if operation.saturate {
                value = self.call(&wgsl::SATURATE, &[&value]);
            }
            value = match operation.precision {
                Precision::Fp32 => value,
                Precision::Fp16 => self.call(round_to_half, &[&value]),
                Precision::Fx12 => self.call(&wgsl::ROUND_TO_FX12, &[&value]),
                Precision::Fx9 => self.call(&wgsl::ROUND_TO_FX9, &[&value]),
            };
        }
        let is_half = !packs && operation.precision == Precision::Fp16;
        if operation.destination.is_some_and(|register| register.is_half) && !is_half {
            value = self.call(round_to_half, &[&value]);
        }
        if self.is_fast_path() && is_rounded && !gives_any_nan(operation.kind) {
            // Later code takes it for a sum or product, which is opaque to a compiler.
            value = self.call(&wgsl::OPAQUE_BITS, &[&value]);
        }
        self.text.bind("t", &value)
    }

    /// The unrounded results of a function for the wanted components of the numbered operation.
    fn computed(
        &mut self,
        operation: &FragmentOperation,
        function: &FragmentFunction,
        components: &[usize],
        number: usize,
    ) -> Vec<String> {
        let (kernel, result) = (function.kernel, function.shape.result());
        if let (Some(terms), Some(underflow)) = (kernel.fast_terms, &self.underflow) {
            let checks = [0, 1, 2, 3].map(|component| multiply(underflow.check(number, component)));
            if result == ResultForm::Component {
                let values = components.iter().map(|c| self.terms(operation, *c, terms, (kernel.variant, checks[*c])));
                return values.collect();
            }
            let value = self.terms(operation, 0, terms, (kernel.variant, checks[0]));
            return Value::Replicated(self.text.bind("t", &value)).components(components);
        }
        let wgsl = match kernel.text {
            KernelText::Call(wgsl) => wgsl,
            KernelText::Inline(terms) => {
                let values = components.iter().map(|c| self.inlined(operation, *c, terms[*c], kernel.variant));
                return values.collect();
            }
            KernelText::Literal(bits) => {
                return Value::Replicated(self.text.bind("t", &literal(bits))).components(components);
            }
        };
        match result {
            ResultForm::Component => components.iter().map(|c| self.called(operation, function, wgsl, *c)).collect(),
            ResultForm::Replicated => {
                let value = self.called(operation, function, wgsl, 0);
                Value::Replicated(self.text.bind("t", &value)).components(components)
            }
            ResultForm::Vector => {
                let value = self.called(operation, function, wgsl, 0);
                Value::Vector(self.text.bind("q", &value)).components(components)
            }
        }
    }

    /// The call of a function for a component.
    fn called(
        &mut self,
        operation: &FragmentOperation,
        function: &FragmentFunction,
        wgsl: &KernelFunction,
        component: usize,
    ) -> String {
        let variant = function.kernel.variant;
        let arguments: Vec<_> = function
            .shape
            .arguments()
            .iter()
            .enumerate()
            .map(|(source, argument)| match argument {
                Argument::Component => self.operand_of(operation, (source, component), variant),
                Argument::First(count) => self.operand_list(operation, source, *count, variant),
                Argument::Vector => self.operand_vector(operation, source),
            })
            .collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.call(wgsl, &arguments)
    }

    /// The expanded terms of a component, with operands named in the order of sources.
    fn inlined(&mut self, operation: &FragmentOperation, component: usize, terms: &Term, variant: Variant) -> String {
        let mut operands = terms.operands(component);
        operands.sort_unstable();
        for operand in operands {
            self.operand_of(operation, operand, variant);
        }
        let multiply = match variant {
            Variant::Full => &wgsl::MUL,
            Variant::Ftz => &wgsl::MUL_FTZ,
        };
        self.terms(operation, component, terms, (variant, multiply))
    }

    /// The terms with this multiplication.
    fn terms(
        &mut self,
        operation: &FragmentOperation,
        component: usize,
        term: &Term,
        by: (Variant, &'static KernelFunction),
    ) -> String {
        let (variant, multiply) = by;
        let (add, subtract) = match variant {
            Variant::Full => (&wgsl::ADD, &wgsl::SUB),
            Variant::Ftz => (&wgsl::ADD_FTZ, &wgsl::SUB_FTZ),
        };
        let (function, a, b) = match term {
            Term::One => return ONE.to_owned(),
            Term::Operand(source, select) => {
                return self.operand_of(operation, (*source, select.of(component)), variant);
            }
            Term::Product(a, b) => (multiply, a, b),
            Term::Sum(a, b) => (add, a, b),
            Term::Difference(a, b) => (subtract, a, b),
        };
        let [a, b] = [a, b].map(|term| self.terms(operation, component, term, by));
        self.call(function, &[&a, &b])
    }

    /// The call of an arithmetic function.
    pub(super) fn call(&mut self, function: &KernelFunction, arguments: &[&str]) -> String {
        let function = if self.is_fast_path() { function.fast } else { function.exact };
        self.text.import(function.module, function.name);
        format!("{}({})", function.name, arguments.join(", "))
    }

    /// Right minus left in each row, or lower minus upper in each column.
    fn derivative(&mut self, operation: &FragmentOperation, axis: Axis, component: usize) -> String {
        let value = self.flushed_operand(operation, 0, component);
        let (later, earlier) = match axis {
            Axis::X => ("yyww", "xxzz"),
            Axis::Y => ("zwzw", "xyxy"),
        };
        self.call(&wgsl::SUB_FTZ, &[&format!("{value}.{later}"), &format!("{value}.{earlier}")])
    }

    /// Samples the operation's unit; returns the name of the expanded texel.
    fn texel(&mut self, operation: &FragmentOperation, fetch: TextureFetch) -> String {
        let unit = operation.texture_unit & 15;
        let [mut x, mut y, z, w] = [0, 1, 2, 3].map(|component| self.operand(operation, 0, component));
        if fetch.bump {
            [x, y] = [0, 1].map(|component| {
                let sum = self.inlined(operation, component, functions::X2D_TERMS[component], Variant::Ftz);
                self.call(&wgsl::CANONICAL, &[&sum])
            });
        }
        let factor = match fetch.projection {
            Projection::None => None,
            Projection::DivideByW => {
                let reciprocal = self.call(&wgsl::RCP, &[&w]);
                Some(self.text.bind("t", &reciprocal))
            }
            Projection::MultiplyByW => Some(w.clone()),
        };
        let scaled = [&x, &y, &z].map(|component| match &factor {
            Some(factor) => self.call(&wgsl::MUL, &[component, factor]),
            None => component.clone(),
        });
        let coordinate = format!("QuadVector({}, {w})", scaled.join(", "));
        let call = match fetch.lod {
            LodSource::Gradient => {
                let ddx = self.operand_vector(operation, 1);
                let ddy = self.operand_vector(operation, 2);
                format!("sample_texture_gradient_{unit}({coordinate}, {ddx}, {ddy})")
            }
            LodSource::Explicit => format!("sample_texture_lod_{unit}({coordinate}, {w})"),
            LodSource::Bias => format!("sample_texture_{unit}({coordinate}, {w})"),
            LodSource::Implicit => format!("sample_texture_{unit}({coordinate}, {ZERO})"),
        };
        let texel = self.text.bind("q", &call);
        self.emit_fetch_count(unit);
        if self.can_discard(operation) {
            let active = if self.is_masked { " & active_pixels" } else { "" };
            self.text.line(format!("coverage = coverage & !(texture_discards_{unit}{active});"));
        }
        if !operation.expand_texel {
            return texel;
        }
        let expanded = COMPONENTS.map(|letter| {
            let doubled = self.call(&wgsl::MUL, &[&format!("{texel}.{letter}"), "vec4u(0x40000000u)"]);
            self.call(&wgsl::ADD, &[&doubled, "vec4u(0xbf800000u)"])
        });
        self.text.bind("q", &format!("QuadVector({})", expanded.join(", ")))
    }
}

/// Whether an operation's result is a number without denormals and with any NaN.
fn gives_any_nan(kind: FragmentOperationKind) -> bool {
    match kind {
        FragmentOperationKind::Compute(function) => function.kernel.variant == Variant::Ftz,
        FragmentOperationKind::Derivative(_) => true,
        FragmentOperationKind::Move
        | FragmentOperationKind::Sample(_)
        | FragmentOperationKind::Kill
        | FragmentOperationKind::Fence(_)
        | FragmentOperationKind::Nothing => false,
    }
}

/// The function that multiplies with this check.
const fn multiply(check: ProductCheck) -> &'static KernelFunction {
    match check {
        ProductCheck::None => &wgsl::MUL_UNCHECKED,
        ProductCheck::Narrow => &wgsl::MUL_CHECKED_NARROW,
        ProductCheck::Normal => &wgsl::MUL_FTZ,
    }
}

/// A constant of all pixels.
fn literal(bits: u32) -> String {
    if bits == 0 { ZERO.to_owned() } else { format!("vec4u(0x{bits:08x}u)") }
}
