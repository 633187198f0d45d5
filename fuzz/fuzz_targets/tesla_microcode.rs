//! Any words as a program of the Tesla processor: decoded, printed and encoded again.
#![no_main]

use curie::shader::simt::ProgramKind;

libfuzzer_sys::fuzz_target!(|input: (u8, Vec<u32>)| {
    let kinds = [ProgramKind::Vertex, ProgramKind::Geometry, ProgramKind::Fragment, ProgramKind::Compute];
    targets::tesla_microcode(&input.1, kinds[usize::from(input.0 % 4)]);
});
