//! Records a plan as a capture: initial memory, then for each frame the changed bytes and one submission per pass.

use std::cell::Cell;
use std::ops::Range;

use super::chip::Chip;
use super::driver::{Driver, PlacedDraw, Resources};
use super::error::SceneError;
use super::expression::Scope;
use super::mesh::Geometry;
use super::nv40::Nv40Driver;
use super::plan::{PassPlan, Plan, StreamPlan};
use super::store::{Store, Stored, built_mesh, geometries, instance_bytes, texture_bytes};
use super::target::PlacedTarget;
use super::tesla::TeslaDriver;
use super::texture::PlacedTexture;
use crate::capture::{Capture, Record};
use crate::command::builder::address;

/// The most times that a pass may replace the vertices of a mesh.
const MAX_ROUNDS: u32 = 4096;

/// Everything in memory while frames are recorded, and the driver that draws with it.
#[derive(Debug)]
struct Recorder<'a> {
    resources: Resources<'a>,
    geometries: Vec<Geometry>,
    driver: Box<dyn Driver>,
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

/// The driver of the scene's chip.
fn driver_of(
    store: &mut Store<'_>,
    targets: &[PlacedTarget],
    textures: &[(PlacedTexture, Option<Stored>)],
) -> Result<Box<dyn Driver>, SceneError> {
    Ok(match store.plan.chip {
        Chip::Nv40 => Box::new(Nv40Driver::new(store)?),
        Chip::Tesla { .. } => Box::new(TeslaDriver::new(store, targets, textures)?),
    })
}

/// How many times a stream runs.
fn rounds(plan: &Plan, stream: &StreamPlan, scope: &Scope<'_>) -> Result<u32, SceneError> {
    let Some(times) = &stream.times else { return Ok(1) };
    let value = times.evaluate(scope).map_err(|error| plan.source.located(&error))?;
    let rounds = value.rows()[0][0].floor();
    if !(0.0..=f64::from(MAX_ROUNDS)).contains(&rounds) {
        let message = format!("the mesh `{}` would be replaced {rounds} times", stream.name);
        return Err(plan.source.at(&stream.name, message, format!("0 to {MAX_ROUNDS} are possible")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
    let rounds = rounds as u32;
    Ok(rounds)
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
        for pass in &plan.passes {
            let mut of_pass = Vec::new();
            for draw in pass.draws() {
                of_pass.push(match &draw.instances {
                    Some(wanted) => Some(store.instances(&draw.name, wanted, &meshes[draw.mesh], &scope)?),
                    None => None,
                });
            }
            instances.push(of_pass);
        }
        let driver = driver_of(store, &targets, &textures)?;
        Ok(Self { resources: Resources { plan, targets, textures, meshes, instances }, geometries, driver })
    }

    fn frame(&mut self, store: &mut Store<'a>, frame: u32) -> Result<(), SceneError> {
        let plan = self.resources.plan;
        let scope = frame_scope(plan, store.steps, frame);
        self.refresh(store, &scope)?;
        let mut streams = Vec::new();
        for (number, pass) in plan.passes.iter().enumerate() {
            self.pass(number, pass, &scope)?;
            if number + 1 == plan.passes.len() {
                self.driver.show(&self.resources.targets[plan.picture]);
            }
            streams.push(self.driver.take()?);
        }
        for (buffer, bytes) in self.driver.memory() {
            store.capture.write(&buffer, &bytes);
        }
        for stream in streams {
            store.capture.submit(stream);
        }
        Ok(())
    }

    /// Writes the methods of a pass.
    fn pass(&mut self, number: usize, pass: &PassPlan, scope: &Scope<'_>) -> Result<(), SceneError> {
        let Self { resources, driver, .. } = self;
        let source = &resources.plan.source;
        let targets = &resources.targets;
        match pass {
            PassPlan::Render { target, name, clear, values, draws } => {
                let target = &targets[*target];
                let mut inner = scope.with(values);
                set_size(&mut inner, target.width, target.height);
                driver.begin_pass(target);
                if let Some(clear) = clear {
                    driver
                        .clear(target, clear)
                        .map_err(|why| source.at(name, "this target cannot be cleared so", why))?;
                }
                for (draw, instances) in draws.iter().zip(&resources.instances[number]) {
                    let mesh = &resources.meshes[draw.mesh];
                    let placed = PlacedDraw { draw, mesh, instances: instances.as_ref(), target };
                    driver.draw(resources, placed, &inner)?;
                }
                Ok(())
            }
            PassPlan::Stream(stream) => {
                let mut inner = scope.with(&stream.values);
                for round in 0..rounds(resources.plan, stream, &inner)? {
                    inner.set("index", f64::from(round));
                    driver.stream(resources, stream, &inner)?;
                    resources.meshes[stream.mesh].turn();
                }
                Ok(())
            }
            PassPlan::Resolve { from, to, filter, name } => driver
                .resolve([&targets[*from], &targets[*to]], *filter)
                .map_err(|why| source.at(name, "this copy is impossible", why)),
            PassPlan::Copy { from, to, name } => driver
                .copy([(&targets[from.0], from.1), (&targets[to.0], to.1)])
                .map_err(|why| source.at(name, "this copy is impossible", why)),
        }
    }

    /// Rewrites what depends on the frame.
    fn refresh(&mut self, store: &mut Store<'a>, scope: &Scope<'_>) -> Result<(), SceneError> {
        for (index, (_, stored)) in self.resources.textures.iter().enumerate() {
            if let Some(Stored { buffer, is_dynamic: true }) = stored {
                store.capture.write(buffer, &texture_bytes(self.resources.plan, index, scope)?.1);
            }
        }
        for (index, mesh) in self.resources.meshes.iter().enumerate() {
            if mesh.vertices.is_dynamic {
                let built = built_mesh(self.resources.plan, index, &self.geometries[index], scope)?;
                store.capture.write(&mesh.vertices.buffer, &built.bytes);
            }
        }
        for (pass, stored) in self.resources.plan.passes.iter().zip(&self.resources.instances) {
            for (draw, stored) in pass.draws().iter().zip(stored) {
                if let (Some(wanted), Some(stored)) = (&draw.instances, stored)
                    && stored.stream.is_dynamic
                {
                    let bytes = instance_bytes(self.resources.plan, &draw.name, wanted, scope)?.2;
                    store.capture.write(&stored.stream.buffer, &bytes);
                }
            }
        }
        Ok(())
    }
}
