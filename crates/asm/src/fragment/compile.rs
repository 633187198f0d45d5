//! Compiles texts in `!!FP1.0`, `!!FP2.0` and `!!ARBfp1.0` into fragment microcode, its control word and the constants to patch.

use super::allocate::allocate;
use super::bindings::{FragmentBindings, FragmentOutput};
use super::emit::emit;
use super::fog::{FogMode, append_fog};
use super::grammar::Grammar;
use super::names::Names;
use super::native;
use super::opcodes::Dialects;
use crate::assembly::{FragmentAssembly, TextureUse, WindowConventions, control_word};
use crate::cursor::{Cursor, Parsed};
use crate::diagnostic::{Diagnostic, ErrorList, Span};
use crate::isa::nv40_fragment::decode::SLOT_LIMIT;
use crate::language::Language;
use crate::options::{OptionTable, Options, ProgramOption};
use crate::shader::fragment::{FragmentOperationKind, FragmentProgram};
use crate::shader::fragment_blocks::operations;
use crate::statements::read_statements;

/// Half registers that `!!FP1.0` lets a program name.
const FP_HALVES: usize = 64;

/// Options of `!!ARBfp1.0`.
const OPTIONS: &OptionTable = &[
    ("NV_fragment_program", ProgramOption::FragmentProgram),
    ("NV_fragment_program2", ProgramOption::FragmentProgram2),
    ("ARB_fragment_program_shadow", ProgramOption::Shadow),
    ("ARB_draw_buffers", ProgramOption::DrawBuffers),
    ("ATI_draw_buffers", ProgramOption::DrawBuffers),
    ("ARB_fog_exp", ProgramOption::FogExp),
    ("ARB_fog_exp2", ProgramOption::FogExp2),
    ("ARB_fog_linear", ProgramOption::FogLinear),
    ("ARB_precision_hint_fastest", ProgramOption::PrecisionFastest),
    ("ARB_precision_hint_nicest", ProgramOption::PrecisionNicest),
    UPPER_LEFT,
    INTEGER_CENTERS,
];

/// Options of `!!FP1.0`, which `ARB_fragment_coord_conventions` adds.
const FP_OPTIONS: &OptionTable = &[UPPER_LEFT, INTEGER_CENTERS];

const UPPER_LEFT: (&str, ProgramOption) = ("ARB_fragment_coord_origin_upper_left", ProgramOption::OriginUpperLeft);
const INTEGER_CENTERS: (&str, ProgramOption) =
    ("ARB_fragment_coord_pixel_center_integer", ProgramOption::PixelCenterInteger);

/// Assembles a text whose header names `language`.
///
/// # Errors
/// Everything that is wrong with the text, in its order.
pub(super) fn compile(language: Language, text: &str) -> Result<FragmentAssembly, Vec<Diagnostic>> {
    let one = |error| vec![error];
    let mut cursor = Cursor::new(text, language.header().len()).map_err(one)?;
    if language == Language::NativeFragment {
        return native::assemble_native(&mut cursor);
    }
    let is_arb = language == Language::ArbFp1_0;
    let start = cursor.span();
    let options = Options::read(&mut cursor, if is_arb { OPTIONS } else { FP_OPTIONS }).map_err(one)?;
    let options_span = cursor.span_from(&start);
    let fog = fog_mode(options, options_span).map_err(one)?;
    let bindings = FragmentBindings::new(dialects(language, options), options.has(ProgramOption::DrawBuffers));
    let is_half = options.has(ProgramOption::PrecisionFastest);
    let mut grammar = Grammar::new(Names::new(bindings, is_half, options.has(ProgramOption::Shadow)));
    let mut errors = ErrorList::default();
    read_statements(&mut cursor, &mut grammar, &mut errors);
    let end = cursor.last_span();
    if errors.is_empty() && language == Language::Fp1_0 {
        errors.extend(fp_limits(&grammar.names, end.clone()));
    }
    errors.or(())?;
    let conventions = WindowConventions {
        is_upper_left: options.has(ProgramOption::OriginUpperLeft),
        has_integer_centers: options.has(ProgramOption::PixelCenterInteger),
    };
    let assembly = finish(language, grammar, fog, end).map_err(one)?;
    Ok(FragmentAssembly { conventions, ..assembly })
}

const fn dialects(language: Language, options: Options) -> Dialects {
    if matches!(language, Language::Fp1_0) {
        Dialects::FP
    } else if matches!(language, Language::Fp2_0) {
        Dialects::FP.with(Dialects::NV2)
    } else if options.has(ProgramOption::FragmentProgram2) {
        Dialects::ARB.with(Dialects::NV).with(Dialects::NV2)
    } else if options.has(ProgramOption::FragmentProgram) {
        Dialects::ARB.with(Dialects::NV)
    } else {
        Dialects::ARB
    }
}

fn fog_mode(options: Options, span: Span) -> Parsed<Option<FogMode>> {
    let modes = [
        (ProgramOption::FogExp, FogMode::Exponential),
        (ProgramOption::FogExp2, FogMode::Squared),
        (ProgramOption::FogLinear, FogMode::Linear),
    ];
    let chosen: Vec<FogMode> =
        modes.into_iter().filter(|(option, _)| options.has(*option)).map(|(_, mode)| mode).collect();
    if chosen.len() > 1 {
        return Err(Diagnostic::over_limit(span, "fog options", chosen.len(), 1, "fog options of a program"));
    }
    if options.has(ProgramOption::PrecisionFastest) && options.has(ProgramOption::PrecisionNicest) {
        return Err(Diagnostic::over_limit(span, "precision hints", 2, 1, "precision hints of a program"));
    }
    Ok(chosen.first().copied())
}

/// What `!!FP1.0` limits over a whole text.
fn fp_limits(names: &Names, end: Span) -> Option<Diagnostic> {
    if names.outputs.is_empty() {
        return Some(Diagnostic::new(end, "the program writes no result").note("write o[COLR], o[COLH] or o[DEPR]"));
    }
    let size = |is_half: bool| if is_half { 1 } else { 2 };
    let temporaries = names.temporaries.keys().map(|&(is_half, _)| size(is_half));
    let halves: usize = temporaries.chain(names.outputs.values().map(|&(_, is_half)| size(is_half))).sum();
    (halves > FP_HALVES).then(|| {
        Diagnostic::over_limit(end, "half registers", halves, FP_HALVES, "half registers of !!FP1.0")
            .note("an R register and o[COLR], o[DEPR] count twice, an H register and o[COLH] once")
    })
}

/// Registers, microcode and control word of what the grammar has read.
fn finish(language: Language, grammar: Grammar, fog: Option<FogMode>, end: Span) -> Parsed<FragmentAssembly> {
    let Grammar { names, mut code, flow, .. } = grammar;
    flow.finish(&mut code)?;
    let mut outputs = names.outputs;
    if let Some(mode) = fog {
        append_fog(&mut code, &mut outputs, mode, end.clone());
    }
    let is_color = |output: &FragmentOutput| matches!(output, FragmentOutput::Color(_));
    let has_full_outputs = outputs.iter().any(|(output, &(_, is_half))| is_color(output) && !is_half);
    for (output, &(register, is_half)) in &outputs {
        let row = &mut code.registers[register.0 as usize];
        row.is_half = is_half;
        row.place = Some(output.place(has_full_outputs));
    }
    let places = allocate(&code)?;
    let emitted = emit(&code, &places);
    let too_long = || {
        Diagnostic::new(end.clone(), "the program is too long for the fragment processor")
            .note(format!("limit: {SLOT_LIMIT} instruction slots, inline constants included"))
    };
    let encoded = emitted.program.encode().map_err(|_| too_long())?;
    let program = FragmentProgram::decode(&encoded.words)
        .map_err(|error| Diagnostic::new(end.clone(), format!("the fragment processor cannot run this: {error}")))?;

    let writes_depth = outputs.contains_key(&FragmentOutput::Depth);
    let kills = operations(program.blocks()).any(|operation| operation.kind == FragmentOperationKind::Kill);
    let control = control_word(writes_depth, has_full_outputs, kills, places.count());
    let color_targets = outputs.keys().fold(0, |targets, output| match output {
        FragmentOutput::Color(target) => targets | 1 << target,
        FragmentOutput::Depth => targets,
    });
    let constants =
        encoded.constant_slots.iter().map(|&(slot, index)| (slot * 4, emitted.constants[usize::from(index)]));
    let loops = encoded.loop_slots.iter().zip(&emitted.loops).map(|(slot, source)| (slot * 4, *source));
    let uses = names.targets.iter().map(|(&unit, &target)| TextureUse::same(unit, Some(target)));
    Ok(FragmentAssembly {
        language,
        words: encoded.words.clone(),
        constants: constants.collect(),
        loops: loops.collect(),
        parameters: names.declared,
        control,
        textures: uses.collect(),
        inputs: emitted.inputs,
        color_targets,
        writes_depth,
        conventions: WindowConventions::default(),
    })
}
