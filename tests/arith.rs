//! The chips' arithmetic: the same bits in Rust and in WGSL, and bounds of its errors.

mod common;

mod arith {
    mod barrier;
    mod cases;
    mod fast_path;
    mod figures;
    mod functions;
    mod operations;
    mod pica;
    mod pica_expected;
    mod rows;
    mod tesla;
    mod tesla_figures;
}
