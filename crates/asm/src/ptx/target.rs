//! The errors that something needs another target than the one that a text is compiled for.

use crate::diagnostic::{Diagnostic, Span};
use crate::isa::tesla::TeslaGeneration;

/// The name of a target.
fn target_name(generation: TeslaGeneration) -> &'static str {
    TeslaGeneration::NAMES.iter().find(|(known, _)| *known == generation).map_or("sm_11", |(_, name)| name)
}

/// The error that something needs a later target than the text names, or than texts are compiled for.
pub(super) fn needs(span: Span, what: &str, wanted: &str, generation: TeslaGeneration) -> Diagnostic {
    let is_named = TeslaGeneration::NAMES.iter().any(|(known, name)| *name == wanted && *known <= generation);
    let reason = if is_named {
        "and texts are compiled for sm_11 at most".to_owned()
    } else {
        format!("the target is {}", target_name(generation))
    };
    let mark = if is_named { "," } else { ";" };
    Diagnostic::new(span, format!("{what} needs {wanted}{mark} {reason}"))
        .refuse(what)
        .label("not possible for the target")
}

/// The error that double precision is used where it is not demoted.
pub(super) fn needs_doubles(span: Span, generation: TeslaGeneration) -> Diagnostic {
    let what = "double precision";
    if generation >= TeslaGeneration::Sm13 {
        return needs(span, what, "sm_13", generation).note("with `map_f64_to_f32` after the target, it is single");
    }
    Diagnostic::new(span, format!("{what} needs sm_13 or map_f64_to_f32"))
        .refuse(what)
        .label("not possible for the target")
}
