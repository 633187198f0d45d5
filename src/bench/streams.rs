//! Builds scenes that each measure one thing.

use crate::capture::Capture;
use crate::scene::{EmbeddedFiles, SceneError, SceneFile};

const FILES: EmbeddedFiles = &[
    ("lit.vp", include_str!("programs/lit.vp")),
    ("lit_vp1.vp", include_str!("programs/lit_vp1.vp")),
    ("lit.v.pica", include_str!("programs/lit.v.pica")),
    ("cover.vp", include_str!("programs/cover.vp")),
    ("lit.fp", include_str!("programs/lit.fp")),
    ("flat.fp", include_str!("programs/flat.fp")),
    ("texture.fp", include_str!("programs/texture.fp")),
];

/// Records one frame of a scene with this text.
fn capture(name: &str, text: String) -> Result<Capture, SceneError> {
    SceneFile::embedded(name, text, FILES)?.capture(0..1)
}

/// A program of 20 instructions that lights a vertex, on one of the vertex processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lit {
    /// In `!!ARBvp1.0`.
    Arb,
    /// In `!!VP1.0` on the GeForce 6.
    Geforce6,
    /// In `!!VP1.0` on the GeForce 3.
    Geforce3,
    /// On the PICA200.
    Pica200,
}

impl Lit {
    /// The machine that runs it.
    pub(super) const fn machine(self) -> &'static str {
        match self {
            Self::Arb | Self::Geforce6 => "geforce-6800-ultra",
            Self::Geforce3 => "geforce-3",
            Self::Pica200 => "pica200",
        }
    }

    const fn file(self) -> &'static str {
        match self {
            Self::Arb => "lit.vp",
            Self::Geforce6 | Self::Geforce3 => "lit_vp1.vp",
            Self::Pica200 => "lit.v.pica",
        }
    }

    /// The names of the placement, the turn and the light.
    const fn parameters(self) -> [&'static str; 3] {
        match self {
            Self::Arb | Self::Pica200 => ["place", "turn", "light"],
            Self::Geforce6 | Self::Geforce3 => ["c[0]", "c[4]", "c[8]"],
        }
    }
}

/// Vertices with programs of 20 instructions, three per triangle; all triangles lie beyond the right clip plane.
pub(super) fn vertices(lit: Lit, count: u32) -> Result<Capture, SceneError> {
    let (file, machine) = (lit.file(), lit.machine());
    let [place, turn, light] = lit.parameters();
    capture(
        "vertices",
        format!(
            r#"(
    size: (640, 480),
    values: {{
        "{place}": "translate(2, 0, 0) * scale(0)",
        "{turn}": "scale(1)",
        "{light}": "(1, 2, 3, 1)",
        "c[9]": "(0.1, 0.1, 0.1, 1)",
    }},
    targets: {{ "screen": (color: A8R8G8B8) }},
    meshes: {{
        "cloud": (
            shape: Vertices(count: {count}, primitive: TRIANGLES),
            attributes: {{
                0: (from: Formula("(mod(vertex, 256), floor(vertex / 256), 1)")),
                2: (from: Formula("(0.25, 0.5, 1)")),
                3: (from: Formula("(1, 0.5, 0.25, 1)"), format: U8_UNORM),
                8: (from: Formula("(0.5, 0.5)")),
            }},
        ),
    }},
    programs: {{ "lit": (file: "{file}", machine: "{machine}"), "shown": (file: "lit.fp") }},
    passes: [ Render(target: "screen", draws: [ (mesh: "cloud", vertex: "lit", fragment: "shown") ]) ],
)"#
        ),
    )
}

/// What full-screen layers do per pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// Write one color.
    Flat,
    /// Fetch a bilinearly filtered texel, about one per pixel.
    Bilinear,
    /// Write only depth, each layer nearer than the previous one.
    Depth,
}

/// Layers that each cover a target, one draw each.
pub(super) fn layers(layer: Layer, (width, height): (u32, u32), count: u32) -> Result<Capture, SceneError> {
    let is_depth = layer == Layer::Depth;
    let (clear, state) = match layer {
        Layer::Depth => ("clear: (depth: 1),", r#"state: (depth: (test: LESS), color_mask: [""]),"#),
        _ => ("", ""),
    };
    let (fragment, textures) = match layer {
        Layer::Bilinear => ("texture", r#"textures: {0: "picture"},"#),
        _ => ("flat", ""),
    };
    let zeta = if is_depth { ", zeta: Z24S8" } else { "" };
    let z = if is_depth { format!("0.9 - 1.8 * index / {count}") } else { "0".to_owned() };
    capture(
        "layers",
        format!(
            r#"(
    size: ({width}, {height}),
    values: {{ "part": "(1, 1, 1, 1)", "offset": "(0, 0, {z}, 0)" }},
    targets: {{ "screen": (color: A8R8G8B8{zeta}) }},
    textures: {{
        "picture": (image: Formula(size: (512, 512), color: "(u, v, hash(u * 512), 1)"), min: LINEAR, mag: LINEAR),
    }},
    meshes: {{ "screen": (shape: Screen) }},
    programs: {{
        "cover": (file: "cover.vp"), "flat": (file: "flat.fp"), "texture": (file: "texture.fp"),
    }},
    passes: [
        Render(
            target: "screen", {clear} {state}
            draws: [ (mesh: "screen", vertex: "cover", fragment: "{fragment}", {textures} repeat: {count}) ],
        ),
    ],
)"#
        ),
    )
}

/// Adjacent squares of 16 × 16 pixels, one draw each.
pub(super) fn draws(count: u32) -> Result<Capture, SceneError> {
    let (columns, rows) = (20, count.div_ceil(20));
    let height = rows * 16;
    capture(
        "draws",
        format!(
            r#"(
    size: (320, {height}),
    values: {{
        "part": "(1 / {columns}, 1 / {rows}, 1, 1)",
        "offset": "((2 * mod(index, {columns}) + 1) / {columns} - 1, (2 * floor(index / {columns}) + 1) / {rows} - 1, 0, 0)",
    }},
    targets: {{ "screen": (color: A8R8G8B8) }},
    meshes: {{ "square": (shape: Screen) }},
    programs: {{ "cover": (file: "cover.vp"), "flat": (file: "flat.fp") }},
    passes: [
        Render(target: "screen", draws: [ (mesh: "square", vertex: "cover", fragment: "flat", repeat: {count}) ]),
    ],
)"#
        ),
    )
}

/// A sheet of squares of 2 × 2 pixels with two triangles each, `columns` × `rows` of them in one draw.
pub(super) fn sheet(columns: u32, rows: u32) -> Result<Capture, SceneError> {
    let (width, height) = (columns * 2, rows * 2);
    capture(
        "triangles",
        format!(
            r#"(
    size: ({width}, {height}),
    values: {{ "part": "(1, 1, 1, 1)", "offset": "(0, 0, 0, 0)" }},
    targets: {{ "screen": (color: A8R8G8B8) }},
    meshes: {{
        "sheet": (
            shape: Plane(size: (2, 2), segments: ({columns}, {rows})),
            attributes: {{ 0: (from: Formula("(position.x, position.z, 0)")), 8: (from: Coordinate) }},
        ),
    }},
    programs: {{ "cover": (file: "cover.vp"), "flat": (file: "flat.fp") }},
    passes: [ Render(target: "screen", draws: [ (mesh: "sheet", vertex: "cover", fragment: "flat") ]) ],
)"#
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{FrameCounts, Frames, count};

    fn counts(capture: Result<Capture, SceneError>) -> FrameCounts {
        let capture = capture.unwrap();
        count(&capture, &Frames::find(&capture).unwrap()).unwrap()
    }

    #[test]
    fn streams_hold_what_they_are_to_measure() {
        let none = FrameCounts { frames: 1, ..FrameCounts::default() };
        let expected = FrameCounts { vertices: 300.0, triangles: 100.0, draws: 1.0, ..none };
        for lit in [Lit::Arb, Lit::Geforce6, Lit::Geforce3, Lit::Pica200] {
            assert_eq!(counts(vertices(lit, 300)), expected, "{lit:?}");
        }

        let flat = FrameCounts { pixels: 3.0 * 64.0 * 32.0, vertices: 12.0, triangles: 6.0, draws: 3.0, ..none };
        for layer in [Layer::Flat, Layer::Depth] {
            assert_eq!(counts(layers(layer, (64, 32), 3)), flat, "{layer:?}");
        }
        let textured = FrameCounts { texels: flat.pixels, ..flat };
        assert_eq!(counts(layers(Layer::Bilinear, (64, 32), 3)), textured);

        let squares = FrameCounts { pixels: 40.0 * 256.0, vertices: 160.0, triangles: 80.0, draws: 40.0, ..none };
        assert_eq!(counts(draws(40)), squares);

        let sheet_of = FrameCounts { pixels: 160.0, vertices: 55.0, triangles: 80.0, draws: 1.0, ..none };
        assert_eq!(counts(sheet(10, 4)), sheet_of);
    }
}
