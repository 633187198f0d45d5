//! The key of the output merger: the state of a draw that its kernel bakes.

use crate::format::{ColorFormat, DepthStorage, PixelStorage, ZetaFormat};
use crate::pipeline::{
    AlphaReference, Blend, ColorTarget, Compare, EngineError, LayoutKind, MAX_COLOR_TARGETS, Multisampling, RopState,
    SECOND_SOURCE, StencilFace, StencilOp, Targets,
};

/// Number of the depth and stencil surface among the surfaces, behind the color targets.
pub const ZETA_SURFACE: usize = MAX_COLOR_TARGETS;

/// The baked state of one color target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ColorKey {
    /// Its format.
    pub format: ColorFormat,
    /// Position of its color among those that shading writes.
    pub slot: u8,
    /// That of the second source, if blending reads it.
    pub second_slot: Option<u8>,
    /// How its pixels are stored.
    pub layout: LayoutKind,
    /// How it is blended, if it is.
    pub blend: Option<Blend>,
    /// Logic operation.
    pub logic_op: Option<u8>,
    /// Whether its colors are dithered.
    pub dithers: bool,
    /// Whether its colors are clamped to 0..1, which its format does not do.
    pub clamps: bool,
    /// Whether its colors are stored on the sRGB curve.
    pub encodes_srgb: bool,
    /// Whether all bits of a pixel are written, for formats that are blended as bytes.
    pub is_whole: bool,
    /// The channels written, for formats that are not blended as bytes.
    pub float_mask: u8,
    /// Whether its pixels are loaded and stored in pairs, or 64 bits at a time if they have 64 bits and more.
    pub is_paired: bool,
}

impl ColorKey {
    fn new(rop: &RopState, index: usize, target: &ColorTarget, slot_of: impl Fn(usize) -> u8) -> Self {
        let (format, mask) = (target.format, rop.color_mask[index] & 15);
        let has_fields = matches!(format.storage(), PixelStorage::Fields { .. });
        Self {
            format,
            slot: slot_of(rop.color_source(index)),
            second_slot: rop.used_blend(index, format).filter(Blend::reads_second).map(|_| slot_of(SECOND_SOURCE)),
            layout: target.layout.kind(),
            blend: rop.used_blend(index, format),
            logic_op: rop.used_logic_op(format).map(|op| op as u8),
            dithers: rop.dithers(format),
            clamps: rop.clamps_color(index, format),
            encodes_srgb: rop.encodes_srgb(format),
            is_whole: has_fields && format.write_masks(mask, false) == format.write_masks(15, false),
            float_mask: if has_fields { 0 } else { mask },
            is_paired: false,
        }
    }

    /// Whether all bits of its pixels are replaced, whatever was stored.
    fn overwrites(&self) -> bool {
        let is_whole = match self.format.storage() {
            PixelStorage::Fields { .. } => self.is_whole,
            PixelStorage::Channels(_) => {
                self.format.write_masks(self.float_mask, false) == self.format.write_masks(15, false)
            }
        };
        is_whole && self.blend.is_none() && self.logic_op.is_none()
    }
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
    /// How its pixels are stored.
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
    /// Color targets that are written.
    pub colors: [Option<ColorKey>; MAX_COLOR_TARGETS],
    /// How many colors shading writes per quad.
    pub shaded_colors: u32,
    /// Alpha comparison, and whether floats are compared instead of bytes.
    pub alpha_test: Option<(Compare, bool)>,
    /// Whether floats of the alpha test are clamped to 0..1.
    pub clamps_alpha: bool,
    /// Depth and stencil.
    pub zeta: Option<ZetaKey>,
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
        let mut colors = [None; MAX_COLOR_TARGETS];
        for (index, target) in targets.written_colors(rop.color_mask) {
            let slot_of =
                |color: usize| u8::try_from((shaded & ((1 << color) - 1)).count_ones()).expect("there are few");
            colors[index] = Some(ColorKey::new(rop, index, target, slot_of));
        }
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
                .filter(|_| zeta.format.has_stencil())
                .map(|[front, back]| [stencil_key(front), stencil_key(back)]),
            is_paired: false,
        });
        Ok(Self {
            colors,
            shaded_colors: shaded.count_ones(),
            alpha_test: rop.alpha_test.map(|test| (test.compare, matches!(test.reference, AlphaReference::Float(_)))),
            clamps_alpha: rop.clamped_colors & 1 != 0
                && rop.alpha_test.is_some_and(|test| matches!(test.reference, AlphaReference::Float(_))),
            zeta,
            counts_samples: rop.counts_samples,
            multisampling: rop.multisampling(targets),
            counting: None,
        })
    }

    /// Whether pixels are fully overwritten, whatever was stored, and nothing else affects them.
    pub(crate) fn overwrites(&self) -> bool {
        let is_plain = self.zeta.is_none() && self.alpha_test.is_none() && self.multisampling.is_none();
        is_plain && !self.counts_samples && self.written_colors().all(ColorKey::overwrites)
    }

    /// The written color targets.
    pub(crate) fn written_colors(&self) -> impl Iterator<Item = &ColorKey> {
        self.colors.iter().flatten()
    }

    /// Whether any colors are stored on the sRGB curve.
    pub(crate) fn encodes_srgb(&self) -> bool {
        let is_curved =
            |color: &ColorKey| matches!(color.format.storage(), PixelStorage::Channels(channels) if channels.is_srgb);
        self.written_colors().any(|color| color.encodes_srgb || is_curved(color))
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
