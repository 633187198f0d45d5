//! Defines one draw: decoded state from vertex fetch to output merger, as plain values.

use std::borrow::Cow;

use super::{
    FragmentStage, InterpolationState, PolygonMode, PrimitiveSelection, PrimitiveType, RasterState, RopState, Selected,
    SelectedViewport, ShadedSamples, SimtFragmentStage, SimtGeometryStage, StreamOut, Targets, TextureState,
    VertexOutputs, VertexStage, ViewportState,
};
use crate::format::AttributeFormat;
use crate::memory::MemoryWindow;
use crate::shader::simt::SimtProgram;

/// The type of indices in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexType {
    /// 16 bits.
    U16,
    /// 32 bits.
    U32,
}

impl IndexType {
    /// Bytes of an index.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }
}

/// The source of a draw's vertices, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elements {
    /// Consecutive vertices of the arrays: (first, count) ranges.
    Ranges(Vec<(u32, u32)>),
    /// Indices sent in the push buffer.
    Inline(Vec<u32>),
    /// Indices in memory: (first, count) ranges of the index buffer.
    Buffer {
        /// The index buffer.
        window: MemoryWindow,
        /// Its type.
        index_type: IndexType,
        /// Ranges, in indices.
        ranges: Vec<(u32, u32)>,
    },
    /// Vertices sent whole: the words of all 16 attributes for each, as [`AttributeFormat::decode`] gives them.
    Immediate(Vec<[[u32; 4]; 16]>),
}

/// A vertex attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VertexAttribute {
    /// The same four words for all vertices.
    Constant([u32; 4]),
    /// An array in memory.
    Array {
        /// Where element 0 starts.
        window: MemoryWindow,
        /// The format of its elements.
        format: AttributeFormat,
        /// Bytes from one element to the next, at most 4095; 0 repeats the first.
        stride: u32,
        /// Frequency divider; 0 and 1 advance with every vertex.
        divider: u16,
        /// With a divider, takes the index modulo the divider instead of dividing it.
        is_modulo: bool,
    },
}

/// Inputs of the vertex stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexInput {
    /// The attributes. Those that the program does not read are `Constant`.
    pub attributes: [VertexAttribute; 16],
    /// Added to every index.
    pub base_index: u32,
    /// The index that restarts primitives.
    pub restart_index: Option<u32>,
}

/// One draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// The primitive type.
    pub primitive: PrimitiveType,
    /// The vertices.
    pub elements: Elements,
    /// Where attributes come from.
    pub input: VertexInput,
    /// The vertex program.
    pub vertex: VertexStage,
    /// The geometry program, if there is one.
    pub geometry: Option<SimtGeometryStage>,
    /// Which outputs of the last program before rasterization feed which result.
    pub outputs: VertexOutputs,
    /// Where vertices are written before rasterization, if anywhere.
    pub stream_out: Option<StreamOut>,
    /// Viewport and depth range.
    pub viewport: ViewportState,
    /// The viewports and layers among which a program selects, if it does.
    pub selection: Option<Box<PrimitiveSelection>>,
    /// Set-up and rasterization.
    pub raster: RasterState,
    /// The inputs of fragments that no vertex gives.
    pub interpolation: InterpolationState,
    /// The fragment program.
    pub fragment: FragmentStage,
    /// Texture units; `None` if disabled.
    pub textures: [Option<TextureState>; 16],
    /// The output merger.
    pub rop: RopState,
    /// The surfaces.
    pub targets: Targets,
}

impl Draw {
    /// The draws of single samples that leave the same as this one, if its fragment program runs for samples one by one. No
    /// sample depends on another one, and the first draw writes vertices.
    #[must_use]
    pub fn of_samples(&self) -> Vec<Self> {
        let FragmentStage::Simt(stage) = &self.fragment else { return Vec::new() };
        let rasterizes = self.stream_out.as_ref().is_none_or(|stream_out| stream_out.rasterizes);
        if stage.samples != ShadedSamples::Each || !rasterizes {
            return Vec::new();
        }
        let of_sample = |sample: u8| {
            let mut draw = self.clone();
            draw.stream_out = draw.stream_out.filter(|_| sample == 0);
            draw.rop.multisample.sample_mask &= 1 << sample;
            draw.fragment =
                FragmentStage::Simt(SimtFragmentStage { samples: ShadedSamples::Only(sample), ..stage.clone() });
            draw
        };
        stage.samples.one_by_one(self.raster.samples).into_iter().flatten().map(of_sample).collect()
    }

    /// The textures that SIMT programs of vertices and primitives read.
    pub fn stage_textures(&self) -> impl Iterator<Item = &TextureState> {
        self.stage_programs().flat_map(|(_, textures)| textures).map(|(_, state)| state)
    }

    /// The SIMT programs of vertices and primitives, with their textures.
    fn stage_programs(&self) -> impl Iterator<Item = (&SimtProgram, &[([u8; 2], TextureState)])> {
        let vertex = match &self.vertex {
            VertexStage::Simt(stage) => Some((&*stage.stage.program, stage.textures.as_slice())),
            VertexStage::Vec4(_) => None,
        };
        let geometry = self.geometry.as_ref().map(|stage| (&*stage.stage.program, stage.textures.as_slice()));
        vertex.into_iter().chain(geometry)
    }

    /// The memory that fetches of SIMT programs of vertices and primitives may read.
    pub fn stage_windows(&self) -> impl Iterator<Item = MemoryWindow> {
        let textures = self.stage_programs().flat_map(|(program, textures)| {
            textures.iter().map(|(units, state)| (state, program.reads_texels(*units)))
        });
        textures.flat_map(|(state, reads_texels)| state.fetched_windows(reads_texels))
    }

    /// The memory that fetches from these texture units may read.
    pub fn fetched_windows(&self, units: u16) -> impl Iterator<Item = MemoryWindow> {
        self.fetched_textures(units).flat_map(|(state, reads_texels)| state.fetched_windows(reads_texels))
    }

    /// The textures of these units, each with whether texels are read by their numbers.
    fn fetched_textures(&self, units: u16) -> impl Iterator<Item = (&TextureState, bool)> {
        let numbers = (0..16).filter(move |unit| units >> unit & 1 != 0);
        numbers.filter_map(|unit: usize| {
            let state = self.textures[unit].as_ref()?;
            let reads_texels = match &self.fragment {
                FragmentStage::Simt(own) => {
                    own.units.get(unit).is_some_and(|units| own.stage.program.reads_texels(*units))
                }
                FragmentStage::Vec4(_) => false,
            };
            Some((state, reads_texels))
        })
    }

    /// The textures of all programs, each with whether texels are read by their numbers.
    pub fn all_fetched_textures(&self) -> impl Iterator<Item = (&TextureState, bool)> {
        let stages = self.stage_programs().flat_map(|(program, textures)| {
            textures.iter().map(|(units, state)| (state, program.reads_texels(*units)))
        });
        self.fetched_textures(u16::MAX).chain(stages)
    }

    /// The type of the primitives that are rasterized.
    #[must_use]
    pub fn rasterized_primitive(&self) -> PrimitiveType {
        self.geometry.as_ref().map_or(self.primitive, |geometry| geometry.emitted.primitive())
    }

    /// Whether its fragment program reads the numbers of the primitives that the vertices make. A geometry program writes numbers
    /// of its own, as outputs.
    #[must_use]
    pub fn reads_primitive_numbers(&self) -> bool {
        self.geometry.is_none() && self.fragment.reads_primitive_number()
    }

    /// Whether its primitives are rasterized, not only written by stream output.
    #[must_use]
    pub fn rasterizes(&self) -> bool {
        self.stream_out.as_ref().is_none_or(|stream_out| stream_out.rasterizes)
    }

    /// The draw whose primitives stream output writes: polygons are filled, whatever they are drawn as.
    #[must_use]
    pub fn streamed(&self) -> Self {
        let raster = RasterState { polygon_mode: [PolygonMode::Fill; 2], ..self.raster.clone() };
        Self { raster, stream_out: None, ..self.clone() }
    }

    /// The draw of the primitives that select this viewport and layer, without its vertices.
    #[must_use]
    pub fn selected(&self, selected: Selected) -> Self {
        let mut draw = Self {
            primitive: self.primitive,
            elements: Elements::Ranges(Vec::new()),
            input: self.input.clone(),
            vertex: self.vertex.clone(),
            geometry: self.geometry.clone(),
            outputs: self.outputs,
            stream_out: None,
            viewport: self.viewport.clone(),
            selection: None,
            raster: self.raster.clone(),
            interpolation: self.interpolation,
            fragment: self.fragment.clone(),
            textures: self.textures.clone(),
            rop: self.rop.clone(),
            targets: self.targets.clone(),
        };
        let Some(selection) = &self.selection else { return draw };
        if let Some(viewport) = selection.viewports.get(selected.viewport as usize) {
            let SelectedViewport { scale, translate, depth_range: [depth_near, depth_far], surface, clip } = *viewport;
            draw.viewport = ViewportState { scale, translate, depth_near, depth_far, ..draw.viewport };
            (draw.raster.surface, draw.raster.clip) = (surface, clip);
        }
        draw.targets = self.targets_of(selected.layer).into_owned();
        draw
    }

    /// The surfaces at a layer that a program selects.
    #[must_use]
    pub fn targets_of(&self, layer: u32) -> Cow<'_, Targets> {
        let Some(selection) = &self.selection else { return Cow::Borrowed(&self.targets) };
        let mut targets = self.targets.clone();
        for (target, step) in targets.color.iter_mut().zip(selection.color_steps) {
            if let Some(target) = target {
                step.apply(&mut target.window, &mut target.layout, layer);
            }
        }
        if let Some(zeta) = &mut targets.zeta {
            selection.zeta_step.apply(&mut zeta.window, &mut zeta.layout, layer);
        }
        Cow::Owned(targets)
    }
}
