// Counts the texels that a quad's pixels read; texels outside the image, which have the border's color, do not
// count.
import package::texture::addressing::{AxisTaps, BORDER};

// Whether texel numbers are inside the image.
fn is_inside(texel: vec4u) -> vec4<bool> {
    return texel != vec4u(BORDER);
}

// The texels of an axis: the first, and the second if it is read.
fn axis_texels(taps: AxisTaps, reads_second: vec4<bool>) -> vec4u {
    return select(vec4u(0u), vec4u(1u), is_inside(taps.first))
        + select(vec4u(0u), vec4u(1u), is_inside(taps.second) & reads_second);
}

// The sum over the counted pixels.
fn count_texels(texels: vec4u, counted: vec4<bool>) -> u32 {
    return dot(select(vec4u(0u), texels, counted), vec4u(1u));
}
