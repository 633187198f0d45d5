//! The bindings of a drawing 2D object: its surface, and the classes that determine how pixels are combined.
//!
//! Binding an object to a slot enables its class; binding a null object disables it (envytools, "Overview of the
//! 2D pipeline").

use super::pixel_context::{Beta, Beta4, Clip, ColorKey, PatternState, Rop};
use super::surfaces::{BoundImage, LinearSurfaces, SwizzledSurface};
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::class::{Class, Context};
use crate::chip::objects::ObjectKind;
use crate::command::methods::pixel_context::{beta, beta4, clip, color_key, pattern, rop};
use crate::command::methods::{ClassTable, surfaces};
use crate::pipeline::{ColorConversion, ImageOperation, PixelOperation};

/// The operation with this code.
const fn image_operation(code: u32) -> Option<ImageOperation> {
    Some(match code {
        0 => ImageOperation::SourceCopyAnd,
        1 => ImageOperation::RopAnd,
        2 => ImageOperation::BlendAnd,
        3 => ImageOperation::SourceCopy,
        4 => ImageOperation::SourceCopyPremultiplied,
        5 => ImageOperation::BlendPremultiplied,
        _ => return None,
    })
}

/// The conversion with this code.
const fn color_conversion(code: u32) -> Option<ColorConversion> {
    Some(match code {
        0 => ColorConversion::Dither,
        1 => ColorConversion::Truncate,
        2 => ColorConversion::SubtractTruncate,
        _ => return None,
    })
}

/// The bound class of surface.
#[derive(Debug, Clone, Copy)]
enum SurfaceKind {
    Linear,
    Swizzled,
}

/// The bindings of a drawing object, and its pixel operation.
#[derive(Debug)]
pub(super) struct Slots {
    surface: Option<SurfaceKind>,
    pattern: bool,
    rop: bool,
    beta: bool,
    beta4: bool,
    color_key: bool,
    clip: bool,
    operation: ImageOperation,
    conversion: ColorConversion,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            surface: None,
            pattern: false,
            rop: false,
            beta: false,
            beta4: false,
            color_key: false,
            clip: false,
            operation: ImageOperation::SourceCopy,
            conversion: ColorConversion::Truncate,
        }
    }
}

/// The kinds of slots of drawing objects.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot {
    Surface,
    LinearSurface,
    Pattern,
    Rop,
    Beta,
    Beta4,
    ColorKey,
    Clip,
}

impl Slots {
    /// Binds the object whose handle is the method's value.
    pub(super) fn bind(&mut self, slot: Slot, context: &mut Context<'_>) -> Result<(), ChipError> {
        let accepted: &[&ClassTable] = match slot {
            Slot::Surface => &[&surfaces::CLASS_2D, &surfaces::CLASS_SWIZZLED],
            Slot::LinearSurface => &[&surfaces::CLASS_2D],
            Slot::Pattern => &[&pattern::CLASS],
            Slot::Rop => &[&rop::CLASS],
            Slot::Beta => &[&beta::CLASS],
            Slot::Beta4 => &[&beta4::CLASS],
            Slot::ColorKey => &[&color_key::CLASS],
            Slot::Clip => &[&clip::CLASS],
        };
        let position = match context.objects.graphics(context.value) {
            None if context.value == 0 => None,
            None => return context.anomaly(Reason::UnknownHandle),
            Some(object) if object.kind == ObjectKind::Null => None,
            Some(object) => match accepted.iter().position(|table| table.has(object.class)) {
                None => return context.anomaly(Reason::IllegalValue),
                position => position,
            },
        };
        let is_bound = position.is_some();
        match slot {
            Slot::Surface | Slot::LinearSurface => {
                let kinds = [SurfaceKind::Linear, SurfaceKind::Swizzled];
                self.surface = position.map(|position| kinds[position]);
            }
            Slot::Pattern => self.pattern = is_bound,
            Slot::Rop => self.rop = is_bound,
            Slot::Beta => self.beta = is_bound,
            Slot::Beta4 => self.beta4 = is_bound,
            Slot::ColorKey => self.color_key = is_bound,
            Slot::Clip => self.clip = is_bound,
        }
        Ok(())
    }

    pub(super) fn set_operation(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match image_operation(context.value) {
            Some(operation) => self.operation = operation,
            None => return context.anomaly(Reason::IllegalValue),
        }
        Ok(())
    }

    pub(super) fn set_conversion(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match color_conversion(context.value) {
            Some(conversion) => self.conversion = conversion,
            None => return context.anomaly(Reason::IllegalValue),
        }
        Ok(())
    }

    /// The surface that an object with these slots writes.
    pub(super) fn destination(&self, context: &Context<'_>) -> Result<BoundImage, Reason> {
        let image = match self.surface {
            None => None,
            Some(SurfaceKind::Linear) => context.peer().map(LinearSurfaces::destination),
            Some(SurfaceKind::Swizzled) => context.peer().map(SwizzledSurface::destination),
        };
        image.unwrap_or(Err(Reason::DroppedDraw("no surface is bound")))
    }

    /// How an object with these slots combines pixels.
    ///
    /// Unverified: that without a bound object a factor is one and the truth table selects the source.
    pub(super) fn pixel_operation(&self, context: &Context<'_>) -> PixelOperation {
        let uses_pattern = self.pattern && self.operation == ImageOperation::RopAnd;
        let unbound = PixelOperation::COPY;
        PixelOperation {
            operation: self.operation,
            conversion: self.conversion,
            rop: bound_state(self.rop, context, |state: &Rop| state.0).unwrap_or(unbound.rop),
            beta: bound_state(self.beta, context, |state: &Beta| state.0).unwrap_or(unbound.beta),
            beta4: bound_state(self.beta4, context, |state: &Beta4| state.0).unwrap_or(unbound.beta4),
            pattern: bound_state(uses_pattern, context, |state: &PatternState| Box::new(state.pattern.clone())),
            color_key: bound_state(self.color_key, context, |state: &ColorKey| state.color),
            skips_transparent: false,
        }
    }

    /// The clip rectangle as first pixel and size; everything if none is bound.
    pub(super) fn clip(&self, context: &Context<'_>) -> ([i32; 2], [u32; 2]) {
        let corners = bound_state(self.clip, context, |state: &Clip| state.corners);
        corners.map_or(EVERYTHING, |[first, end]| clip_between(first, end))
    }
}

/// A part of the state of a class; `None` unless it is bound.
fn bound_state<C: Class, T>(is_bound: bool, context: &Context<'_>, part: impl FnOnce(&C) -> T) -> Option<T> {
    context.peer().filter(|_| is_bound).map(part)
}

/// A rectangle around all pixels of any surface.
pub(super) const EVERYTHING: ([i32; 2], [u32; 2]) = ([i16::MIN as i32; 2], [1 << 17; 2]);

/// The pixels from `first` up to, but not including, `end`.
pub(super) fn clip_between(first: [i32; 2], end: [i32; 2]) -> ([i32; 2], [u32; 2]) {
    let size = [0, 1].map(|axis| u32::try_from(i64::from(end[axis]) - i64::from(first[axis])).unwrap_or(0));
    (first, size)
}
