//! Translates kernels as wgpu 30 does for Vulkan, Metal and Direct3D 12.

use std::path::PathBuf;

use naga::back::{hlsl, msl, pipeline_constants::process_overrides, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ShaderStage, StorageAccess};

use curie::gpu::module_source;

use super::recorded::{device, kernels};

/// What the drivers of each API are given for one entry point.
struct Translated {
    spirv: Vec<u32>,
    msl: String,
    hlsl: String,
}

/// wgpu restricts indices; where a driver does not check accesses to buffers itself, these too.
const POLICIES: BoundsCheckPolicies = BoundsCheckPolicies {
    index: BoundsCheckPolicy::Restrict,
    buffer: BoundsCheckPolicy::Restrict,
    image_load: BoundsCheckPolicy::Restrict,
    binding_array: BoundsCheckPolicy::Unchecked,
};

/// Translates an entry point. Its bindings in group 0 are numbered as in a pipeline layout of wgpu.
fn translated(module: &Module, (stage, name): (ShaderStage, &str)) -> Result<Translated, String> {
    let flags = ValidationFlags::all();
    let info = Validator::new(flags, Capabilities::all()).validate(module).map_err(|error| format!("{error:?}"))?;
    let entry = Some((stage, name.to_owned()));
    let constants = module.overrides.iter().filter_map(|(_, constant)| Some((constant.name.clone()?, 1.0))).collect();
    let (module, info) =
        process_overrides(module, &info, Some((stage, name)), &constants).map_err(|error| error.to_string())?;
    let (slots, registers, offsets) = binding_maps(&module);

    let spirv = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::FORCE_POINT_SIZE,
        fake_missing_bindings: false,
        capabilities: Some([spv::Capability::Shader, spv::Capability::ImageQuery].into_iter().collect()),
        bounds_check_policies: POLICIES,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        use_storage_input_output_16: false,
        binding_map: (slots.keys())
            .map(|&place| {
                (place, spv::BindingInfo { descriptor_set: 0, binding: place.binding, binding_array_size: None })
            })
            .collect(),
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions { shader_stage: stage, entry_point: name.to_owned() };
    let spirv = spv::write_vec(&module, &info, &spirv, Some(&pipeline)).map_err(|error| format!("SPIR-V: {error}"))?;

    let sizes_buffer = Some(u8::try_from(slots.len()).map_err(|error| error.to_string())?);
    let resources = msl::EntryPointResources { resources: slots, sizes_buffer, ..Default::default() };
    let options = msl::Options {
        lang_version: (2, 1),
        fake_missing_bindings: false,
        per_entry_point_map: [(name.to_owned(), resources)].into_iter().collect(),
        bounds_check_policies: POLICIES,
        zero_initialize_workgroup_memory: false,
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions {
        entry_point: entry.clone(),
        vertex_pulling_transform: true,
        ..msl::PipelineOptions::default()
    };
    let (msl, names) =
        msl::write_string(&module, &info, &options, &pipeline).map_err(|error| format!("MSL: {error}"))?;
    names.entry_point_names[0].as_ref().map_err(|error| format!("MSL: {error}"))?;

    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V5_1,
        binding_map: registers,
        fake_missing_bindings: false,
        special_constants_binding: Some(hlsl::BindTarget { register: 0, space: 1, ..Default::default() }),
        dynamic_storage_buffer_offsets_targets: [(0, offsets)].into_iter().collect(),
        zero_initialize_workgroup_memory: false,
        ..hlsl::Options::default()
    };
    let mut text = String::new();
    let pipeline = hlsl::PipelineOptions { entry_point: entry };
    let names = hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(&module, &info, None)
        .map_err(|error| format!("HLSL: {error}"))?;
    names.entry_point_names[0].as_ref().map_err(|error| format!("HLSL: {error}"))?;
    Ok(Translated { spirv, msl, hlsl: text })
}

/// Buffers and textures of group 0, numbered in the order of their bindings: for Metal, and for Direct3D 12, where the
/// offsets of up to four buffers come with each dispatch.
fn binding_maps(module: &Module) -> (msl::BindingMap, hlsl::BindingMap, hlsl::OffsetsBindTarget) {
    let mut places: Vec<_> = (module.global_variables.iter())
        .filter_map(|(_, variable)| Some((variable.binding.filter(|place| place.group == 0)?, variable.space)))
        .collect();
    places.sort_by_key(|(place, _)| place.binding);
    let (mut slots, mut registers) = (msl::BindingMap::default(), hlsl::BindingMap::default());
    let [mut buffers, mut textures, mut read, mut written, mut moving] = [0; 5];
    let take = |counter: &mut u32| std::mem::replace(counter, *counter + 1);
    for (place, space) in places {
        let mut slot = msl::BindTarget::default();
        let mut register = hlsl::BindTarget { restrict_indexing: true, ..Default::default() };
        let number = |counter| u8::try_from(counter).expect("a kernel has few bindings");
        match space {
            AddressSpace::Storage { access } => {
                slot.buffer = Some(number(take(&mut buffers)));
                slot.mutable = access.contains(StorageAccess::STORE);
                register.register = take(if slot.mutable { &mut written } else { &mut read });
                register.dynamic_storage_buffer_offsets_index =
                    (!slot.mutable && moving < 4).then(|| take(&mut moving));
            }
            _ => {
                slot.texture = Some(number(take(&mut textures)));
                register.register = take(&mut written);
            }
        }
        slots.insert(place, slot);
        registers.insert(place, register);
    }
    (slots, registers, hlsl::OffsetsBindTarget { space: 2, register: 0, size: moving })
}

/// Translates every entry point of a kernel's text.
fn translations(label: &str, text: &str) -> Result<Vec<Translated>, String> {
    let module = device(wgpu::Limits::default()).module(label, text).map_err(|error| error.to_string())?;
    let entries = module.entry_points.iter().map(|entry| (entry.stage, entry.name.as_str()));
    entries.map(|entry| translated(&module, entry)).collect()
}

/// With `CURIE_KERNELS_TO`, the results are written to that folder, for `scripts/check-kernels`.
#[test]
fn every_kernel_is_translated_for_each_api() {
    let folder = std::env::var_os("CURIE_KERNELS_TO").map(PathBuf::from);
    let mut failures = Vec::new();
    let window = [module_source("present::show_picture").unwrap()].map(|text| (text, "show_picture"));
    let kernels = kernels().iter().map(|(text, label)| (text.as_str(), label.as_str())).chain(window);
    for (number, (text, label)) in kernels.enumerate() {
        match translations(label, text) {
            Ok(all) => {
                for (entry, Translated { spirv, msl, hlsl }) in all.iter().enumerate() {
                    let Some(folder) = &folder else { continue };
                    let file = |extension| folder.join(format!("{label}.{number}.{entry}.{extension}"));
                    std::fs::write(file("wgsl"), text).unwrap();
                    std::fs::write(file("spv"), spirv.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
                        .unwrap();
                    std::fs::write(file("metal"), msl).unwrap();
                    std::fs::write(file("hlsl"), hlsl).unwrap();
                }
            }
            Err(error) => failures.push(format!("{label}: {error}")),
        }
    }
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn what_an_api_lacks_is_found() {
    let error = |text: &str| translations("planted", text).map(|all| all.len()).unwrap_err();
    let kernel =
        |declarations: &str, body: &str| format!("{declarations} @compute @workgroup_size(1) fn main() {{ {body} }}");
    assert!(error(&kernel("", "let x: u64 = 1lu;")).contains("64"), "no adapter must have 64-bit words");
    // wgpu's layouts of these kernels have one group.
    let other = "@group(1) @binding(0) var<storage, read_write> words: array<u32>;";
    assert!(error(&kernel(other, "words[0] = 1u;")).contains("binding"));
}
