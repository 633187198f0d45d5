//! An OpenGL program that checks its own pixels: clears, a triangle, a texture, depth, an occlusion query, a copy.
//!
//! `curie gl -- target/debug/examples/gl_pixels` runs it on the emulated chip. It prints the renderer and a line per check,
//! and fails if a pixel differs. Expected values follow from OpenGL 2.1: samples at pixel centers, colors rounded to
//! the nearest of 255 steps. With a number as its argument it shows that many frames instead: each is cleared, the red of
//! frame N is N. With `outlived` it shows one frame, and a copy of the process keeps the connection open for a minute.
#![expect(clippy::unwrap_used, reason = "a failure ends the program")]

mod egl;

use glow::HasContext;

use egl::SIZE;

const VERTEX: &str = "#version 120
varying vec2 place;
void main() { gl_Position = gl_Vertex; place = gl_Vertex.xy * 0.5 + 0.5; }";

const COLOR: &str = "#version 120
uniform vec4 color;
void main() { gl_FragColor = color; }";

const TEXTURE: &str = "#version 120
uniform sampler2D texels;
varying vec2 place;
void main() { gl_FragColor = texture2D(texels, place); }";

/// Shows frames: each is cleared, the red of frame N is N.
fn show_frames(gl: &glow::Context, swap: impl Fn(), count: u32) {
    for frame in 0..count {
        // SAFETY: the context is current.
        unsafe {
            #[expect(clippy::cast_precision_loss, reason = "at most 255")]
            gl.clear_color((frame % 256) as f32 / 255.0, 0.0, 0.0, 1.0);
            gl.clear(glow::COLOR_BUFFER_BIT);
        }
        swap();
    }
}

/// Starts a copy of this process that outlives it, with all its connections but not its output.
fn leave_copy() {
    // SAFETY: the copy calls functions of the system only, and ends.
    unsafe {
        if libc::fork() == 0 {
            libc::setsid();
            let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            for stream in 0..3 {
                libc::dup2(nothing, stream);
            }
            libc::sleep(60);
            libc::_exit(0);
        }
    }
}

/// A context, and what the program found wrong.
struct Checks {
    gl: glow::Context,
    failures: u32,
}

impl Checks {
    fn expect<T: PartialEq + std::fmt::Debug>(&mut self, name: &str, found: T, expected: T) {
        let is_equal = found == expected;
        println!(
            "{} {name}: {found:?}{}",
            if is_equal { "ok  " } else { "FAIL" },
            if is_equal { String::new() } else { format!(", expected {expected:?}") }
        );
        self.failures += u32::from(!is_equal);
    }

    fn pixel(&self, x: i32, y: i32) -> [u8; 4] {
        let mut pixel = [0; 4];
        let into = glow::PixelPackData::Slice(Some(&mut pixel));
        // SAFETY: one pixel has four bytes.
        unsafe { self.gl.read_pixels(x, y, 1, 1, glow::RGBA, glow::UNSIGNED_BYTE, into) };
        pixel
    }

    fn program(&self, fragment: &str) -> glow::Program {
        egl::program(&self.gl, &[(glow::VERTEX_SHADER, VERTEX), (glow::FRAGMENT_SHADER, fragment)])
    }

    /// Draws triangles; a vertex has x, y, z.
    fn draw(&self, vertices: &[[f32; 3]]) {
        let bytes: Vec<u8> = vertices.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
        let count = i32::try_from(vertices.len()).unwrap();
        // SAFETY: the buffer holds what the pointer describes.
        unsafe {
            let buffer = self.gl.create_buffer().unwrap();
            self.gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            self.gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
            self.gl.enable_vertex_attrib_array(0);
            self.gl.vertex_attrib_pointer_f32(0, 3, glow::FLOAT, false, 12, 0);
            self.gl.draw_arrays(glow::TRIANGLES, 0, count);
            self.gl.delete_buffer(buffer);
        }
    }

    fn color(&self, program: glow::Program, [r, g, b]: [f32; 3]) {
        // SAFETY: the program is current.
        unsafe {
            let place = self.gl.get_uniform_location(program, "color");
            self.gl.uniform_4_f32(place.as_ref(), r, g, b, 1.0);
        }
    }
}

const fn square(z: f32) -> [[f32; 3]; 6] {
    [[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]]
}

fn main() -> std::process::ExitCode {
    let (gl, swap, _libraries) = egl::context(&[]);
    if let Some(count) = std::env::args().nth(1) {
        if count == "outlived" {
            show_frames(&gl, swap, 1);
            leave_copy();
            return std::process::ExitCode::SUCCESS;
        }
        show_frames(&gl, swap, count.parse().expect("a number of frames"));
        return std::process::ExitCode::SUCCESS;
    }
    let mut checks = Checks { gl, failures: 0 };
    // SAFETY: the context is current; all pointers are to slices of the right size.
    unsafe {
        let renderer = checks.gl.get_parameter_string(glow::RENDERER);
        println!("renderer {renderer}");
        checks.gl.viewport(0, 0, SIZE, SIZE);
        checks.gl.clear_color(0.2, 0.4, 0.6, 1.0);
        checks.gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
        checks.expect("clear", checks.pixel(63, 0), [51, 102, 153, 255]);

        let program = checks.program(COLOR);
        checks.color(program, [1.0, 0.0, 0.0]);
        checks.draw(&[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]]);
        checks.expect("inside of the triangle", checks.pixel(10, 10), [255, 0, 0, 255]);
        checks.expect("outside of it", checks.pixel(50, 50), [51, 102, 153, 255]);

        checks.gl.enable(glow::DEPTH_TEST);
        checks.color(program, [0.0, 1.0, 0.0]);
        checks.draw(&square(0.5));
        checks.color(program, [0.0, 0.0, 1.0]);
        checks.draw(&[
            [-1.0, -1.0, 0.0],
            [1.0, -1.0, 1.0],
            [-1.0, 1.0, 0.0],
            [1.0, -1.0, 1.0],
            [1.0, 1.0, 1.0],
            [-1.0, 1.0, 0.0],
        ]);
        // The second square is nearer where its depth, from 0 on the left to 1 on the right, is below 0.5.
        checks.expect("the nearer square", checks.pixel(5, 40), [0, 0, 255, 255]);
        checks.expect("the square behind it", checks.pixel(58, 40), [0, 255, 0, 255]);

        let query = checks.gl.create_query().unwrap();
        checks.gl.depth_func(glow::LESS);
        checks.gl.begin_query(glow::SAMPLES_PASSED, query);
        checks.draw(&square(0.75));
        checks.draw(&square(-0.5));
        checks.gl.end_query(glow::SAMPLES_PASSED);
        let samples = checks.gl.get_query_parameter_u32(query, glow::QUERY_RESULT);
        checks.expect("samples that pass", samples, (SIZE * SIZE).unsigned_abs());
        checks.gl.disable(glow::DEPTH_TEST);

        let texels: [[u8; 4]; 4] = [[10, 20, 30, 255], [40, 50, 60, 255], [70, 80, 90, 255], [100, 110, 120, 0]];
        let texture = checks.gl.create_texture().unwrap();
        checks.gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        for filter in [glow::TEXTURE_MIN_FILTER, glow::TEXTURE_MAG_FILTER] {
            checks.gl.tex_parameter_i32(glow::TEXTURE_2D, filter, glow::NEAREST.cast_signed());
        }
        let bytes = glow::PixelUnpackData::Slice(Some(texels.as_flattened()));
        let (format, kind) = (glow::RGBA, glow::UNSIGNED_BYTE);
        checks.gl.tex_image_2d(glow::TEXTURE_2D, 0, format.cast_signed(), 2, 2, 0, format, kind, bytes);
        checks.program(TEXTURE);
        checks.draw(&square(0.0));
        for (number, place) in [(8, 8), (56, 8), (8, 56), (56, 56)].into_iter().enumerate() {
            checks.expect("texel", checks.pixel(place.0, place.1), texels[number]);
        }

        let copy = checks.gl.create_texture().unwrap();
        checks.gl.bind_texture(glow::TEXTURE_2D, Some(copy));
        checks.gl.copy_tex_image_2d(glow::TEXTURE_2D, 0, format, 0, 0, SIZE, SIZE, 0);
        let mut copied = vec![0; (4 * SIZE * SIZE).unsigned_abs() as usize];
        let into = glow::PixelPackData::Slice(Some(&mut copied));
        checks.gl.get_tex_image(glow::TEXTURE_2D, 0, format, kind, into);
        checks.expect("copied texel", copied[4 * 56..4 * 57].to_vec(), texels[1].to_vec());
        checks.expect("error", checks.gl.get_error(), glow::NO_ERROR);
    }
    std::process::ExitCode::from(u8::from(checks.failures > 0))
}
