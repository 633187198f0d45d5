//! Tests of Tesla's instruction set: rows, words worked out by hand, round trips.

use super::{TeslaDecodeError, TeslaField, TeslaForm, TeslaInstruction, TeslaRow, decode, decode_program};
use crate::isa::test_words::Random;
use crate::shader::simt::{
    Destination, Instruction, Operand, Operation, Predicate, ProgramKind, Register, Source, Width,
};

const KINDS: [ProgramKind; 4] =
    [ProgramKind::Vertex, ProgramKind::Geometry, ProgramKind::Fragment, ProgramKind::Compute];

fn word(words: [u32; 2]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

fn text(kind: ProgramKind, words: [u32; 2]) -> String {
    let instruction = decode(0, word(words), kind).unwrap();
    assert_eq!((instruction.unknown, instruction.encode(kind)), (0, Ok(word(words))), "{instruction}");
    instruction.to_string()
}

/// The kinds of program that have the instructions of a row.
fn kinds_of(row: &TeslaRow) -> impl Iterator<Item = ProgramKind> {
    let kinds = row.kinds;
    KINDS.into_iter().filter(move |kind| kinds & super::table::kind_bit(*kind) != 0)
}

/// An instruction of a row and variant that is always executed.
fn plain_word(row: &TeslaRow, variant: u32) -> u64 {
    let predicate =
        if row.form == TeslaForm::Long { TeslaField::PREDICATE.mask() & TeslaField::PREDICATE.place(15) } else { 0 };
    row.bits | row.variants.place(variant) | predicate
}

#[test]
fn every_row_and_variant_decodes_encodes_and_prints() {
    let (mut rows, mut variants) = (0, 0);
    for row in TeslaRow::all() {
        rows += 1;
        assert_eq!(row.bits & !row.mask, 0);
        assert_eq!(row.variants.mask() & row.mask, 0);
        let known: Vec<_> = (0..=row.variants.max()).filter_map(|code| Some((code, (row.operation)(code)?))).collect();
        assert!(!known.is_empty(), "{row:?}");
        for (code, operation) in known {
            for kind in kinds_of(row) {
                let word = plain_word(row, code);
                let decoded = decode(8, word, kind).unwrap();
                // A row before this one may have the variant, with another number of operands.
                let found = TeslaRow::all().find(|row| row.form == decoded.form && row.matches(word, kind)).unwrap();
                if std::ptr::eq(found, row) {
                    assert_eq!(decoded.instruction.operation, operation);
                    variants += 1;
                }
                assert_eq!(decoded.encode(kind), Ok(word), "{decoded}");
                assert!(!decoded.to_string().is_empty());
            }
        }
    }
    assert!(rows > 150 && variants > 3000, "{rows} rows, {variants} variants");
}

#[test]
fn no_row_hides_another() {
    for (position, row) in TeslaRow::all().enumerate() {
        let mut before = TeslaRow::all().take(position).filter(|earlier| earlier.form == row.form);
        let hides = |earlier: &TeslaRow| {
            earlier.mask & row.mask == earlier.mask
                && row.bits & earlier.mask == earlier.bits
                && earlier.kinds & row.kinds == row.kinds
        };
        assert!(!before.any(hides), "{row:?}");
    }
}

#[test]
fn random_words_are_kept_or_refused() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..60_000 {
        let word = random.word();
        let kind = KINDS[(random.word() % 4) as usize];
        match decode(0, word, kind) {
            Ok(instruction) => {
                let length = if instruction.form.bytes() == 4 { 0xffff_ffff } else { !0 };
                assert_eq!(instruction.encode(kind), Ok(word & length), "{word:#x} {kind:?} {instruction}");
                assert!(!instruction.to_string().is_empty());
                accepted += 1;
            }
            Err(TeslaDecodeError::Unknown { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(accepted > 10_000 && refused > 10_000, "{accepted} {refused}");
}

#[test]
fn random_instructions_without_unknown_bits_survive() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut count = 0;
    for row in TeslaRow::all() {
        for kind in kinds_of(row) {
            for _ in 0..12 {
                let word = random.word() & !row.mask | row.bits;
                let Ok(first) = decode(0, word, kind) else { continue };
                let clean = TeslaInstruction { unknown: 0, ignored: 0, ..first.clone() };
                let word = clean.encode(kind).unwrap();
                let second = decode(0, word, kind).unwrap();
                assert_eq!(second, clean);
                assert_eq!(second.to_string(), first.to_string());
                count += 1;
            }
        }
    }
    assert!(count > 4000, "{count}");
}

#[test]
fn words_by_hand_have_the_documented_text() {
    // Expected: the bit fields of envytools docs/hw/graph/tesla/cuda/isa.rst, int.rst, cvt.rst, control.rst.
    for (words, expected) in [
        ([0xf000_0001, 0xe000_0001], "exit (never) nop"),
        ([0x861f_fe03, 0x0000_0000], "bar inc wait 0x0 0xfff"),
        ([0xa000_0005, 0x8c06_4780], "cvt rzi s32 $r1 f32 $r0"),
        ([0xa000_0005, 0x8406_4780], "cvt rzi u32 $r1 f32 $r0"),
        ([0xa000_0005, 0x4401_4780], "cvt rn f32 $r1 s32 $r0"),
        ([0xa000_0005, 0x4406_4780], "cvt rz f32 $r1 u32 $r0"),
        ([0xa000_0005, 0x0411_4780], "cvt abs u32 $r1 s32 $r0"),
        ([0xa000_0005, 0x0400_0780], "cvt u32 $r1 u16 $r0l"),
        ([0xa000_0005, 0x0c01_0780], "cvt s32 $r1 s16 $r0l"),
        ([0x1000_8404, 0x0000_0000], "mov b32 $r1 $r2"),
        ([0x1100_e804, 0x0000_0000], "mov b32 $r1 b32 s[0x10]"),
        ([0x1100_c804, 0x0000_0000], "mov b32 $r1 s16 s[0x8]"),
        ([0xd00e_0009, 0x80c0_0780], "ld b32 $r2 g14[$r0]"),
        ([0x1038_8005, 0x0123_4567], "mov b32 $r1 0x12345678"),
        ([0x1000_8003, 0x0000_0780], "bra 0x40"),
        ([0x1000_8003, 0x0000_1100], "(e $c1) bra 0x40"),
        ([0x3000_0003, 0x0000_0000], "(never) ret"),
        ([0xa000_8003, 0x0000_0000], "joinat 0x40"),
        ([0xf246_0411, 0x0000_c780], "texauto all $r4:#:$r5:$r6 $t2 $s3 $r4:$r5 0x0 0x0 0x0"),
        // addc b32 $r1 = $r2 + $r3 with $c2's carry, its flags to $c1.
        ([0x3040_0405, 0x0400_e7d0], "addc b32 $c1 $r1 $r2 $r3 $c2"),
        // A negative step of the address register.
        ([0x1300_8004 | 0x7e00, 0], "mov b32 $r1 b32 s[0x0++-0x4]"),
    ] {
        assert_eq!(text(ProgramKind::Compute, words), expected);
    }
    let fragment = |words| text(ProgramKind::Fragment, words);
    assert_eq!(fragment([0x8205_0404, 0]), "interp $r1 v[0x14] $r2");
    assert_eq!(fragment([0x0000_0003, 0x0000_0780]), "discard");
    // Bits 3 of the second word: the destination is output 2 of 4 bytes each.
    assert_eq!(text(ProgramKind::Vertex, [0x1000_0009, 0x0403_c788]), "mov b32 o[0x8] $r0");
    assert_eq!(text(ProgramKind::Vertex, [0x1000_01fd, 0x0403_c788]), "mov b32 # $r0");
}

#[test]
fn bits_without_a_meaning_are_reported() {
    // Rounding of a multiply-add, which compilers write and no document describes.
    let word = word([0xe001_0c09, 0x00c0_0780]);
    let instruction = decode(0, word, ProgramKind::Compute).unwrap();
    assert_eq!(instruction.unknown, 0x00c0_0000 << 32);
    assert_eq!(instruction.encode(ProgramKind::Compute), Ok(word));
    // The predicate's bits of an instruction without a predicate have no effect.
    let instruction = decode(0, 0x0000_0780_a000_8003, ProgramKind::Compute).unwrap();
    assert_eq!((instruction.unknown, instruction.ignored), (0, 0x780 << 32));
}

#[test]
fn programs_are_aligned_and_complete() {
    let short = 0x1000_8404;
    let long = [0xf000_0001, 0xe000_0781];
    let decoded = |words: &[u32]| -> Vec<_> {
        let results = decode_program(words, ProgramKind::Compute);
        results.map(|result| result.map(|found| (found.instruction.address, found.to_string()))).collect()
    };
    let mov = |address| Ok((address, "mov b32 $r1 $r2".to_owned()));
    assert_eq!(decoded(&[short, short, long[0], long[1]]), [mov(0), mov(4), Ok((8, "exit nop".to_owned()))]);
    assert_eq!(decoded(&[short, long[0]]), [mov(0), Err(TeslaDecodeError::Misaligned { address: 4 })]);
    assert_eq!(decoded(&[long[0]]), [Err(TeslaDecodeError::Truncated { address: 0 })]);
    let unknown = [0x7000_0001, 0x2000_0780];
    let error = TeslaDecodeError::Unknown { address: 0, word: word(unknown), bytes: 8 };
    assert_eq!(decoded(&[unknown[0], unknown[1], short]), [Err(error), mov(8)]);
}

/// Copies between registers.
fn mov(to: u8, from: Operand) -> Instruction {
    Instruction {
        address: 0,
        operation: Operation::Move { width: Width::Word, lanes: 15, uses_sfu: false },
        destination: Destination::Register(Register::Word(to)),
        sources: vec![Source::of(from)],
        condition_write: None,
        predicate: Predicate::Always,
        exits: false,
        joins: false,
    }
}

#[test]
fn the_shortest_form_that_holds_an_instruction_is_taken() {
    let register = |number| Operand::Register(Register::Word(number));
    let form = |instruction| TeslaInstruction::shortest(instruction, ProgramKind::Compute).map(|found| found.form);
    assert_eq!(form(mov(1, register(2))), Ok(TeslaForm::Short));
    assert_eq!(form(mov(1, register(100))), Ok(TeslaForm::Long));
    assert_eq!(form(mov(100, Operand::Immediate(!0))), Ok(TeslaForm::Immediate));
    assert_eq!(form(Instruction { exits: true, ..mov(1, register(2)) }), Ok(TeslaForm::Long));
    let found = TeslaInstruction::shortest(mov(1, register(2)), ProgramKind::Compute).unwrap();
    assert_eq!(found.encode(ProgramKind::Compute), Ok(0x1000_8404));
}

#[test]
fn what_has_no_encoding_is_refused() {
    let register = Operand::Register(Register::Word(2));
    let refused = |instruction| TeslaInstruction::shortest(instruction, ProgramKind::Compute).is_err();
    assert!(refused(mov(128, register)));
    assert!(refused(mov(1, Operand::Register(Register::Half { number: 2, is_high: false }))));
    assert!(refused(Instruction { sources: Vec::new(), ..mov(1, register) }));
    assert!(refused(Instruction { sources: vec![Source::of(register); 2], ..mov(1, register) }));
    assert!(refused(Instruction { exits: true, joins: true, ..mov(1, register) }));
    assert!(refused(Instruction {
        sources: vec![Source { negate: true, ..Source::of(register) }],
        ..mov(1, register)
    }));
}

/// The second word of each pair but one is that of Mesa 22.3's compiler for `gl_Position = gl_in[0].gl_Position`.
#[test]
fn a_lone_vertex_operand_has_the_bit_that_mesa_sets() {
    let geometry = ProgramKind::Geometry;
    assert_eq!(text(geometry, [0x1580_0001, 0x0423_c788]), "mov b32 o[0x0] p[$a1]");
    assert_eq!(text(geometry, [0x1580_0205, 0x0423_c788]), "mov b32 o[0x4] p[$a1+0x4]");
    let without = decode(0, word([0x1580_0001, 0x0403_c788]), geometry).unwrap();
    assert_eq!((without.to_string().as_str(), without.unknown), ("mov b32 o[0x0] p[$a1]", 0));
    assert_eq!((without.ignored, without.encode(geometry)), (1 << 53, Ok(word([0x1580_0001, 0x0403_c788]))));
    // With another operand, the bit tells a register from a constant.
    assert!(!text(geometry, [0xb180_0001, 0x0020_0780]).contains("c0["));
    assert!(text(geometry, [0xb180_0001, 0x0000_0780]).contains("c0["));
}
