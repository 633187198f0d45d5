//! Restarts the command with environment variables that drivers read, where they are not set. Without `unsafe` code,
//! only a new process can have another environment.
//!
//! - `XDG_RUNTIME_DIR`: wgpu enables Wayland surfaces on every Vulkan instance. Mesa's device selection layer
//!   (`VK_LAYER_MESA_device_select`) then asks a Wayland compositor for its device, and libwayland-client prints an error
//!   for each attempt if the variable is not an absolute path. The directory of a login session need not exist.
//! - `LP_NUM_THREADS`: llvmpipe divides each dispatch into equal parts for its threads, one for each core. At times Linux
//!   leaves two of them on one core for seconds while another core idles. Two threads for each core lose less by that.

#[cfg(target_os = "linux")]
use std::ffi::OsString;

/// The most cores with two threads each; more cores have not been measured.
#[cfg(target_os = "linux")]
const MOST_CORES: usize = 4;

/// Replaces the process by one with the variables that are missing.
///
/// Returns if none is, or if the process cannot be replaced.
#[cfg(target_os = "linux")]
pub(super) fn provide() {
    use std::os::unix::process::CommandExt as _;

    let missing: Vec<_> = [runtime_directory(), threads()].into_iter().flatten().collect();
    let Ok(program) = std::env::current_exe() else { return };
    if missing.is_empty() {
        return;
    }
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| program.clone().into());
    // `exec` returns only on failure; the command also works without the variables.
    let _ = std::process::Command::new(program).arg0(name).args(arguments).envs(missing).exec();
}

/// The runtime directory of a login session, if there is no other.
#[cfg(target_os = "linux")]
fn runtime_directory() -> Option<(&'static str, OsString)> {
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    let variable = "XDG_RUNTIME_DIR";
    let is_set = std::env::var_os(variable).is_some_and(|directory| Path::new(&directory).is_absolute());
    let process = std::fs::metadata("/proc/self").ok().filter(|_| !is_set)?;
    Some((variable, format!("/run/user/{}", process.uid()).into()))
}

/// The number of llvmpipe's threads, if nobody has chosen it.
#[cfg(target_os = "linux")]
fn threads() -> Option<(&'static str, OsString)> {
    let variable = "LP_NUM_THREADS";
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let is_provided = std::env::var_os(variable).is_none() && (2..=MOST_CORES).contains(&cores);
    is_provided.then(|| (variable, (2 * cores).to_string().into()))
}

/// Only Mesa on Linux reads them.
#[cfg(not(target_os = "linux"))]
pub(super) const fn provide() {}
