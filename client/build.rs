//! Tells dependents where the sources of this package are, so that they can build its shared library, and names the library.

/// As in `protocol.rs`.
const VENDOR_LIBRARY: &str = "libGLX_curie.so.0";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // libglvnd finds the library by the name that it expects of a vendor's.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{VENDOR_LIBRARY}");
    // Of the environment only; cargo gives it to dependents as DEP_CURIE_CLIENT_MANIFEST.
    println!("cargo::metadata=manifest={}/Cargo.toml", std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
}
