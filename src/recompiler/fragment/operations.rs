//! One fragment operation into WGSL: results per component, then precision, scale, saturation, and guarded writes.

use super::Generator;
use super::values::is_rounded;
use crate::arith::fragment::scale_exponent;
use crate::isa::nv40_fragment::FragmentOpcode as Op;
use crate::pipeline::EngineError;
use crate::recompiler::text::COMPONENTS;
use crate::shader::condition::Relation;
use crate::shader::fragment::{FragmentOperation, Precision, Scale};

const ZERO: &str = "vec4u(0u)";
const ONE: &str = "vec4u(0x3f800000u)";

/// Whether an operation samples its texture unit.
pub(in crate::recompiler) const fn samples(opcode: Op) -> bool {
    opcode.is_texture()
}

/// What an operation computes before write masks.
enum Value {
    /// One value for all components.
    Replicated(String),
    /// The name of a `QuadVector`.
    Vector(String),
}

impl Generator<'_> {
    /// Emits one operation.
    pub(in crate::recompiler) fn emit_operation(&mut self, operation: &FragmentOperation) -> Result<(), EngineError> {
        self.operands.clear();
        self.clean_operands.clear();
        if operation.opcode == Op::Kil {
            self.emit_kill(operation);
            return Ok(());
        }
        let writes = operation.destination.is_some() || operation.condition_update.is_some();
        let components: Vec<usize> = (0..4).filter(|component| operation.mask.has(*component)).collect();
        if !writes || components.is_empty() || operation.condition.relation == Relation::Never {
            if self.can_discard(operation) {
                self.texel(operation);
            }
            return Ok(());
        }
        let Some(values) = self.results(operation, &components)? else { return Ok(()) };
        let values: Vec<String> = components
            .iter()
            .zip(&values)
            .map(|(component, value)| self.finish(operation, *component, value))
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
            let known: Vec<_> = components
                .iter()
                .map(|component| {
                    (self.result_fineness(operation, *component), self.is_result_unit(operation, *component))
                })
                .collect();
            for (((component, value), guard), known) in components.iter().zip(&values).zip(&guards).zip(known) {
                self.write(register, *component, value, guard.as_deref());
                self.note_fineness(register, *component, known.0, guard.is_some());
                self.note_range(register, *component, known.1, guard.is_some());
            }
        }
        Ok(())
    }

    /// Whether an operation's fetch can discard fragments.
    const fn can_discard(&self, operation: &FragmentOperation) -> bool {
        samples(operation.opcode) && self.key.discarding_units >> (operation.texture_unit & 15) & 1 != 0
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

    /// The pixels that write a component, named; `None` for all.
    fn guard(&mut self, operation: &FragmentOperation, component: usize) -> Option<String> {
        let is_predicated = operation.condition.relation != Relation::Always;
        match (is_predicated, self.is_masked) {
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

    /// Applies scale, saturation and rounding to one component; returns its name. Packed bits stay as they are.
    fn finish(&mut self, operation: &FragmentOperation, component: usize, value: &str) -> String {
        let round_to_half = match self.is_result_unit(operation, component) {
            true => "fp_round_unit_to_half",
            false => "fp_round_to_half",
        };
        let mut value = value.to_owned();
        if is_clean_arithmetic(operation.opcode)
            && !is_rounded(operation)
            && operation.destination.is_some_and(|register| self.values.is_copied(register, component))
        {
            value = self.call("fp_canonical", &[&value]);
        }
        if !operation.opcode.is_pack() {
            if operation.scale != Scale::One {
                let exponent = scale_exponent(operation.scale).to_string();
                value = self.call("fp_scale", &[&value, &exponent]);
            }
            if operation.saturate {
                value = self.call("fp_saturate", &[&value]);
            }
            value = match operation.precision {
                Precision::Fp32 => value,
                Precision::Fp16 => self.call(round_to_half, &[&value]),
                Precision::Fx12 => self.call("fp_round_to_fx12", &[&value]),
                Precision::Fx9 => self.call("fp_round_to_fx9", &[&value]),
            };
        }
        let is_half = !operation.opcode.is_pack() && operation.precision == Precision::Fp16;
        if operation.destination.is_some_and(|register| register.is_half) && !is_half {
            value = self.call(round_to_half, &[&value]);
        }
        if self.is_plain && is_rounded(operation) && !is_clean_arithmetic(operation.opcode) {
            // It is taken for a sum or product, of which a compiler knows nothing.
            value = self.call("opaque_bits", &[&value]);
        }
        self.text.bind("t", &value)
    }

    /// The unrounded results of the wanted components; `None` when the operation computes nothing.
    fn results(
        &mut self,
        operation: &FragmentOperation,
        components: &[usize],
    ) -> Result<Option<Vec<String>>, EngineError> {
        if let Some(function) = componentwise(operation.opcode) {
            let sources = operation.opcode.row().operands.len();
            let values = components.iter().map(|component| {
                if let Some(value) = self.plain_products(operation, *component) {
                    return value;
                }
                let arguments: Vec<_> =
                    (0..sources).map(|source| self.clean_operand(operation, source, *component)).collect();
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                self.call(function, &arguments)
            });
            return Ok(Some(values.collect()));
        }
        let value = match operation.opcode {
            Op::Nop | Op::FencT | Op::FencB | Op::Kil => return Ok(None),
            Op::Brk | Op::Cal | Op::If | Op::Loop | Op::Rep | Op::Ret => return Ok(None),
            Op::Mov => return Ok(Some(components.iter().map(|c| self.operand(operation, 0, *c)).collect())),
            Op::Dst => return Ok(Some(components.iter().map(|c| self.dst(operation, *c)).collect())),
            Op::X2d => return Ok(Some(components.iter().map(|c| self.x2d(operation, *c)).collect())),
            Op::Ddx | Op::Ddy => return Ok(Some(components.iter().map(|c| self.derivative(operation, *c)).collect())),
            Op::Div | Op::DivSq => return Ok(Some(components.iter().map(|c| self.quotient(operation, *c)).collect())),
            Op::BemLum => return Ok(Some(components.iter().map(|c| self.bem_lum(operation, *c)).collect())),
            opcode if samples(opcode) => Value::Vector(self.texel(operation)),
            opcode => self.vector_result(operation, opcode),
        };
        Ok(Some(match value {
            Value::Replicated(value) => {
                let name = self.text.bind("t", &value);
                vec![name; components.len()]
            }
            Value::Vector(name) => {
                components.iter().map(|component| format!("{name}.{}", COMPONENTS[*component])).collect()
            }
        }))
    }

    /// Operations whose result is one value, or needs whole vectors.
    fn vector_result(&mut self, operation: &FragmentOperation, opcode: Op) -> Value {
        if let Some(value) = self.plain_products(operation, 0) {
            return Value::Replicated(value);
        }
        let (function, counts): (&str, &[usize]) = match opcode {
            Op::Str => return Value::Replicated(ONE.to_owned()),
            Op::Sfl => return Value::Replicated(ZERO.to_owned()),
            Op::Dp2 => ("clean_dp2", &[2, 2]),
            Op::Dp2a => ("clean_dp2a", &[2, 2, 1]),
            Op::Dp3 => ("clean_dp3", &[3, 3]),
            Op::Dp4 => ("clean_dp4", &[4, 4]),
            Op::Rcp => ("fp_rcp", &[1]),
            Op::Rsq => ("fp_rsq", &[1]),
            Op::Ex2 => ("fp_ex2", &[1]),
            Op::Lg2 => ("fp_lg2", &[1]),
            Op::Cos => ("fp_cos", &[1]),
            Op::Sin => ("fp_sin", &[1]),
            Op::Pow => ("fp_pow", &[1, 1]),
            Op::Up2h => ("fp_up2h", &[1]),
            Op::Up2us => ("fp_up2us", &[1]),
            Op::Up4b => ("fp_up4b", &[1]),
            Op::Up4ub => ("fp_up4ub", &[1]),
            Op::Up4ubg => ("fp_up4ubg", &[1]),
            Op::Pk2h => ("fp_pk2h", &[]),
            Op::Pk2us => ("fp_pk2us", &[]),
            Op::Pk4b => ("fp_pk4b", &[]),
            Op::Pk4ub => ("fp_pk4ub", &[]),
            Op::Pk4ubg => ("fp_pk4ubg", &[]),
            Op::Lit => ("fp_lit", &[]),
            Op::LitEx2 => ("fp_lit_ex2", &[]),
            Op::Nrm => ("fp_nrm", &[]),
            _ => ("fp_rfl", &[]),
        };
        let sources = opcode.row().operands.len();
        let arguments: Vec<_> = (0..sources)
            .map(|source| match counts.get(source) {
                Some(count) if is_clean_arithmetic(opcode) => self.clean_list(operation, source, *count),
                Some(count) => self.operand_list(operation, source, *count),
                None => self.operand_vector(operation, source),
            })
            .collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let expression = self.call(function, &arguments);
        let is_vector = matches!(
            opcode,
            Op::Up2h | Op::Up2us | Op::Up4b | Op::Up4ub | Op::Up4ubg | Op::Lit | Op::LitEx2 | Op::Nrm | Op::Rfl
        );
        if is_vector { Value::Vector(self.text.bind("q", &expression)) } else { Value::Replicated(expression) }
    }

    /// A call of an arithmetic function.
    pub(in crate::recompiler) fn call(&mut self, function: &str, arguments: &[&str]) -> String {
        let function = if self.is_plain { plain_twin(function) } else { function };
        self.text.import(module_of(function), function);
        format!("{function}({})", arguments.join(", "))
    }

    fn dst(&mut self, operation: &FragmentOperation, component: usize) -> String {
        match component {
            0 => ONE.to_owned(),
            1 => {
                let [a, b] = [0, 1].map(|source| self.operand(operation, source, 1));
                self.call("fp_mul", &[&a, &b])
            }
            2 => self.operand(operation, 0, 2),
            _ => self.operand(operation, 1, 3),
        }
    }

    fn x2d(&mut self, operation: &FragmentOperation, component: usize) -> String {
        let row = component & 1;
        let a = self.clean_operand(operation, 0, row);
        let [x, y] = [0, 1].map(|c| self.clean_operand(operation, 1, c));
        let [first, second] = [2 * row, 2 * row + 1].map(|c| self.clean_operand(operation, 2, c));
        let first = self.call("clean_mul", &[&x, &first]);
        let second = self.call("clean_mul", &[&y, &second]);
        let sum = self.call("clean_add", &[&a, &first]);
        self.call("clean_add", &[&sum, &second])
    }

    fn bem_lum(&mut self, operation: &FragmentOperation, component: usize) -> String {
        let a = self.clean_operand(operation, 0, component);
        let luminance = self.clean_operand(operation, 1, 2);
        let [scale, offset] = [0, 1].map(|c| self.clean_operand(operation, 2, c));
        let scaled = self.call("clean_mul", &[&luminance, &scale]);
        let sum = self.call("clean_add", &[&scaled, &offset]);
        self.call("clean_mul", &[&a, &sum])
    }

    /// Right minus left in each row, or lower minus upper in each column.
    fn derivative(&mut self, operation: &FragmentOperation, component: usize) -> String {
        let value = self.clean_operand(operation, 0, component);
        let (later, earlier) = if operation.opcode == Op::Ddx { ("yyww", "xxzz") } else { ("zwzw", "xyxy") };
        self.call("clean_sub", &[&format!("{value}.{later}"), &format!("{value}.{earlier}")])
    }

    fn quotient(&mut self, operation: &FragmentOperation, component: usize) -> String {
        let a = self.operand(operation, 0, component);
        let b = self.operand(operation, 1, 0);
        self.call(if operation.opcode == Op::Div { "fp_div" } else { "fp_div_sqrt" }, &[&a, &b])
    }

    /// Samples the operation's unit; returns the name of the expanded texel.
    fn texel(&mut self, operation: &FragmentOperation) -> String {
        let unit = operation.texture_unit & 15;
        let [mut x, mut y, z, w] = [0, 1, 2, 3].map(|component| self.operand(operation, 0, component));
        if matches!(operation.opcode, Op::TexBem | Op::TxpBem) {
            [x, y] = [0, 1].map(|component| {
                let sum = self.x2d(operation, component);
                self.call("fp_canonical", &[&sum])
            });
        }
        let factor = match operation.opcode {
            Op::Txp | Op::TxpBem => {
                let reciprocal = self.call("fp_rcp", &[&w]);
                Some(self.text.bind("t", &reciprocal))
            }
            Op::TimesWTex => Some(w.clone()),
            _ => None,
        };
        let scaled = [&x, &y, &z].map(|component| match &factor {
            Some(factor) => self.call("fp_mul", &[component, factor]),
            None => component.clone(),
        });
        let coordinate = format!("QuadVector({}, {w})", scaled.join(", "));
        let call = match operation.opcode {
            Op::Txd => {
                let ddx = self.operand_vector(operation, 1);
                let ddy = self.operand_vector(operation, 2);
                format!("sample_texture_gradient_{unit}({coordinate}, {ddx}, {ddy})")
            }
            Op::Txl => format!("sample_texture_lod_{unit}({coordinate}, {w})"),
            Op::Txb => format!("sample_texture_{unit}({coordinate}, {w})"),
            _ => format!("sample_texture_{unit}({coordinate}, {ZERO})"),
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
            let doubled = self.call("fp_mul", &[&format!("{texel}.{letter}"), "vec4u(0x40000000u)"]);
            self.call("fp_add", &[&doubled, "vec4u(0xbf800000u)"])
        });
        self.text.bind("q", &format!("QuadVector({})", expanded.join(", ")))
    }
}

/// Whether an operation's function takes and gives values without denormals and with any NaN.
pub(in crate::recompiler) const fn is_clean_arithmetic(opcode: Op) -> bool {
    componentwise(opcode).is_some()
        || matches!(opcode, Op::Dp2 | Op::Dp2a | Op::Dp3 | Op::Dp4 | Op::X2d | Op::BemLum | Op::Ddx | Op::Ddy)
}

/// Whether an operation gives 0 or 1.
pub(in crate::recompiler) const fn compares(opcode: Op) -> bool {
    matches!(opcode, Op::Slt | Op::Sge | Op::Sle | Op::Sgt | Op::Sne | Op::Seq)
}

/// The function of operations that treat every component alike.
const fn componentwise(opcode: Op) -> Option<&'static str> {
    Some(match opcode {
        Op::Mul => "clean_mul",
        Op::Add => "clean_add",
        Op::Mad => "clean_mad",
        Op::Min => "clean_min",
        Op::Max => "clean_max",
        Op::Slt => "clean_slt",
        Op::Sge => "clean_sge",
        Op::Sle => "clean_sle",
        Op::Sgt => "clean_sgt",
        Op::Sne => "clean_sne",
        Op::Seq => "clean_seq",
        Op::Frc => "clean_frc",
        Op::Flr => "clean_flr",
        Op::Lrp => "clean_lrp",
        _ => return None,
    })
}

/// The function that takes a function's place in plain kernels.
fn plain_twin(function: &str) -> &str {
    match function {
        "clean_add" => "plain_add",
        "clean_sub" => "plain_sub",
        "clean_mul" => "plain_mul",
        "clean_flr" => "plain_flr",
        "clean_frc" => "plain_frc",
        "fp_clean" => "coarse",
        "fp_half_bits_to" => "plain_half_bits_to",
        _ => function,
    }
}

/// The WGSL module that declares an arithmetic function.
pub(in crate::recompiler) fn module_of(function: &str) -> &'static str {
    match function {
        "clean_dp2" | "clean_dp2a" | "clean_dp3" | "clean_dp4" | "clean_lrp" | "fp_lit" | "fp_lit_ex2" | "fp_nrm"
        | "fp_rfl" => "arith::fragment_vector",
        "coarse" | "opaque_bits" | "narrow_mul" | "sure_mul" => "arith::fragment_fast",
        _ if function.starts_with("plain_") => "arith::fragment_fast",
        _ if ["fp_half_bits_", "fp_round_", "fp_clamp_"].iter().any(|prefix| function.starts_with(prefix)) => {
            "arith::convert"
        }
        _ if function.starts_with("fp_pk") || function.starts_with("fp_up") => "arith::pack",
        _ => "arith::fragment",
    }
}
