//! What needs no adapter: the front end from files to commands, and the rules of the source tree.

mod common;

mod host {
    mod adapters;
    mod assembly;
    mod capture;
    mod check_files;
    mod chip;
    mod coverage;
    mod effects;
    mod fuzz;
    #[cfg(target_os = "linux")]
    mod live;
    mod microcode_fuzz;
    mod pica200;
    mod pixel_layouts;
    mod ptx;
    mod stream;
    mod stream_fuzz;
    mod tesla_draws;
    mod tesla_effects;
    mod tidy;
    mod undefined_bits;
}
