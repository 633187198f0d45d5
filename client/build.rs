//! Tells dependents where the sources of this package are, so that they can build its shared library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Of the environment only; cargo gives it to dependents as DEP_CURIE_CLIENT_MANIFEST.
    println!("cargo::metadata=manifest={}/Cargo.toml", std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
}
