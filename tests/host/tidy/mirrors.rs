//! Checks that both engines use the same names: a block is a folder of the reference, the recompiler and the kernels'
//! text, and a stage of the reference is a file of that name in the recompiler or in the kernels' text.

use std::collections::{BTreeMap, BTreeSet};

use super::files_below;

/// Reference stages without a file of the same name, and where kernels do their work. The list should shrink.
const WITHOUT_TWIN: &[(&str, &str)] = &[
    ("blit/clear_surface", "wgsl/blit/fill_surface.wgsl and others set words; zeroing and reports share them"),
    ("compute/predicates", "recompiler/compute/execute_instruction.rs tests flags"),
    ("compute/races", "only the reference looks for races"),
    ("compute/run_launch", "kernels/stages/launch.rs dispatches"),
    ("fragment/operation", "recompiler/fragment/operations.rs writes the text of each"),
    ("fragment/register_file", "recompiler/fragment/registers.rs turns registers into variables"),
    ("fragment/run_fragment_program", "recompiler/fragment/mod.rs generates one text for each program"),
    ("rop/dither", "recompiler/rop/color.rs packs and dithers"),
    ("rop/stencil", "recompiler/rop/depth.rs tests depth and stencil together"),
    ("setup/set_up_lines", "wgsl/setup/set_up_line.wgsl"),
    ("vertex/run_vertex_program", "recompiler/vertex/mod.rs generates one text for each program"),
];

/// Blocks of the recompiler that the reference lacks.
const ONLY_RECOMPILED: &[&str] = &["software", "tiles"];

/// Blocks of the kernels' text that the reference lacks: they have no stages or are not part of an engine.
const ONLY_TEXT: &[&str] = &["arith", "counters", "memory", "models", "present", "software"];

/// The files of a tree as `block/stage`, without those at the top level.
fn stages(folder: &str, extension: &str) -> BTreeSet<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let names = files_below(folder, &[extension])
        .into_iter()
        .map(|path| path.strip_prefix(&root).unwrap().with_extension("").to_string_lossy().replace('\\', "/"));
    names.filter(|name| name.contains('/')).collect()
}

/// The block of a stage.
fn block_of(stage: &str) -> &str {
    stage.split('/').next().unwrap_or_default()
}

/// The blocks of a tree with their number of files.
fn blocks(stages: &BTreeSet<String>) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for stage in stages {
        *found.entry(block_of(stage)).or_default() += 1;
    }
    found
}

/// The errors in three trees; the listed stages need no twin.
fn complaints(
    reference: &BTreeSet<String>,
    recompiler: &BTreeSet<String>,
    text: &BTreeSet<String>,
    without: &[(&str, &str)],
) -> Vec<String> {
    let mut found = Vec::new();
    let has_twin = |stage: &str| recompiler.contains(stage) || text.contains(stage);
    let is_stage = |stage: &str| !stage.ends_with("/mod") && !stage.ends_with("tests") && !stage.contains("/test_");
    for stage in reference.iter().filter(|stage| is_stage(stage)) {
        let is_known = without.iter().any(|(known, _)| known == stage);
        if !has_twin(stage) && !is_known {
            found.push(format!("src/reference/{stage}.rs has no twin in src/recompiler or wgsl"));
        }
    }
    for (stage, _) in without {
        if has_twin(stage) || !reference.contains(*stage) {
            found.push(format!("{stage} has a twin or is gone: take it off the list"));
        }
    }
    let (own, recompiled, written) = (blocks(reference), blocks(recompiler), blocks(text));
    let strangers = |blocks: &BTreeMap<&str, usize>, known: &[&str], tree: &str| -> Vec<String> {
        let strange = blocks.keys().filter(|block| !own.contains_key(*block) && !known.contains(block));
        strange.map(|block| format!("{tree}/{block} is no block of the reference")).collect()
    };
    found.extend(strangers(&recompiled, ONLY_RECOMPILED, "src/recompiler"));
    found.extend(strangers(&written, ONLY_TEXT, "wgsl"));
    let is_mirrored = |block: &str| written.contains_key(block) || recompiled.contains_key(block);
    let missing = own.keys().filter(|block| !is_mirrored(block));
    found.extend(missing.map(|block| format!("src/reference/{block} is a block of nothing else")));
    found
}

#[test]
fn stages_have_one_name_in_both_engines() {
    let (reference, recompiler) = (stages("src/reference", "rs"), stages("src/recompiler", "rs"));
    let text = stages("wgsl", "wgsl");
    assert!(reference.len() > 20 && text.len() > 80, "the trees were not found");
    let found = complaints(&reference, &recompiler, &text, WITHOUT_TWIN);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn planted_differences_are_found() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let (reference, text) = (set(&["rop/mod", "rop/blend", "rop/dither"]), set(&["rop/blend", "memory/read"]));
    let recompiler = set(&["rop/dither", "tiles/key"]);
    let count = |reference: &BTreeSet<String>,
                 recompiler: &BTreeSet<String>,
                 text: &BTreeSet<String>,
                 without: &[_]| { complaints(reference, recompiler, text, without).len() };
    assert_eq!(count(&reference, &recompiler, &text, &[]), 0);
    // A stage without a twin, which the list may contain.
    let more = set(&["rop/blend", "rop/stencil"]);
    assert_eq!(count(&more, &recompiler, &text, &[]), 1);
    assert_eq!(count(&more, &recompiler, &text, &[("rop/stencil", "depth")]), 0);
    // Entries that no longer hold.
    assert_eq!(count(&reference, &recompiler, &text, &[("rop/blend", "twin"), ("rop/gone", "gone")]), 2);
    // Blocks with different names, and one without a mirror.
    assert_eq!(count(&reference, &set(&["rop/dither", "merger/key"]), &text, &[]), 1);
    assert_eq!(count(&reference, &recompiler, &set(&["rop/blend", "output/blend"]), &[]), 1);
    assert_eq!(count(&set(&["rop/blend", "blit/mod"]), &recompiler, &text, &[]), 1);
}
