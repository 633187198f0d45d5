//! The output merger: tests, blending, masks and samples.

use curie::pipeline::{
    AlphaReference, AlphaTest, Blend, BlendEquation, BlendFactor, Compare, DepthTest, LogicOp, MultisampleCoverage,
    StencilFace, StencilOp,
};

use super::super::tesla_draws::{Methods, draw};
use super::f;

const FRONT: Methods<'_> = &[(0x1380, &[1, 0x1e01, 0x1e02, 0x1e03, 0x204, 0x12, 0x34, 0x56])];
const BACK: Methods<'_> = &[(0x1598, &[0x150a, 0x8507, 0x8508, 0x203]), (0xf54, &[0x21, 0x43, 0x65])];

#[test]
fn each_face_has_its_stencil_test() {
    assert_eq!(draw(&[]).rop.stencil, None);
    let front = StencilFace {
        compare: Compare::Greater,
        reference: 0x12,
        compare_mask: 0x56,
        write_mask: 0x34,
        fail: StencilOp::Replace,
        depth_fail: StencilOp::IncrementSaturate,
        pass: StencilOp::DecrementSaturate,
    };
    let back = StencilFace {
        compare: Compare::LessEqual,
        reference: 0x21,
        compare_mask: 0x65,
        write_mask: 0x43,
        fail: StencilOp::Invert,
        depth_fail: StencilOp::IncrementWrap,
        pass: StencilOp::DecrementWrap,
    };
    assert_eq!(draw(&[FRONT, BACK].concat()).rop.stencil, Some([front, front]));
    assert_eq!(draw(&[FRONT, BACK, &[(0x1594, &[1])]].concat()).rop.stencil, Some([front, back]));
}

#[test]
fn alpha_depth_and_depth_bounds_are_tested() {
    let plain = draw(&[]).rop;
    assert_eq!((plain.alpha_test, plain.depth_test, plain.depth_bounds), (None, None, None));
    let rop = draw(&[
        (0x12ec, &[1]),
        (0x1310, &[f(0.5), 0x206]),
        (0x12cc, &[1]),
        (0x12e8, &[1]),
        (0x130c, &[0x205]),
        (0x19bc, &[1]),
        (0xf9c, &[f(0.25), f(0.75)]),
    ])
    .rop;
    let reference = AlphaReference::Float(f(0.5));
    assert_eq!(rop.alpha_test, Some(AlphaTest { compare: Compare::GreaterEqual, reference }));
    assert_eq!(rop.depth_test, Some(DepthTest { compare: Compare::NotEqual, writes: true }));
    assert_eq!(rop.depth_bounds, Some((f(0.25), f(0.75))));
}

/// All targets have the functions, alpha has its own.
#[test]
fn colors_are_blended_by_functions() {
    let functions: Methods<'_> = &[
        (0x1360, &[1, 0, 1]),
        (0x133c, &[1, 0x800b, 0x4306, 0x4307, 0x8007, 0x4304]),
        (0x1358, &[0x4305]),
        (0x131c, &[f(0.0), f(0.25), f(0.5), f(1.0)]),
    ];
    let rop = draw(functions).rop;
    let blend = Blend {
        source: [BlendFactor::DestinationColor, BlendFactor::DestinationAlpha],
        destination: [BlendFactor::OneMinusDestinationColor, BlendFactor::OneMinusDestinationAlpha],
        equation: [BlendEquation::ReverseSubtract, BlendEquation::Min],
    };
    assert_eq!(rop.blend[..3], [Some(blend), None, Some(blend)]);
    assert_eq!((rop.blend_color, rop.float_blend_color), ([0, 64, 128, 255], [0.0, 0.25, 0.5, 1.0].map(f)));
    // Without functions of its own, alpha has those of the colors.
    let shared = draw(&[functions, &[(0x133c, &[0])]].concat()).rop.blend[0].unwrap();
    assert_eq!(shared.source, [BlendFactor::DestinationColor; 2]);
    // One switch for all targets.
    assert_eq!(draw(&[functions, &[(0x135c, &[1])]].concat()).rop.blend, [Some(blend); 8]);
}

#[test]
fn masks_clamps_and_logic_are_those_of_targets() {
    let masks: Methods<'_> = &[(0x1a00, &[0x0101, 0x1000])];
    let rop = draw(&[masks, &[(0x19c4, &[1, 0x1506]), (0x13a8, &[0x1000_0010])]].concat()).rop;
    assert_eq!(rop.color_mask[..3], [0b0101, 0b1000, 0]);
    assert_eq!((rop.logic_op, rop.clamped_colors), (Some(LogicOp::Xor), 0b1000_0010));
    assert_eq!(draw(&[masks, &[(0xf90, &[1])]].concat()).rop.color_mask, [0b0101; 8]);
    assert_eq!(draw(&[]).rop.logic_op, None);
}

#[test]
fn samples_are_masked_and_counted() {
    let rop = draw(&[(0x1534, &[1]), (0x153c, &[0x11]), (0xfbc, &[0x5; 4]), (0x1514, &[1])]).rop;
    let expected =
        MultisampleCoverage { is_enabled: true, alpha_to_coverage: true, alpha_to_one: true, sample_mask: 5 };
    assert_eq!((rop.multisample, rop.counts_samples), (expected, true));
    let plain = draw(&[]).rop;
    assert_eq!((plain.multisample.sample_mask, plain.counts_samples), (0xffff, false));
}

#[test]
fn blend_functions_of_each_target_are_its_own() {
    // Target 7: reverse subtraction of alpha; its methods are 7 × 32 bytes behind those of target 0.
    let own: Methods<'_> =
        &[(0x1360, &[1; 8]), (0x12e4, &[1]), (0x1e00 + 7 * 32, &[1, 0x800a, 0x4300, 0x4301, 0x800b, 0x4302, 0x4303])];
    let blend = draw(own).rop.blend;
    let expected = Blend {
        source: [BlendFactor::SourceColor, BlendFactor::SourceAlpha],
        destination: [BlendFactor::OneMinusSourceColor, BlendFactor::OneMinusSourceAlpha],
        equation: [BlendEquation::Subtract, BlendEquation::ReverseSubtract],
    };
    assert_eq!(blend[7], Some(expected));
    let replaced =
        Blend { source: [BlendFactor::One; 2], destination: [BlendFactor::Zero; 2], equation: [BlendEquation::Add; 2] };
    assert_eq!(blend[0], Some(replaced));
    let shared = draw(&[own, &[(0x1e00 + 7 * 32, &[0])]].concat()).rop.blend[7].unwrap();
    assert_eq!(shared.equation, [BlendEquation::Subtract; 2]);
}
