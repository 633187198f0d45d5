//! Translates one bundle of vertex operations into WGSL: both units read all sources, then the results are written.

use super::operands::{indexed, scalar, vector};
use super::output_registers::outputs_of;
use super::{VertexKernelKey, emission};
use crate::arith::vertex::VertexRuleSet;
use crate::arith::vertex_functions::{NormalRangeForm, VertexFunction};
use crate::recompiler::condition::{passing_codes, swizzled};
use crate::recompiler::text::{COMPONENTS, Text};
use crate::shader::analysis::vertex_normal_range::{CheckedRegister, FactorCheck, NormalRangeOperation, Requirement};
use crate::shader::analysis::vertex_resources::VertexResources;
use crate::shader::condition::{ConditionTest, Relation, WriteMask};
use crate::shader::vertex::{
    Emission, OperationKind, Unit, VertexBundle, VertexConstantWrite, VertexOperation, VertexOutput,
};

/// The WGSL module of the cheaper twins and their checks.
const NORMAL_RANGE: &str = "software::vertex_normal_range";

/// Emits one bundle without its flow, and without the vertex that it may emit.
pub(super) fn emit(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources, bundle: &VertexBundle) {
    emit_indexed_outputs(text, resources);
    let vector = result(text, key, &bundle.vector);
    emit_with(text, key, resources, bundle, vector);
    if let Some(Emission::Select(target)) = bundle.emission {
        emission::emit_select(text, target);
    }
}

/// Copies the output registers that the program reads from the array that an indexed write may have changed.
fn emit_indexed_outputs(text: &mut Text, resources: &VertexResources) {
    if resources.has_indexed_outputs {
        for output in outputs_of(resources.outputs_read) {
            text.line(format!("o{output} = outputs[{output}];"));
        }
    }
}

/// Emits one bundle without its flow; uses the twin of its vector operation if the analysis planned one.
pub(super) fn emit_normal_range(
    text: &mut Text,
    key: &VertexKernelKey,
    resources: &VertexResources,
    bundle: &VertexBundle,
    planned: Option<&NormalRangeOperation>,
) {
    let vector = match planned {
        Some(planned) => Some(normal_range_result(text, &bundle.vector, planned)),
        None => result(text, key, &bundle.vector),
    };
    emit_with(text, key, resources, bundle, vector);
}

/// Emits one bundle with this result of its vector operation.
fn emit_with(
    text: &mut Text,
    key: &VertexKernelKey,
    resources: &VertexResources,
    bundle: &VertexBundle,
    mut vector: Option<String>,
) {
    let address = address_result(text, &bundle.vector);
    let mut scalar = result(text, key, &bundle.scalar);
    if bundle.saturate {
        for value in [&mut vector, &mut scalar].into_iter().flatten() {
            text.import("arith::vertex", "xf_saturate");
            *value = text.bind("t", &format!("xf_saturate({value})"));
        }
    }
    let predicate = match bundle.condition {
        Some(ConditionTest { relation: Relation::Never, .. }) => return,
        Some(test) if test.relation != Relation::Always => Some(text.bind("p", &passing(test))),
        _ => None,
    };
    let predicate = predicate.as_deref();
    // The address register of an indexed output is read before this bundle writes it.
    let output_index = bundle.output.and_then(|output| {
        let address = output.relative?;
        Some(text.bind("at", &format!("u32({})", indexed(address, u16::from(output.index)))))
    });
    let codes = address.as_deref().map(|value| {
        let signs = format!("select(select(vec4u(4u), vec4u(2u), {value} == vec4i(0)), vec4u(1u), {value} < vec4i(0))");
        text.bind("t", &signs)
    });
    emit_condition_update(text, key, bundle, (vector.as_deref(), scalar.as_deref(), codes), predicate);
    if let (Some(value), Some(register)) = (address, bundle.vector.destination) {
        emit_write(text, &format!("a{}", register & 1), &value, bundle.vector.mask, predicate);
    }
    for (value, operation) in [&vector, &scalar].into_iter().zip(bundle.operations()) {
        if let (Some(value), Some(register)) = (value, operation.destination) {
            emit_write(text, &format!("r{register}"), value, operation.mask, predicate);
        }
    }
    if let Some(output) = bundle.output {
        let value = match output.unit {
            Unit::Vector => &vector,
            Unit::Scalar => &scalar,
        };
        if let Some(value) = value {
            emit_output(text, key, resources, (output, output_index), value, predicate);
        }
    }
    if let Some(write) = bundle.constant_write {
        let value = match write.unit {
            Unit::Vector => &vector,
            Unit::Scalar => &scalar,
        };
        if let Some(value) = value {
            emit_constant_write(text, resources, write, value, predicate);
        }
    }
}

/// Writes a constant to the store, and to its copy if the program reads it.
fn emit_constant_write(
    text: &mut Text,
    resources: &VertexResources,
    write: VertexConstantWrite,
    value: &str,
    predicate: Option<&str>,
) {
    if resources.written_constants.contains(&write.index) {
        emit_write(text, &format!("vertex_constants[{}]", write.index), value, write.mask, predicate);
        if resources.constants.contains(&write.index) {
            emit_write(text, &format!("c{}", write.index), value, write.mask, predicate);
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
    bundle: &VertexBundle,
    (vector, scalar, address_codes): (Option<&str>, Option<&str>, Option<String>),
    predicate: Option<&str>,
) {
    let Some(update) = bundle.condition_update else { return };
    let register = format!("cc{}", update.register & 1);
    let results = [(Unit::Vector, vector, bundle.vector.mask), (Unit::Scalar, scalar, bundle.scalar.mask)];
    for (unit, value, mask) in results.into_iter().filter(|(unit, ..)| update.takes(*unit)) {
        if let (Unit::Vector, Some(codes)) = (unit, &address_codes) {
            emit_write(text, &register, codes, mask, predicate);
            continue;
        }
        let Some(value) = value else { continue };
        let function = match key.rules {
            VertexRuleSet::Nv40Modern | VertexRuleSet::Pica200 => "condition_codes",
            VertexRuleSet::Nv40Legacy => "total_order_codes",
        };
        text.import("arith::condition", function);
        let codes = text.bind("t", &format!("{function}({value})"));
        emit_write(text, &register, &codes, mask, predicate);
    }
}

/// Writes the masked components of a register, each if the predicate holds.
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
    resources: &VertexResources,
    (output, index): (VertexOutput, Option<String>),
    value: &str,
    predicate: Option<&str>,
) {
    let mask = output.mask;
    let Some(index) = index else {
        if output.index >= 16 {
            return;
        }
        if resources.has_indexed_outputs {
            emit_write(text, &format!("outputs[{}]", output.index), value, mask, predicate);
        } else if (key.kept_outputs() | resources.outputs_read) >> output.index & 1 != 0 {
            emit_write(text, &format!("o{}", output.index), value, mask, predicate);
        }
        return;
    };
    text.open(format!("if {index} < 16u {{"));
    emit_write(text, &format!("outputs[{index}]"), value, mask, predicate);
    text.close();
}

/// Names the integers that an operation computes for an address register.
fn address_result(text: &mut Text, operation: &VertexOperation) -> Option<String> {
    let expression = match operation.kind {
        OperationKind::LoadAddress(function) => {
            text.import(function.module, function.name);
            format!("{}({})", function.name, vector(&operation.sources[0]))
        }
        OperationKind::AddAddress { register } => {
            let register = format!("a{}", register & 1);
            format!("clamp({register}.xyxy + {register}.zwzw, vec4i(-512), vec4i(511))")
        }
        _ => return None,
    };
    Some(text.bind("t", &expression))
}

/// Names the vector that an operation computes.
fn result(text: &mut Text, key: &VertexKernelKey, operation: &VertexOperation) -> Option<String> {
    let expression = match operation.kind {
        OperationKind::Idle | OperationKind::LoadAddress(_) | OperationKind::AddAddress { .. } => return None,
        OperationKind::Move => vector(&operation.sources[0]),
        OperationKind::Constant(0) => "vec4u(0u)".to_owned(),
        OperationKind::Constant(bits) => format!("vec4u({bits:#x}u)"),
        OperationKind::Arithmetic(function) => {
            text.import(function.module, function.name);
            call(function, operation, key.rules)
        }
        OperationKind::FetchTexture { unit } => {
            text.import("vertex::sample_vertex_texture", "sample_vertex_texture");
            format!("sample_vertex_texture(texture{}, {})", unit & 3, vector(&operation.sources[0]))
        }
    };
    Some(text.bind("t", &expression))
}

/// The call of a function, as a vector.
fn call(function: &VertexFunction, operation: &VertexOperation, rules: VertexRuleSet) -> String {
    let operand = if function.is_scalar() { scalar } else { vector };
    let mut arguments: Vec<String> = operation.read_sources().iter().map(operand).collect();
    if function.takes_rules() {
        arguments.push(rules.wgsl_argument().to_owned());
    }
    let call = format!("{}({})", function.name, arguments.join(", "));
    if function.is_replicated() { format!("vec4u({call})") } else { call }
}

/// Emits the checks of a planned operation and its twin; sets `is_exact` if a check fails.
fn normal_range_result(text: &mut Text, operation: &VertexOperation, planned: &NormalRangeOperation) -> String {
    for FactorCheck { register, component, requirement } in &planned.factors {
        let function = match requirement {
            Requirement::InRange => "normal_range_is_wrong_factor",
            Requirement::NotDenormal => "normal_range_is_denormal",
        };
        let register = match register {
            CheckedRegister::Temporary(index) => format!("r{index}"),
            CheckedRegister::Attribute(index) => format!("v{index}"),
            CheckedRegister::Output(index) => format!("o{index}"),
        };
        text.import(NORMAL_RANGE, function);
        text.line(format!("is_exact |= {function}({register}.{});", COMPONENTS[usize::from(*component)]));
    }
    let name = planned.twin.name;
    text.import(NORMAL_RANGE, name);
    let arguments: Vec<String> = operation.read_sources().iter().map(vector).collect();
    let result = text.bind("m", &format!("{name}({})", arguments.join(", ")));
    if planned.twin.form == NormalRangeForm::Product {
        return result;
    }
    text.import(NORMAL_RANGE, "normal_range_is_wrong_term");
    for (_, component) in COMPONENTS.iter().enumerate().filter(|(index, _)| planned.terms >> index & 1 != 0) {
        text.line(format!("is_exact |= normal_range_is_wrong_term({result}.largest.{component});"));
    }
    format!("{result}.value")
}
