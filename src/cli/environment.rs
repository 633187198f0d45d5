//! Restarts the command with environment variables that drivers read, where they are not set. Without `unsafe` code,
//! only a new process can have another environment.
//!
//! - `XDG_RUNTIME_DIR`: wgpu enables Wayland surfaces on every Vulkan instance. Mesa's device selection layer
//!   (`VK_LAYER_MESA_device_select`) then asks a Wayland compositor for its device, and libwayland-client prints an error
//!   for each attempt if the variable is not an absolute path. The directory of a login session need not exist.
//! - `LP_NUM_THREADS`: llvmpipe divides each dispatch into equal parts for its threads, one for each core. At times Linux
//!   leaves two of them on one core for seconds while another core idles. Two threads for each core lose less by that.
//! - `GALLIVM_PERF`: without LLVM's optimizations (`nopt`), llvmpipe compiles kernels in half the time and runs them at half
//!   the rate. Commands that play few frames take less time so (ADR 0020).

#[cfg(target_os = "linux")]
use std::ffi::{OsStr, OsString};
#[cfg(target_os = "linux")]
use std::path::Path;

/// The most frames of a scene that take less time with kernels that are not optimized, if none was compiled before.
pub(super) const SHORT_SCENE: u32 = 4;
/// The same of a capture. Programs draw with many more kernels than scenes, each for less time.
pub(super) const SHORT_CAPTURE: usize = 16;

/// The most cores with two threads each; more cores have not been measured.
#[cfg(target_os = "linux")]
const MAX_CORES: usize = 4;

/// Replaces the process by one with the variables that are missing.
///
/// Returns if none is, or if the process cannot be replaced. `is_short` returns whether the command plays few
/// frames.
#[cfg(target_os = "linux")]
pub(super) fn provide(is_short: impl FnOnce() -> bool) {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;

    let user = std::fs::metadata("/proc/self").ok().map(|process| process.uid());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let missing = missing(|name| std::env::var_os(name), user, cores, is_short);
    let Ok(program) = std::env::current_exe() else { return };
    if missing.is_empty() {
        return;
    }
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| program.clone().into());
    // `exec` returns only on failure; the command also works without the variables.
    let _ = std::process::Command::new(program).arg0(name).args(arguments).envs(missing).exec();
}

/// The missing variables of an environment, for a user and a number of cores.
#[cfg(target_os = "linux")]
fn missing(
    value: impl Fn(&str) -> Option<OsString>,
    user: Option<u32>,
    cores: usize,
    is_short: impl FnOnce() -> bool,
) -> Vec<(&'static str, OsString)> {
    let mut missing = Vec::new();
    let is_directory = |directory: &OsStr| Path::new(directory).is_absolute();
    if let Some(user) = user.filter(|_| !value("XDG_RUNTIME_DIR").as_deref().is_some_and(is_directory)) {
        missing.push(("XDG_RUNTIME_DIR", format!("/run/user/{user}").into()));
    }
    if value("LP_NUM_THREADS").is_none() && (2..=MAX_CORES).contains(&cores) {
        missing.push(("LP_NUM_THREADS", (2 * cores).to_string().into()));
    }
    if value("GALLIVM_PERF").is_none() && is_short() {
        missing.push(("GALLIVM_PERF", "nopt".into()));
    }
    missing
}

/// Only Mesa on Linux reads them.
#[cfg(not(target_os = "linux"))]
pub(super) fn provide(_: impl FnOnce() -> bool) {}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    /// Those missing of an environment with these variables, on two cores.
    fn missing_beside(set: &[(&str, &str)], is_short: bool) -> String {
        let value = |name: &str| set.iter().find(|(own, _)| *own == name).map(|(_, value)| OsString::from(value));
        let missing = missing(value, Some(1000), 2, || is_short);
        missing.iter().map(|(name, value)| format!("{name}={} ", value.display())).collect()
    }

    #[test]
    fn only_missing_variables_are_provided() {
        let directory = ("XDG_RUNTIME_DIR", "/tmp/run");
        let [threads, flags] = [("LP_NUM_THREADS", "3"), ("GALLIVM_PERF", "")];
        assert_eq!(missing_beside(&[], false), "XDG_RUNTIME_DIR=/run/user/1000 LP_NUM_THREADS=4 ");
        assert_eq!(missing_beside(&[directory, threads], false), "");
        assert_eq!(missing_beside(&[directory, threads], true), "GALLIVM_PERF=nopt ");
        assert_eq!(missing_beside(&[directory, threads, flags], true), "");
        assert_eq!(
            missing_beside(&[("XDG_RUNTIME_DIR", "run"), threads], false),
            "XDG_RUNTIME_DIR=/run/user/1000 ",
            "a relative path"
        );
    }

    #[test]
    fn threads_are_doubled_on_few_cores_only() {
        let threads = |cores| {
            let missing = missing(|_| None, None, cores, || false);
            missing.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert!([1, 5].map(threads).concat().is_empty());
        assert_eq!([2, 4].map(threads).concat(), ["4", "8"]);
    }
}
