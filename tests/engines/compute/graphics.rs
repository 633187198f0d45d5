//! Vertex and fragment programs that Mesa's driver compiled, against what their GLSL says, on both engines.
//!
//! The texts are in `gl/`. Expected values are computed here in double precision, by the GLSL.

use std::path::Path;
use std::sync::Arc;

use curie::asm::tesla::{parse_inputs, read_module};
use curie::format::TextureFormat;
use curie::isa::tesla::module::TeslaModule;
use curie::launch::{ElementsRequest, PreparedLaunch, find_kernel, run_elements};
use curie::pipeline::launch::{
    FaultKind, FragmentQuad, Fragments, Interpolants, LaunchLimits, LaunchMemory, LaunchOptions, LaunchTextures,
    LaunchThreads, MemoryKind, Plane,
};
use curie::pipeline::{Dimensions, MipFilter, Sampler, SimtStage, TextureLayout, TextureView};
use curie::shader::simt::SimtProgram;
use curie::{ComputeEngine, ElementsRun};

use super::{compare, kernels};

/// A module of `gl/`.
fn module(name: &str) -> TeslaModule {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/engines/compute/gl/{name}.tesla"));
    read_module(name, &std::fs::read(path).unwrap()).unwrap().unwrap()
}

/// A module of one program.
fn module_of(text: &str) -> TeslaModule {
    read_module("text", format!("!!Tesla1.0\n{text}").as_bytes()).unwrap().unwrap()
}

/// Runs a program over lines of inputs; both engines give the same.
fn run(module: &TeslaModule, entry: &str, lines: &[String]) -> ElementsRun {
    let kind = find_kernel(module, Some(entry)).unwrap().kind;
    let elements = lines.iter().map(|line| parse_inputs(line, kind).unwrap()).collect();
    let request = ElementsRequest { entry: Some(entry.to_owned()), elements, ..ElementsRequest::default() };
    let run = |engine| run_elements(module, &request, engine, &LaunchOptions::default()).unwrap();
    let expected = run(&ComputeEngine::REFERENCE);
    if let Some(kernels) = kernels() {
        assert_eq!(run(&kernels), expected, "{entry}");
    }
    assert_eq!(expected.report.faults, []);
    expected
}

/// The results of an element as floats.
fn floats(run: &ElementsRun, element: usize) -> Option<Vec<f64>> {
    let words = run.results[element].as_ref()?;
    Some(words.iter().map(|(_, bits)| f32::from_bits(*bits).into()).collect())
}

/// Whether numbers differ by an error at most, relative to those above one.
fn is_close(actual: &[f64], expected: &[f64], error: f64) -> bool {
    actual.len() == expected.len()
        && actual
            .iter()
            .zip(expected)
            .all(|(actual, expected)| (actual - expected).abs() <= error * expected.abs().max(1.0))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn a_matrix_transforms_vertices() {
    // Columns. All sums and products are exact.
    let place = [[2.0, 0.0, 1.0, 0.0], [0.0, 3.0, -1.0, 0.5], [4.0, 0.0, 0.25, 0.0], [-8.0, 5.0, 16.0, 1.0]];
    let tint = [2.0, -4.0, 0.5, 8.0];
    let text = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let vertices: Vec<([f64; 4], [f64; 4])> = (0..35)
        .map(f64::from)
        .map(|n| ([n - 10.0, 0.5 * n, 7.0 - n, 1.0 + n / 4.0], [n / 8.0, n, -n, 1.0 - n / 16.0]))
        .collect();
    let constants = format!("c0[0]={} c0[0x40]={}", text(&place.concat()), text(&tint));
    let lines: Vec<String> = vertices
        .iter()
        .map(|(position, shade)| format!("a[0]={},{} {constants}", text(position), text(shade)))
        .collect();
    let run = run(&module("transform"), "transform_vertex", &lines);
    assert_eq!(run.report.warp_instructions, 2 * 23);
    for (number, (position, shade)) in vertices.iter().enumerate() {
        let mut expected: Vec<f64> =
            (0..4).map(|row| (0..4).map(|column| place[column][row] * position[column]).sum()).collect();
        let more = [0.5, 0.25, 0.125, 0.0];
        expected.extend((0..4).map(|part| shade[part] * tint[part] + more[part]));
        assert_eq!(floats(&run, number), Some(expected), "vertex {number}");
    }
    assert_eq!(run.results[0].as_ref().unwrap()[7].0, "o[0x1c]");
}

#[test]
fn colors_are_interpolated_by_w_and_discarded() {
    // Of w, a power of two: the reciprocal is exact.
    let fragments: Vec<(f64, [f64; 4])> = (0..44)
        .map(|n| {
            (
                f64::from(1 << (n % 5)),
                [0.5, 2.0, -3.0, f64::from(n % 7) / 8.0].map(|part| part + f64::from(n % 2) / 16.0),
            )
        })
        .collect();
    let line = |(w, color): &(f64, [f64; 4])| {
        let [r, g, b, a] = color.map(|part| part / w);
        format!("v[0]={} v[4]={r},{g},{b},{a}", 1.0 / w)
    };
    let lines: Vec<String> = fragments.iter().map(line).collect();
    let run = run(&module("transform"), "transform_fragment", &lines);
    for (number, (_, color)) in fragments.iter().enumerate() {
        let expected = (color[3] >= 0.5).then(|| color.to_vec());
        assert_eq!(floats(&run, number), expected, "fragment {number}");
    }
    let discarded = run.results.iter().filter(|result| result.is_none()).count();
    assert!((20..30).contains(&discarded), "{discarded} are discarded");
}

#[test]
fn surfaces_are_lit() {
    let light = [3.0, -2.0, 5.0];
    let surface = [0.5, 1.0, 0.25];
    let points: Vec<([f64; 3], [f64; 3], f64)> = (0..40)
        .map(f64::from)
        .map(|n| ([n / 8.0 - 2.0, 1.0 - n / 16.0, 0.25], [n / 4.0 - 4.0, 1.5, 2.0 - n / 8.0], 1.0 + n / 2.0))
        .collect();
    let vertices: Vec<String> = points
        .iter()
        .map(|([x, y, z], [nx, ny, nz], w)| format!("a[0]={x},{y},{z},{w},{nx},{ny},{nz} c0[0]=3,-2,5"))
        .collect();
    let module = module("light");
    let vertices = run(&module, "light_vertex", &vertices);
    let mut lines = Vec::new();
    for (number, (position, normal, w)) in points.iter().enumerate() {
        let toward: Vec<f64> = (0..3).map(|axis| light[axis] - position[axis]).collect();
        let mut expected = position.to_vec();
        expected.push(*w);
        expected.extend(normal);
        expected.extend(&toward);
        assert_eq!(floats(&vertices, number), Some(expected), "vertex {number}");
        // As if each vertex filled a fragment.
        let [nx, ny, nz] = normal.map(|part| part / w);
        let [x, y, z] = [0, 1, 2].map(|axis| toward[axis] / w);
        lines.push(format!("v[0]={} v[4]={nx},{ny},{nz},{x},{y},{z} c0[0]=0.5,1,0.25", 1.0 / w));
    }
    let fragments = run(&module, "light_fragment", &lines);
    for (number, (position, normal, _)) in points.iter().enumerate() {
        let toward = [0, 1, 2].map(|axis| light[axis] - position[axis]);
        let lengths = dot(*normal, *normal).sqrt() * dot(toward, toward).sqrt();
        let diffuse = (dot(*normal, toward) / lengths).max(0.0);
        let mut expected = surface.map(|part| part * (0.25 + diffuse)).to_vec();
        expected.push(1.0);
        let actual = floats(&fragments, number).unwrap();
        // Rounding errors of a few operations, among them reciprocal square roots of 23 good bits.
        assert!(is_close(&actual, &expected, 4e-6), "fragment {number}: {actual:?} instead of {expected:?}");
    }
}

/// A launch of a program over quads of one primitive.
fn over_quads(module: &TeslaModule, entry: &str, quads: Vec<FragmentQuad>, planes: Vec<Plane>) -> PreparedLaunch {
    let kernel = find_kernel(module, Some(entry)).unwrap();
    let program = Arc::new(SimtProgram::decode_kind(&kernel.code, kernel.kind));
    let interpolant_words = u32::try_from(planes.len()).unwrap();
    let interpolants = Interpolants::Planes(planes);
    let threads = LaunchThreads::Fragments(Fragments { quads, interpolant_words, interpolants, results: 4 });
    let stage = SimtStage {
        program,
        generation: module.generation,
        registers: kernel.registers.into(),
        local_bytes: 0,
        constants: Arc::default(),
    };
    let launch = stage.launch(threads, LaunchTextures::default());
    PreparedLaunch { launch, limits: LaunchLimits::G80, memory: LaunchMemory::default() }
}

/// What both engines put out.
fn outputs(prepared: &PreparedLaunch) -> Vec<Option<Vec<f64>>> {
    let kernels = kernels().unwrap_or(ComputeEngine::REFERENCE);
    let (expected, differs) = compare(&kernels, prepared, 100_000);
    assert_eq!(differs, None);
    let report = expected.report.unwrap();
    assert_eq!(report.faults, []);
    let floats = |words: Vec<u32>| words.into_iter().map(|word| f32::from_bits(word).into()).collect();
    report.outputs.into_iter().map(|output| output.map(floats)).collect()
}

fn plane(origin: f32, dx: f32, dy: f32, flat: f32) -> Plane {
    let [origin, dx, dy, flat] = [origin, dx, dy, flat].map(f32::to_bits);
    Plane { origin, dx, dy, flat }
}

#[test]
fn derivatives_are_differences_across_a_quad() {
    // place.x = 1 + x / 4, place.y = 3 − y / 2 + x, at centers of pixels.
    let planes =
        vec![Plane::default(), plane(1.0, 0.25, 0.0, 0.0), plane(3.0, 1.0, -0.5, 0.0), plane(9.0, 9.0, 9.0, 7.5)];
    let quads: Vec<FragmentQuad> = (0..9)
        .map(|n: i16| FragmentQuad {
            pixel: [2 * n - 6, 4 - 2 * n],
            covered: if n % 3 == 2 { 0b0101 } else { 0xf },
            ..FragmentQuad::new(0)
        })
        .collect();
    let mut prepared = over_quads(&module("edges"), "edges_fragment", quads.clone(), planes);
    // The driver's constant: whether rows go up.
    Arc::make_mut(&mut prepared.launch.stage.constants).insert(0, 1.0_f32.to_le_bytes().to_vec());
    let outputs = outputs(&prepared);
    assert_eq!(outputs.len(), 36);
    let height = |x: f64, y: f64| (1.0 + x / 4.0) * (1.0 + x / 4.0) + 3.0 - y / 2.0 + x;
    for (number, output) in outputs.iter().enumerate() {
        let (quad, corner) = (&quads[number / 4], number % 4);
        let [left, top] = quad.pixel.map(|pixel| f64::from(pixel) + 0.5);
        let [column, row] = [corner & 1, corner >> 1].map(|half| half as f64);
        let dx = height(left + 1.0, top + row) - height(left, top + row);
        let dy = height(left + column, top + 1.0) - height(left + column, top);
        let is_covered = quad.covered >> corner & 1 != 0;
        let expected = is_covered.then(|| vec![dx, dy, dx.abs() + dy.abs(), 7.5]);
        assert_eq!(*output, expected, "fragment {number}");
    }
}

#[test]
fn planes_are_sampled_at_centers_centroids_and_vertices() {
    let text =
        ".kernel modes\n.kind fragment\n    interp $r0 v[0x0]\n    interp $r1 cent v[0x0]\n    interp $r2 flat v[0x0]
    mov b32 $r3 -2.0\n    interp $r3 cent v[0x4] $r3\n    exit nop\n";
    let planes = vec![plane(10.0, 1.0, 16.0, 3.0), plane(0.0, 0.5, 0.0, 0.0)];
    let quad = FragmentQuad { pixel: [-3, 20], centroids: [[0, 8], [15, 1], [8, 8], [4, 12]], ..FragmentQuad::new(0) };
    let outputs = outputs(&over_quads(&module_of(text), "modes", vec![quad], planes));
    for (corner, (output, centroid)) in outputs.iter().zip(quad.centroids).enumerate() {
        let [x, y] = [-3.0 + (corner & 1) as f64, 20.0 + (corner >> 1) as f64];
        let [cx, cy] = centroid.map(|part| f64::from(part) / 16.0);
        let value = |x: f64, y: f64| 10.0 + x + 16.0 * y;
        let expected = vec![value(x + 0.5, y + 0.5), value(x + cx, y + cy), 3.0, -(x + cx)];
        assert_eq!(*output, Some(expected), "fragment {corner}");
    }
}

#[test]
fn fragments_leave_a_loop_at_their_own_counts() {
    const LIMIT: usize = 8;
    let points: Vec<[f64; 2]> =
        (0..64).map(|n| [f64::from(n % 8) / 4.0 - 1.625, f64::from(n / 8) / 4.0 - 0.9375]).collect();
    let is_front = |number: usize| number.is_multiple_of(3);
    let line = |(number, [x, y]): (usize, &[f64; 2])| {
        let facing = if is_front(number) { "0xffffffff" } else { "0x00000000" };
        format!("v[0]=0.5,{},{} v[0x3fc]={facing} c0[0]=0x00000008", x / 2.0, y / 2.0)
    };
    let lines: Vec<String> = points.iter().enumerate().map(line).collect();
    let run = run(&module("escape"), "escape_fragment", &lines);
    let mut discarded = 0;
    for (number, [cx, cy]) in points.into_iter().enumerate() {
        let ([mut x, mut y], mut count) = ([0.0, 0.0], 0);
        while count < LIMIT && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            count += 1;
        }
        let Some(actual) = floats(&run, number) else {
            assert_eq!(count, LIMIT, "fragment {number}");
            discarded += 1;
            continue;
        };
        // Each pass through the loop multiplies a rounding error by up to four.
        let expected = [count as f64, x, y, if is_front(number) { 1.0 } else { 0.0 }];
        assert!(is_close(&actual, &expected, 1e-4), "fragment {number}: {actual:?} instead of {expected:?}");
    }
    assert!((10..50).contains(&discarded), "{discarded} are discarded");
}

#[test]
fn a_fragment_samples_a_texture() {
    let text = ".kernel textured\n.kind fragment\n    interp $r2 v[0x0]\n    rcp f32 $r2 $r2\n    interp $r0 v[0x4] $r2
    interp $r1 v[0x8] $r2\n    texauto all $r0:$r1:$r2:$r3 $t3 $s3 $r0:$r1 0x0 0x0 0x0\n    exit nop\n";
    let module = module_of(text);
    // 1/w, s/w and t/w of a quad. Weights are sixteenths.
    let places = [[0.5, 0.5], [1.5, 0.5], [1.0, 1.0], [1.25, 1.0]];
    let lines = places.map(|[s, t]: [f32; 2]| format!("v[0]=0.5,{},{}", 0.5 * s, 0.5 * t));
    let elements = lines.map(|line| parse_inputs(&line, module.kernels[0].kind).unwrap()).to_vec();
    let textures = vec!["3=f32,2x2,filter=linear:[0,1,2,7]".parse().unwrap()];
    let request = ElementsRequest { elements, textures, ..ElementsRequest::default() };
    let run = |engine| run_elements(&module, &request, engine, &LaunchOptions::default()).unwrap();
    let expected = run(&ComputeEngine::REFERENCE);
    if let Some(kernels) = kernels() {
        assert_eq!(run(&kernels), expected);
    }
    // Texels, and their averages; components that the format has not are 0, 0 and 1.
    let values = [0.0, 1.0, 2.5, (0.0 + 3.0 * 1.0 + 2.0 + 3.0 * 7.0) / 8.0];
    for (element, value) in values.into_iter().enumerate() {
        assert_eq!(floats(&expected, element), Some(vec![value, 0.0, 0.0, 1.0]));
    }
    let missing = ElementsRequest { textures: Vec::new(), ..request };
    let error = run_elements(&module, &missing, &ComputeEngine::REFERENCE, &LaunchOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "textured reads texture 3, which is not given");
}

/// A texture of 8×8 texels of 1, with a level of 4×4 texels of 2 and one of 2×2 texels of 4. Steps of 1/8, 1/4 and 1/2 from
/// pixel to pixel are one, two and four texels.
#[test]
fn fragments_choose_levels_by_the_differences_of_their_quad() {
    let text = |fetch: &str, bias: &str| {
        format!(
            ".kernel leveled\n.kind fragment\n    interp $r0 v[0x0]\n    interp $r1 v[0x4]\n{bias}
    {fetch} all $r0:$r1:$r2:$r3 $t0 $s0 {} 0x0 0x0 0x0\n    exit nop\n",
            if bias.is_empty() { "$r0:$r1" } else { "$r0:$r1:$r2" }
        )
    };
    let bias = "    mov b32 $r2 1.0\n";
    let (format, size) = (TextureFormat::Float32, [8, 8, 1]);
    let layout = TextureLayout::BlockLinear { log2_block: [0, 0] };
    let view = TextureView { layout, levels: 3, ..TextureView::plain(format, Dimensions::Two, size) };
    let texels: Vec<u8> = view.level_layout().0.iter().zip([1.0_f32, 2.0, 4.0]).fold(
        vec![0; usize::try_from(view.reached_bytes()).unwrap()],
        |mut bytes, (level, value)| {
            let start = level.offset as usize;
            let end = bytes.len().min(start + usize::try_from(level.bytes).unwrap());
            bytes[start..end].as_chunks_mut::<4>().0.iter_mut().for_each(|word| *word = value.to_le_bytes());
            bytes
        },
    );
    let sampler = Sampler { mip_filter: MipFilter::Nearest, max_lod: 2 << 8, ..Sampler::PLAIN };
    // The last one names level 0, and its sampler adds one.
    let cases = [("texauto", "", 1.0, 0), ("texbias", bias, 2.0, 0), ("texlod", "    mov b32 $r2 0x0\n", 0.0, 1 << 8)];
    for (fetch, bias, factor, lod_bias) in cases {
        let sampler = Sampler { lod_bias, ..sampler };
        let module = module_of(&text(fetch, bias));
        for (step, value) in [(0.125, 1.0), (0.25, 2.0), (0.5, 4.0)] {
            let planes = vec![plane(0.0, step, 0.0, 0.0), plane(0.0, 0.0, step / 2.0, 0.0)];
            let mut prepared = over_quads(&module, "leveled", vec![FragmentQuad::new(0)], planes);
            let mut textures = LaunchTextures::default();
            textures.bind_texels(0, &view, &texels, &mut prepared.memory).unwrap();
            textures.bind_sampler(0, &sampler).unwrap();
            prepared.launch.textures = Arc::new(textures);
            let expected = if lod_bias == 0 { f64::min(value * factor, 4.0) } else { 2.0 };
            let first: Vec<_> = outputs(&prepared).into_iter().map(|output| output.unwrap()[0]).collect();
            assert_eq!(first, [expected; 4], "{fetch}, {step}");
        }
    }
}

#[test]
fn wrong_accesses_to_inputs_and_outputs_are_faults() {
    let text = ".kernel faults\n.kind vertex\n    ld b32 $r1 a[0x0]\n    shl $a1 $r1 0x0\n    ld b32 $r0 a[$a1+0x4]\n    st b32 o[$a1+0x0] $r0
    mov b32 o[0x1c] $r0\n    exit nop\n";
    let module = module_of(text);
    // Two input words and, with the indirect store, all output words.
    let offsets = [0, 4, 2, 0xfff0];
    let elements =
        offsets.map(|offset: u32| parse_inputs(&format!("a[0]=0x{offset:08x},2.5"), module.kernels[0].kind).unwrap());
    let request = ElementsRequest { elements: elements.to_vec(), ..ElementsRequest::default() };
    let run = |engine| run_elements(&module, &request, engine, &LaunchOptions::default()).unwrap();
    let expected = run(&ComputeEngine::REFERENCE);
    if let Some(kernels) = kernels() {
        assert_eq!(run(&kernels), expected);
    }
    let kinds: Vec<_> = expected.report.faults.iter().map(|fault| (fault.kind, fault.count, fault.address)).collect();
    assert_eq!(
        kinds,
        [
            (FaultKind::Misaligned(MemoryKind::Attribute), 1, Some(6)),
            (FaultKind::OutOfRange(MemoryKind::Attribute), 2, Some(8)),
            (FaultKind::Misaligned(MemoryKind::Output), 1, Some(2)),
            (FaultKind::OutOfRange(MemoryKind::Output), 1, Some(0xfff0)),
        ]
    );
    let word = |element: usize, word: usize| expected.results[element].as_ref().unwrap()[word].1;
    assert_eq!([word(0, 0), word(0, 7), word(1, 7)], [2.5_f32.to_bits(), 2.5_f32.to_bits(), 0]);
}
