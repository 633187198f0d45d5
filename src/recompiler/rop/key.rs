//! The key of the output merger: the state of a draw that its kernel bakes.

use crate::format::{ColorFormat, DepthStorage, PixelStorage, ZetaFormat};
use crate::pipeline::{
    Blend, BlendEquation, BlendFactor, Compare, EngineError, LayoutKind, Multisampling, RopState, StencilFace,
    StencilOp, Targets,
};

/// The baked state of one color target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ColorKey {
    /// Position of its color among those that shading writes.
    pub slot: u8,
    /// Swizzled instead of linear.
    pub layout: LayoutKind,
    /// Whether it is blended.
    pub is_blended: bool,
    /// Whether all bits of a pixel are written, for formats that are bit fields.
    pub is_whole: bool,
    /// The channels written, for formats that are not bit fields.
    pub float_mask: u8,
    /// Whether its pixels are loaded and stored in pairs, or 64 bits at a time if they have 64 bits and more.
    pub is_paired: bool,
}

/// The baked state of one face of the stencil test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StencilKey {
    /// The comparison.
    pub compare: Compare,
    /// Operations for stencil failure, depth failure, and both passing.
    pub operations: [StencilOp; 3],
}

/// The baked state of the depth and stencil surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ZetaKey {
    /// Its format.
    pub format: ZetaFormat,
    /// How depth is stored; a fraction if no depth is compared.
    pub storage: DepthStorage,
    /// Swizzled instead of linear.
    pub layout: LayoutKind,
    /// Depth comparison, and whether depth is written.
    pub depth: Option<(Compare, bool)>,
    /// Whether stored depth is tested against bounds.
    pub has_bounds: bool,
    /// Front and back face.
    pub stencil: Option<[StencilKey; 2]>,
    /// Whether its pixels are loaded and stored in pairs.
    pub is_paired: bool,
}

/// Everything that the kernel's text depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MergeKey {
    /// The format of all color targets.
    pub color_format: ColorFormat,
    /// Color targets that are written.
    pub colors: [Option<ColorKey>; 4],
    /// How many colors shading writes per quad.
    pub shaded_colors: u32,
    /// Alpha comparison.
    pub alpha_test: Option<Compare>,
    /// Depth and stencil.
    pub zeta: Option<ZetaKey>,
    /// Factors (source, destination) and equations of color and alpha, if a target is blended.
    pub blend: Option<([BlendFactor; 2], [BlendFactor; 2], [BlendEquation; 2])>,
    /// Logic operation.
    pub logic_op: Option<u8>,
    /// Whether colors are dithered.
    pub dithers: bool,
    /// Whether colors are stored on the sRGB curve.
    pub encodes_srgb: bool,
    /// Whether passing samples are counted.
    pub counts_samples: bool,
    /// The treatment of the samples of multisampled targets.
    pub multisampling: Option<Multisampling>,
    /// How outcomes of tests are counted, if they are.
    pub counting: Option<Counting>,
}

impl MergeKey {
    /// The key of a draw's state.
    ///
    /// # Errors
    /// If the state needs something unsupported.
    pub fn new(rop: &RopState, targets: &Targets) -> Result<Self, EngineError> {
        if let Some(what) = rop.unsupported(targets) {
            return Err(EngineError::Unsupported { what });
        }
        let shaded = rop.shaded_colors(targets);
        let has_fields = matches!(targets.color_format.storage(), PixelStorage::Fields { .. });
        let format = targets.color_format;
        let colors: [_; 4] = std::array::from_fn(|index| {
            let target = targets.color[index].filter(|_| rop.color_mask[index] & 15 != 0)?;
            Some(ColorKey {
                slot: u8::try_from((shaded & ((1 << rop.color_source(index)) - 1)).count_ones())
                    .expect("there are four"),
                layout: target.layout.kind(),
                is_blended: rop.blends(index, format),
                is_whole: has_fields
                    && format.write_mask(rop.color_mask[index], false) == u32::MAX >> (32 - 8 * format.bytes().min(4)),
                float_mask: if has_fields { 0 } else { rop.color_mask[index] & 15 },
                is_paired: false,
            })
        });
        let stencil_key = |face: &StencilFace| StencilKey {
            compare: face.compare,
            operations: [face.fail, face.depth_fail, face.pass],
        };
        let zeta = rop.used_zeta(targets).map(|zeta| ZetaKey {
            format: zeta.format,
            storage: zeta
                .format
                .depth_storage(zeta.is_float && (rop.depth_test.is_some() || rop.depth_bounds.is_some())),
            layout: zeta.layout.kind(),
            depth: rop.depth_test.map(|test| (test.compare, test.writes)),
            has_bounds: rop.depth_bounds.is_some(),
            stencil: rop
                .stencil
                .as_ref()
                .filter(|_| zeta.format == ZetaFormat::Z24S8)
                .map(|[front, back]| [stencil_key(front), stencil_key(back)]),
            is_paired: false,
        });
        let is_written = colors.iter().any(Option::is_some);
        let is_blended = colors.iter().flatten().any(|color| color.is_blended);
        let Blend { source, destination, equation } = rop.blend;
        Ok(Self {
            color_format: targets.color_format,
            colors,
            shaded_colors: shaded.count_ones(),
            alpha_test: rop.alpha_test.map(|test| test.compare),
            zeta,
            blend: is_blended.then_some((source, destination, equation)),
            logic_op: rop.used_logic_op(format).filter(|_| is_written).map(|op| op as u8),
            dithers: is_written && rop.dithers(format),
            encodes_srgb: is_written && rop.encodes_srgb(format),
            counts_samples: rop.counts_samples,
            multisampling: rop.multisampling(targets),
            counting: None,
        })
    }

    /// Whether pixels are fully overwritten, whatever was stored, and nothing else affects them.
    pub(crate) fn overwrites(&self) -> bool {
        let is_whole = |color: &ColorKey| match self.color_format.storage() {
            PixelStorage::Fields { .. } => color.is_whole,
            PixelStorage::Half => color.float_mask == 15,
            PixelStorage::Float(count) => color.float_mask.trailing_ones() >= u32::from(count),
        };
        let is_plain = self.zeta.is_none() && self.alpha_test.is_none() && self.multisampling.is_none();
        let reads = self.blend.is_some() || self.logic_op.is_some() || self.counts_samples;
        is_plain && !reads && self.colors.iter().flatten().all(is_whole)
    }

    /// Whether stencil is tested.
    pub(crate) fn has_stencil(&self) -> bool {
        self.zeta.is_some_and(|zeta| zeta.stencil.is_some())
    }
}

/// The baked state of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Counting {
    /// Number of flow vectors behind the others of a shaded quad.
    pub flow_vectors: u32,
    /// Whether a quad counts as shaded only if one of its pixels passed all tests.
    pub tests_early: bool,
    /// Whether front and back faces are counted separately; else all count as front faces.
    pub tells_faces: bool,
}
