//! One vertex instruction into WGSL: both units read all sources, then the results are written.

use super::VertexKernelKey;
use super::needs::Needs;
use super::normal_range::NormalRange;
use super::operands::{indexed, scalar, vector};
use crate::arith::vertex::VertexRuleSet;
use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use crate::recompiler::condition::{passing_codes, swizzled};
use crate::recompiler::text::{COMPONENTS, Text};
use crate::shader::condition::{ConditionTest, Relation, WriteMask};
use crate::shader::vertex::{OutputWrite, Unit, VertexInstruction};

/// Whether an operation's destination is an address register.
pub(super) const fn writes_address(opcode: VectorOpcode) -> bool {
    matches!(opcode, VectorOpcode::Arl | VectorOpcode::Arr | VectorOpcode::Ara)
}

/// Emits one instruction without its flow.
pub(super) fn emit(text: &mut Text, key: &VertexKernelKey, needs: &Needs, instruction: &VertexInstruction) {
    let vector = vector_value(text, key, instruction);
    emit_with(text, key, needs, instruction, vector);
}

/// Emits one instruction without its flow, the short way where that may hold.
pub(super) fn emit_normal_range(
    text: &mut Text,
    key: &VertexKernelKey,
    needs: &Needs,
    instruction: &VertexInstruction,
    normal_range: &mut NormalRange,
) {
    let sources = [0, 1, 2].map(|index| vector(instruction, &instruction.sources[index]));
    let short = normal_range.value(text, instruction, &sources);
    normal_range.note(instruction);
    let value = short.or_else(|| vector_value(text, key, instruction));
    emit_with(text, key, needs, instruction, value);
}

/// Emits one instruction whose vector operation has this value.
fn emit_with(
    text: &mut Text,
    key: &VertexKernelKey,
    needs: &Needs,
    instruction: &VertexInstruction,
    mut vector: Option<String>,
) {
    let address = address_value(text, instruction);
    let mut scalar = scalar_value(text, key, instruction);
    if instruction.saturate {
        for value in [&mut vector, &mut scalar].into_iter().flatten() {
            text.import("arith::vertex", "xf_saturate");
            *value = text.bind("t", &format!("xf_saturate({value})"));
        }
    }
    let predicate = match instruction.condition {
        Some(ConditionTest { relation: Relation::Never, .. }) => return,
        Some(test) if test.relation != Relation::Always => Some(text.bind("p", &passing(test))),
        _ => None,
    };
    let predicate = predicate.as_deref();
    // The address register of an indexed output is read before this instruction writes it.
    let output_index = instruction
        .output
        .filter(|output| output.is_indexed)
        .map(|output| text.bind("at", &format!("u32({})", indexed(instruction, u16::from(output.index)))));
    let codes = address.as_deref().map(|value| {
        let signs = format!("select(select(vec4u(4u), vec4u(2u), {value} == vec4i(0)), vec4u(1u), {value} < vec4i(0))");
        text.bind("t", &signs)
    });
    emit_condition_update(text, key, instruction, (vector.as_deref(), scalar.as_deref(), codes), predicate);
    if let (Some(value), Some(register)) = (address, instruction.vector_destination) {
        emit_write(text, &format!("a{}", register & 1), &value, instruction.vector_mask, predicate);
    }
    if let (Some(value), Some(register)) = (&vector, instruction.vector_destination) {
        emit_write(text, &format!("r{register}"), value, instruction.vector_mask, predicate);
    }
    if let (Some(value), Some(register)) = (&scalar, instruction.scalar_destination) {
        emit_write(text, &format!("r{register}"), value, instruction.scalar_mask, predicate);
    }
    if let Some(output) = instruction.output {
        let (value, mask) = match output.unit {
            Unit::Vector => (&vector, instruction.vector_mask),
            Unit::Scalar => (&scalar, instruction.scalar_mask),
        };
        if let Some(value) = value {
            emit_output(text, key, needs, (output, output_index), (value, mask, predicate));
        }
    }
}

/// The four results of a condition test.
pub(super) fn passing(test: ConditionTest) -> String {
    let codes = swizzled(&format!("cc{}", test.register & 1), test.swizzle);
    format!("({codes} & vec4u({}u)) != vec4u(0u)", passing_codes(test.relation))
}

fn emit_condition_update(
    text: &mut Text,
    key: &VertexKernelKey,
    instruction: &VertexInstruction,
    (vector, scalar, address_codes): (Option<&str>, Option<&str>, Option<String>),
    predicate: Option<&str>,
) {
    let Some(update) = instruction.condition_update else { return };
    let (value, mask) = match update.unit {
        Unit::Vector => (vector, instruction.vector_mask),
        Unit::Scalar => (scalar, instruction.scalar_mask),
    };
    let register = format!("cc{}", update.register & 1);
    if let (Unit::Vector, Some(codes)) = (update.unit, &address_codes) {
        emit_write(text, &register, codes, mask, predicate);
        return;
    }
    let Some(value) = value else { return };
    let function = match key.rules {
        VertexRuleSet::Nv40Modern => "condition_codes",
        VertexRuleSet::Nv40Legacy => "total_order_codes",
    };
    text.import("arith::condition", function);
    let codes = text.bind("t", &format!("{function}({value})"));
    emit_write(text, &register, &codes, mask, predicate);
}

/// Writes the masked components of a register, each where the predicate holds.
fn emit_write(text: &mut Text, register: &str, value: &str, mask: WriteMask, predicate: Option<&str>) {
    if mask == WriteMask::ALL {
        match predicate {
            Some(predicate) => text.line(format!("{register} = select({register}, {value}, {predicate});")),
            None => text.line(format!("{register} = {value};")),
        }
        return;
    }
    for (_, component) in COMPONENTS.iter().enumerate().filter(|(index, _)| mask.has(*index)) {
        let target = format!("{register}.{component}");
        match predicate {
            Some(predicate) => {
                text.line(format!("{target} = select({target}, {value}.{component}, {predicate}.{component});"));
            }
            None => text.line(format!("{target} = {value}.{component};")),
        }
    }
}

fn emit_output(
    text: &mut Text,
    key: &VertexKernelKey,
    needs: &Needs,
    (output, index): (OutputWrite, Option<String>),
    (value, mask, predicate): (&str, WriteMask, Option<&str>),
) {
    let Some(index) = index else {
        if output.index >= 16 {
            return;
        }
        if needs.has_indexed_outputs {
            emit_write(text, &format!("outputs[{}]", output.index), value, mask, predicate);
        } else if key.outputs >> output.index & 1 != 0 {
            emit_write(text, &format!("o{}", output.index), value, mask, predicate);
        }
        return;
    };
    text.open(format!("if {index} < 16u {{"));
    emit_write(text, &format!("outputs[{index}]"), value, mask, predicate);
    text.close();
}

/// Names the integer result of an address operation.
fn address_value(text: &mut Text, instruction: &VertexInstruction) -> Option<String> {
    let function = match instruction.vector {
        VectorOpcode::Arl => "xf_arl",
        VectorOpcode::Arr => "xf_arr",
        VectorOpcode::Ara => {
            let register = format!("a{}", instruction.address.register & 1);
            let sum = format!("clamp({register}.xyxy + {register}.zwzw, vec4i(-512), vec4i(511))");
            return Some(text.bind("t", &sum));
        }
        _ => return None,
    };
    text.import("arith::vertex", function);
    let source = vector(instruction, &instruction.sources[0]);
    Some(text.bind("t", &format!("{function}({source})")))
}

/// Names the result of the vector unit.
fn vector_value(text: &mut Text, key: &VertexKernelKey, instruction: &VertexInstruction) -> Option<String> {
    let [a, b, c] = [0, 1, 2].map(|index| vector(instruction, &instruction.sources[index]));
    let modern = key.rules.wgsl_argument();
    let mut call =
        |function: &str, arguments: String| format!("{}({arguments})", text.import(module_of(function), function));
    let one = "0x3f800000u";
    let expression = match instruction.vector {
        VectorOpcode::Nop | VectorOpcode::Arl | VectorOpcode::Arr | VectorOpcode::Ara => return None,
        VectorOpcode::Mov => a,
        VectorOpcode::Mul => call("xf_mul", format!("{a}, {b}, {modern}")),
        VectorOpcode::Add => call("xf_add", format!("{a}, {c}")),
        VectorOpcode::Mad => call("xf_mad", format!("{a}, {b}, {c}, {modern}")),
        VectorOpcode::Dp3 => format!("vec4u({})", call("xf_dp3", format!("{a}, {b}, {modern}"))),
        VectorOpcode::Dph => format!("vec4u({})", call("xf_dph", format!("{a}, {b}, {modern}"))),
        VectorOpcode::Dp4 => format!("vec4u({})", call("xf_dp4", format!("{a}, {b}, {modern}"))),
        VectorOpcode::Dst => call("xf_dst", format!("{a}, {b}, {modern}")),
        VectorOpcode::Min => call("xf_min", format!("{a}, {b}, {modern}")),
        VectorOpcode::Max => call("xf_max", format!("{a}, {b}, {modern}")),
        VectorOpcode::Slt => call("xf_slt", format!("{a}, {b}, {modern}")),
        VectorOpcode::Sge => call("xf_sge", format!("{a}, {b}, {modern}")),
        VectorOpcode::Seq => call("xf_seq", format!("{a}, {b}, {modern}")),
        VectorOpcode::Sgt => call("xf_sgt", format!("{a}, {b}, {modern}")),
        VectorOpcode::Sle => call("xf_sle", format!("{a}, {b}, {modern}")),
        VectorOpcode::Sne => call("xf_sne", format!("{a}, {b}, {modern}")),
        VectorOpcode::Frc => call("xf_frc", a),
        VectorOpcode::Flr => call("xf_flr", a),
        VectorOpcode::Ssg => call("xf_ssg", format!("{a}, {modern}")),
        VectorOpcode::Sfl => "vec4u(0u)".to_owned(),
        VectorOpcode::Str => format!("vec4u({one})"),
        VectorOpcode::Txl => {
            let unit = instruction.texture_unit & 3;
            call("sample_vertex_texture", format!("texture{unit}, {a}"))
        }
    };
    Some(text.bind("t", &expression))
}

/// Names the result of the scalar unit, replicated where it is one value.
fn scalar_value(text: &mut Text, key: &VertexKernelKey, instruction: &VertexInstruction) -> Option<String> {
    let source = &instruction.sources[2];
    let modern = key.rules.wgsl_argument();
    let a = scalar(instruction, source);
    let mut call =
        |function: &str, arguments: String| format!("{}({arguments})", text.import(module_of(function), function));
    let mut replicated = |function: &str, arguments: String| format!("vec4u({})", call(function, arguments));
    let expression = match instruction.scalar {
        ScalarOpcode::Mov => vector(instruction, source),
        ScalarOpcode::Rcp => replicated("xf_rcp", a),
        ScalarOpcode::Rcc => replicated("xf_rcc", a),
        ScalarOpcode::Rsq => replicated("xf_rsq", format!("{a}, {modern}")),
        ScalarOpcode::Exp => call("xf_exp", a),
        ScalarOpcode::Log => call("xf_log", format!("{a}, {modern}")),
        ScalarOpcode::Lit => call("xf_lit", vector(instruction, source)),
        ScalarOpcode::Lg2 => replicated("xf_lg2", a),
        ScalarOpcode::Ex2 => replicated("xf_ex2", a),
        ScalarOpcode::Sin => replicated("xf_sin", a),
        ScalarOpcode::Cos => replicated("xf_cos", a),
        ScalarOpcode::Nop
        | ScalarOpcode::BraIndirect
        | ScalarOpcode::Bra
        | ScalarOpcode::CalIndirect
        | ScalarOpcode::Cal
        | ScalarOpcode::Ret
        | ScalarOpcode::Brb
        | ScalarOpcode::Clb
        | ScalarOpcode::PushA
        | ScalarOpcode::PopA => return None,
    };
    Some(text.bind("t", &expression))
}

/// The WGSL module that declares an arithmetic function.
fn module_of(function: &str) -> &'static str {
    match function {
        "xf_exp" | "xf_log" | "xf_lit" => "arith::vertex_approximate",
        "sample_vertex_texture" => "vertex::sample_vertex_texture",
        _ => "arith::vertex",
    }
}
