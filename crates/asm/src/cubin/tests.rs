//! Tests of cubin text: a module and its text, limits, errors.

use super::{GLOBAL_ALIGNMENT, read_cubin, write_cubin};
use crate::isa::tesla::TeslaGeneration;
use crate::isa::tesla::module::{TeslaConstants, TeslaGlobal, TeslaKernel, TeslaModule, TeslaTexture};

/// A module with every section.
const TEXT: &str = "architecture {sm_11}
abiversion {1}
modname {cubin}
code  {
\tname = first
\tlmem = 32
\tsmem = 24
\treg = 8
\tbar = 1
\tbincode  {
\t\t0x1000c81d 0x0423c780 0x10008010 0x10008214\x20
\t\t0xf0000001 0xe0000781\x20
\t}
\tconst  {
\t\tsegname = const
\t\tsegnum = 1
\t\toffset = 0
\t\tbytes = 6
\t\tmem  {
\t\t\t0x0000000a 0xffffffff\x20
\t\t}
\t}
}
consts  {
\tname = table
\tsegname = const
\tsegnum = 0
\toffset = 8
\tbytes = 40
}
reloc  {
\tname = counter
\tsegname = reloc
\tsegnum = 14
\toffset = 4
\tbytes = 8
\tmem  {
\t\t0x00000001
\t}
}
sampler  {
\tname = image
\ttexunit = 2
}
sampler  {
\tname = other
\ttexunit = 0
}
";

/// What the text says.
fn module() -> TeslaModule {
    let constants = |name: &str, space, offset, bytes, words: &[u32]| TeslaConstants {
        name: name.to_owned(),
        space,
        offset,
        bytes,
        words: words.to_vec(),
    };
    TeslaModule {
        generation: TeslaGeneration::Sm11,
        kernels: vec![TeslaKernel {
            name: "first".to_owned(),
            code: vec![0x1000_c81d, 0x0423_c780, 0x1000_8010, 0x1000_8214, 0xf000_0001, 0xe000_0781],
            registers: 8,
            shared_bytes: 24,
            local_bytes: 32,
            barriers: 1,
            constants: vec![constants("const", 1, 0, 6, &[10, !0])],
            ..TeslaKernel::default()
        }],
        constants: vec![constants("table", 0, 8, 40, &[])],
        globals: vec![TeslaGlobal {
            name: "counter".to_owned(),
            bytes: 8,
            alignment: GLOBAL_ALIGNMENT,
            words: vec![1],
            address_offset: 4,
        }],
        textures: vec![
            TeslaTexture { name: "other".to_owned(), unit: 0 },
            TeslaTexture { name: "image".to_owned(), unit: 2 },
        ],
    }
}

#[test]
fn a_text_is_read_and_written() {
    assert_eq!(read_cubin("test", TEXT).unwrap(), module());
    assert_eq!(read_cubin("test", &write_cubin(&module())).unwrap(), module());
    insta::assert_snapshot!(write_cubin(&module()), @"
    architecture {sm_11}
    abiversion {0}
    modname {cubin}
    consts  {
    	name = table
    	segname = const
    	segnum = 0
    	offset = 8
    	bytes = 40
    }
    reloc  {
    	name = counter
    	segname = reloc
    	segnum = 14
    	offset = 4
    	bytes = 8
    	mem  {
    		0x00000001
    	}
    }
    sampler  {
    	name = other
    	texunit = 0
    }
    sampler  {
    	name = image
    	texunit = 2
    }
    code  {
    	name = first
    	lmem = 32
    	smem = 24
    	reg = 8
    	bar = 1
    	bincode  {
    		0x1000c81d 0x0423c780 0x10008010 0x10008214
    		0xf0000001 0xe0000781
    	}
    	const  {
    		segname = const
    		segnum = 1
    		offset = 0
    		bytes = 6
    		mem  {
    			0x0000000a 0xffffffff
    		}
    	}
    }
    ");
}

#[test]
fn cuda_2_aligns_its_settings() {
    let text = TEXT.replace(" = ", "  = ").replace(" {", "\t {").replace('\n', "\r\n");
    assert_eq!(read_cubin("test", &text).unwrap(), module());
}

#[test]
fn gt215_has_the_name_of_sm_12() {
    // A texgather, which GT215 was the first to have (envytools `docs/hw/graph/tesla/cuda/texture.rst`).
    let code = vec![0xf540_0001, 0x8000_0784, 0xf000_0001, 0xe000_0781];
    let kernels = vec![TeslaKernel { code, ..module().kernels[0].clone() }];
    let gt215 = TeslaModule { generation: TeslaGeneration::Gt215, kernels, ..module() };
    let text = write_cubin(&gt215);
    assert!(text.starts_with("architecture {sm_12}\n"), "{text}");
    assert_eq!(read_cubin("test", &text).unwrap(), gt215);
    // Without such an instruction, it is G200's.
    let plain = write_cubin(&TeslaModule { generation: TeslaGeneration::Gt215, ..module() });
    assert_eq!(read_cubin("test", &plain).unwrap().generation, TeslaGeneration::Sm12);
}

/// The errors of the text after a replacement.
fn errors(from: &str, to: &str) -> String {
    assert_eq!(TEXT.matches(from).count(), 1, "{from}");
    read_cubin("a.cubin", &TEXT.replace(from, to)).unwrap_err().to_string()
}

/// The message of the only error after a replacement.
fn message(from: &str, to: &str) -> String {
    assert_eq!(TEXT.matches(from).count(), 1, "{from}");
    let errors = read_cubin("a.cubin", &TEXT.replace(from, to)).unwrap_err();
    assert_eq!(errors.errors().len(), 1, "{errors}");
    errors.errors()[0].message.clone()
}

#[test]
fn errors_point_at_their_place() {
    insta::assert_snapshot!(errors("sampler  {\n\tname = image", "samplr  {\n\tname = image"), @"
    error: unknown section `samplr`
       ┌─ a.cubin:41:1
       │
    41 │ samplr  {
       │ ^^^^^^ not a section of cubin text
       │
       = did you mean `sampler`?
    ");
    insta::assert_snapshot!(errors("\tsmem = 24", "\tsmen = 24"), @"
    error: unknown setting `smen`
      ┌─ a.cubin:7:2
      │
    7 │     smen = 24
      │     ^^^^ not a setting of `code`
      │
      = did you mean `smem`?

    error: `code` has no `smem`
      ┌─ a.cubin:4:1
      │
    4 │ code  {
      │ ^^^^ expected `smem = …`
    ");
    insta::assert_snapshot!(errors("reg = 8", "reg = 129"), @"
    error: `reg` is 129
      ┌─ a.cubin:8:8
      │
    8 │     reg = 129
      │           ^^^ must be at most 128
    ");
    insta::assert_snapshot!(errors("sm_11", "sm_20"), @"
    error: unknown architecture `sm_20`
      ┌─ a.cubin:1:15
      │
    1 │ architecture {sm_20}
      │               ^^^^^ not a Tesla processor
      │
      = known: sm_10, sm_11, sm_12, sm_13
    ");
    insta::assert_snapshot!(errors("0x1000c81d 0x0423c780 0x10008010 0x10008214 ", "0x10008010 0x1000c81d 0x0423c780"), @"
    error: 0x4: an instruction of two words is not aligned to eight bytes
       ┌─ a.cubin:11:14
       │
    11 │         0x10008010 0x1000c81d 0x0423c780
       │                    ^^^^^^^^^^ the first word of an instruction of two
    ");
}

#[test]
fn limits_are_checked() {
    assert_eq!(message("smem = 24", "smem = 16385"), "`smem` is 16385");
    assert_eq!(message("lmem = 32", "lmem = 65537"), "`lmem` is 65537");
    assert_eq!(message("bar = 1", "bar = 17"), "`bar` is 17");
    assert_eq!(message("texunit = 2", "texunit = 128"), "`texunit` is 128");
    assert_eq!(message("segnum = 1\n", "segnum = 16\n"), "`segnum` is 16");
    assert_eq!(message("segnum = 14", "segnum = 1"), "addresses of variables in constant space 1");
    assert_eq!(message("offset = 4", "offset = 5"), "the address is at offset 5");
    assert_eq!(message("bytes = 6", "bytes = 4"), "`mem` has 2 words");
    assert_eq!(message("bytes = 40", "bytes = 65529"), "the constants end at 65537");
    assert_eq!(message("offset = 8", "offset = 4294967295"), "`offset` is 4294967295");
    assert_eq!(message("abiversion {1}", "abiversion {2}"), "`abiversion` is 2");
    assert!(read_cubin("test", &TEXT.replace("reg = 8", "reg = 128")).is_ok());
    assert!(read_cubin("test", &TEXT.replace("smem = 24", "smem = 0x4000")).is_ok());
}

#[test]
fn what_does_not_fit_the_form_is_refused() {
    assert_eq!(message("0xf0000001 0xe0000781", "0xf0000001"), "0x10: the second word of the instruction is missing");
    assert_eq!(message("name = other", "name = image"), "a second texture `image`");
    assert_eq!(message("architecture {sm_11}", ""), "the text has no `architecture`");
    assert_eq!(message("architecture {sm_11}", "architecture {sm_10 sm_11}"), "`architecture` does not have one value");
    assert_eq!(message("\treg = 8\n", ""), "`code` has no `reg`");
    assert_eq!(message("\treg = 8\n", "\treg = 8\n\treg = 9\n"), "the setting `reg` stands twice");
    assert_eq!(message("reg = 8", "reg = eight"), "`eight` is not a number of 32 bits");
    assert_eq!(message("reg = 8", "reg = 8 9"), "`9` stands alone");
    assert_eq!(message("name = first", "name = 1"), "`1` is not a name");
    assert_eq!(message("0x00000001", "0x123456789"), "`0x123456789` is not a number of 32 bits");
    assert_eq!(message("segname = reloc", "segname = const"), "`const` is not the segment of this section");
    assert_eq!(message("texunit = 0\n}", "texunit = 0\n"), "the section `sampler` does not end");
    assert_eq!(message("0x0000000a", "x { y { } }"), "the section is nested too deeply");
    let twice = format!("{TEXT}{}", &TEXT[TEXT.find("code").unwrap()..TEXT.find("consts").unwrap()]);
    let error = read_cubin("test", &twice).unwrap_err();
    assert_eq!(error.errors()[0].message, "a second kernel `first`");
    assert_eq!(error.location(&error.errors()[0]).0, TEXT.lines().count() + 2);
}
