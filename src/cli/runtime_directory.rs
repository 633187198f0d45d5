//! Restarts the command with a runtime directory if it has none, so that Vulkan layers do not complain.
//!
//! wgpu enables Wayland surfaces on every Vulkan instance. Mesa's device selection layer
//! (`VK_LAYER_MESA_device_select`) then asks a Wayland compositor for its device, and libwayland-client prints an
//! error for each attempt if `XDG_RUNTIME_DIR` is not an absolute path. Without `unsafe` code, only a new process
//! can have another environment.

/// Replaces the process by one with the runtime directory of a login session, which need not exist.
///
/// Returns if there is already a directory, or if the process cannot be replaced.
#[cfg(target_os = "linux")]
pub(super) fn provide() {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;
    use std::process::Command;

    let variable = "XDG_RUNTIME_DIR";
    if std::env::var_os(variable).is_some_and(|directory| Path::new(&directory).is_absolute()) {
        return;
    }
    let (Ok(program), Ok(process)) = (std::env::current_exe(), std::fs::metadata("/proc/self")) else { return };
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| program.clone().into());
    // `exec` returns only on failure; the command also works without a directory.
    let _ =
        Command::new(program).arg0(name).args(arguments).env(variable, format!("/run/user/{}", process.uid())).exec();
}

/// Only Mesa on Linux has the layer.
#[cfg(not(target_os = "linux"))]
pub(super) const fn provide() {}
