//! Lists the adapters that can run kernels, and chooses among them.

use super::DeviceError;

/// The choice of an adapter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// The fastest: discrete, then integrated, then virtual, then software.
    #[default]
    Best,
    /// A software adapter.
    Software,
    /// The first whose name contains this text, ignoring case.
    Named(String),
}

/// The properties of an adapter that are known before it is opened.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AdapterSummary {
    /// The driver's name for it.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    /// The API through which it is accessed.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// The largest storage buffer that one binding can hold, in bytes.
    pub max_binding_bytes: u64,
    /// The most storage buffers that one kernel can bind.
    pub max_bindings: u32,
}

impl AdapterSummary {
    /// Whether it renders on the processor.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.kind == "software"
    }

    /// Whether it is Mesa's software adapter.
    #[must_use]
    pub fn is_llvmpipe(&self) -> bool {
        self.is_software() && self.name.starts_with("llvmpipe")
    }
}

/// All adapters of this machine, best first.
#[must_use]
pub fn adapters() -> Vec<AdapterSummary> {
    found_adapters(&plain_instance()).iter().map(summarize).collect()
}

/// A wgpu instance without a display for presentation.
pub(super) fn plain_instance() -> wgpu::Instance {
    instance(wgpu::InstanceDescriptor::new_without_display_handle())
}

/// A wgpu instance with the settings that kernels need.
#[must_use]
pub fn instance(mut descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    // The validation costs a dispatch per indirect one. Counts come from our own kernels, which respect the
    // limits.
    descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    wgpu::Instance::new(descriptor)
}

/// An adapter that computes nothing, with the limits and features of another one.
pub(super) fn idle_adapter(like: &wgpu::Adapter) -> Option<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::NOOP;
    descriptor.backend_options.noop = wgpu::NoopBackendOptions {
        enable: true,
        limits: Some(like.limits()),
        features: Some(like.features()),
        device_type: Some(like.get_info().device_type),
        ..Default::default()
    };
    let adapters = pollster::block_on(instance(descriptor).enumerate_adapters(wgpu::Backends::NOOP));
    adapters.into_iter().next()
}

/// The adapters of an instance, best first.
pub(super) fn found_adapters(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    adapters.sort_by_key(|adapter| kind_of(adapter.get_info().device_type).0);
    adapters
}

fn kind_of(device_type: wgpu::DeviceType) -> (u32, &'static str) {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => (0, "discrete"),
        wgpu::DeviceType::IntegratedGpu => (1, "integrated"),
        wgpu::DeviceType::VirtualGpu => (2, "virtual"),
        wgpu::DeviceType::Cpu => (3, "software"),
        wgpu::DeviceType::Other => (4, "other"),
    }
}

pub(super) fn summarize(adapter: &wgpu::Adapter) -> AdapterSummary {
    let info = adapter.get_info();
    let limits = adapter.limits();
    AdapterSummary {
        name: info.name,
        // wgpu 30 calls its adapter that runs nothing a processor, whatever type it is given.
        kind: if info.backend == wgpu::Backend::Noop { "other" } else { kind_of(info.device_type).1 },
        backend: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        max_binding_bytes: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
        max_bindings: limits.max_storage_buffers_per_shader_stage,
    }
}

/// Returns the first adapter that matches the choice.
pub(super) fn chosen_adapter(
    choice: &AdapterChoice,
    mut adapters: Vec<wgpu::Adapter>,
) -> Result<wgpu::Adapter, DeviceError> {
    let chosen = adapters.iter().position(|adapter| match choice {
        AdapterChoice::Best => true,
        AdapterChoice::Software => adapter.get_info().device_type == wgpu::DeviceType::Cpu,
        AdapterChoice::Named(text) => adapter.get_info().name.to_lowercase().contains(&text.to_lowercase()),
    });
    let Some(chosen) = chosen else {
        let names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
        let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let choice = match choice {
            AdapterChoice::Best => "that wgpu can reach".to_owned(),
            AdapterChoice::Software => "that renders in software".to_owned(),
            AdapterChoice::Named(text) => format!("named '{text}'"),
        };
        return Err(DeviceError::NoAdapter { choice, found });
    };
    Ok(adapters.swap_remove(chosen))
}
