//! Tests `curie list` as a command: its output, and that a closed pipe ends it quietly.

use std::io::Read;
use std::process::Stdio;

use super::command::{capture, command, error, stdout};

#[test]
fn methods_fields_and_programs() {
    let text = stdout(&["list", &capture("flat")]);
    for line in [
        "chipset 0x40, 256 MiB VRAM, 512 MiB GART",
        "0 BONW buffer 1 GART 0x100000+0x1000",
        "  7 ---- OBJECT = 0xbeef3097  object=0xbeef3097",
        "  7 4097 RT_FORMAT = 0x08080248  color=A8R8G8B8 zeta=Z24S8 layout=SWIZZLED multisample=X1 log2_width=8 \
         log2_height=8",
        "  7 4097 DEPTH_FUNC = 0x00000200  function=NEVER",
        "  7 4097 VB_VERTEX_BATCH = 0x02000000  first=0 count_minus_1=2",
        "color0 256x256 A8R8G8B8 at Vram 0x150000",
    ] {
        assert!(text.lines().any(|listed| listed == line), "no line {line:?}");
    }
    assert!(text.contains("    vertex program at slot "));
    assert!(text.contains("    fragment program at Vram 0x140000:\n          MOVR H0, {1, 0.5, 0, 1};\n      END\n"));
    assert!(text.contains("          MAD o[0], v[0].w, c[467], R0;\n"));
    assert!(!text.lines().any(|line| line.trim_start().starts_with('!')), "something was refused");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = command(&["list", &capture("cube")]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 16]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn what_is_no_capture_fails_with_the_reason() {
    let message = error(&["list", "scenes/captures/flat.png"]);
    assert!(message.contains("flat.png: this is not a capture"), "{message}");
}
