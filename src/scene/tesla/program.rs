//! Turns a program of a scene, as assembly or cubin, into words, constants and what they connect.

use super::links::words_of;
use crate::asm::tesla::{HEADER, read_module};
use crate::isa::tesla::module::{TeslaConstants, TeslaKernel};
use crate::scene::error::{SceneError, Source};
use crate::scene::folder::Folder;
use crate::scene::loaded_program::{Constant, LoadedProgram, SimtCode, SimtConstant};
use crate::scene::schema;
use crate::shader::simt::{ProgramKind, SimtProgram};

/// Bytes of a vector of constants.
const VECTOR_BYTES: u32 = 16;

/// The bytes of a constant space.
const SPACE_BYTES: u32 = 1 << 16;

/// Reads a program's file.
pub(in crate::scene) fn load(
    source: &Source,
    folder: &Folder,
    program: &schema::Program,
) -> Result<LoadedProgram, SceneError> {
    let file = &program.file;
    if let Some(machine) = &program.machine {
        return Err(source.at(
            machine,
            "the GeForce 8 runs its own programs only",
            "only scenes of NV40 name a machine",
        ));
    }
    if program.control.is_some() {
        return Err(source.at(file, "`control` belongs to programs of NV40", "this program"));
    }
    let bytes = folder.bytes(source, file)?;
    let module = read_module(&folder.display(file), &bytes).ok_or_else(|| {
        source.at(file, format!("`{file}` is no program of the GeForce 8"), format!("the first line is {HEADER}"))
    })?;
    let module = module.map_err(|errors| {
        let text = errors.to_string();
        SceneError::Program(text.trim_end().strip_prefix("error: ").unwrap_or(text.trim_end()).to_owned())
    })?;
    let names = || module.kernels.iter().map(|kernel| kernel.name.as_str());
    let kernel = match (&program.entry, module.kernels.as_slice()) {
        (Some(name), kernels) => kernels
            .iter()
            .find(|kernel| kernel.name == name.as_str())
            .ok_or_else(|| source.unknown(name, "program in this file", names()))?,
        (None, [kernel]) => kernel,
        (None, _) => {
            let label = format!("`entry` is one of {}", names().collect::<Vec<_>>().join(", "));
            return Err(source.at(file, format!("`{file}` holds several programs"), label));
        }
    };
    let code = simt_code(program, kernel, &module.constants);
    code.map(|code| LoadedProgram::Simt(Box::new(code)))
        .map_err(|why| source.at(file, format!("`{file}` cannot be drawn with"), why))
}

fn simt_code(program: &schema::Program, kernel: &TeslaKernel, shared: &[TeslaConstants]) -> Result<SimtCode, String> {
    if kernel.kind == ProgramKind::Compute {
        return Err("it is a compute program: `.kind vertex`, `geometry` or `fragment` is expected".to_owned());
    }
    if (kernel.kind == ProgramKind::Geometry) != program.emits.is_some() {
        return Err("geometry programs, and no others, have `emits`".to_owned());
    }
    if program.depth && kernel.kind != ProgramKind::Fragment {
        return Err("only fragment programs write a `depth`".to_owned());
    }
    let uses = words_of(&SimtProgram::decode_from(&kernel.code, 0, kernel.kind))?;
    let place = |offset: Option<u32>, name: &str| match offset {
        Some(offset) if !offset.is_multiple_of(4) || offset / 4 >= uses.outputs => {
            Err(format!("`{name}` is at o[{offset:#x}], which the program does not write"))
        }
        offset => Ok(offset.map(|offset| offset / 4)),
    };
    let (point_size, clip_distances) =
        (place(program.point_size, "point_size")?, place(program.clip_distances, "clip_distances")?);
    let emits = program.emits.as_ref().map(emitted).transpose()?;
    let mut constants = Vec::new();
    for constant in shared.iter().chain(&kernel.constants) {
        constants.extend(vectors(constant)?);
    }
    Ok(SimtCode {
        kind: kernel.kind,
        words: kernel.code.clone(),
        registers: u32::from(kernel.registers),
        uses,
        constants,
        emits,
        point_size,
        clip_distances,
        writes_depth: program.depth,
    })
}

/// The number of a geometry program's primitives, and its most vertices.
fn emitted(emits: &schema::Emits) -> Result<(u32, u32), String> {
    let primitive = match emits.primitive.name() {
        "POINTS" => 1,
        "LINE_STRIP" => 2,
        "TRIANGLE_STRIP" => 3,
        other => return Err(format!("programs emit POINTS, LINE_STRIP or TRIANGLE_STRIP, not {other}")),
    };
    match emits.vertices {
        vertices @ 1..=1024 => Ok((primitive, vertices)),
        vertices => Err(format!("it emits {vertices} vertices; 1 to 1024 are possible")),
    }
}

/// The vectors of a named piece of c0[]. The first one has its name; a matrix that is given to it fills the following ones.
fn vectors(constant: &TeslaConstants) -> Result<Vec<SimtConstant>, String> {
    let TeslaConstants { name, space, offset, bytes, words } = constant;
    if *space != 0 || offset.saturating_add(*bytes) > SPACE_BYTES {
        return Err(format!("`{name}` is in c{space}[]; scenes fill 64 KiB of c0[]"));
    }
    let vector = |number: u32| {
        let start = number * VECTOR_BYTES;
        let count = (bytes - start).min(VECTOR_BYTES).div_ceil(4);
        let initial = words.get(start as usize / 4..).unwrap_or_default();
        let value = |component: usize| initial.get(component).copied().unwrap_or(0);
        let default = (!words.is_empty()).then(|| std::array::from_fn(value));
        let names = match number {
            0 => vec![format!("{name}[0]"), name.clone()],
            number => vec![format!("{name}[{number}]")],
        };
        SimtConstant { word: (offset + start) / 4, count, value: Constant::Parameter(names, default) }
    };
    Ok((0..bytes.div_ceil(VECTOR_BYTES)).map(vector).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_vectors_with_the_names_of_rows() {
        let constant = TeslaConstants { name: "m".to_owned(), space: 0, offset: 32, bytes: 20, words: vec![7, 8] };
        let found = vectors(&constant).unwrap();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(found.iter().map(|own| (own.word, own.count)).collect::<Vec<_>>(), [(8, 4), (12, 1)]);
        assert_eq!(found[0].value, Constant::Parameter(names(&["m[0]", "m"]), Some([7, 8, 0, 0])));
        assert_eq!(found[1].value, Constant::Parameter(names(&["m[1]"]), Some([0; 4])));
        assert!(vectors(&TeslaConstants { space: 1, ..constant }).unwrap_err().contains("c1[]"));
    }
}
