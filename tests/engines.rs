//! Both engines on streams, stages and programs; the tests of kernels need an adapter.

mod common;

mod engines {
    mod bounds;
    mod captures;
    mod compute;
    mod counters;
    mod device;
    mod differential;
    mod draws;
    mod fragment_assembly;
    mod fuzz;
    mod geometry;
    mod images;
    #[cfg(target_os = "linux")]
    mod live;
    mod microcode;
    mod multisample;
    mod program_textures;
    mod readbacks;
    mod recompiler;
    mod rop;
    mod scan_out;
    mod scenes;
    mod stream_order;
    mod texture;
}
