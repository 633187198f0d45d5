//! Turns registers of viewports and layers that a program selects into [`PrimitiveSelection`].

use super::Processor;
use super::programs::slot;
use crate::chip::bits::{bit, field};
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::pipeline::{PrimitiveSelection, Rect, SelectedViewport, Targets, ViewportState};

/// The viewports.
const VIEWPORTS: usize = 16;

impl Processor {
    /// The layer that is drawn to, or the first one if the program selects it.
    pub(super) fn layer(&self) -> u32 {
        if self.selects_layer() { 0 } else { field(self.registers.get(late::LAYER), 15, 0) }
    }

    /// Whether the program selects the layer.
    fn selects_layer(&self) -> bool {
        bit(self.registers.get(late::LAYER), 16)
    }

    /// The viewports and layers of these targets, if the program selects any.
    pub(super) fn selection(&self, targets: &Targets) -> Option<Box<PrimitiveSelection>> {
        let registers = &self.registers;
        let selects_viewport = registers.is_set(late::GP_VIEWPORT_ID_ENABLE);
        if !selects_viewport && !self.selects_layer() {
            return None;
        }
        let semantic = |method| slot(field(registers.get(method), 7, 0));
        let numbers = 0..if selects_viewport { VIEWPORTS } else { 1 };
        let arrays = match targets.color.iter().any(Option::is_some) {
            true => registers.get(early::RT_ARRAY_MODE),
            false => registers.get(early::ZETA_ARRAY_MODE),
        };
        Some(Box::new(PrimitiveSelection {
            viewport: selects_viewport.then(|| semantic(early::SEMANTIC_VIEWPORT)),
            viewports: numbers.map(|number| self.selected_viewport(targets.rect, number)).collect(),
            layer: self.selects_layer().then(|| semantic(late::SEMANTIC_LAYER)),
            layers: field(arrays, 15, 0),
            color_steps: std::array::from_fn(|color| self.color_surface(self.target_of(color)).step()),
            zeta_step: self.zeta_surface().step(),
        }))
    }

    /// A viewport that the program selects, on targets of this rectangle.
    fn selected_viewport(&self, target: Rect, number: usize) -> SelectedViewport {
        let ViewportState { scale, translate, depth_near, depth_far, .. } = self.viewport_state(number);
        let [surface, clip] = self.clips(target, number);
        SelectedViewport { scale, translate, depth_range: [depth_near, depth_far], surface, clip }
    }
}
