//! Fragment programs of the Tesla processor that run for samples one by one, on all paths.

use std::collections::BTreeMap;

use super::simt::{SIDE, corner_triangle, draw, linear, memory, wide, word};
use curie::format::ColorFormat;
use curie::pipeline::{
    ColorTarget, Draw, FragmentStage, Interpolant, InterpolantMode, InterpolantSource, MultisampleCoverage, Rect,
    SampleMode, ShadedSamples, Targets,
};

/// A draw of a triangle that covers half of a target of so many samples a pixel, over `v[0]`, the column.
fn sampled(mode: SampleMode, text: &str) -> Draw {
    let side = SIDE / 4;
    let corners = corner_triangle(0.5, [1.0; 3]).map(|([x, y, z, w], color)| ([x / 4.0, y / 4.0, z, w], color));
    let mut draw = draw(&corners, text);
    let rect = Rect { x: 0, y: 0, width: side, height: side };
    draw.targets = Targets { samples: mode, rect, ..draw.targets };
    draw.targets.color[0] = Some(ColorTarget { format: ColorFormat::Rgba32Uint, layout: wide(), ..linear(0) });
    (draw.raster.samples, draw.raster.surface, draw.raster.clip) = (mode, rect, rect);
    draw.rop.multisample = MultisampleCoverage { is_enabled: true, ..MultisampleCoverage::DISABLED };
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    let column = Interpolant::new(InterpolantSource::WindowPosition(0), InterpolantMode::Linear);
    stage.interpolants = BTreeMap::from([(0, column)]);
    stage.samples = ShadedSamples::Each;
    draw
}

/// The words of a sample.
fn sample(memory: &[u8], mode: SampleMode, [x, y]: [u32; 2], number: u32) -> [u32; 4] {
    let [x, y] = mode.texel(x, y, number);
    [0, 1, 2, 3].map(|channel| word(memory, (y * SIDE + x) * 16 + 4 * channel))
}

/// The samples of all pixels with the place of each in sixteenths of its pixel.
fn samples(mode: SampleMode) -> impl Iterator<Item = ([u32; 2], u32, [i32; 2])> {
    let pixels = (0..SIDE / 4).flat_map(|y| (0..SIDE / 4).map(move |x| [x, y]));
    let places = move || (0..).zip(mode.samples()).map(|(number, sample)| (number, sample.offset.map(|at| at + 8)));
    pixels.flat_map(move |pixel| places().map(move |(number, place)| (pixel, number, place)))
}

/// Whether the triangle covers a place; its diagonal belongs to the other side.
fn covers([x, y]: [u32; 2], [column, row]: [i32; 2]) -> bool {
    16 * (x + y).cast_signed() + column + row < 4 * SIDE.cast_signed()
}

#[test]
fn each_sample_has_its_number_and_place() {
    let text = ".kind fragment\n    mov $r0 $sampleid\n    interp $r1 cent v[0x0]\n    interp $r2 v[0x0]
    mov b32 $r3 0x1\n    exit nop\n";
    for mode in [SampleMode::TwoDiagonal, SampleMode::FourRotated, SampleMode::Eight] {
        let memory = memory(&[sampled(mode, text)]);
        for (pixel, number, place) in samples(mode) {
            let expected = match covers(pixel, place) {
                true => {
                    let x = pixel[0] as f32;
                    [number, (x + place[0] as f32 / 16.0).to_bits(), (x + 0.5).to_bits(), 1]
                }
                false => [0; 4],
            };
            assert_eq!(sample(&memory, mode, pixel, number), expected, "{mode:?} {pixel:?} {number}");
        }
    }
}

/// The program keeps four samples, in even columns alone; the output merger keeps all but the last two.
#[test]
fn a_program_masks_samples() {
    let text = ".kind fragment\n    mov $r0 $sampleid\n    interp $r1 v[0x0]\n    cvt rzi u32 $r1 f32 $r1
    mov b32 $r2 0x7\n    mov b32 $r3 0x1\n    and b32 $r4 $r1 0x1\n    add b32 $r4 $r4 0xffffffff\n    and b32 $r4 $r4 0xa5
    exit nop\n";
    let mode = SampleMode::Eight;
    let mut draw = sampled(mode, text);
    draw.rop.multisample.sample_mask = 0x3f;
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    stage.results.sample_mask = Some(4);
    let memory = memory(&[draw]);
    for (pixel, number, place) in samples(mode) {
        let is_kept = covers(pixel, place) && pixel[0] % 2 == 0 && [0, 2, 5].contains(&number);
        let expected = if is_kept { [number, pixel[0], 7, 1] } else { [0; 4] };
        assert_eq!(sample(&memory, mode, pixel, number), expected, "{pixel:?} {number}");
    }
}
