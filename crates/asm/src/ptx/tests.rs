//! Compiles every form of every instruction, and shows the code of small kernels.

use super::compile_ptx;
use super::opcodes::{self, COMBINATION, Classes, OpcodeRow, Shape, TABLE, has_type};
use super::types::{TYPES, Type, U32};
use crate::cubin::{read_cubin, write_cubin};
use crate::isa::tesla::decode_program;
use crate::shader::simt::ProgramKind;
use crate::tesla;

/// The instructions of the first kernel.
fn listing(text: &str) -> String {
    let module = compile_ptx("test.ptx", text).unwrap_or_else(|errors| panic!("{errors}"));
    let instructions = decode_program(&module.kernels[0].code, ProgramKind::Compute);
    instructions
        .map(|found| found.unwrap())
        .map(|found| format!("{:04x} {found}\n", found.instruction.address))
        .collect()
}

/// The name of a register of a type.
fn register(of: Type, number: usize) -> String {
    format!("%{}_{number}", &of.name()[1..])
}

/// An operand of a shape.
fn operand(shape: Shape, types: &[Type], modifiers: &[&str], position: usize) -> String {
    let (first, second) = (types.first().copied(), types.last().copied());
    let is_wide = modifiers.contains(&".wide");
    let doubled = |of: Type| if is_wide { of.with_bits(of.bits * 2) } else { of };
    let vector = |of: Type| {
        let count = if modifiers.contains(&".v4") { 4 } else { 1 + usize::from(modifiers.contains(&".v2")) };
        let names: Vec<_> = (0..count).map(|number| register(of, number)).collect();
        if count > 1 { format!("{{{}}}", names.join(", ")) } else { names.concat() }
    };
    match (shape, first, second) {
        (Shape::ProductDestination | Shape::ProductSource, Some(first), _) => register(doubled(first), position),
        (Shape::LooseDestination | Shape::LooseSources, Some(first), _) => vector(first),
        (Shape::Destination | Shape::PackedDestination | Shape::Source | Shape::PackedSource, Some(first), _) => {
            register(first, position)
        }
        (Shape::SecondSource | Shape::LooseSource, _, Some(second)) => register(second, position),
        (Shape::PredicateDestinations, ..) => "%pred_0|%pred_1".to_owned(),
        (Shape::Predicate | Shape::CombinedPredicate, ..) => "!%pred_2".to_owned(),
        (Shape::Count, ..) => "%u32_3".to_owned(),
        (Shape::Address, ..) => {
            let is_parameter = modifiers.contains(&".param");
            if is_parameter { "[parameter+16]" } else { "[%u32_0+16]" }.to_owned()
        }
        (Shape::Texel, Some(first), _) => vector(first),
        (Shape::Texture, _, Some(second)) => format!("[image, {{{0}, {0}, {0}, {0}}}]", register(second, 5)),
        (Shape::Label, ..) => "end".to_owned(),
        (Shape::Function, ..) => "(%u32_1), twice, (%u32_2)".to_owned(),
        _ => "3".to_owned(),
    }
}

/// Compiles a form with modifiers and types, with and without a guard; tells whether that is possible.
fn compiles(row: &OpcodeRow, modifiers: &[&str], types: &[Type]) -> bool {
    let names: Vec<_> = types.iter().map(|of| of.name()).collect();
    let has_combination =
        modifiers.iter().any(|name| [".and", ".or", ".xor"].contains(name)) && row.optional & COMBINATION != 0;
    let shapes = row.operands.iter().enumerate().filter(|(position, shape)| match shape {
        Shape::CombinedPredicate => has_combination,
        Shape::Source if row.name == "atom" && *position == 3 => modifiers.contains(&".cas"),
        _ => true,
    });
    let operands: Vec<_> = shapes.map(|(position, shape)| operand(*shape, types, modifiers, position)).collect();
    let statement = format!("{}{}{} {};", row.name, modifiers.concat(), names.concat(), operands.join(", "));
    let registers: String = TYPES.iter().map(|(name, _)| format!(".reg {name} %{}_<8>;\n", &name[1..])).collect();
    // The results are stored, so that nothing is removed.
    let first = types.first().copied().filter(|of| !of.is_predicate() && of.name() != ".f16");
    let wide = first.filter(|_| modifiers.contains(&".wide")).map(|of| of.with_bits(of.bits * 2));
    let stores: String = [first, wide, Some(U32)]
        .into_iter()
        .flatten()
        .flat_map(|of| (0..2).map(move |number| format!("st.local{} [64], {};\n", of.name(), register(of, number))))
        .collect();
    let text = format!(
        ".version 1.5\n.target sm_11, map_f64_to_f32\n.tex .u32 image;
.func (.reg .u32 %y) twice (.reg .u32 %x) {{ add.u32 %y, %x, %x; }}
.entry test (.param .align 16 .b8 parameter[64]) {{\n.local .u32 space[32];\n{registers}{statement}\n@%pred_3 {statement}\nend:\n{stores}
@%pred_0 st.local.u32 [64], 1;\n@%pred_1 st.local.u32 [64], 2;\n}}"
    );
    match compile_ptx("form.ptx", &text) {
        Ok(_) => true,
        Err(errors) => {
            let message = &errors.errors()[0].message;
            let is_known = [" needs ", "is not possible with", "only", "cannot be written"];
            assert!(is_known.iter().any(|known| message.contains(known)), "{errors}");
            false
        }
    }
}

/// A modifier of each class, and then each one of these classes in its place.
fn modifier_lists(row: &OpcodeRow) -> Vec<Vec<&'static str>> {
    let classes: Vec<Classes> = (0..32).map(|bit| 1 << bit).collect();
    let names = |class: Classes| -> Vec<&'static str> {
        if class == opcodes::SPACE {
            vec![".global", ".shared", ".local", ".const", ".param"]
        } else {
            opcodes::modifier_names(class).collect()
        }
    };
    let required: Vec<&str> =
        classes.iter().filter(|class| row.required & **class != 0).map(|class| names(*class)[0]).collect();
    let mut lists = vec![required.clone()];
    for class in classes {
        for name in names(class) {
            let mut list = required.clone();
            if row.required & class != 0 {
                if let Some(place) = list.iter_mut().find(|known| names(class).contains(*known)) {
                    *place = name;
                }
                lists.push(list);
            } else if row.optional & class != 0 {
                list.push(name);
                lists.push(list);
            }
        }
    }
    lists
}

#[test]
fn every_form_of_every_instruction_compiles() {
    let of_set = |set: &u16| TYPES.iter().map(|(_, of)| *of).filter(|of| has_type(*set, *of)).collect::<Vec<_>>();
    for row in TABLE {
        let sets: Vec<_> = row.types.iter().map(of_set).collect();
        let types: Vec<Vec<Type>> = match &sets[..] {
            [] => vec![Vec::new()],
            [first] => first.iter().map(|of| vec![*of]).collect(),
            // Each type stands once in each place.
            [first, second, ..] => {
                let count = first.len().max(second.len());
                (0..count).map(|at| vec![first[at % first.len()], second[at % second.len()]]).collect()
            }
        };
        let mut count = 0;
        for (index, modifiers) in modifier_lists(row).iter().enumerate() {
            // All types with the first modifiers, some with the others.
            let some = types.iter().skip(if index == 0 { 0 } else { index % types.len() });
            for types in some.take(if index == 0 { types.len() } else { 1 }) {
                count += usize::from(compiles(row, modifiers, types));
            }
        }
        assert!(count > 0, "{row:?}");
    }
}

#[test]
fn a_loop_joins_behind_it() {
    let text = ".version 1.4\n.target sm_10\n.entry test (.param .u32 out) {
        .reg .u32 %i, %sum, %out; .reg .pred %p;
        cvt.u32.u16 %i, %tid.x; mov.u32 %sum, 0; ld.param.u32 %out, [out];
        again: add.u32 %sum, %sum, %i; sub.u32 %i, %i, 1; setp.gt.s32 %p, %i, 0; @%p bra again;
        st.global.u32 [%out], %sum;
    }";
    insta::assert_snapshot!(listing(text), @"
    0000 and b32 $r0 $r0 0x3ff
    0008 mov b32 $r1 0x0
    0010 mov b32 $r2 b32 s[0x10]
    0018 joinat 0x48
    0020 add b32 $r1 $r1 $r0
    0028 add b32 $r0 $r0 0xffffffff
    0030 mov b32 $r3 0x0
    0038 set $c0 # g s32 $r0 $r3
    0040 (s $c0) bra 0x20
    0048 join nop
    0050 exit st b32 g14[$r2] $r1
    ");
}

#[test]
fn a_product_of_words_takes_four_instructions() {
    let text = ".version 1.4\n.target sm_10\n.entry test (.param .u32 a, .param .u32 b) {
        .reg .u32 %a, %b; ld.param.u32 %a, [a]; ld.param.u32 %b, [b]; mul.lo.u32 %a, %a, %b; st.global.u32 [%b], %a;
    }";
    insta::assert_snapshot!(listing(text), @"
    0000 mov b32 $r0 b32 s[0x10]
    0004 mov b32 $r1 b32 s[0x14]
    0008 mul $r2 u16 $r0l u16 $r1h
    000c add $r2 (mul u16 $r0h $r1l) $r2
    0010 shl b32 $r2 $r2 0x10
    0018 add $r0 (mul u16 $r0l $r1l) $r2
    0020 exit st b32 g14[$r1] $r0
    ");
}

/// The compilers of version 1.0 write none.
#[test]
fn texture_reads_do_without_brackets() {
    let read = |operand: &str| {
        listing(&format!(
            ".version 1.0\n.target sm_10\n.tex .u32 image;\n.entry test (.param .u32 a) {{
            .reg .u32 %a; .reg .f32 %x, %r, %g, %b, %q; ld.param.u32 %a, [a]; ld.global.f32 %x, [%a];
            tex.1d.v4.f32.f32 {{%r, %g, %b, %q}}, {operand}; st.global.v4.f32 [%a], {{%r, %g, %b, %q}};
            }}"
        ))
    };
    assert_eq!(read("image, {%x, %x, %x, %x}"), read("[image, {%x, %x, %x, %x}]"));
}

#[test]
fn texels_and_coordinates_share_registers() {
    let text = ".version 1.4\n.target sm_10\n.tex .u32 other;\n.global .texref image;\n.entry test (.param .u32 a) {
        .reg .u32 %a; .reg .f32 %x, %y, %r, %g, %b, %q; ld.param.u32 %a, [a];
        ld.global.v2.f32 {%x, %y}, [%a];
        tex.2d.v4.f32.f32 {%r, %g, %b, %q}, [image, {%x, %y, %x, %y}];
        st.global.v4.f32 [%a], {%r, %g, %b, %q};
    }";
    insta::assert_snapshot!(listing(text), @"
    0000 mov b32 $r6 b32 s[0x10]
    0008 ld b64 $r4d g14[$r6]
    0010 mov b32 $r7 $r4
    0014 mov b32 $r0 $r7
    0018 mov b32 $r1 $r5
    0020 texauto all $r0:$r1:$r2:$r3 $t1 $s1 $r0:$r1 0x0 0x0 0x0
    0028 mov b32 $r4 $r0
    002c mov b32 $r5 $r1
    0030 mov b32 $r7 $r2
    0034 mov b32 $r8 $r3
    0038 mov b32 $r0 $r4
    003c mov b32 $r1 $r5
    0040 mov b32 $r2 $r7
    0044 mov b32 $r3 $r8
    0048 exit st b128 g14[$r6] $r0q
    ");
}

/// Names begin with a letter, or with one of `_$%` and another character behind it: PTX ISA 1.4, section 4.4.
#[test]
fn listings_and_cubins_keep_every_name() {
    let starts = ["a", "Z", "_1", "$1", "%1", "$$", "%$", "_$"];
    for name in starts.map(|start| format!("{start}x_$9")) {
        let text = format!(
            ".version 1.4\n.target sm_10\n.tex .u32 {name}t;\n.const .u32 {name}c = 5;\n.global .u32 {name}g;\n\
             .entry {name} (.param .u32 {name}p) {{ .reg .u32 %u; ld.param.u32 %u, [{name}p]; \
             ld.const.u32 %u, [{name}c]; st.global.u32 [{name}g], %u; exit; }}"
        );
        let module = compile_ptx("test.ptx", &text).unwrap_or_else(|errors| panic!("{errors}"));
        let listed = tesla::listing(&module);
        assert_eq!(tesla::assemble("listed", &listed).unwrap_or_else(|errors| panic!("{errors}")), module, "{name}");
        let cubin = write_cubin(&module);
        let read = read_cubin("cubin", &cubin).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(write_cubin(&read), cubin, "{name}");
        let names = [name.clone(), format!("{name}t"), format!("{name}c"), format!("{name}g")];
        let found = [&read.kernels[0].name, &read.textures[0].name, &read.constants[0].name, &read.globals[0].name];
        assert_eq!(found, names.each_ref());
    }
    for sign in ["$", "%"] {
        assert!(compile_ptx("test.ptx", &format!(".version 1.4\n.target sm_10\n.entry {sign} {{ exit; }}")).is_err());
    }
}
