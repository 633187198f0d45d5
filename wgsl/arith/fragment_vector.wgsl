// Computes fragment operations on whole vectors of a quad, in the order of `crates/isa/src/arith/fragment/vector.rs`.
import package::fragment::quad::QuadVector;
import package::arith::bits::{BITS_ONES, bits_is_zero};
import package::arith::fragment::{fp_flush, fp_canonical, fp_add_ftz, fp_sub_ftz, fp_mul_ftz};
import package::arith::fragment::{fp_add, fp_sub, fp_mul, fp_rcp, fp_rsq, fp_ex2, fp_pow, fp_max, fp_less};

fn fp_dp2_ftz(ax: vec4u, ay: vec4u, bx: vec4u, by: vec4u) -> vec4u {
    return fp_add_ftz(fp_mul_ftz(ax, bx), fp_mul_ftz(ay, by));
}

fn fp_dp2a_ftz(ax: vec4u, ay: vec4u, bx: vec4u, by: vec4u, cx: vec4u) -> vec4u {
    return fp_add_ftz(fp_dp2_ftz(ax, ay, bx, by), cx);
}

fn fp_dp3_ftz(ax: vec4u, ay: vec4u, az: vec4u, bx: vec4u, by: vec4u, bz: vec4u) -> vec4u {
    return fp_add_ftz(fp_dp2_ftz(ax, ay, bx, by), fp_mul_ftz(az, bz));
}

fn fp_dp4_ftz(ax: vec4u, ay: vec4u, az: vec4u, aw: vec4u, bx: vec4u, by: vec4u, bz: vec4u, bw: vec4u) -> vec4u {
    return fp_add_ftz(fp_dp3_ftz(ax, ay, az, bx, by, bz), fp_mul_ftz(aw, bw));
}

// One component of a·b + (1 − a)·c.
fn fp_lrp_ftz(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return fp_add_ftz(fp_mul_ftz(a, b), fp_mul_ftz(fp_sub_ftz(BITS_ONES, a), c));
}

fn fp_dp2(ax: vec4u, ay: vec4u, bx: vec4u, by: vec4u) -> vec4u {
    return fp_canonical(fp_dp2_ftz(fp_flush(ax), fp_flush(ay), fp_flush(bx), fp_flush(by)));
}

fn fp_dp2a(ax: vec4u, ay: vec4u, bx: vec4u, by: vec4u, cx: vec4u) -> vec4u {
    return fp_canonical(fp_dp2a_ftz(fp_flush(ax), fp_flush(ay), fp_flush(bx), fp_flush(by), fp_flush(cx)));
}

fn fp_dp3(ax: vec4u, ay: vec4u, az: vec4u, bx: vec4u, by: vec4u, bz: vec4u) -> vec4u {
    return fp_canonical(fp_dp3_ftz(fp_flush(ax), fp_flush(ay), fp_flush(az), fp_flush(bx), fp_flush(by), fp_flush(bz)));
}

fn fp_dp4(ax: vec4u, ay: vec4u, az: vec4u, aw: vec4u, bx: vec4u, by: vec4u, bz: vec4u, bw: vec4u) -> vec4u {
    let sum = fp_dp3(ax, ay, az, bx, by, bz);
    return fp_canonical(fp_add_ftz(sum, fp_mul_ftz(fp_flush(aw), fp_flush(bw))));
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

fn fp_lrp(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return fp_canonical(fp_lrp_ftz(fp_flush(a), fp_flush(b), fp_flush(c)));
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
