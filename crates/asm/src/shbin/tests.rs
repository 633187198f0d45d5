//! Tests of the container: a file built by hand from the documents, round trips, and damaged files.

use super::*;

/// A file with a vertex and a geometry shader, in the documented places.
fn by_hand() -> Vec<u8> {
    let mut file = Vec::new();
    let words = |file: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| file.extend(word.to_le_bytes()));
    let halves = |file: &mut Vec<u8>, halves: &[u16]| halves.iter().for_each(|half| file.extend(half.to_le_bytes()));
    // 0x00: two executables behind the program block, which has 0x28 + 3·4 + 2·8 = 0x44 bytes.
    file.extend(b"DVLB");
    words(&mut file, &[2, 0x54, 0xfc]);
    // 0x10: the program block.
    file.extend(b"DVLP");
    words(&mut file, &[0x7, 0x28, 3, 0x34, 2, 0x44, 0, 0, 0]);
    words(&mut file, &[0x4c00_0000, 0x8800_0000, 0x8400_0000]);
    words(&mut file, &[0x0000_036f, 0x0000_0003, 0x7fff_ffff, 0]);
    // 0x54: the vertex shader; its tables begin at 0x40.
    file.extend(b"DVLE");
    halves(&mut file, &[0x1002]);
    file.extend([0, 0]);
    words(&mut file, &[0, 2]);
    halves(&mut file, &[0x8001, 0x0003]);
    file.extend([0; 4]);
    words(&mut file, &[0x40, 3, 0x7c, 0, 0x7c, 2, 0x8c, 2, 0x9c, 12]);
    halves(&mut file, &[0, 15]);
    words(&mut file, &[1, 0, 0, 0]);
    halves(&mut file, &[1, 3]);
    file.extend([15, 0, 1, 255]);
    words(&mut file, &[0; 3]);
    halves(&mut file, &[2, 95]);
    words(&mut file, &[0x3f_0000, 0xbf_0000, 0, 0x7f_0000]);
    halves(&mut file, &[0, 0, 0b1111, 0]);
    halves(&mut file, &[8, 1, 0b0011, 0]);
    words(&mut file, &[0]);
    halves(&mut file, &[0x10, 0x13]);
    words(&mut file, &[5]);
    halves(&mut file, &[0x78, 0x78]);
    file.extend(b"proj\0lights\0");
    // 0xfc: the geometry shader.
    file.extend(b"DVLE");
    halves(&mut file, &[0x1002]);
    file.extend([1, 1]);
    words(&mut file, &[1, 3]);
    halves(&mut file, &[0, 0x0001]);
    file.extend([2, 9, 0, 4]);
    words(&mut file, &[0x40, 0, 0x40, 1, 0x50, 0, 0x50, 0, 0x50, 3]);
    words(&mut file, &[7, 2, 1, 0]);
    file.extend(b"gs\0\0");
    file
}

fn expected() -> Shbin {
    Shbin {
        version: 7,
        code: vec![0x4c00_0000, 0x8800_0000, 0x8400_0000],
        descriptors: vec![
            ShbinDescriptor { word: 0x36f, operands: 3 },
            ShbinDescriptor { word: 0x7fff_ffff, operands: 0 },
        ],
        executables: vec![
            Executable {
                end: 2,
                input_mask: 0x8001,
                output_mask: 3,
                constants: vec![
                    ShbinConstant { register: 15, value: ShbinValue::Boolean(true) },
                    ShbinConstant { register: 3, value: ShbinValue::Integer([15, 0, 1, 255]) },
                    ShbinConstant { register: 95, value: ShbinValue::Float([0x3f_0000, 0xbf_0000, 0, 0x7f_0000]) },
                ],
                outputs: vec![
                    ShbinOutput { semantic: OutputSemantic::Position, register: 0, mask: WriteMask::ALL },
                    ShbinOutput { semantic: OutputSemantic::View, register: 1, mask: WriteMask(3) },
                ],
                uniforms: vec![
                    ShbinUniform { name: "proj".to_owned(), file: RegisterFile::Float, first: 0, last: 3 },
                    ShbinUniform { name: "lights".to_owned(), file: RegisterFile::Boolean, first: 0, last: 0 },
                ],
                ..Executable::default()
            },
            Executable {
                stage: ShbinStage::Geometry {
                    mode: GeometryMode::Fixed,
                    fixed_start: 9,
                    variable_count: 0,
                    fixed_count: 4,
                },
                merges_outputs: true,
                entry: 1,
                end: 3,
                output_mask: 1,
                labels: vec![ShbinLabel { id: 7, address: 2, words: 1, name: "gs".to_owned() }],
                ..Executable::default()
            },
        ],
    }
}

#[test]
fn a_file_by_hand_is_read_and_written_back() {
    let file = by_hand();
    let shader = Shbin::read(&file).unwrap();
    assert_eq!(shader, expected());
    assert_eq!(shader.write().unwrap(), file);
    let program = shader.shader().decode().unwrap();
    assert_eq!(program[0].to_string(), "mov o0, v0");
    assert_eq!(program[1].to_string(), "end");
}

#[test]
fn every_truncation_is_an_error() {
    let file = by_hand();
    // The last byte is padding behind the last name.
    for length in 0..file.len() - 1 {
        let error = Shbin::read(&file[..length]).expect_err(&format!("{length} bytes"));
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(Shbin::read(&file[..file.len() - 1]), Ok(expected()));
    assert_eq!(Shbin::read(&[]).unwrap_err().to_string(), "byte 0x0: expected DVLB, 0x0 is the end");
}

#[test]
fn damaged_bytes_give_an_error_or_a_value_that_can_be_written() {
    let file = by_hand();
    let (mut read, mut refused) = (0, 0);
    for position in 0..file.len() {
        for change in 1..=255 {
            let mut damaged = file.clone();
            damaged[position] ^= change;
            match Shbin::read(&damaged) {
                Ok(shader) => {
                    read += 1;
                    assert_eq!(Shbin::read(&shader.write().unwrap()), Ok(shader));
                }
                Err(error) => {
                    refused += 1;
                    let text = error.to_string();
                    assert!(text.starts_with("byte 0x"), "{text}");
                }
            }
        }
    }
    assert!(read > 20_000 && refused > 20_000, "{read} read, {refused} refused");
}

/// The error after the word at a position is replaced.
fn damaged(position: usize, word: u32) -> String {
    let mut file = by_hand();
    file[position..position + 4].copy_from_slice(&word.to_le_bytes());
    Shbin::read(&file).unwrap_err().to_string()
}

#[test]
fn errors_name_the_byte_and_what_is_expected() {
    assert_eq!(damaged(0, 0), "byte 0x0: expected \"DVLB\"");
    assert_eq!(damaged(0x10, 0), "byte 0x10: expected \"DVLP\"");
    assert_eq!(damaged(0xfc, 0), "byte 0xfc: expected \"DVLE\"");
    let count = "byte 0x4: offsets of executables from byte 0x8 to 0x400000004, expected within 0x8 to 0x150";
    assert_eq!(damaged(4, !0), count);
    let overlap = "byte 0xc: executable 1 begins at byte 0x93, expected 0x94 to 0x110";
    assert_eq!(damaged(0xc, 0x93), overlap);
    assert_eq!(damaged(8, 0x2f), "byte 0x8: executable 0 begins at byte 0x2f, expected 0x30 to 0x110");
    let code = "byte 0x18: code from byte 0x38 to 0x400000034, expected within 0x30 to 0x54";
    assert_eq!(damaged(0x1c, !0), code);
    let code = "byte 0x18: code from byte 0x1000000f to 0x1000001b, expected within 0x30 to 0x54";
    assert_eq!(damaged(0x18, 0x0fff_ffff), code);
    let descriptors = "byte 0x20: operand descriptors from byte 0x44 to 0x5c, expected within 0x30 to 0x54";
    assert_eq!(damaged(0x24, 3), descriptors);
    // A table may not hold its own header, nor reach into the next executable.
    let constants = "byte 0x6c: constants from byte 0x93 to 0xcf, expected within 0x94 to 0xfc";
    assert_eq!(damaged(0x6c, 0x3f), constants);
    let uniforms = "byte 0x84: uniforms from byte 0xe0 to 0x100, expected within 0x94 to 0xfc";
    assert_eq!(damaged(0x88, 4), uniforms);
    assert_eq!(damaged(0x5c, 3), "byte 0x5c: entry 0x3, expected an address of the code");
    assert_eq!(damaged(0x60, 4), "byte 0x60: end of main 0x4, expected an address of the code, or its end");
    assert_eq!(damaged(0x58, 0x0002_1002), "byte 0x5a: stage 0x2, expected 0 (vertex) or 1 (geometry)");
    assert_eq!(damaged(0x110, 3), "byte 0x110: mode of the geometry shader 0x3, expected 0 to 2");
    let kind = "byte 0x94: type of a constant 0x3, expected 0 (boolean), 1 (integer) or 2 (float)";
    assert_eq!(damaged(0x94, 3), kind);
    let register = "byte 0x96: register of a constant 0x10, expected a register of its type";
    assert_eq!(damaged(0x94, 16 << 16), register);
    assert_eq!(damaged(0xc8, 0x0100_0000), "byte 0xc8: 24-bit float 0x1000000, expected 24 bits");
    assert_eq!(damaged(0xd0, 7), "byte 0xd0: type of an output 0x7, expected 0 to 6, 8 or 9");
    assert_eq!(damaged(0xd0, 16 << 16), "byte 0xd2: output register 0x10, expected 0 to 15");
    assert_eq!(damaged(0xd4, 16), "byte 0xd4: mask of an output 0x10, expected 0 to 15");
    assert!(damaged(0xe4, 0x0088_0010).starts_with("byte 0xe6: register of a uniform 0x88, expected 0x00-0x0f (v)"));
    assert!(damaged(0xe4, 0x0013_0014).starts_with("byte 0xe6: last register 0x13, expected"));
    assert!(damaged(0xe4, 0x0070_0010).starts_with("byte 0xe6: last register 0x70, expected"));
    assert_eq!(damaged(0xe0, 12), "byte 0xe0: the name at byte 0xfc is outside of the table of names");
    assert_eq!(damaged(0x90, 11), "byte 0xe8: the name at byte 0xf5 has no end");
    assert_eq!(damaged(0xf0, 0xff), "byte 0xe0: the name at byte 0xf0 is not UTF-8");
}

#[test]
fn long_names_are_refused() {
    let with_name = |length: usize| {
        let name = "n".repeat(length);
        let uniform = ShbinUniform { name, file: RegisterFile::Input, first: 0, last: 0 };
        let executable = Executable { uniforms: vec![uniform; 3], ..Executable::default() };
        Shbin { code: vec![0], executables: vec![executable], ..Shbin::default() }
    };
    let file = with_name(MAX_NAME_LENGTH).write().unwrap();
    assert_eq!(Shbin::read(&file), Ok(with_name(MAX_NAME_LENGTH)));
    assert!(matches!(with_name(MAX_NAME_LENGTH + 1).write(), Err(ShbinWriteError::Name { executable: 0, .. })));
    // Without its end, the first name continues in the second one.
    let mut joined = file;
    let first = joined.windows(2).position(|pair| pair == b"nn").unwrap();
    joined[first + MAX_NAME_LENGTH] = b'n';
    let error = Shbin::read(&joined).unwrap_err().to_string();
    assert!(error.ends_with("has more than 255 bytes"), "{error}");
}

#[test]
fn what_does_not_fit_the_format_is_not_written() {
    let write = |executable: Executable| {
        let shader = Shbin { code: vec![0], executables: vec![Executable::default(), executable], ..Shbin::default() };
        shader.write().map_err(|error| error.to_string())
    };
    let constant =
        |register, value| Executable { constants: vec![ShbinConstant { register, value }], ..Executable::default() };
    assert!(write(constant(95, ShbinValue::Float([0xff_ffff; 4]))).is_ok());
    let range = |what: &str, value: u32| Err(format!("executable 1: {what} {value:#x} is out of range"));
    assert_eq!(write(constant(96, ShbinValue::Float([0; 4]))), range("register of a constant", 96));
    assert_eq!(write(constant(4, ShbinValue::Integer([0; 4]))), range("register of a constant", 4));
    assert_eq!(write(constant(16, ShbinValue::Boolean(true))), range("register of a constant", 16));
    assert_eq!(write(constant(0, ShbinValue::Float([0, 0, 0, 1 << 24]))), range("24-bit float", 1 << 24));
    assert_eq!(write(Executable { entry: 1, ..Executable::default() }), range("entry", 1));
    assert_eq!(write(Executable { end: 2, ..Executable::default() }), range("end of main", 2));
    let uniform = |first, last| Executable {
        uniforms: vec![ShbinUniform { name: "i".to_owned(), file: RegisterFile::Integer, first, last }],
        ..Executable::default()
    };
    assert_eq!(write(uniform(0, 4)), range("last register", 4));
    assert_eq!(write(uniform(3, 2)), range("first register", 3));
    let output = |register, mask| Executable {
        outputs: vec![ShbinOutput { semantic: OutputSemantic::Color, register, mask: WriteMask(mask) }],
        ..Executable::default()
    };
    assert_eq!(write(output(16, 0)), range("output register", 16));
    assert_eq!(write(output(0, 16)), range("mask of an output", 16));
}

#[test]
fn numbers_of_registers_cover_their_files() {
    for (file, base, count) in RegisterFile::TABLE {
        assert_eq!(RegisterFile::from_number(base), Some((file, 0)));
        assert_eq!(RegisterFile::from_number(base + u16::from(count) - 1), Some((file, count - 1)));
        assert_eq!(file.range(), (base, count));
    }
    for gap in [0x74, 0x77, 0x88, 0xffff] {
        assert_eq!(RegisterFile::from_number(gap), None);
    }
    for (semantic, long, _) in OutputSemantic::TABLE {
        assert_eq!((OutputSemantic::from_code(semantic as u16), semantic.name()), (Some(semantic), long));
    }
    assert_eq!(OutputSemantic::from_code(7), None);
}
