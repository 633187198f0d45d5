//! Determines which output registers of a vertex program the later stages of its draw read.

use crate::pipeline::{ClipPlane, Draw, FragmentStage, InterpolantSource, PolygonMode, PrimitiveType};
use crate::shader::analysis::resource_usage::ResourceUsage;
use crate::shader::fragment::FragmentInput;

/// Bit i: setup, rasterizer or interpolation may read output slot i; `fragment` is the usage of a fragment program over
/// registers of four components. A SIMT program names the outputs of its interpolants.
#[must_use]
pub fn outputs_read(draw: &Draw, fragment: Option<&ResourceUsage>) -> u16 {
    let outputs = &draw.outputs;
    let mut registers = 1u16;
    let reads = |input| fragment.is_some_and(|fragment| fragment.reads(input));
    if let FragmentStage::Simt(stage) = &draw.fragment {
        for interpolant in stage.interpolants.values() {
            if let InterpolantSource::Output { front, back } = interpolant.source {
                registers |= 1 << (front.slot & 15) | back.map_or(0, |back| 1 << (back.slot & 15));
            }
        }
    }
    let mut add = |is_read: bool, register: Option<u8>| {
        registers |= register.filter(|_| is_read).map_or(0, |register| 1 << (register & 15));
    };
    for (place, color) in outputs.colors.into_iter().enumerate() {
        let input = if place & 1 == 0 { FragmentInput::Color0 } else { FragmentInput::Color1 };
        let is_shown = place < 2 || draw.raster.two_sided_color;
        add(is_shown && reads(input), color);
    }
    for (index, coordinate) in (0..).zip(outputs.texture_coordinates) {
        add(reads(FragmentInput::TexCoord(index)), coordinate);
    }
    if let Some(selection) = &draw.selection {
        for output in [selection.viewport, selection.layer].into_iter().flatten() {
            add(output.slot < 16, Some(output.slot));
        }
    }
    for (plane, distance) in draw.viewport.clip_planes.into_iter().zip(outputs.clip_distances) {
        add(plane != ClipPlane::Off, distance.map(|output| output.slot));
    }
    add(reads(FragmentInput::Fog), outputs.fog.map(|output| output.slot));
    let has_points =
        draw.rasterized_primitive() == PrimitiveType::Points || draw.raster.polygon_mode.contains(&PolygonMode::Point);
    add(has_points, outputs.point_size.map(|output| output.slot));
    registers
}
