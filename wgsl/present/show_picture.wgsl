// Shows a picture in a window with one triangle that covers the window; each window pixel samples the picture.

struct ShowParameters {
    // Where the picture begins in the window, and window pixels per picture pixel.
    origin: vec2f,
    scale: f32,
    // Shows the last row first.
    is_flipped: u32,
    // Columns and rows of the picture.
    size: vec2u,
    padding: vec2u,
}

@group(0) @binding(0) var<storage, read> picture: array<u32>;
@group(0) @binding(1) var<storage, read> parameters: ShowParameters;

// Blends picture pixels that share a window pixel; has no effect at integer zoom.
override IS_SMOOTH: bool;
// The window expects linear light and encodes it itself.
override TAKES_LINEAR: bool;

const BACKGROUND = vec3f(0.075, 0.075, 0.085);

@vertex
fn cover_window(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// Red, green and blue of the nearest pixel.
fn pixel(place: vec2i) -> vec3f {
    let inside = vec2u(clamp(place, vec2i(0), vec2i(parameters.size) - vec2i(1)));
    let row = select(inside.y, parameters.size.y - 1u - inside.y, parameters.is_flipped != 0u);
    return unpack4x8unorm(picture[row * parameters.size.x + inside.x]).rgb;
}

// Enlarged pixels stay sharp: only window pixels on a border between two picture pixels blend.
fn smooth_pixel(place: vec2f) -> vec3f {
    let middle = place - vec2f(0.5);
    let corner = floor(middle);
    let sharpness = max(parameters.scale, 1.0);
    let weight = clamp((middle - corner - vec2f(0.5)) * sharpness + vec2f(0.5), vec2f(0.0), vec2f(1.0));
    let first = vec2i(corner);
    let upper = mix(pixel(first), pixel(first + vec2i(1, 0)), weight.x);
    let lower = mix(pixel(first + vec2i(0, 1)), pixel(first + vec2i(1, 1)), weight.x);
    return mix(upper, lower, weight.y);
}

fn linear_light(encoded: vec3f) -> vec3f {
    let curve = pow((encoded + vec3f(0.055)) / vec3f(1.055), vec3f(2.4));
    return select(curve, encoded / vec3f(12.92), encoded <= vec3f(0.04045));
}

@fragment
fn show_picture(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let place = (position.xy - parameters.origin) / parameters.scale;
    var color = BACKGROUND;
    if all(place >= vec2f(0.0)) && all(place < vec2f(parameters.size)) {
        if IS_SMOOTH {
            color = smooth_pixel(place);
        } else {
            color = pixel(vec2i(place));
        }
    }
    if TAKES_LINEAR {
        color = linear_light(color);
    }
    return vec4f(color, 1.0);
}
