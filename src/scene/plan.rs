//! Turns a scene file into a plan: resolves every name and parses every expression.

use super::chip::Chip;
use super::error::{SceneError, Source};
use super::expression::{Expression, ExpressionError};
use super::folder::Folder;
use super::loaded_program::{FragmentProgram, LoadedProgram, SimtCode, VertexProgram};
use super::options::SceneOptions;
use super::schema::{self, Image, Pass, Scene, Shape, Surface};
use super::state::State;
use super::target::PlacedTarget;
use super::text::{Entries, ImageFilter, Named, Text};
use crate::shader::simt::ProgramKind;

/// The most draws of a frame, including repetitions.
const MAX_DRAWS: u32 = 4096;

/// The most frames of an animation.
const MAX_FRAMES: u32 = 100_000;

/// The most counters of samples.
const MAX_REPORTS: usize = 200;

/// Named expressions.
pub(super) type Values = Vec<(String, Expression)>;

/// A scene, ready to be turned into a stream.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) source: Source,
    pub(super) folder: Folder,
    pub(super) chip: Chip,
    pub(super) scene: Scene,
    pub(super) values: Values,
    pub(super) targets: Vec<PlacedTarget>,
    /// Programs, in the order of the scene.
    pub(super) programs: Vec<LoadedProgram>,
    pub(super) passes: Vec<PassPlan>,
    /// The target of the picture.
    pub(super) picture: usize,
    /// The number of reports.
    pub(super) reports: usize,
}

/// One step of a frame.
#[derive(Debug)]
pub(super) enum PassPlan {
    Render { target: usize, name: Text, clear: Option<schema::Clear>, values: Values, draws: Vec<DrawPlan> },
    Stream(StreamPlan),
    Resolve { from: usize, to: usize, filter: ImageFilter, name: Text },
    Copy { from: (usize, Surface), to: (usize, Surface), name: Text },
}

/// A stream with resolved names.
#[derive(Debug)]
pub(super) struct StreamPlan {
    /// The name of the mesh, where errors are shown.
    pub(super) name: Text,
    pub(super) mesh: usize,
    pub(super) vertex: usize,
    pub(super) times: Option<Expression>,
    pub(super) values: Values,
    /// Its own constants, then those of its program.
    pub(super) constants: Values,
}

/// A draw with resolved names.
#[derive(Debug)]
pub(super) struct DrawPlan {
    /// The name, where errors about the whole draw are shown.
    pub(super) name: Text,
    pub(super) mesh: usize,
    pub(super) vertex: usize,
    pub(super) geometry: Option<usize>,
    pub(super) fragment: usize,
    pub(super) textures: Vec<(u16, usize)>,
    pub(super) vertex_textures: Vec<(u16, usize)>,
    pub(super) values: Values,
    /// The draw's own constants, then those of its programs.
    pub(super) constants: Values,
    pub(super) state: State,
    pub(super) repeat: u32,
    pub(super) instances: Option<schema::Instances>,
    /// Report numbers.
    pub(super) count: Option<u32>,
    pub(super) only_if: Option<u32>,
}

impl Plan {
    /// Resolves a scene.
    pub(super) fn new(
        source: Source,
        folder: Folder,
        mut scene: Scene,
        options: &SceneOptions,
    ) -> Result<Self, SceneError> {
        if let Some(size) = options.size {
            scene.size = size;
        }
        let (width, height) = scene.size;
        if !(1..=4096).contains(&width) || !(1..=4096).contains(&height) {
            return Err(source.error(0..0, format!("a picture of {width}×{height} pixels"), "1 to 4096 are possible"));
        }
        if !(1..=MAX_FRAMES).contains(&scene.frames)
            || scene.frames_per_second.is_nan()
            || scene.frames_per_second <= 0.0
        {
            let message = format!("{} frames, {} per second", scene.frames, scene.frames_per_second);
            return Err(source.error(0..0, message, format!("1 to {MAX_FRAMES} frames are possible")));
        }
        let chip = Chip::named(&source, scene.chipset.as_ref())?;
        let values = source.values(&scene.values)?;
        let mut targets = Vec::new();
        for (name, target) in scene.targets.iter() {
            let placed = chip.place_target(target, scene.size);
            targets.push(placed.map_err(|why| source.at(name, format!("target `{name}` is impossible"), why))?);
        }
        check_images(&source, &scene)?;
        check_meshes(&source, &scene)?;
        let mut programs = Vec::new();
        for (_, program) in scene.programs.iter() {
            programs.push(chip.load_program(&source, &folder, program)?);
        }
        let resolver = Resolver { source: &source, chip, scene: &scene, programs: &programs };
        let mut reports = Vec::new();
        let passes =
            scene.passes.iter().map(|pass| resolver.pass(pass, &mut reports)).collect::<Result<Vec<_>, _>>()?;
        let draws = passes.iter().flat_map(PassPlan::draws).fold(0u32, |sum, draw| sum.saturating_add(draw.repeat));
        if draws > MAX_DRAWS {
            return Err(source.error(0..0, format!("{draws} draws in a frame"), format!("{MAX_DRAWS} are possible")));
        }
        let picture = match (&scene.picture, passes.last()) {
            (Some(name), _) => resolver.target(name)?,
            (None, Some(PassPlan::Render { target, .. })) => *target,
            (None, Some(PassPlan::Resolve { to, .. })) => *to,
            (None, Some(PassPlan::Copy { to, .. })) => to.0,
            (None, Some(PassPlan::Stream(stream))) => {
                let label = "the last pass draws to no target";
                return Err(source.at(&stream.name, "the scene has no `picture`", label));
            }
            (None, None) => return Err(source.error(0..0, "the scene has no passes", "")),
        };
        Ok(Self { values, targets, programs, passes, picture, reports: reports.len(), source, folder, chip, scene })
    }

    /// The vertex program with this number, which is known to be one.
    pub(super) fn vertex_program(&self, index: usize) -> &VertexProgram {
        match &self.programs[index] {
            LoadedProgram::Vertex(program) => program,
            LoadedProgram::Fragment(_) | LoadedProgram::Simt(_) => unreachable!("the stage was checked"),
        }
    }

    /// Whether a pass replaces the vertices of a mesh.
    pub(super) fn is_streamed(&self, mesh: usize) -> bool {
        self.passes.iter().any(|pass| matches!(pass, PassPlan::Stream(stream) if stream.mesh == mesh))
    }

    /// The vertex programs.
    pub(super) fn vertex_programs(&self) -> impl Iterator<Item = &VertexProgram> {
        self.programs.iter().filter_map(|program| match program {
            LoadedProgram::Vertex(program) => Some(program),
            LoadedProgram::Fragment(_) | LoadedProgram::Simt(_) => None,
        })
    }

    /// The program of the Tesla processor with this number, which is known to be one.
    pub(super) fn simt_code(&self, index: usize) -> &SimtCode {
        match &self.programs[index] {
            LoadedProgram::Simt(code) => code,
            LoadedProgram::Vertex(_) | LoadedProgram::Fragment(_) => unreachable!("the chip was checked"),
        }
    }

    /// The fragment program with this number, which is known to be one.
    pub(super) fn fragment_program(&self, index: usize) -> &FragmentProgram {
        match &self.programs[index] {
            LoadedProgram::Fragment(program) => program,
            LoadedProgram::Vertex(_) | LoadedProgram::Simt(_) => unreachable!("the stage was checked"),
        }
    }
}

impl PassPlan {
    /// The draws of the pass.
    pub(super) fn draws(&self) -> &[DrawPlan] {
        match self {
            Self::Render { draws, .. } => draws,
            Self::Stream(_) | Self::Resolve { .. } | Self::Copy { .. } => &[],
        }
    }
}

impl Source {
    /// Parses an expression of the file.
    pub(super) fn expression(&self, text: &Text) -> Result<Expression, SceneError> {
        Expression::parse(text.as_str(), text.span(&self.text).start).map_err(|error| self.located(&error))
    }

    /// Parses named expressions.
    pub(super) fn values(&self, values: &Named<Text>) -> Result<Values, SceneError> {
        values.iter().map(|(name, text)| Ok((name.to_string(), self.expression(text)?))).collect()
    }

    /// An error of an expression, shown in the file.
    pub(super) fn located(&self, error: &ExpressionError) -> SceneError {
        self.error(error.span.clone(), &error.message, &error.hint)
    }
}

fn check_images(source: &Source, scene: &Scene) -> Result<(), SceneError> {
    for (_, texture) in scene.textures.iter() {
        match &texture.image {
            Image::Target(name, surface) => {
                let target = scene.targets.get(name.as_str());
                let target = target.ok_or_else(|| source.unknown(name, "target", scene.targets.names()))?;
                check_surface(source, name, target, *surface)?;
            }
            Image::Line { color, .. } | Image::Formula { color, .. } => drop(source.expression(color)?),
            Image::Volume { color, .. } | Image::Cube { color, .. } => drop(source.expression(color)?),
            Image::NormalMap { height, .. } => drop(source.expression(height)?),
            Image::File(_) | Image::Faces(_) => {}
        }
    }
    Ok(())
}

fn check_surface(source: &Source, name: &Text, target: &schema::Target, surface: Surface) -> Result<(), SceneError> {
    let exists = match surface {
        Surface::Color(number) => target.color.is_some() && number < target.colors,
        Surface::Zeta => target.zeta.is_some(),
    };
    if exists { Ok(()) } else { Err(source.at(name, format!("target `{name}` has no {surface:?}"), "this target")) }
}

fn check_meshes(source: &Source, scene: &Scene) -> Result<(), SceneError> {
    for (index, (_, mesh)) in scene.meshes.0.iter().enumerate() {
        if let Shape::Join(parts) = &mesh.shape {
            for part in parts {
                // Only earlier meshes can be joined, so no mesh contains itself.
                let earlier = || scene.meshes.names().take(index);
                if !earlier().any(|name| name == part.as_str()) {
                    return Err(source.unknown(part, "earlier mesh", earlier()));
                }
            }
        }
    }
    Ok(())
}

struct Resolver<'a> {
    source: &'a Source,
    chip: Chip,
    scene: &'a Scene,
    programs: &'a [LoadedProgram],
}

impl Resolver<'_> {
    fn target(&self, name: &Text) -> Result<usize, SceneError> {
        let targets = &self.scene.targets;
        targets.position(name.as_str()).ok_or_else(|| self.source.unknown(name, "target", targets.names()))
    }

    fn surface(&self, (name, surface): &(Text, Surface)) -> Result<(usize, Surface), SceneError> {
        let index = self.target(name)?;
        check_surface(self.source, name, &self.scene.targets.0[index].1, *surface)?;
        Ok((index, *surface))
    }

    fn pass(&self, pass: &Pass, reports: &mut Vec<String>) -> Result<PassPlan, SceneError> {
        Ok(match pass {
            Pass::Render(render) => {
                let draws = render.draws.iter().map(|draw| self.draw(draw, &render.state, reports));
                PassPlan::Render {
                    draws: draws.collect::<Result<_, _>>()?,
                    target: self.target(&render.target)?,
                    name: render.target.clone(),
                    clear: render.clear.clone(),
                    values: self.source.values(&render.values)?,
                }
            }
            Pass::Stream(stream) => {
                let vertex = self.program(&stream.vertex, ProgramKind::Vertex)?;
                let mut constants = self.source.values(&stream.constants)?;
                constants.extend(self.source.values(&self.scene.programs.0[vertex].1.constants)?);
                PassPlan::Stream(StreamPlan {
                    name: stream.mesh.clone(),
                    mesh: self.mesh(&stream.mesh)?,
                    vertex,
                    times: stream.times.as_ref().map(|times| self.source.expression(times)).transpose()?,
                    values: self.source.values(&stream.values)?,
                    constants,
                })
            }
            Pass::Resolve { from, to, filter } => {
                PassPlan::Resolve { from: self.target(from)?, to: self.target(to)?, filter: *filter, name: to.clone() }
            }
            Pass::Copy { from, to } => {
                PassPlan::Copy { from: self.surface(from)?, to: self.surface(to)?, name: to.0.clone() }
            }
        })
    }

    fn draw(&self, draw: &schema::Draw, outer: &State, reports: &mut Vec<String>) -> Result<DrawPlan, SceneError> {
        let (source, scene) = (self.source, self.scene);
        let mesh = self.mesh(&draw.mesh)?;
        let vertex = self.program(&draw.vertex, ProgramKind::Vertex)?;
        let geometry = draw.geometry.as_ref().map(|name| self.program(name, ProgramKind::Geometry)).transpose()?;
        let fragment = self.program(&draw.fragment, ProgramKind::Fragment)?;
        let mut constants = source.values(&draw.constants)?;
        for program in [Some(vertex), geometry, Some(fragment)].into_iter().flatten() {
            constants.extend(source.values(&scene.programs.0[program].1.constants)?);
        }
        let textures = |entries: &Entries<u8, Text>, units: u8| -> Result<Vec<_>, SceneError> {
            entries
                .iter()
                .map(|(unit, name)| {
                    if *unit >= units {
                        return Err(source.at(
                            name,
                            format!("there is no texture unit {unit}"),
                            format!("there are {units}"),
                        ));
                    }
                    let index = scene.textures.position(name.as_str());
                    let index = index.ok_or_else(|| source.unknown(name, "texture", scene.textures.names()))?;
                    Ok((u16::from(*unit), index))
                })
                .collect()
        };
        let [units, vertex_units] = self.chip.texture_units();
        let count = match &draw.count {
            Some(name) if reports.len() >= MAX_REPORTS => {
                return Err(source.at(name, format!("more than {MAX_REPORTS} counters"), ""));
            }
            Some(name) => {
                reports.push(name.to_string());
                Some(u32::try_from(reports.len() - 1).unwrap_or(0))
            }
            None => None,
        };
        let only_if = match &draw.only_if {
            Some(name) => {
                let report = reports.iter().position(|known| known == name.as_str());
                let report = report
                    .ok_or_else(|| source.unknown(name, "earlier counter", reports.iter().map(String::as_str)))?;
                Some(u32::try_from(report).unwrap_or(0))
            }
            None => None,
        };
        Ok(DrawPlan {
            name: draw.mesh.clone(),
            mesh,
            vertex,
            geometry,
            fragment,
            textures: textures(&draw.textures, units)?,
            vertex_textures: textures(&draw.vertex_textures, vertex_units)?,
            values: source.values(&draw.values)?,
            constants,
            state: draw.state.inside(outer),
            repeat: draw.repeat,
            instances: draw.instances.clone(),
            count,
            only_if,
        })
    }

    fn mesh(&self, name: &Text) -> Result<usize, SceneError> {
        let meshes = &self.scene.meshes;
        meshes.position(name.as_str()).ok_or_else(|| self.source.unknown(name, "mesh", meshes.names()))
    }

    fn program(&self, name: &Text, stage: ProgramKind) -> Result<usize, SceneError> {
        let what = match stage {
            ProgramKind::Vertex => "vertex program",
            ProgramKind::Geometry => "geometry program",
            ProgramKind::Fragment | ProgramKind::Compute => "fragment program",
        };
        let programs = &self.scene.programs;
        let is_wanted = |index: usize| self.programs[index].stage() == stage;
        match programs.position(name.as_str()) {
            Some(index) if is_wanted(index) => Ok(index),
            Some(_) => {
                Err(self.source.at(name, format!("`{name}` is no {what}"), "its file holds one of the other stage"))
            }
            None => {
                let known = programs.names().enumerate().filter(|(index, _)| is_wanted(*index)).map(|(_, name)| name);
                Err(self.source.unknown(name, what, known))
            }
        }
    }
}
