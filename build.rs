//! Builds the library that `curie gl` preloads into programs, so that the command contains it (ADR 0021).

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library's file, which the command includes; empty where it cannot be built or is not wanted.
const LIBRARY: &str = "libcurie_client.so";

/// The same for programs of 32 bits on a processor of 64; empty where its target or linker is not installed.
const LIBRARY_32: &str = "libcurie_client_32.so";
const TARGETS: (&str, &str) = ("x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu");

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let (mut bytes, mut bytes_32) = (Vec::new(), Vec::new());
    if let Some(manifest) = wanted() {
        let manifest = Path::new(&manifest);
        let target = env::var("TARGET")?;
        bytes = library(manifest, &out, &target).unwrap_or_else(|error| {
            println!("cargo::warning={LIBRARY} is not part of the command, which will need --client: {error}");
            Vec::new()
        });
        if target == TARGETS.0 {
            bytes_32 = library(manifest, &out, TARGETS.1).unwrap_or_default();
        }
    }
    std::fs::write(out.join(LIBRARY_32), bytes_32)?;
    Ok(std::fs::write(out.join(LIBRARY), bytes)?)
}

/// The manifest of the library's package, if a command for Linux is built.
fn wanted() -> Option<OsString> {
    let is_command = env::var_os("CARGO_FEATURE_CLI").is_some() && env::var_os("DOCS_RS").is_none();
    // Lints make no command, so they need no library.
    let is_lint =
        env::var_os("RUSTC_WORKSPACE_WRAPPER").is_some_and(|path| Path::new(&path).ends_with("clippy-driver"));
    env::var_os("DEP_CURIE_CLIENT_MANIFEST").filter(|_| is_command && !is_lint)
}

/// Builds the library in a folder of its own, as cargo holds a lock on that of this build.
fn library(manifest: &Path, out: &Path, target: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let folder = manifest.parent().ok_or("the client's manifest lies in no folder")?;
    for part in ["Cargo.toml", "src"] {
        println!("cargo::rerun-if-changed={}", folder.join(part).display());
    }
    // What it needs was downloaded for this build, unless that took other versions than the client's lock file names.
    let built = build(manifest, out, target, true).or_else(|_| build(manifest, out, target, false));
    built?;
    let file = out.join("client").join(target).join("release").join(LIBRARY);
    Ok(std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?)
}

fn build(manifest: &Path, out: &Path, target: &str, is_offline: bool) -> Result<(), Box<dyn Error>> {
    let cargo = env::var_os("CARGO").ok_or("cargo sets CARGO")?;
    let mut command = Command::new(cargo);
    command.args(["build", "--lib", "--release", "--locked", "--quiet"]);
    command.args(is_offline.then_some("--offline"));
    command.arg("--manifest-path").arg(manifest).arg("--target").arg(target);
    command.arg("--target-dir").arg(out.join("client"));
    // Of a workspace, its profile counts; lints are no concern of this build.
    command.envs([("CARGO_PROFILE_RELEASE_STRIP", "symbols"), ("CARGO_PROFILE_RELEASE_DEBUG", "false")]);
    command.env_remove("RUSTC_WORKSPACE_WRAPPER").env_remove("CARGO_BUILD_BUILD_DIR");
    let output = command.output().map_err(|error| format!("cargo does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(message.lines().find(|line| line.starts_with("error")).unwrap_or("cargo failed").to_owned().into())
}
