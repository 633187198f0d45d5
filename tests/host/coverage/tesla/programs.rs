//! The programs of the streams, in the words of the processor.

use std::fmt::Write as _;
use std::sync::OnceLock;

use curie::launch::read_module;

/// Where programs begin in their buffer.
pub(super) const VERTEX: u32 = 0;
pub(super) const WIDE_VERTEX: u32 = 0x100;
pub(super) const GEOMETRY: u32 = 0x300;
pub(super) const FRAGMENT: u32 = 0x800;
pub(super) const WIDE_FRAGMENT: u32 = 0x900;
pub(super) const COMPUTE: u32 = 0xc00;
/// Another fragment program. A variant of the stream puts it at [`WIDE_FRAGMENT`].
pub(super) const OTHER_FRAGMENT: u32 = 0xd00;

/// Words of a vertex of the wide programs: the position, two colors, layer, viewport, size and a distance.
pub(super) const WIDE_WORDS: u32 = 16;

/// A fetch with the coordinates in `$r0` and `$r1`.
const FETCH: &str = "    texauto all $r0:$r1:$r2:$r3 $t1 $s1 $r0:$r1 0x0 0x0 0x0\n";

/// The words of a program.
pub(super) fn assemble(text: &str) -> Vec<u32> {
    let module = read_module("program.tesla", format!("!!Tesla1.0\n.kernel program\n{text}").as_bytes());
    module.unwrap_or_else(|error| panic!("{error}\n{text}")).kernels[0].code.clone()
}

fn copies(count: u32, from: &str) -> String {
    let mut text = String::new();
    for word in 0..count {
        writeln!(text, "    mov b32 o[{0:#x}] {from}{0:#x}]", 4 * word).unwrap();
    }
    text
}

/// A program over its vertices' words.
fn vertex(count: u32, more: &str) -> String {
    format!(".kind vertex\n{more}{}    exit nop\n", copies(count, "a["))
}

/// Emits the corners of its triangle.
fn geometry() -> String {
    let mut text = format!(".kind geometry\n    mov b32 $r0 0x0\n    mov b32 $r1 0x0\n{FETCH}");
    text += "    mul rn f32 $r0 $r0 c0[0x0]\n";
    for corner in 0..3 {
        write!(text, "    shl $a1 a[{:#x}] 0x0\n{}    emit\n", 4 * corner, copies(WIDE_WORDS, "p[$a1+")).unwrap();
    }
    text + "    exit nop\n"
}

/// Colors by interpolants; `$r7` holds the last one.
fn fragment() -> String {
    let mut text = ".kind fragment\n    interp $r8 v[0x0]\n    rcp f32 $r8 $r8\n".to_owned();
    for word in 0..4 {
        writeln!(text, "    interp $r{word} v[{:#x}] $r8", 4 + 4 * word).unwrap();
    }
    text + "    mul rn f32 $r3 $r3 c0[0x0]\n    exit nop\n"
}

/// A texel for the first color, and a number for the others, a mask and a depth.
fn wide_fragment(other: f32) -> String {
    let mut text = ".kind fragment\n    interp $r40 v[0x0]\n    rcp f32 $r40 $r40\n".to_owned();
    for word in 0..8 {
        writeln!(text, "    interp $r{word} v[{:#x}] $r40", 4 + 4 * word).unwrap();
    }
    text += FETCH;
    text += "    mul rn f32 $r3 $r3 c0[0x0]\n";
    for register in 8..34 {
        writeln!(text, "    mov b32 $r{register} {:#x}", other.to_bits()).unwrap();
    }
    text + "    exit nop\n"
}

/// Stores a texel's first component, times a constant, at a place that a parameter tells.
const STORE: &str = ".param u32 place\n    mov b32 $r0 0x0\n    mov b32 $r1 0x0\n    mov b32 $r8 0x0
    texauto all $r0:$r1:$r2:$r3 $t1 $s1 $r0:$r1 0 0 0\n    mul rn f32 $r0 $r0 c0[0x0]
    add b32 $r9 b32 s[place] $r8\n    exit st b32 g0[$r9] $r0\n";

/// The bytes of all programs.
pub(super) fn code() -> &'static [u8] {
    static CODE: OnceLock<Vec<u8>> = OnceLock::new();
    CODE.get_or_init(|| {
        let wide = format!("    mov b32 $r0 a[0x0]\n    mov b32 $r1 a[0x4]\n{FETCH}    mul rn f32 $r0 $r0 c0[0x0]\n");
        let parts = [
            (VERTEX, vertex(4, "")),
            (WIDE_VERTEX, vertex(WIDE_WORDS, &wide)),
            (GEOMETRY, geometry()),
            (FRAGMENT, fragment()),
            (WIDE_FRAGMENT, wide_fragment(0.5)),
            (COMPUTE, STORE.to_owned()),
            (OTHER_FRAGMENT, wide_fragment(0.25)),
        ];
        let mut bytes: Vec<u8> = Vec::new();
        for (start, text) in parts {
            assert!(bytes.len() <= start as usize, "programs overlap at {start:#x}");
            bytes.resize(start as usize, 0);
            bytes.extend(assemble(&text).into_iter().flat_map(u32::to_le_bytes));
        }
        bytes
    })
}

/// The words of the other fragment program.
pub(super) fn other_fragment() -> Vec<u32> {
    code()[OTHER_FRAGMENT as usize..].as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
