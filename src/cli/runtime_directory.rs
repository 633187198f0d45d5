//! Starts the command again with a runtime directory where it has none, so that no Vulkan layer complains about that.
//!
//! wgpu enables Wayland surfaces on every Vulkan instance. Mesa's device selection layer (`VK_LAYER_MESA_device_select`)
//! then asks a Wayland compositor for its device, and libwayland-client prints an error for each try where
//! `XDG_RUNTIME_DIR` is no absolute path. Only a new process can have another environment without `unsafe` code.

/// Replaces the process by one with the runtime directory of a login session, which need not exist.
///
/// Returns where there is a directory already, or where the process cannot be replaced.
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
    // What it returns is why it failed; the command works without a directory, too.
    let _ =
        Command::new(program).arg0(name).args(arguments).env(variable, format!("/run/user/{}", process.uid())).exec();
}

/// Only Mesa on Linux has the layer.
#[cfg(not(target_os = "linux"))]
pub(super) const fn provide() {}
