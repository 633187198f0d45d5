// Counts texels that a quad's pixels read; those beyond the image, which have the border's colour, are none.
import package::texture::addressing::{AxisTaps, BORDER};

// Whether texel numbers are in the image.
fn is_inside(texel: vec4u) -> vec4<bool> {
    return texel != vec4u(BORDER);
}

// Texels of an axis: the first, and the second where it is read.
fn axis_texels(taps: AxisTaps, reads_second: vec4<bool>) -> vec4u {
    return select(vec4u(0u), vec4u(1u), is_inside(taps.first))
        + select(vec4u(0u), vec4u(1u), is_inside(taps.second) & reads_second);
}

// The sum over some pixels.
fn count_texels(texels: vec4u, counted: vec4<bool>) -> u32 {
    return dot(select(vec4u(0u), texels, counted), vec4u(1u));
}
