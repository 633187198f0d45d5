// Fragment operations over whole vectors of a quad, in the order that `src/numeric/fragment/vector.rs` writes down.
import package::quad::QuadVector;
import package::numeric_bits::{BITS_ONES, bits_is_zero};
import package::numeric_fragment::{fp_add, fp_sub, fp_mul, fp_rcp, fp_rsq, fp_ex2, fp_pow, fp_max, fp_less};

fn fp_dp2(ax: vec4u, ay: vec4u, bx: vec4u, by: vec4u) -> vec4u {
    return fp_add(fp_mul(ax, bx), fp_mul(ay, by));
}

fn fp_dp2a(ax: vec4u, ay: vec4u, bx: vec4u, by: vec4u, cx: vec4u) -> vec4u {
    return fp_add(fp_dp2(ax, ay, bx, by), cx);
}

fn fp_dp3(ax: vec4u, ay: vec4u, az: vec4u, bx: vec4u, by: vec4u, bz: vec4u) -> vec4u {
    return fp_add(fp_dp2(ax, ay, bx, by), fp_mul(az, bz));
}

fn fp_dp4(ax: vec4u, ay: vec4u, az: vec4u, aw: vec4u, bx: vec4u, by: vec4u, bz: vec4u, bw: vec4u) -> vec4u {
    return fp_add(fp_dp3(ax, ay, az, bx, by, bz), fp_mul(aw, bw));
}

fn fp_lit(a: QuadVector) -> QuadVector {
    let power = fp_pow(fp_max(a.y, vec4u(0u)), a.w);
    let specular = select(vec4u(0u), power, fp_less(vec4u(0u), a.x));
    return QuadVector(BITS_ONES, fp_max(a.x, vec4u(0u)), specular, BITS_ONES);
}

fn fp_lit_ex2(a: QuadVector) -> QuadVector {
    let power = select(vec4u(0u), fp_ex2(a.w), fp_less(vec4u(0u), a.y));
    return QuadVector(BITS_ONES, a.y, power, BITS_ONES);
}

// One component of a·b + (1 − a)·c.
fn fp_lrp(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return fp_add(fp_mul(a, b), fp_mul(fp_sub(BITS_ONES, a), c));
}

fn fp_nrm(a: QuadVector) -> QuadVector {
    let inverse = fp_rsq(fp_dp3(a.x, a.y, a.z, a.x, a.y, a.z));
    let z = fp_mul(a.z, inverse);
    return QuadVector(fp_mul(a.x, inverse), fp_mul(a.y, inverse), z, z);
}

fn fp_rfl(a: QuadVector, d: QuadVector) -> QuadVector {
    let doubled = fp_mul(vec4u(0x40000000u), fp_dp3(a.x, a.y, a.z, d.x, d.y, d.z));
    let factor = fp_mul(doubled, fp_rcp(fp_dp3(a.x, a.y, a.z, a.x, a.y, a.z)));
    return QuadVector(
        fp_sub(fp_mul(factor, a.x), d.x),
        fp_sub(fp_mul(factor, a.y), d.y),
        fp_sub(fp_mul(factor, a.z), d.z),
        fp_sub(fp_mul(factor, a.w), d.w),
    );
}
