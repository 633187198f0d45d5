//! Computes where the pixels of a picture lie in a window.

/// The least and greatest zoom factors.
const LIMITS: (f32, f32) = (1.0 / 16.0, 64.0);

/// The size of a picture in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Zoom {
    /// As large as fits in the window.
    Fit,
    /// Window pixels per picture pixel.
    Times(f32),
}

impl std::str::FromStr for Zoom {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f32>() {
            _ if text == "fit" => Ok(Self::Fit),
            Ok(factor) if (LIMITS.0..=LIMITS.1).contains(&factor) => Ok(Self::Times(factor)),
            _ => Err(format!("fit, or a factor from {} to {}", LIMITS.0, LIMITS.1)),
        }
    }
}

/// The part of the window that a picture fills.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Window position at which the picture begins; may lie outside.
    pub origin: [f32; 2],
    /// Window pixels per picture pixel.
    pub scale: f32,
}

/// The view of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// The size.
    pub zoom: Zoom,
    /// The offset of the picture's middle from the window's, in window pixels.
    pub offset: [f32; 2],
}

#[expect(clippy::cast_precision_loss, reason = "windows and pictures have far fewer than 2^24 pixels along a side")]
fn sizes(size: (u32, u32)) -> [f32; 2] {
    [size.0.max(1) as f32, size.1.max(1) as f32]
}

impl View {
    /// A view of the whole picture, or of its middle.
    #[must_use]
    pub const fn new(zoom: Zoom) -> Self {
        Self { zoom, offset: [0.0; 2] }
    }

    /// Places a picture in a window; empty pictures and windows are placed as if they had one pixel.
    #[must_use]
    pub fn place(&self, picture: (u32, u32), window: (u32, u32)) -> Placement {
        let (picture, window) = (sizes(picture), sizes(window));
        let scale = match self.zoom {
            Zoom::Fit => (window[0] / picture[0]).min(window[1] / picture[1]),
            Zoom::Times(factor) => factor,
        };
        // Rounds to whole pixels, so that integer zoom maps picture pixels to whole window pixels.
        let origin = |axis: usize| ((window[axis] - picture[axis] * scale) / 2.0 + self.offset[axis]).floor();
        Placement { origin: [origin(0), origin(1)], scale }
    }

    /// Zooms by a factor; the picture point at window position `at` stays in place.
    pub fn zoom_by(&mut self, factor: f32, at: [f32; 2], picture: (u32, u32), window: (u32, u32)) {
        let old = self.place(picture, window).scale;
        let new = (old * factor).clamp(LIMITS.0, LIMITS.1);
        let window = sizes(window);
        for axis in 0..2 {
            let from_middle = at[axis] - window[axis] / 2.0;
            self.offset[axis] = from_middle - (from_middle - self.offset[axis]) * (new / old);
        }
        self.zoom = Zoom::Times(new);
    }

    /// Zooms to the next size of 1, 2, 3, 4, 6, 8, … or a half, a quarter, …, about the window's middle.
    pub fn step(&mut self, enlarges: bool, picture: (u32, u32), window: (u32, u32)) {
        const SIZES: [f32; 15] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0];
        let old = self.place(picture, window).scale;
        let next = if enlarges {
            SIZES.into_iter().find(|size| *size > old * 1.001)
        } else {
            SIZES.into_iter().rev().find(|size| *size < old * 0.999)
        };
        if let Some(next) = next {
            let middle = sizes(window).map(|size| size / 2.0);
            self.zoom_by(next / old, middle, picture, window);
            self.zoom = Zoom::Times(next);
        }
    }

    /// Moves the picture.
    pub fn move_by(&mut self, distance: [f32; 2], picture: (u32, u32), window: (u32, u32)) {
        // Some of the picture stays in the window.
        let scale = self.place(picture, window).scale;
        let (picture, window) = (sizes(picture), sizes(window));
        for axis in 0..2 {
            let limit = (window[axis] + picture[axis] * scale) / 2.0 - 1.0;
            self.offset[axis] = (self.offset[axis] + distance[axis]).clamp(-limit.abs(), limit.abs());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: (u32, u32) = (320, 200);
    const WINDOW: (u32, u32) = (960, 720);

    #[test]
    fn a_fitting_picture_touches_two_sides() {
        let placement = View::new(Zoom::Fit).place(PICTURE, WINDOW);
        assert_eq!(placement, Placement { origin: [0.0, 60.0], scale: 3.0 });
        let tall = View::new(Zoom::Fit).place((100, 400), (300, 200));
        assert_eq!(tall, Placement { origin: [125.0, 0.0], scale: 0.5 });
    }

    #[test]
    fn one_to_one_is_in_the_middle_at_whole_pixels() {
        let placement = View::new(Zoom::Times(1.0)).place((321, 200), WINDOW);
        assert_eq!(placement, Placement { origin: [319.0, 260.0], scale: 1.0 });
        let larger = View::new(Zoom::Times(4.0)).place(PICTURE, WINDOW);
        assert_eq!(larger.origin, [-160.0, -40.0]);
    }

    #[test]
    fn zooming_keeps_the_place_under_the_pointer() {
        let mut view = View::new(Zoom::Times(2.0));
        let at = [200.0, 300.0];
        let place = |view: &View| {
            let placement = view.place(PICTURE, WINDOW);
            [0, 1].map(|axis| (at[axis] - placement.origin[axis]) / placement.scale)
        };
        let before = place(&view);
        view.zoom_by(4.0, at, PICTURE, WINDOW);
        assert_eq!(view.zoom, Zoom::Times(8.0));
        let after = place(&view);
        assert!((0..2).all(|axis| (before[axis] - after[axis]).abs() <= 1.0 / 8.0), "{before:?} {after:?}");
        view.zoom_by(1e9, at, PICTURE, WINDOW);
        assert_eq!(view.zoom, Zoom::Times(LIMITS.1));
    }

    #[test]
    fn steps_go_through_whole_factors() {
        let mut view = View::new(Zoom::Fit);
        view.step(true, PICTURE, WINDOW);
        assert_eq!(view.zoom, Zoom::Times(4.0));
        view.step(false, PICTURE, WINDOW);
        view.step(false, PICTURE, WINDOW);
        assert_eq!(view.zoom, Zoom::Times(2.0));
        (0..20).for_each(|_| view.step(false, PICTURE, WINDOW));
        assert_eq!(view.zoom, Zoom::Times(LIMITS.0));
        (0..20).for_each(|_| view.step(true, PICTURE, WINDOW));
        assert_eq!(view.zoom, Zoom::Times(LIMITS.1));
    }

    #[test]
    fn a_picture_cannot_be_moved_out_of_the_window() {
        let mut view = View::new(Zoom::Times(1.0));
        view.move_by([1e6, -1e6], PICTURE, WINDOW);
        let placement = view.place(PICTURE, WINDOW);
        assert!(placement.origin[0] < 960.0 && placement.origin[1] + 200.0 > 0.0, "{placement:?}");
    }

    #[test]
    fn a_picture_or_window_without_pixels_has_a_place() {
        for (picture, window) in [((0, 0), WINDOW), ((0, 7), (0, 0)), (PICTURE, (0, 3))] {
            let mut view = View::new(Zoom::Fit);
            view.move_by([3.0, -5.0], picture, window);
            view.step(true, picture, window);
            view.zoom_by(1.15, [1.0, 1.0], picture, window);
            let Placement { origin, scale } = view.place(picture, window);
            assert!(origin.iter().all(|place| place.is_finite()) && scale.is_finite(), "{view:?}");
        }
    }

    #[test]
    fn zooms_are_read_from_arguments() {
        assert_eq!("fit".parse(), Ok(Zoom::Fit));
        assert_eq!("2".parse(), Ok(Zoom::Times(2.0)));
        assert!("0".parse::<Zoom>().is_err() && "NaN".parse::<Zoom>().is_err() && "x".parse::<Zoom>().is_err());
    }
}
