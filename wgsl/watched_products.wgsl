// Products of clean values that are watched instead of flushed: the twins of `clean_mul` and of what is made of it.
//
// A product above 2⁻¹²⁶, or of a zero, or so small that it is rounded to zero is what `clean_mul` gives. Where another one occurs,
// `products_are_clean` says so at the end, and what was computed from it is not to be used.

import package::numeric_fragment::{clean_add, clean_sub};
import package::numeric_bits::BITS_ONES;
import package::opaque::opaque4;

// The least magnitude of products, doubled and less one, so that zero is the greatest.
var<private> least_product: vec4u;

fn watch_products() {
    least_product = vec4u(0xffffffffu);
}

fn products_are_clean() -> bool {
    return all(least_product > vec4u(0x00ffffffu));
}

fn watched_mul(a: vec4u, b: vec4u) -> vec4u {
    let product = bitcast<vec4u>(opaque4(opaque4(bitcast<vec4f>(a)) * opaque4(bitcast<vec4f>(b))));
    least_product = min(least_product, (product << vec4u(1u)) - vec4u(1u));
    return product;
}

fn watched_mad(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return clean_add(watched_mul(a, b), c);
}

fn watched_dp2(ax: vec4u, ay: vec4u, bx: vec4u, by: vec4u) -> vec4u {
    return clean_add(watched_mul(ax, bx), watched_mul(ay, by));
}

fn watched_dp2a(ax: vec4u, ay: vec4u, bx: vec4u, by: vec4u, cx: vec4u) -> vec4u {
    return clean_add(watched_dp2(ax, ay, bx, by), cx);
}

fn watched_dp3(ax: vec4u, ay: vec4u, az: vec4u, bx: vec4u, by: vec4u, bz: vec4u) -> vec4u {
    return clean_add(watched_dp2(ax, ay, bx, by), watched_mul(az, bz));
}

fn watched_dp4(ax: vec4u, ay: vec4u, az: vec4u, aw: vec4u, bx: vec4u, by: vec4u, bz: vec4u, bw: vec4u) -> vec4u {
    return clean_add(watched_dp3(ax, ay, az, bx, by, bz), watched_mul(aw, bw));
}

fn watched_lrp(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return clean_add(watched_mul(a, b), watched_mul(clean_sub(BITS_ONES, a), c));
}
