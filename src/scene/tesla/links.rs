//! Finds what programs read and write, and so how the programs of a draw are connected.

use crate::scene::loaded_program::{ProgramWords, SimtCode};
use crate::shader::simt::{
    Address, Destination, InterpolationMode, MemoryOperand, Operation, ProgramKind, SimtProgram, Space,
};

/// The words of the position, with which the outputs of the last stage and the inputs of fragment programs begin.
pub(super) const POSITION_WORDS: u32 = 4;

/// The words of all attributes; the numbers of vertex and instance follow.
pub(super) const ATTRIBUTE_WORDS: u32 = 64;

/// The vertices that a geometry program reads; the number of the primitive follows.
pub(super) const PRIMITIVE_VERTICES: u32 = 6;

/// The most words that a vertex has for later stages.
const MAX_OUTPUTS: u32 = 64;

/// The word of a fragment program's inputs that tells whether the face is the front.
const FACE_WORD: u32 = 0xff;

/// The words that a program reads and writes.
pub(super) fn words_of(program: &SimtProgram) -> Result<ProgramWords, String> {
    let mut words = ProgramWords::default();
    for found in program.instructions() {
        let instruction = &found.instruction;
        for operand in instruction.memory_operands() {
            match operand.space {
                Space::Attribute => words.attributes = words.attributes.max(end(&operand, "a[]")?),
                Space::Output => words.outputs = words.outputs.max(end(&operand, "o[]")?),
                // The register is the place of the vertex.
                Space::Primitive => words.primitive = words.primitive.max(offset_end(&operand)),
                Space::Interpolant => {
                    let word = end(&operand, "v[]")? - 1;
                    let is_flat = instruction.operation == Operation::Interpolate(InterpolationMode::Flat);
                    *words.interpolants.entry(word).or_insert(is_flat) &= is_flat;
                }
                Space::Constant(0) | Space::Local => {}
                Space::Constant(space) => return Err(format!("it reads c{space}[]; scenes fill c0[] only")),
                Space::Shared | Space::Global(_) => return Err("it uses memory that draws do not have".to_owned()),
            }
        }
        if let Destination::Output { offset, .. } = instruction.destination {
            words.outputs = words.outputs.max(u32::from(offset) / 4 + 1);
        }
        words.discards |= instruction.operation == Operation::Discard;
    }
    words.textures = program.texture_reads().into_keys().collect();
    if words.outputs > MAX_OUTPUTS {
        return Err(format!("it writes {} words of o[]; {MAX_OUTPUTS} are possible", words.outputs));
    }
    if program.kind() == ProgramKind::Vertex && words.attributes > ATTRIBUTE_WORDS + 2 {
        return Err("it reads a[] beyond the numbers of vertex and instance at a[0x100]".to_owned());
    }
    Ok(words)
}

/// The end of what an operand with a fixed place accesses, in words.
fn end(operand: &MemoryOperand, what: &str) -> Result<u32, String> {
    match operand.address {
        Address::Offset { base: 0, .. } => Ok(offset_end(operand)),
        _ => Err(format!("it addresses {what} by a register")),
    }
}

/// The end of what an operand accesses from its offset on, in words.
const fn offset_end(operand: &MemoryOperand) -> u32 {
    match operand.address {
        // The upper half of an interpolant's offset is no part of its place.
        Address::Offset { offset, .. } => ((offset & 0xffff) + operand.access.bytes()).div_ceil(4),
        Address::PostIncrement { .. } | Address::Register(_) => 0,
    }
}

/// How the stages of a draw are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Links {
    /// The words of each vertex that the vertex program passes on.
    pub(super) vertex: u32,
    /// The same of the geometry program, if there is one.
    pub(super) geometry: Option<u32>,
    /// The words behind the position that the fragment program reads.
    pub(super) interpolants: u32,
    /// How many of them, from the first on, are interpolated.
    pub(super) smooth: u32,
}

impl Links {
    /// Connects programs; the error says which word one of them lacks.
    pub(super) fn new(vertex: &SimtCode, geometry: Option<&SimtCode>, fragment: &SimtCode) -> Result<Self, String> {
        let written = vertex.uses.outputs;
        if let Some(geometry) = geometry.filter(|geometry| geometry.uses.primitive > written) {
            let last = 4 * (geometry.uses.primitive - 1);
            return Err(format!("the geometry program reads p[{last:#x}], but the vertex program ends before"));
        }
        let last = geometry.map_or(written, |geometry| geometry.uses.outputs);
        if last < POSITION_WORDS {
            return Err("the last program before the fragments writes no position: o[0x0] to o[0xc]".to_owned());
        }
        let read = &fragment.uses.interpolants;
        let own = || read.iter().filter(|(word, _)| (POSITION_WORDS..FACE_WORD).contains(word));
        let end = own().next_back().map_or(POSITION_WORDS, |(word, _)| word + 1);
        if end > last {
            let missing = 4 * (end - 1);
            return Err(format!("the fragment program reads v[{missing:#x}], but no program writes o[{missing:#x}]"));
        }
        let first_flat = own().find(|(_, is_flat)| **is_flat).map_or(end, |(word, _)| *word);
        if let Some((word, _)) = own().find(|(word, is_flat)| **word > first_flat && !**is_flat) {
            let [flat, smooth] = [first_flat, *word].map(|word| 4 * word);
            return Err(format!(
                "v[{smooth:#x}] is interpolated behind v[{flat:#x}], which is flat: flat ones are last"
            ));
        }
        Ok(Self {
            vertex: written,
            geometry: geometry.map(|geometry| geometry.uses.outputs),
            interpolants: end - POSITION_WORDS,
            smooth: first_flat - POSITION_WORDS,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::tesla::assemble;

    fn code(kind: &str, text: &str) -> SimtCode {
        let module = assemble("test", &format!("!!Tesla1.0\n.kernel k\n.kind {kind}\n{text}\nexit nop\n")).unwrap();
        let program = SimtProgram::decode_from(&module.kernels[0].code, 0, module.kernels[0].kind);
        SimtCode { uses: words_of(&program).unwrap(), ..SimtCode::default() }
    }

    const PLACE: &str = "mov b32 o[0x0] a[0x0]\nmov b32 o[0xc] a[0x8]\nmov b32 o[0x14] a[0x20]";

    #[test]
    fn outputs_reach_the_inputs_of_the_same_place() {
        let vertex = code("vertex", PLACE);
        assert_eq!((vertex.uses.attributes, vertex.uses.outputs), (9, 6));
        let fragment =
            code("fragment", "interp $r0 v[0xc]\nrcp f32 $r0 $r0\ninterp $r1 v[0x10] $r0\ninterp $r2 flat v[0x14]");
        let links = Links::new(&vertex, None, &fragment).unwrap();
        assert_eq!(links, Links { vertex: 6, geometry: None, interpolants: 2, smooth: 1 });
    }

    #[test]
    fn what_no_program_writes_is_named() {
        let vertex = code("vertex", PLACE);
        let far = code("fragment", "interp $r0 v[0x18]");
        let error = Links::new(&vertex, None, &far).unwrap_err();
        assert_eq!(error, "the fragment program reads v[0x18], but no program writes o[0x18]");
        let mixed = code("fragment", "interp $r0 flat v[0x10]\ninterp $r1 v[0x14]");
        assert!(Links::new(&vertex, None, &mixed).unwrap_err().contains("flat ones are last"));
        let geometry = code("geometry", "shl $a1 a[0x0] 0x0\nmov b32 o[0xc] p[$a1+0x1c]\nemit");
        let error = Links::new(&vertex, Some(&geometry), &far).unwrap_err();
        assert_eq!(error, "the geometry program reads p[0x1c], but the vertex program ends before");
        let short = code("vertex", "mov b32 o[0x0] a[0x0]");
        assert!(Links::new(&short, None, &far).unwrap_err().contains("writes no position"));
    }
}
