//! Implements [`Driver`] by methods of NV40.

use super::draw::{self, DrawContext};
use super::subchannels::THREE_D;
use super::vertex_engines::VertexEngines;
use super::{constants, target, transfer};
use crate::capture::Buffer;
use crate::command::builder::{BuildError, StreamBuilder, address, handles};
use crate::command::methods::three_d::raster::{SCISSOR_HORIZ, SCISSOR_VERT};
use crate::command::methods::three_d::{program, rop, sync, targets, texture};
use crate::command::writer::StreamWriter;
use crate::scene::driver::{Driver, PlacedDraw, Resources};
use crate::scene::error::SceneError;
use crate::scene::expression::{Scope, Value};
use crate::scene::plan::{DrawPlan, PassPlan, StreamPlan};
use crate::scene::schema::{Clear, Surface};
use crate::scene::store::Store;
use crate::scene::target::PlacedTarget;
use crate::scene::text::ImageFilter;

/// Fragment programs start at multiples of this many bytes.
const PROGRAM_ALIGNMENT: usize = 128;

/// The writer of NV40's methods, with the fragment programs of a frame.
#[derive(Debug)]
pub(in crate::scene) struct Nv40Driver {
    writer: StreamWriter,
    vertex_engines: VertexEngines,
    /// The buffer of the fragment programs of all draws of a frame, one after the other.
    fragment_programs: Buffer,
    microcode: Vec<u8>,
}

impl Nv40Driver {
    /// Takes memory for the programs of a frame, and begins with the state that a driver sets up once.
    pub(in crate::scene) fn new(store: &mut Store<'_>) -> Result<Self, SceneError> {
        let plan = store.plan;
        let bytes_of = |draw: &DrawPlan| {
            let words = plan.fragment_program(draw.fragment).length();
            draw.repeat as usize * (words * 4).next_multiple_of(PROGRAM_ALIGNMENT)
        };
        let bytes: usize = plan.passes.iter().flat_map(PassPlan::draws).map(bytes_of).sum();
        let name = plan.scene.targets.0.first().map(|(name, _)| name.clone()).unwrap_or_default();
        let fragment_programs = store.buffer(&name, bytes as u64)?;
        let mut writer = first_state();
        let vertex_engines = VertexEngines::new(plan.vertex_programs(), &mut store.capture, &mut writer);
        Ok(Self { writer, vertex_engines, fragment_programs, microcode: Vec::new() })
    }
}

impl Driver for Nv40Driver {
    fn begin_pass(&mut self, target: &PlacedTarget) {
        target::bind(target, &mut self.writer);
        // A texture may read what an earlier pass drew.
        self.writer.act(THREE_D, texture::TEX_CACHE_CTL::units(2u32));
        self.writer.act(THREE_D, texture::TEX_CACHE_CTL::units(1u32));
    }

    fn clear(&mut self, target: &PlacedTarget, clear: &Clear) -> Result<(), String> {
        let mut buffers = targets::CLEAR_BUFFERS::depth(clear.depth.is_some() && target.zeta_format.is_some())
            | targets::CLEAR_BUFFERS::stencil(clear.stencil.is_some() && target.zeta_format.is_some());
        let zeta = target::clear_zeta(target, clear.depth.unwrap_or(1.0), clear.stencil.unwrap_or(0));
        self.writer.set(THREE_D, targets::CLEAR_DEPTH_VALUE::value(zeta));
        if let (Some((r, g, b, a)), Some(_)) = (clear.color, target.color_format) {
            #[expect(clippy::cast_possible_truncation, reason = "colors are singles")]
            let color = [r, g, b, a].map(|value| value as f32);
            let color = target::clear_color(target, color).ok_or(
                "the 32 bits of the clear value cannot hold this color for such pixels: draw a Screen instead",
            )?;
            self.writer.set(THREE_D, targets::CLEAR_COLOR_VALUE::value(color));
            buffers = buffers
                | targets::CLEAR_BUFFERS::red(true)
                | targets::CLEAR_BUFFERS::green(true)
                | targets::CLEAR_BUFFERS::blue(true)
                | targets::CLEAR_BUFFERS::alpha(true);
        }
        // The scissor and the stencil mask of the last draw would restrict the clear.
        let (width, height) = (target.width, target.height);
        self.writer.set(THREE_D, SCISSOR_HORIZ::x(0u32) | SCISSOR_HORIZ::width(width));
        self.writer.set(THREE_D, SCISSOR_VERT::y(0u32) | SCISSOR_VERT::height(height));
        self.writer.set_element(THREE_D, 0, rop::STENCIL_MASK::mask(0xffu32));
        self.writer.act(THREE_D, buffers);
        Ok(())
    }

    fn draw(&mut self, resources: &Resources<'_>, placed: PlacedDraw<'_>, scope: &Scope<'_>) -> Result<(), SceneError> {
        let plan = resources.plan;
        let draw = placed.draw;
        let mut inner = scope.with(&draw.values);
        draw::state(&mut self.writer, plan, draw, placed.target, &resources.textures)
            .map_err(|why| plan.source.at(&draw.name, "this draw is impossible", why))?;
        for number in 0..draw.repeat {
            inner.set("index", Value::from(f64::from(number)));
            let vertex_constants = constants::vertex(plan, draw, &inner)?;
            let vertex = plan.vertex_program(draw.vertex);
            self.vertex_engines.upload(&mut self.writer, (draw.vertex, vertex), vertex_constants);
            let patched = constants::fragment(plan, draw, &inner)?;
            self.microcode.resize(self.microcode.len().next_multiple_of(PROGRAM_ALIGNMENT), 0);
            let offset = address(&self.fragment_programs) as usize + self.microcode.len();
            self.microcode.extend(patched.iter().flat_map(|word| word.to_le_bytes()));
            let offset = u32::try_from(offset).unwrap_or(0);
            self.writer.upload(THREE_D, program::FP_ACTIVE_PROGRAM, &[offset | 1]);
            let context = DrawContext { mesh: placed.mesh, instances: placed.instances, attributes: vertex.attributes };
            draw::elements(&mut self.writer, &context);
        }
        draw::finish(&mut self.writer, draw);
        Ok(())
    }

    fn stream(&mut self, resources: &Resources<'_>, stream: &StreamPlan, _: &Scope<'_>) -> Result<(), SceneError> {
        let message = "NV40 cannot write vertices";
        Err(resources.plan.source.at(&stream.name, message, "scenes of the GeForce 8 stream: `chipset: \"G92\"`"))
    }

    fn resolve(&mut self, targets: [&PlacedTarget; 2], filter: ImageFilter) -> Result<(), String> {
        transfer::resolve(&mut self.writer, targets, filter)
    }

    fn copy(&mut self, surfaces: [(&PlacedTarget, Surface); 2]) -> Result<(), String> {
        transfer::copy(&mut self.writer, surfaces)
    }

    fn show(&mut self, target: &PlacedTarget) {
        target::bind(target, &mut self.writer);
    }

    fn take(&mut self) -> Result<StreamBuilder, BuildError> {
        self.writer.take()
    }

    fn memory(&mut self) -> Vec<(Buffer, Vec<u8>)> {
        vec![(self.fragment_programs, std::mem::take(&mut self.microcode))]
    }
}

/// The state that a driver sets up once.
fn first_state() -> StreamWriter {
    let mut writer = StreamWriter::new();
    writer.bind(THREE_D, 0x4097, handles::object(0x4097));
    transfer::first_state(&mut writer);
    writer.set(THREE_D, sync::DMA_NOTIFY::object(handles::NOTIFIER));
    writer.set(THREE_D, sync::DMA_TEXTURE0::object(handles::VRAM));
    writer.set(THREE_D, sync::DMA_TEXTURE1::object(handles::GART));
    writer.set(THREE_D, sync::DMA_COLOR0::object(handles::VRAM));
    writer.set(THREE_D, sync::DMA_COLOR1::object(handles::VRAM));
    writer.set(THREE_D, sync::DMA_COLOR2::object(handles::VRAM));
    writer.set(THREE_D, sync::DMA_COLOR3::object(handles::VRAM));
    writer.set(THREE_D, sync::DMA_VTXBUF0::object(handles::VRAM));
    writer.set(THREE_D, sync::DMA_VTXBUF1::object(handles::GART));
    writer.set(THREE_D, sync::DMA_FENCE::object(handles::FENCE));
    writer.set(THREE_D, sync::DMA_QUERY::object(handles::QUERY));
    // The values that drivers write. Programs assume this routing of results.
    for (method, value) in [
        (program::FP_REG_CONTROL, 4),
        (program::ATTRIB_COLOR, 0x0614_4321),
        (program::ATTRIB_TEX_COORD, 0xedcb_a987),
        (program::ATTRIB_TEX_COORD_EX, 0x6f),
        (program::ATTRIB_UCLIP0, 0x0017_1615),
        (program::ATTRIB_UCLIP1, 0x001b_1a19),
        (program::TRANSFORM_TIMEOUT, 0x0020_ffff),
        (program::INDEXED_CONSTANT_READ_LIMITS, 0x01d3_0000),
    ] {
        writer.upload(THREE_D, method, &[value]);
    }
    writer
}
