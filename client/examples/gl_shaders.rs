//! An OpenGL 3.3 program that compiles shaders of GLSL 3.30, draws with them, and waits in every way that OpenGL has.
//!
//! `curie gl --record-only --chipset NV50 --record FILE -- target/debug/examples/gl_shaders` records what the driver of a
//! GeForce 8 sends. The program prints the renderer and a line per wait. It checks no pixels, as nothing is drawn then.
#![expect(clippy::unwrap_used, reason = "a failure ends the program")]

mod egl;

use glow::HasContext;

const VERTEX: &str = "#version 330
uniform vec4 offsets[4];
out vec2 place;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    place = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0) + offsets[gl_InstanceID & 3];
}";

const GEOMETRY: &str = "#version 330
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec2 place[];
out vec2 at;
void main() {
    for (int i = 0; i < 3; ++i) {
        at = place[i];
        gl_Position = gl_in[i].gl_Position;
        EmitVertex();
    }
    EndPrimitive();
}";

const FRAGMENT: &str = "#version 330
uniform sampler2D texels;
uniform int count;
in vec2 at;
out vec4 color;
void main() {
    vec4 sum = texture(texels, at);
    for (int i = 0; i < count; ++i) {
        sum += sin(float(i) * at.x) * vec4(at, dFdx(at.x), 1.0);
    }
    if (sum.x < -8.0) discard;
    color = sum / float(count + 1);
}";

fn main() {
    let core = khronos_egl::CONTEXT_OPENGL_PROFILE_MASK;
    let attributes = [
        (khronos_egl::CONTEXT_MAJOR_VERSION, 3),
        (khronos_egl::CONTEXT_MINOR_VERSION, 3),
        (core, khronos_egl::CONTEXT_OPENGL_CORE_PROFILE_BIT),
    ];
    let attributes: Vec<_> = attributes.into_iter().flat_map(|(name, value)| [name, value]).collect();
    let (gl, swap, _libraries) = egl::context(&attributes);
    // SAFETY: the context is current; slices hold what the calls describe.
    unsafe {
        println!("renderer {}", gl.get_parameter_string(glow::RENDERER));
        let vertices = gl.create_vertex_array().unwrap();
        gl.bind_vertex_array(Some(vertices));
        let program = egl::program(
            &gl,
            &[(glow::VERTEX_SHADER, VERTEX), (glow::GEOMETRY_SHADER, GEOMETRY), (glow::FRAGMENT_SHADER, FRAGMENT)],
        );
        let texture = gl.create_texture().unwrap();
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        let texels = glow::PixelUnpackData::Slice(Some(&[0x55; 64]));
        gl.tex_image_2d(glow::TEXTURE_2D, 0, glow::RGBA8 as i32, 4, 4, 0, glow::RGBA, glow::UNSIGNED_BYTE, texels);
        gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MIN_FILTER, glow::LINEAR as i32);
        gl.uniform_1_i32(gl.get_uniform_location(program, "count").as_ref(), 3);
        let elements = gl.create_buffer().unwrap();
        gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(elements));
        gl.buffer_data_u8_slice(glow::ELEMENT_ARRAY_BUFFER, &[0, 0, 1, 0, 2, 0, 3, 0], glow::STATIC_DRAW);

        let samples = gl.create_query().unwrap();
        gl.begin_query(glow::SAMPLES_PASSED, samples);
        gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
        gl.draw_arrays_instanced(glow::TRIANGLE_STRIP, 0, 4, 2);
        gl.draw_elements(glow::TRIANGLE_STRIP, 4, glow::UNSIGNED_SHORT, 0);
        gl.end_query(glow::SAMPLES_PASSED);
        println!("samples {}", gl.get_query_parameter_u32(samples, glow::QUERY_RESULT));

        let primitives = gl.create_query().unwrap();
        gl.begin_query(glow::PRIMITIVES_GENERATED, primitives);
        gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);
        gl.end_query(glow::PRIMITIVES_GENERATED);
        println!("primitives {}", gl.get_query_parameter_u32(primitives, glow::QUERY_RESULT));

        let fence = gl.fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0).unwrap();
        let waited = gl.client_wait_sync(fence, glow::SYNC_FLUSH_COMMANDS_BIT, 1_000_000_000);
        println!("fence {}", waited != glow::TIMEOUT_EXPIRED && waited != glow::WAIT_FAILED);
        gl.finish();
        let mut pixel = [0xff; 4];
        gl.read_pixels(1, 1, 1, 1, glow::RGBA, glow::UNSIGNED_BYTE, glow::PixelPackData::Slice(Some(&mut pixel)));
        println!("pixel {pixel:?}");
        swap();
        println!("error {:#x}", gl.get_error());
    }
}
