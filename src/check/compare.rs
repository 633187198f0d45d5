//! Finds where two surfaces or pictures differ.

use crate::format::SurfaceFormat;
use crate::plural::counted;
use crate::present::{Channel, Picture};
use crate::replay::Surface;

/// Where the pixels of two surfaces or pictures of one size differ.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PixelDifference {
    /// How many pixels differ.
    pub count: u64,
    /// How many there are.
    pub pixels: u64,
    /// The first one that differs in the order of rows: x, y.
    pub first: [u32; 2],
    /// Its two values, as hexadecimal numbers.
    pub values: [String; 2],
    /// The smallest rectangle around those that differ: the first x and y, the last x and y.
    pub bounds: [u32; 4],
    /// The largest difference of a channel of the picture, in 8-bit steps. It is 0 if only bits differ that the picture
    /// does not show.
    pub largest: u8,
}

/// The difference of a surface that two results have.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SurfaceDifference {
    /// `color0` … `color7` or `zeta`.
    pub surface: String,
    /// Size, format and hash of both; none if it is not bound.
    pub sides: [Option<String>; 2],
    /// Where they differ, if both have the same size and format.
    pub pixels: Option<PixelDifference>,
}

impl PixelDifference {
    /// Describes it in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let Self { count, pixels, first: [x, y], values: [left, right], bounds, largest } = self;
        let [left_edge, top, right_edge, bottom] = bounds;
        let largest = match largest {
            0 => "in bits that the picture does not show".to_owned(),
            steps => format!("by at most {steps} of 255"),
        };
        format!(
            "{count} of {} differ {largest}, the first at ({x}, {y}): {left}, {right}; \
             all lie in ({left_edge}, {top}) to ({right_edge}, {bottom})",
            counted(pixels, "pixel"),
        )
    }
}

impl SurfaceDifference {
    /// Describes it in words, as the difference of the second from the first.
    #[must_use]
    pub fn describe(&self) -> String {
        let [left, right] = self.sides.each_ref().map(|side| side.as_deref().unwrap_or("not bound"));
        match &self.pixels {
            Some(pixels) => format!("{}: {}", self.surface, pixels.describe()),
            None => format!("{}: {left}, {right}", self.surface),
        }
    }
}

/// Compares the surfaces of two results by name, in the order of the first, then the second.
#[must_use]
pub fn compare_surfaces(left: &[Surface], right: &[Surface]) -> Vec<SurfaceDifference> {
    let find = |surfaces: &'_ [Surface], name: &str| surfaces.iter().position(|surface| surface.name == name);
    let only_right = right.iter().filter(|surface| find(left, &surface.name).is_none());
    let names = left.iter().chain(only_right).map(|surface| surface.name.as_str());
    let compare = |name: &str| {
        let pair = [(left, find(left, name)), (right, find(right, name))];
        let [left, right] = pair.map(|(surfaces, index)| index.map(|index| &surfaces[index]));
        if left == right {
            return None;
        }
        let pixels = left.zip(right).and_then(|(left, right)| surface_pixels(left, right));
        let sides = [left, right].map(|side| side.map(Surface::summary));
        Some(SurfaceDifference { surface: name.to_owned(), sides, pixels })
    };
    names.filter_map(compare).collect()
}

/// Compares the pixels of surfaces of one size and format.
fn surface_pixels(left: &Surface, right: &Surface) -> Option<PixelDifference> {
    let shape = |surface: &Surface| (surface.width, surface.height, surface.format, surface.samples);
    if shape(left) != shape(right) {
        return None;
    }
    let mut found = pixel_difference(left.width, left.format.bytes() as usize, &left.rows, &right.rows)?;
    let channels = match left.format {
        SurfaceFormat::Color(_) => &[Channel::Color][..],
        SurfaceFormat::Zeta(_) => &[Channel::Depth, Channel::Stencil],
    };
    let steps = channels.iter().filter_map(|channel| {
        let [left, right] = [left, right].map(|surface| Picture::of_surface(surface, *channel));
        Some(largest_step(&left?.rgb, &right?.rgb))
    });
    found.largest = steps.max().unwrap_or(0);
    Some(found)
}

/// Compares two pictures; none if they are equal. Pictures of different sizes are described as an error.
///
/// # Errors
/// When the sizes differ.
pub fn compare_pictures(left: &Picture, right: &Picture) -> Result<Option<PixelDifference>, String> {
    if (left.width, left.height) != (right.width, right.height) {
        return Err(format!("{}x{} instead of {}x{}", right.width, right.height, left.width, left.height));
    }
    let found = pixel_difference(left.width, 3, &left.rgb, &right.rgb);
    Ok(found.map(|found| PixelDifference { largest: largest_step(&left.rgb, &right.rgb), ..found }))
}

fn largest_step(left: &[u8], right: &[u8]) -> u8 {
    left.iter().zip(right).map(|(left, right)| left.abs_diff(*right)).max().unwrap_or(0)
}

/// Compares pixels of some bytes each.
fn pixel_difference(width: u32, bytes: usize, left: &[u8], right: &[u8]) -> Option<PixelDifference> {
    let mut found: Option<PixelDifference> = None;
    let pixels = left.chunks_exact(bytes).zip(right.chunks_exact(bytes));
    let total = pixels.len() as u64;
    for (index, (left, right)) in (0..).zip(pixels).filter(|(_, (left, right))| left != right) {
        let [x, y] = [index % width, index / width];
        let found = found.get_or_insert_with(|| PixelDifference {
            count: 0,
            pixels: total,
            first: [x, y],
            values: [left, right].map(number),
            bounds: [x, y, x, y],
            largest: 0,
        });
        let [left_edge, top, right_edge, bottom] = found.bounds;
        found.count += 1;
        found.bounds = [left_edge.min(x), top.min(y), right_edge.max(x), bottom.max(y)];
    }
    found
}

/// The bytes of a pixel as a little-endian number, in hexadecimal.
pub(super) fn number(bytes: &[u8]) -> String {
    bytes.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

/// A picture of where two pictures of one size differ: red there, elsewhere the first one, darkened.
#[must_use]
pub fn difference_picture(left: &Picture, right: &Picture) -> Picture {
    let pixels = left.rgb.chunks_exact(3).zip(right.rgb.chunks_exact(3));
    let rgb = pixels.flat_map(|(left, right)| match left == right {
        true => [left[0] / 4, left[1] / 4, left[2] / 4],
        false => [255, 0, 0],
    });
    Picture { rgb: rgb.collect(), ..*left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ColorFormat;
    use crate::pipeline::SampleMode;

    fn surface(name: &str, rows: &[u32]) -> Surface {
        Surface {
            name: name.to_owned(),
            width: 3,
            height: 2,
            samples: SampleMode::One,
            format: SurfaceFormat::Color(ColorFormat::A8R8G8B8),
            rows: rows.iter().flat_map(|pixel| pixel.to_le_bytes()).collect(),
        }
    }

    #[test]
    fn planted_differences_of_surfaces_are_found_with_their_places() {
        let left = [surface("color0", &[0, 1, 2, 3, 4, 5])];
        assert_eq!(compare_surfaces(&left, &left), []);
        let right = [surface("color0", &[0, 1, 0x0000_0502, 3, 0x0007_0004, 5])];
        let [difference] = <[_; 1]>::try_from(compare_surfaces(&left, &right)).unwrap();
        let pixels = difference.pixels.unwrap();
        assert_eq!((pixels.count, pixels.pixels, pixels.first, pixels.bounds), (2, 6, [2, 0], [1, 0, 2, 1]));
        assert_eq!(pixels.values, ["0x00000002", "0x00000502"]);
        assert_eq!(pixels.largest, 7);
    }

    #[test]
    fn bits_that_pictures_do_not_show_are_differences() {
        let right = [surface("color0", &[0, 1, 2, 3, 4, 0x0100_0005])];
        let [difference] = compare_surfaces(&[surface("color0", &[0, 1, 2, 3, 4, 5])], &right).try_into().unwrap();
        let SurfaceDifference { pixels: Some(pixels), .. } = &difference else { panic!("{difference:?}") };
        assert_eq!((pixels.count, pixels.largest), (1, 0));
        assert!(difference.describe().contains("does not show"), "{}", difference.describe());
    }

    #[test]
    fn surfaces_that_only_one_side_has_are_differences() {
        let (left, right) = (surface("color0", &[0; 6]), surface("color1", &[0; 6]));
        let found = compare_surfaces(std::slice::from_ref(&left), &[left.clone(), right.clone()]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].surface.as_str(), &found[0].sides[0]), ("color1", &None));
        let found = compare_surfaces(&[left], &[right]);
        assert_eq!(found.iter().map(|found| found.surface.as_str()).collect::<Vec<_>>(), ["color0", "color1"]);
        let mut small = surface("color0", &[0; 6]);
        (small.width, small.height) = (2, 3);
        let found = compare_surfaces(&[surface("color0", &[0; 6])], &[small]);
        assert!(found.len() == 1 && found[0].pixels.is_none(), "{found:?}");
    }

    #[test]
    fn pictures_show_where_they_differ() {
        let left = Picture { width: 2, height: 1, rgb: vec![40, 80, 120, 4, 4, 4] };
        let mut right = left.clone();
        assert_eq!(compare_pictures(&left, &right), Ok(None));
        right.rgb[5] = 6;
        let found = compare_pictures(&left, &right).unwrap().unwrap();
        assert_eq!((found.count, found.first, found.largest), (1, [1, 0], 2));
        assert_eq!(difference_picture(&left, &right).rgb, [10, 20, 30, 255, 0, 0]);
        right.width = 1;
        assert!(compare_pictures(&left, &right).is_err());
    }
}
