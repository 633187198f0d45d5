//! Records a plan as a capture: initial memory, then for each frame the changed bytes and one submission per pass.

use std::cell::Cell;
use std::ops::Range;

use super::constants;
use super::draw::{self, DrawContext};
use super::error::SceneError;
use super::expression::{Scope, Value};
use super::mesh::Geometry;
use super::plan::{DrawPlan, PassPlan, Plan};
use super::schema::Clear;
use super::store::{Store, Stored, StoredInstances, StoredMesh, built_mesh, geometries, instance_bytes, texture_bytes};
use super::subchannels::THREE_D;
use super::target::PlacedTarget;
use super::texture::PlacedTexture;
use super::transfer;
use super::vertex_engines::VertexEngines;
use crate::capture::{Capture, Record};
use crate::command::builder::{address, handles};
use crate::command::methods::three_d::raster::{SCISSOR_HORIZ, SCISSOR_VERT};
use crate::command::methods::three_d::{program, rop, sync, targets, texture};
use crate::command::writer::StreamWriter;

/// Fragment programs start at multiples of this many bytes.
const PROGRAM_ALIGNMENT: usize = 128;

/// Everything in memory while frames are recorded.
#[derive(Debug)]
struct Recorder<'a> {
    plan: &'a Plan,
    targets: Vec<PlacedTarget>,
    textures: Vec<(PlacedTexture, Option<Stored>)>,
    meshes: Vec<StoredMesh>,
    /// By pass and draw.
    instances: Vec<Vec<Option<StoredInstances>>>,
    geometries: Vec<Geometry>,
    /// The fragment programs of all draws of a frame, one after the other.
    fragment_programs: Stored,
    writer: StreamWriter,
    vertex_engines: VertexEngines,
}

/// Records some frames.
pub(super) fn record(plan: &Plan, frames: Range<u32>) -> Result<Capture, SceneError> {
    let steps = Cell::new(0);
    let mut store = Store::new(plan, &steps);
    let mut recorder = Recorder::new(&mut store, frames.start)?;
    for frame in frames {
        steps.set(0);
        store.capture.record(Record::Mark(format!("frame {frame}").into_bytes()));
        recorder.frame(&mut store, frame)?;
    }
    Ok(store.capture.finish())
}

/// The scope of a frame: time, the picture, and the scene's values.
fn frame_scope<'a>(plan: &'a Plan, steps: &'a Cell<u64>, frame: u32) -> Scope<'a> {
    let mut scope = Scope::new(vec![&plan.values], steps);
    let (width, height) = plan.scene.size;
    scope.set("frame", f64::from(frame));
    scope.set("time", f64::from(frame) / plan.scene.frames_per_second);
    scope.set("turn", f64::from(frame % plan.scene.frames) / f64::from(plan.scene.frames));
    set_size(&mut scope, width, height);
    scope
}

fn set_size(scope: &mut Scope<'_>, width: u32, height: u32) {
    scope.set("width", f64::from(width));
    scope.set("height", f64::from(height));
    scope.set("aspect", f64::from(width) / f64::from(height));
}

impl<'a> Recorder<'a> {
    fn new(store: &mut Store<'a>, frame: u32) -> Result<Self, SceneError> {
        let plan = store.plan;
        let scope = frame_scope(plan, store.steps, frame);
        let mut targets = plan.targets.clone();
        for ((name, _), target) in plan.scene.targets.iter().zip(&mut targets) {
            if let Some(format) = target.color_format {
                for number in 0..target.colors.len() {
                    target.colors[number] = address(&store.buffer(name, target.surface_bytes(format.bytes()))?);
                }
            }
            if let Some(format) = target.zeta_format {
                target.zeta = address(&store.buffer(name, target.surface_bytes(format.bytes()))?);
            }
        }
        let mut textures = Vec::new();
        for index in 0..plan.scene.textures.0.len() {
            let (mut layout, stored) = store.texture(index, &scope)?;
            if let super::schema::Image::Target(name, surface) = &plan.scene.textures.0[index].1.image {
                let target = plan.scene.targets.position(name.as_str()).unwrap_or(0);
                layout.offset = targets[target].surface(*surface).map_or(0, |(offset, _)| offset);
            }
            textures.push((layout, stored));
        }
        let geometries = geometries(plan, &scope)?;
        let mut meshes = Vec::new();
        for (index, geometry) in geometries.iter().enumerate() {
            meshes.push(store.mesh(index, geometry, &scope)?);
        }
        let mut instances = Vec::new();
        let mut program_bytes = 0;
        for pass in &plan.passes {
            let mut of_pass = Vec::new();
            for draw in pass.draws() {
                let words = plan.fragment_program(draw.fragment).length();
                program_bytes += draw.repeat as usize * (words * 4).next_multiple_of(PROGRAM_ALIGNMENT);
                of_pass.push(match &draw.instances {
                    Some(wanted) => Some(store.instances(&draw.name, wanted, &meshes[draw.mesh], &scope)?),
                    None => None,
                });
            }
            instances.push(of_pass);
        }
        let name = plan.scene.targets.0.first().map(|(name, _)| name.clone()).unwrap_or_default();
        let buffer = store.buffer(&name, program_bytes as u64)?;
        let mut writer = first_state();
        let vertex_engines = VertexEngines::new(plan.vertex_programs(), &mut store.capture, &mut writer);
        Ok(Self {
            plan,
            targets,
            textures,
            meshes,
            instances,
            geometries,
            fragment_programs: Stored { buffer, is_dynamic: true },
            writer,
            vertex_engines,
        })
    }

    fn frame(&mut self, store: &mut Store<'a>, frame: u32) -> Result<(), SceneError> {
        let scope = frame_scope(self.plan, store.steps, frame);
        self.refresh(store, &scope)?;
        let mut microcode = Vec::new();
        let mut streams = Vec::new();
        let passes = &self.plan.passes;
        for (number, pass) in passes.iter().enumerate() {
            match pass {
                PassPlan::Render { target, name, clear, values, draws } => {
                    let mut inner = scope.with(values);
                    let size = (self.targets[*target].width, self.targets[*target].height);
                    set_size(&mut inner, size.0, size.1);
                    self.begin_pass(*target);
                    if let Some(clear) = clear {
                        self.clear(*target, clear)
                            .map_err(|why| self.plan.source.at(name, "this target cannot be cleared so", why))?;
                    }
                    for (index, draw) in draws.iter().enumerate() {
                        self.draw(draw, (number, index, *target), &inner, &mut microcode)?;
                    }
                }
                PassPlan::Resolve { from, to, filter, name } => {
                    let targets = [&self.targets[*from], &self.targets[*to]];
                    transfer::resolve(&mut self.writer, targets, *filter)
                        .map_err(|why| self.plan.source.at(name, "this copy is impossible", why))?;
                }
                PassPlan::Copy { from, to, name } => {
                    let surfaces = [(&self.targets[from.0], from.1), (&self.targets[to.0], to.1)];
                    transfer::copy(&mut self.writer, surfaces)
                        .map_err(|why| self.plan.source.at(name, "this copy is impossible", why))?;
                }
            }
            if number + 1 == passes.len() {
                self.targets[self.plan.picture].bind(&mut self.writer);
            }
            streams.push(self.writer.take()?);
        }
        store.capture.write(&self.fragment_programs.buffer, &microcode);
        for stream in streams {
            store.capture.submit(stream);
        }
        Ok(())
    }

    /// Rewrites what depends on the frame.
    fn refresh(&mut self, store: &mut Store<'a>, scope: &Scope<'_>) -> Result<(), SceneError> {
        for (index, (_, stored)) in self.textures.iter().enumerate() {
            if let Some(Stored { buffer, is_dynamic: true }) = stored {
                store.capture.write(buffer, &texture_bytes(self.plan, index, scope)?.1);
            }
        }
        for (index, mesh) in self.meshes.iter().enumerate() {
            if mesh.vertices.is_dynamic {
                let built = built_mesh(self.plan, index, &self.geometries[index], scope)?;
                store.capture.write(&mesh.vertices.buffer, &built.bytes);
            }
        }
        for (pass, stored) in self.plan.passes.iter().zip(&self.instances) {
            for (draw, stored) in pass.draws().iter().zip(stored) {
                if let (Some(wanted), Some(stored)) = (&draw.instances, stored)
                    && stored.stream.is_dynamic
                {
                    let bytes = instance_bytes(self.plan, &draw.name, wanted, scope)?.2;
                    store.capture.write(&stored.stream.buffer, &bytes);
                }
            }
        }
        Ok(())
    }

    fn begin_pass(&mut self, target: usize) {
        self.targets[target].bind(&mut self.writer);
        // A texture may read what an earlier pass drew.
        self.writer.act(THREE_D, texture::TEX_CACHE_CTL::units(2u32));
        self.writer.act(THREE_D, texture::TEX_CACHE_CTL::units(1u32));
    }

    fn clear(&mut self, target: usize, clear: &Clear) -> Result<(), String> {
        let target = &self.targets[target];
        let mut buffers = targets::CLEAR_BUFFERS::depth(clear.depth.is_some() && target.zeta_format.is_some())
            | targets::CLEAR_BUFFERS::stencil(clear.stencil.is_some() && target.zeta_format.is_some());
        let zeta = target.clear_zeta(clear.depth.unwrap_or(1.0), clear.stencil.unwrap_or(0));
        self.writer.set(THREE_D, targets::CLEAR_DEPTH_VALUE::value(zeta));
        if let (Some((r, g, b, a)), Some(_)) = (clear.color, target.color_format) {
            #[expect(clippy::cast_possible_truncation, reason = "colors are singles")]
            let color = [r, g, b, a].map(|value| value as f32);
            let color = target.clear_color(color).ok_or(
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

    fn draw(
        &mut self,
        draw: &DrawPlan,
        (pass, index, target): (usize, usize, usize),
        scope: &Scope<'_>,
        microcode: &mut Vec<u8>,
    ) -> Result<(), SceneError> {
        let source = &self.plan.source;
        let mut inner = scope.with(&draw.values);
        draw::state(&mut self.writer, self.plan, draw, &self.targets[target], &self.textures)
            .map_err(|why| source.at(&draw.name, "this draw is impossible", why))?;
        for number in 0..draw.repeat {
            inner.set("index", Value::from(f64::from(number)));
            let vertex_constants = constants::vertex(self.plan, draw, &inner)?;
            let vertex = self.plan.vertex_program(draw.vertex);
            self.vertex_engines.upload(&mut self.writer, (draw.vertex, vertex), vertex_constants);
            let patched = constants::fragment(self.plan, draw, &inner)?;
            microcode.resize(microcode.len().next_multiple_of(PROGRAM_ALIGNMENT), 0);
            let offset = address(&self.fragment_programs.buffer) as usize + microcode.len();
            microcode.extend(patched.iter().flat_map(|word| word.to_le_bytes()));
            let offset = u32::try_from(offset).unwrap_or(0);
            self.writer.upload(THREE_D, program::FP_ACTIVE_PROGRAM, &[offset | 1]);
            let context = DrawContext {
                mesh: &self.meshes[draw.mesh],
                instances: self.instances[pass][index].as_ref(),
                attributes: vertex.attributes,
            };
            draw::elements(&mut self.writer, &context);
        }
        draw::finish(&mut self.writer, draw);
        Ok(())
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
