//! Values of enumerated fields, by the numbers of envytools' `nv_3ddefs.xml` and `g80_3d.xml`.

use curie::pipeline::{
    BlendEquation, BlendFactor, Compare, CullFace, EmittedPrimitive, GpuCommand, InterpolantMode, LogicOp, PolygonMode,
    PrimitiveType, SampleMode, StencilOp,
};

use super::super::tesla_draws::{CODE, CONSTANTS, Methods, STATE, TRIANGLE, draw, fragment};
use super::{commands, notes};

/// A draw with a value of a method behind others.
fn with(set_up: Methods<'_>, method: u32, value: u32) -> curie::pipeline::Draw {
    draw(&[set_up, &[(method, &[value])]].concat())
}

#[test]
fn every_comparison() {
    for (code, compare) in (0x200..).zip(Compare::ALL) {
        assert_eq!(with(&[(0x12cc, &[1])], 0x130c, code).rop.depth_test.unwrap().compare, compare);
        assert_eq!(with(&[(0x12ec, &[1])], 0x1314, code).rop.alpha_test.unwrap().compare, compare);
        assert_eq!(with(&[(0x1380, &[1])], 0x1390, code).rop.stencil.unwrap()[0].compare, compare);
    }
}

#[test]
fn every_stencil_operation() {
    let operations = [
        (0, StencilOp::Zero),
        (0x150a, StencilOp::Invert),
        (0x1e00, StencilOp::Keep),
        (0x1e01, StencilOp::Replace),
        (0x1e02, StencilOp::IncrementSaturate),
        (0x1e03, StencilOp::DecrementSaturate),
        (0x8507, StencilOp::IncrementWrap),
        (0x8508, StencilOp::DecrementWrap),
    ];
    for (code, operation) in operations {
        // Another operation before it.
        let set_up: Methods<'_> = &[(0x1380, &[1, if code == 0x1e01 { 0 } else { 0x1e01 }])];
        assert_eq!(with(set_up, 0x1384, code).rop.stencil.unwrap()[0].fail, operation, "{code:#x}");
    }
}

#[test]
fn every_blend_factor_and_equation() {
    let factors = [
        (0x4000, BlendFactor::Zero),
        (0x4001, BlendFactor::One),
        (0x4300, BlendFactor::SourceColor),
        (0x4301, BlendFactor::OneMinusSourceColor),
        (0x4302, BlendFactor::SourceAlpha),
        (0x4303, BlendFactor::OneMinusSourceAlpha),
        (0x4304, BlendFactor::DestinationAlpha),
        (0x4305, BlendFactor::OneMinusDestinationAlpha),
        (0x4306, BlendFactor::DestinationColor),
        (0x4307, BlendFactor::OneMinusDestinationColor),
        (0x4308, BlendFactor::SourceAlphaSaturate),
        (0xc001, BlendFactor::ConstantColor),
        (0xc002, BlendFactor::OneMinusConstantColor),
        (0xc003, BlendFactor::ConstantAlpha),
        (0xc004, BlendFactor::OneMinusConstantAlpha),
        (0xc900, BlendFactor::SecondColor),
        (0xc901, BlendFactor::OneMinusSecondColor),
        (0xc902, BlendFactor::SecondAlpha),
        (0xc903, BlendFactor::OneMinusSecondAlpha),
    ];
    for (code, factor) in factors {
        assert_eq!(with(&[(0x1360, &[1])], 0x1344, code).rop.blend[0].unwrap().source[0], factor, "{code:#x}");
    }
    let equations = [
        (0x8006, BlendEquation::Add),
        (0x8007, BlendEquation::Min),
        (0x8008, BlendEquation::Max),
        (0x800a, BlendEquation::Subtract),
        (0x800b, BlendEquation::ReverseSubtract),
    ];
    for (code, equation) in equations {
        assert_eq!(with(&[(0x1360, &[1])], 0x1340, code).rop.blend[0].unwrap().equation[0], equation, "{code:#x}");
    }
}

#[test]
fn every_logic_operation() {
    for (code, operation) in (0x1500..).zip(LogicOp::ALL) {
        assert_eq!(with(&[(0x19c4, &[1])], 0x19c8, code).rop.logic_op, Some(operation), "{code:#x}");
    }
}

#[test]
fn faces_modes_and_shading() {
    for (code, mode) in [(0x1b00, PolygonMode::Point), (0x1b01, PolygonMode::Line), (0x1b02, PolygonMode::Fill)] {
        assert_eq!(with(&[], 0xdac, code).raster.polygon_mode[0], mode);
    }
    for (code, face) in [(0x404, CullFace::Front), (0x405, CullFace::Back), (0x408, CullFace::Both)] {
        assert_eq!(with(&[(0x1918, &[1])], 0x1920, code).raster.cull, Some(face));
    }
    assert_eq!([0x900, 0x901].map(|code| with(&[], 0x191c, code).raster.front_is_counter_clockwise), [false, true]);
    let mode = |code| fragment(&with(&[], 0x12d4, code)).interpolants[&1].mode;
    assert_eq!([0x1d00, 0x1d01].map(mode), [InterpolantMode::FlatPerspective, InterpolantMode::Perspective]);
}

#[test]
fn every_number_of_samples() {
    let samples = |code| with(&[], 0x15d0, code).targets.samples;
    let modes = [SampleMode::One, SampleMode::TwoDiagonal, SampleMode::FourRotated, SampleMode::Eight];
    assert_eq!([0, 1, 2, 3].map(samples), modes);
}

const PRIMITIVES: [PrimitiveType; 14] = [
    PrimitiveType::Points,
    PrimitiveType::Lines,
    PrimitiveType::LineLoop,
    PrimitiveType::LineStrip,
    PrimitiveType::Triangles,
    PrimitiveType::TriangleStrip,
    PrimitiveType::TriangleFan,
    PrimitiveType::Quads,
    PrimitiveType::QuadStrip,
    PrimitiveType::Polygon,
    PrimitiveType::LinesAdjacency,
    PrimitiveType::LineStripAdjacency,
    PrimitiveType::TrianglesAdjacency,
    PrimitiveType::TriangleStripAdjacency,
];

fn primitive(begin: u32, end: u32, code: u32) -> PrimitiveType {
    let parts: [(u32, &[u32]); 3] = [(begin, &[code]), (0xd74, &[0, 6]), (end, &[0])];
    let GpuCommand::Draw(draw) = commands(&[STATE, &parts]).remove(0) else { panic!("a draw") };
    draw.primitive
}

#[test]
fn every_primitive() {
    for (code, expected) in (0..).zip(PRIMITIVES) {
        assert_eq!(primitive(0x15dc, 0x15e0, code), expected);
    }
    // Those of Direct3D have the numbers of its topologies.
    let direct3d = [(1, 0), (2, 1), (3, 3), (4, 4), (5, 5), (10, 10), (11, 11), (12, 12), (13, 13)];
    for (code, number) in direct3d {
        assert_eq!(primitive(0x15d4, 0x15d8, code), PRIMITIVES[number]);
    }
}

/// A vertex program stands for a geometry program; nothing runs.
#[test]
fn every_emitted_primitive() {
    let emitted = |code: u32| {
        let set_up: Methods<'_> = &[(0xf70, &[0, CODE]), (0x1798, &[1]), (0x17b0, &[code])];
        let GpuCommand::Draw(draw) = commands(&[STATE, set_up, TRIANGLE]).remove(0) else { panic!("a draw") };
        draw.geometry.unwrap().emitted
    };
    let expected = [EmittedPrimitive::Points, EmittedPrimitive::LineStrip, EmittedPrimitive::TriangleStrip];
    assert_eq!([1, 2, 3].map(emitted), expected);
}

/// The first report is the program's code, which is not zero; the second one differs.
#[test]
fn every_condition() {
    for (mode, drawn) in [(0, 0), (1, 1), (2, 1), (3, 0), (4, 1)] {
        assert_eq!(commands(&[STATE, &[(0x1550, &[0, CODE, mode])], TRIANGLE]).len(), drawn, "{mode}");
    }
    // Both reports are zero.
    for (mode, drawn) in [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)] {
        assert_eq!(commands(&[STATE, &[(0x1550, &[0, CONSTANTS, mode])], TRIANGLE]).len(), drawn, "{mode}");
    }
    assert!(notes(&[&[(0x1558, &[5])]]).contains("illegal value"));
}
