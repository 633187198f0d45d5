//! The program `curie` as a person and a script meet it.

mod common;

mod command_line {
    mod bench;
    mod check;
    mod command;
    mod documents;
    mod explain;
    #[cfg(target_os = "linux")]
    mod gl;
    mod launch;
    mod list;
    mod machines;
    mod nv20;
    #[cfg(target_os = "linux")]
    mod outputs;
    mod pica;
    #[cfg(target_os = "linux")]
    mod piglit;
    mod profile;
    mod replay;
    mod report;
    mod run_program;
    mod streams;
    mod tesla;
}
