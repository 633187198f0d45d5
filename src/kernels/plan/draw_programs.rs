//! The programs of a draw as kernels run them.

use std::sync::Arc;

use super::outputs_read::outputs_read;
use crate::counters::StraightProgram;
use crate::pipeline::{Draw, FragmentStage, ShadedSamples, SimtFragmentStage, SimtVertexStage, VertexStage};
use crate::recompiler::compute::{SimtFragmentKey, SimtProgramKey, SimtPrograms, SimtVertexKey};
use crate::recompiler::vertex::VertexFetch;
use crate::shader::analysis::resource_usage::ResourceUsage;
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// A vertex program. That of a SIMT program is part of its draw.
#[derive(Debug, Clone)]
pub(in crate::kernels) enum VertexCode {
    Vec4(Arc<VertexProgram>),
    Simt,
}

impl VertexCode {
    /// A SIMT program; `None` if kernels do not run it.
    pub(in crate::kernels) fn simt(programs: &mut SimtPrograms, draw: &Draw, stage: &SimtVertexStage) -> Option<Self> {
        SimtVertexKey::new(programs, stage, &draw.elements, VertexFetch::Immediate, 0, false).map(|_| Self::Simt)
    }
}

/// A fragment program.
#[derive(Debug)]
pub(in crate::kernels) enum FragmentCode {
    Vec4(FragmentProgram),
    Simt {
        key: Box<SimtFragmentKey>,
        /// The constants that its text reads.
        constants: Vec<[u32; 4]>,
    },
}

impl FragmentCode {
    /// A SIMT program; `None` if kernels do not run it, or a quad may take more loop iterations than an invocation.
    pub(in crate::kernels) fn simt(
        programs: &mut SimtPrograms,
        draw: &Draw,
        stage: &SimtFragmentStage,
        max_loop_iterations: Option<u32>,
    ) -> Option<Self> {
        let targets = draw.rop.shaded_colors(&draw.targets);
        let quads = super::shade_quads::quads(draw);
        let key = Box::new(SimtFragmentKey::new(programs, stage, &draw.textures, targets, quads)?);
        let fits = max_loop_iterations.is_none_or(|max| key.max_loop_iterations(&draw.textures) <= max.into());
        fits.then(|| Self::Simt { key, constants: SimtProgramKey::constant_vectors(&stage.stage) })
    }

    /// The constants that its text reads.
    pub(in crate::kernels) fn constants(&self) -> &[[u32; 4]] {
        match self {
            Self::Vec4(program) => &program.constants,
            Self::Simt { constants, .. } => constants,
        }
    }

    /// Bit i: later stages read output slot i of the vertex program of the draw.
    pub(in crate::kernels) fn outputs_read(&self, draw: &Draw) -> u16 {
        let usage = match self {
            Self::Vec4(program) => Some(ResourceUsage::of_blocks(program)),
            Self::Simt { .. } => None,
        };
        outputs_read(draw, usage.as_ref())
    }
}

/// The programs of a draw whose work can be counted.
#[derive(Debug)]
pub(in crate::kernels) enum CountedPrograms<'p> {
    Vec4(&'p VertexProgram, &'p FragmentProgram),
    Straight(StraightPrograms),
}

/// The SIMT programs of a draw whose work follows from how many threads run them.
#[derive(Debug, Clone)]
pub(in crate::kernels) struct StraightPrograms {
    pub(in crate::kernels) vertex: StraightProgram,
    pub(in crate::kernels) fragment: StraightProgram,
    /// How often a fragment samples each unit.
    pub(in crate::kernels) lookups: [u64; 16],
}

impl StraightPrograms {
    /// Those of a draw; `None` if the reference counts it.
    pub(in crate::kernels) fn new(draw: &Draw) -> Option<Self> {
        let (VertexStage::Simt(vertex), FragmentStage::Simt(fragment)) = (&draw.vertex, &draw.fragment) else {
            return None;
        };
        let is_plain = draw.geometry.is_none()
            && draw.stream_out.is_none()
            && draw.selection.is_none()
            && fragment.samples == ShadedSamples::Together;
        let programs =
            is_plain.then(|| StraightProgram::new(&vertex.stage).zip(StraightProgram::new(&fragment.stage)))?;
        let (vertex, program) = programs?;
        let lookups = program.lookups(&fragment.units)?;
        let mut units = lookups.iter().zip(&draw.textures);
        units.all(|(count, texture)| *count == 0 || texture.is_some()).then_some(Self {
            vertex,
            fragment: program,
            lookups,
        })
    }
}

/// The programs of a draw whose work can be counted.
pub(in crate::kernels) fn counted<'p>(
    draw: &Draw,
    vertex: &'p VertexCode,
    fragment: &'p FragmentCode,
) -> Option<CountedPrograms<'p>> {
    match (vertex, fragment) {
        (VertexCode::Vec4(vertex), FragmentCode::Vec4(fragment)) => Some(CountedPrograms::Vec4(vertex, fragment)),
        _ => StraightPrograms::new(draw).map(CountedPrograms::Straight),
    }
}
