//! What the arithmetic operations compute, by the functions of `wgsl/arith/tesla_*`.

use super::emitter::Emitter;
use crate::shader::simt::{
    Convert, FloatType, IntegerSum, IntegerType, LogicOperation, NumberFormat, Operation, Product, Relations, Rounding,
    Source, SpecialFunction, Width,
};

const FLOAT: &str = "arith::tesla_float";
const INTEGER: &str = "arith::tesla_integer";
const CONVERT: &str = "arith::tesla_convert";
const SPECIAL: &str = "arith::tesla_special";

/// The name of a value, and the expression of its flags.
pub(super) struct Results {
    pub(super) value: String,
    pub(super) flags: String,
}

impl Emitter<'_> {
    fn call(&mut self, module: &'static str, function: &str, arguments: &str) -> String {
        self.text.import(module, function);
        format!("{function}({arguments})")
    }

    /// A value whose flags are those of an integer.
    fn integer(&mut self, bits: u32, expression: &str) -> Results {
        let value = self.text.bind("value", expression);
        let flags = self.call(INTEGER, "tesla_integer_flags", &format!("{value}, {bits}u"));
        Results { value, flags }
    }

    /// A value whose flags are those of a float.
    fn float(&mut self, saturates: bool, expression: String) -> Results {
        let expression = if saturates { self.call(FLOAT, "tesla_saturate", &expression) } else { expression };
        let value = self.text.bind("value", &expression);
        let flags = self.call(FLOAT, "tesla_float_flags", &value);
        Results { value, flags }
    }

    /// The result of a function that also gives flags.
    fn flagged(&mut self, function: &str, arguments: &str) -> Results {
        let call = self.call(INTEGER, function, arguments);
        let result = self.text.bind("result", &call);
        Results { value: format!("{result}.value"), flags: format!("{result}.flags") }
    }

    /// Computes an operation. `sources` are the operands with the modifiers of floats, `modifiers` the sources with those of
    /// other operations, `carry` the condition register that a sum with carry reads. `None` for operations that are not
    /// emulated.
    pub(super) fn emit_operation(
        &mut self,
        operation: Operation,
        [a, b, c]: &[String; 3],
        modifiers: &[Source],
        carry: &str,
    ) -> Option<Results> {
        Some(match operation {
            Operation::Move { .. } => self.integer(32, a),
            Operation::AddInteger { sum, width, saturates } => self.sum(a, b, sum, carry, bits(width), saturates),
            Operation::SetInteger { relations, operands: IntegerType { width, is_signed } } => {
                let bits = bits(width);
                let arguments = format!("{a}, {b}, {bits}u, {is_signed}");
                let comparison = self.call(INTEGER, "tesla_compare_integers", &arguments);
                self.integer(bits, &holds(relations, &comparison))
            }
            Operation::MaxInteger(IntegerType { width, is_signed }) => {
                let arguments = format!("{a}, {b}, {}u, {is_signed}", bits(width));
                let call = self.call(INTEGER, "tesla_maximum_integer", &arguments);
                self.integer(bits(width), &call)
            }
            Operation::MinInteger(IntegerType { width, is_signed }) => {
                let arguments = format!("{a}, {b}, {}u, {is_signed}", bits(width));
                let call = self.call(INTEGER, "tesla_minimum_integer", &arguments);
                self.integer(bits(width), &call)
            }
            Operation::ShiftLeft(width) => self.flagged("tesla_shift_left", &format!("{a}, {b}, {}u", bits(width))),
            Operation::ShiftRight(IntegerType { width, is_signed }) => {
                self.flagged("tesla_shift_right", &format!("{a}, {b}, {}u, {is_signed}", bits(width)))
            }
            Operation::MultiplyInteger(product) => {
                let product = self.product(product, a, b);
                self.integer(32, &product)
            }
            Operation::SumAbsoluteDifference(IntegerType { width, is_signed }) => {
                let arguments = format!("{a}, {b}, {c}, {}u, {is_signed}", bits(width));
                self.flagged("tesla_sum_absolute_difference", &arguments)
            }
            Operation::MultiplyAddInteger { sum, product, saturates } => {
                let product = self.product(product, a, b);
                self.sum(&product, c, sum, carry, 32, saturates)
            }
            Operation::Logic { operation, width } => {
                let inverted = |source: usize, value: &str| {
                    let inverts = modifiers.get(source).is_some_and(|source| source.invert);
                    if inverts { format!("~({value})") } else { format!("({value})") }
                };
                self.integer(bits(width), &combined(operation, &inverted(0, a), &inverted(1, b)))
            }
            Operation::Convert(conversion) => self.conversion(conversion, a, modifiers.first()?)?,
            _ => return self.emit_float_operation(operation, [a, b, c]),
        })
    }

    /// The same for operations on floats.
    fn emit_float_operation(&mut self, operation: Operation, [a, b, c]: [&String; 3]) -> Option<Results> {
        Some(match operation {
            Operation::AddFloat { format: FloatType::F32, rounding, saturates } => {
                let call = self.rounded("tesla_add", &format!("{a}, {b}"), rounding);
                self.float(saturates, call)
            }
            Operation::MultiplyFloat { format: FloatType::F32, rounding, saturates } => {
                let call = self.rounded("tesla_multiply", &format!("{a}, {b}"), rounding);
                self.float(saturates, call)
            }
            Operation::MultiplyAddFloat { saturates } => {
                let call = self.call(FLOAT, "tesla_multiply_add", &format!("{a}, {b}, {c}"));
                self.float(saturates, call)
            }
            Operation::SetFloat { relations, format: FloatType::F32 } => {
                let comparison = self.call(FLOAT, "tesla_compare", &format!("{a}, {b}"));
                self.integer(32, &holds(relations, &comparison))
            }
            Operation::MaxFloat(FloatType::F32) => {
                let call = self.call(FLOAT, "tesla_maximum", &format!("{a}, {b}"));
                self.float(false, call)
            }
            Operation::MinFloat(FloatType::F32) => {
                let call = self.call(FLOAT, "tesla_minimum", &format!("{a}, {b}"));
                self.float(false, call)
            }
            Operation::Select => {
                let call = self.call(FLOAT, "tesla_select", &format!("{a}, {b}, {c}"));
                let value = self.text.bind("value", &call);
                let flags = self.call(FLOAT, "tesla_select_flags", &value);
                Results { value, flags }
            }
            Operation::Special(function) => {
                let (function, saturates) = match function {
                    SpecialFunction::Reciprocal => ("tesla_reciprocal", false),
                    SpecialFunction::ReciprocalSquareRoot => ("tesla_reciprocal_square_root", false),
                    SpecialFunction::Log2 => ("tesla_log2", false),
                    SpecialFunction::Sine => ("tesla_sine", false),
                    SpecialFunction::Cosine => ("tesla_cosine", false),
                    SpecialFunction::Exp2 { saturates } => ("tesla_exp2", saturates),
                };
                let call = self.call(SPECIAL, function, a);
                self.float(saturates, call)
            }
            Operation::PrepareSine => {
                let call = self.call(SPECIAL, "tesla_prepare_sine", a);
                self.float(false, call)
            }
            Operation::PrepareExponential => {
                let call = self.call(SPECIAL, "tesla_prepare_exponential", a);
                self.float(false, call)
            }
            _ => return None,
        })
    }

    /// Calls a function, or its form for other roundings than to nearest.
    fn rounded(&mut self, function: &str, operands: &str, rounding: Rounding) -> String {
        match rounding {
            Rounding::NearestEven => self.call(FLOAT, function, operands),
            _ => self.call(FLOAT, &format!("{function}_rounded"), &format!("{operands}, {}u", number(rounding))),
        }
    }

    fn sum(&mut self, a: &str, b: &str, sum: IntegerSum, carry: &str, bits: u32, saturates: bool) -> Results {
        let (a, b, carry) = match sum {
            IntegerSum::Add => (a.to_owned(), b.to_owned(), "0u".to_owned()),
            IntegerSum::Subtract => (a.to_owned(), format!("~({b})"), "1u".to_owned()),
            IntegerSum::SubtractReversed => (format!("~({a})"), b.to_owned(), "1u".to_owned()),
            IntegerSum::AddWithCarry => (a.to_owned(), b.to_owned(), format!("(({carry} >> 2u) & 1u)")),
        };
        self.flagged("tesla_add_integers", &format!("{a}, {b}, {carry}, {bits}u, {saturates}"))
    }

    fn product(&mut self, product: Product, a: &str, b: &str) -> String {
        match product {
            Product::Bits16 { is_first_signed, is_second_signed } => {
                self.call(INTEGER, "tesla_multiply_16", &format!("{a}, {b}, {is_first_signed}, {is_second_signed}"))
            }
            Product::Bits24 { is_signed, is_high } => {
                let function = if is_high { "tesla_multiply_24_high" } else { "tesla_multiply_24" };
                self.call(INTEGER, function, &format!("{a}, {b}, {is_signed}"))
            }
        }
    }

    /// A conversion with the modifiers of its source; `None` for 64-bit numbers.
    fn conversion(&mut self, conversion: Convert, a: &str, source: &Source) -> Option<Results> {
        let Source { absolute, negate, .. } = *source;
        let Convert { from, to, saturates, rounds_to_integer, .. } = conversion;
        let rounding = number(conversion.rounding.unwrap_or(Rounding::NearestEven));
        let modifiers = format!("{absolute}, {negate}");
        // The integer in sign and magnitude, with the sign that it has before the modifiers, or the float.
        let (is_integer, operand, is_negative) = match integer_format(from) {
            Some((bits, is_signed)) => {
                let operand = self.call(CONVERT, "tesla_magnitude", &format!("{a}, {bits}u, {is_signed}, {modifiers}"));
                let sign = format!("(({a} >> {}u) & 1u) != 0u", bits - 1);
                (true, operand, if is_signed { sign } else { "false".to_owned() })
            }
            None => {
                let single = match from {
                    NumberFormat::Float(16) => self.call(CONVERT, "tesla_half_to_single", a),
                    NumberFormat::Float(32) => a.to_owned(),
                    _ => return None,
                };
                (false, self.call(CONVERT, "tesla_modified", &format!("{single}, {modifiers}")), String::new())
            }
        };
        if let Some((bits, is_signed)) = integer_format(to) {
            let result = if is_integer {
                self.call(CONVERT, "tesla_integer_to_integer", &format!("{operand}, {bits}u, {is_signed}"))
            } else {
                let arguments = format!("{operand}, {bits}u, {is_signed}, {rounding}u");
                self.call(CONVERT, "tesla_float_to_integer", &arguments)
            };
            return Some(self.integer(if bits == 16 { 16 } else { 32 }, &result));
        }
        let is_half = match to {
            NumberFormat::Float(16) => true,
            NumberFormat::Float(32) => false,
            _ => return None,
        };
        let result = match (is_integer, is_half) {
            (true, false) => {
                self.call(CONVERT, "tesla_integer_to_float", &format!("{operand}, {rounding}u, {saturates}"))
            }
            (true, true) => {
                let arguments = format!("{operand}, {is_negative}, {rounding}u, {saturates}");
                self.call(CONVERT, "tesla_integer_to_half", &arguments)
            }
            (false, _) => {
                let function = if is_half { "tesla_float_to_half" } else { "tesla_float_to_float" };
                self.call(CONVERT, function, &format!("{operand}, {rounding}u, {rounds_to_integer}, {saturates}"))
            }
        };
        let value = self.text.bind("value", &result);
        let single = if is_half { self.call(CONVERT, "tesla_half_to_single", &value) } else { value.clone() };
        let flags = self.call(FLOAT, "tesla_float_flags", &single);
        Some(Results { value, flags })
    }
}

/// The size and sign of an integer that can be converted.
const fn integer_format(format: NumberFormat) -> Option<(u8, bool)> {
    match format {
        NumberFormat::Unsigned(bits @ (8 | 16 | 32)) => Some((bits, false)),
        NumberFormat::Signed(bits @ (8 | 16 | 32)) => Some((bits, true)),
        _ => None,
    }
}

/// The number of a rounding in instructions.
const fn number(rounding: Rounding) -> u32 {
    match rounding {
        Rounding::NearestEven => 0,
        Rounding::Down => 1,
        Rounding::Up => 2,
        Rounding::TowardZero => 3,
    }
}

/// The bits of an integer operand.
const fn bits(width: Width) -> u32 {
    match width {
        Width::Half => 16,
        Width::Word | Width::Double | Width::Quad => 32,
    }
}

fn combined(operation: LogicOperation, a: &str, b: &str) -> String {
    match operation {
        LogicOperation::And => format!("{a} & {b}"),
        LogicOperation::Or => format!("{a} | {b}"),
        LogicOperation::Xor => format!("{a} ^ {b}"),
        LogicOperation::Second => b.to_owned(),
    }
}

/// All ones where a comparison has one of the relations: bit 0 of a mask for greater, then equal, less and unordered.
fn holds(relations: Relations, comparison: &str) -> String {
    let Relations { less, equal, greater, unordered } = relations;
    let mask = u32::from(greater) | u32::from(equal) << 1 | u32::from(less) << 2 | u32::from(unordered) << 3;
    format!("0u - (({mask}u >> {comparison}) & 1u)")
}
