//! Draws with positions in window coordinates, and random ones.

use std::sync::Arc;

use crate::common::merging::plain_rop;
use curie::arith::vertex::VertexRuleSet;
use curie::isa::{NvMicrocode, NvVertexIsa, VertexMicrocode};
use curie::memory::MemoryWindow;
use curie::pipeline::ShadedVertex;
use curie::pipeline::{
    ClipPlane, Draw, Elements, Fog, FogCurve, FragmentStage, InterpolationState, MAX_CLIP_DISTANCES, MAX_COLOR_TARGETS,
    PixelCenter, PointSprite, PolygonMode, PrimitiveType, RasterState, Rect, SampleMode, Targets, Vec4FragmentStage,
    Vec4VertexStage, VertexAttribute, VertexInput, VertexOutputs, VertexStage, ViewportState, WindowOrigin,
    WindowPosition,
};

/// A draw into 64×64 pixels with everything optional off; clip-space x, y, z are window coordinates when w is 1.
pub(crate) fn plain_draw() -> Draw {
    let one = 1.0f32.to_bits();
    let rect = Rect { x: 0, y: 0, width: 64, height: 64 };
    Draw {
        primitive: PrimitiveType::Triangles,
        elements: Elements::Ranges(Vec::new()),
        input: VertexInput { attributes: [VertexAttribute::Constant([0; 4]); 16], base_index: 0, restart_index: None },
        vertex: VertexStage::Vec4(Vec4VertexStage {
            microcode: VertexMicrocode::Nv(NvMicrocode {
                isa: NvVertexIsa::Nv40,
                slots: Arc::new(Vec::new()),
                start: 0,
            }),
            constants: Arc::new(Vec::new()),
            rules: VertexRuleSet::Nv40Modern,
            instruction_limit: 0xffff,
            booleans: 0,
            indexed_constants: (0, 0),
            output_map: None,
            textures: [const { None }; 4],
        }),
        outputs: VertexOutputs { point_size: None, ..VertexOutputs::ALL },
        viewport: ViewportState {
            scale: [one; 3],
            translate: [0; 3],
            skips_transform: false,
            depth_near: 0,
            depth_far: one,
            clips_depth: true,
            clamps_depth: false,
            clip_planes: [ClipPlane::Off; MAX_CLIP_DISTANCES],
            window_offset: [0; 2],
        },
        selection: None,
        raster: plain_raster(rect),
        fragment: FragmentStage::Vec4(Vec4FragmentStage {
            program: MemoryWindow::EMPTY,
            exports_depth: false,
            has_full_outputs: false,
            uses_kill: false,
        }),
        geometry: None,
        stream_out: None,
        interpolation: InterpolationState {
            window_position: WindowPosition {
                origin: WindowOrigin::LowerLeft,
                height: 64,
                pixel_center: PixelCenter::Half,
            },
            fog: Fog {
                curve: FogCurve::Linear,
                takes_magnitude: false,
                parameters: [1.5f32.to_bits(), 0.25f32.to_bits()],
            },
        },
        textures: std::array::from_fn(|_| None),
        rop: plain_rop(),
        targets: Targets { color: [None; MAX_COLOR_TARGETS], zeta: None, samples: SampleMode::One, rect },
    }
}

fn plain_raster(clip: Rect) -> RasterState {
    RasterState {
        surface: clip,
        clip,
        window_clip: None,
        is_flat: false,
        first_vertex_provokes: false,
        first_vertex_of_quads_provokes: false,
        front_is_counter_clockwise: true,
        cull: None,
        polygon_mode: [PolygonMode::Fill; 2],
        offset_enabled: [false; 3],
        offset_factor: 0,
        offset_units: 0,
        offset_limit: 0,
        line_width_eighths: 8,
        line_smooth: false,
        line_stipple: None,
        polygon_smooth: false,
        polygon_stipple: None,
        point_size: 1.0f32.to_bits(),
        point_sprite: PointSprite::default(),
        two_sided_color: false,
        flat_2d_coordinates: 0,
        centroid_coordinates: 0,
        has_exact_point_centers: false,
        edge_flag_changes: Vec::new(),
        cylindrical_wrap: 0,
        samples: SampleMode::One,
    }
}

/// A vertex with this position and outputs that differ by register.
pub(crate) fn vertex(position: [f32; 4]) -> ShadedVertex {
    let mut outputs = vec![[0u32; 4]; 16];
    for (register, output) in outputs.iter_mut().enumerate() {
        for (component, value) in output.iter_mut().enumerate() {
            let seed = position[0] * 0.01 + position[1] * 0.003 + register as f32 * 0.1 + component as f32 * 0.03;
            *value = seed.to_bits();
        }
    }
    outputs[0] = position.map(f32::to_bits);
    ShadedVertex { outputs }
}

/// A linear congruential generator (Knuth's MMIX constants).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.bits() % limit
    }

    /// Between `low` and `high`.
    pub(crate) fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.bits() >> 8) as f32 / 16_777_216.0
    }
}
