"""Pictures of OpenGL 3.3: programs of all stages, and the formats and buffers that came with them."""

import ctypes

from drawing import *

ARRAY_BUFFER, UNIFORM_BUFFER, TRANSFORM_FEEDBACK_BUFFER, TEXTURE_BUFFER = 0x8892, 0x8A11, 0x8C8E, 0x8C2A
TEXTURE_1D_ARRAY, TEXTURE_2D_ARRAY = 0x8C18, 0x8C1A
RGBA8, RGBA16F, RGBA32F, R11F_G11F_B10F, RGBA16I, SRGB8_ALPHA8 = 0x8058, 0x881A, 0x8814, 0x8C3A, 0x8D88, 0x8C43
BLEND, DEPTH_TEST, DEPTH_CLAMP = 0x0BE2, 0x0B71, 0x864F

# Positions are in pixels from the lower left corner.
PLACE = "vec4 window(vec2 place) { return vec4(place / 60.0 - 1.0, 0.0, 1.0); }\n"
VERTEX = """layout(location = 0) in vec2 place;
layout(location = 1) in vec3 tint;
out vec3 color;
void main() { gl_Position = window(place); color = tint; }"""
FRAGMENT = "in vec3 color; out vec4 result; void main() { result = vec4(color, 1.0); }"
# The value of each vertex is a coordinate of textures.
COORDINATE = """layout(location = 0) in vec2 place;
layout(location = 1) in vec3 tint;
out vec3 at;
void main() { gl_Position = window(place); at = tint; }"""

STAGES = {"vertex": 0x8B31, "geometry": 0x8DD9, "fragment": 0x8B30}
kept = []


def use(gl, fragment=FRAGMENT, vertex=VERTEX, geometry=None, captured=()):
    """Uses a program of these stages; `captured` names the outputs that are recorded."""
    name = gl.glCreateProgram()
    texts = {"vertex": vertex, "geometry": geometry, "fragment": fragment}
    for stage, text in texts.items():
        if text is None:
            continue
        shader = gl.glCreateShader("i", STAGES[stage])
        source = ctypes.c_char_p(("#version 330\n" + PLACE + text).encode())
        gl.glShaderSource("iipp", shader, 1, ctypes.addressof(source), None)
        gl.glCompileShader("i", shader)
        gl.glAttachShader("ii", name, shader)
    if captured:
        names = (ctypes.c_char_p * len(captured))(*(output.encode() for output in captured))
        gl.glTransformFeedbackVaryings("iipi", name, len(captured), ctypes.addressof(names), 0x8C8C)
    gl.glLinkProgram("i", name)
    linked = ctypes.c_int()
    gl.glGetProgramiv("iip", name, 0x8B82, ctypes.addressof(linked))
    if not linked.value:
        log = ctypes.create_string_buffer(2000)
        gl.glGetProgramInfoLog("iipp", name, 2000, None, ctypes.addressof(log))
        raise SystemExit("the program does not link: " + log.value.decode())
    gl.glUseProgram("i", name)
    return name


def uniform(gl, program, name):
    text = ctypes.c_char_p(name.encode())
    kept.append(text)
    return gl.glGetUniformLocation("ip", program, ctypes.cast(text, ctypes.c_void_p).value)


def names(gl, function):
    name = ctypes.c_uint()
    getattr(gl, function)("ip", 1, ctypes.addressof(name))
    return name.value


def filled_buffer(gl, target, values, kind=ctypes.c_float):
    """A new buffer, bound to the target, with these numbers."""
    memory = (kind * len(values))(*values)
    name = names(gl, "glGenBuffers")
    gl.glBindBuffer("ii", target, name)
    gl.glBufferData("ippi", target, ctypes.sizeof(memory), ctypes.addressof(memory), 0x88E4)
    return name


def attribute(gl, location, vertices, divisor=0):
    """Gives an attribute the numbers of each vertex, from a buffer."""
    filled_buffer(gl, ARRAY_BUFFER, [value for vertex in vertices for value in vertex])
    gl.glVertexAttribPointer("iiiiip", location, len(vertices[0]), FLOAT, 0, 0, None)
    gl.glEnableVertexAttribArray("i", location)
    gl.glVertexAttribDivisor("ii", location, divisor)


def draw_arrays(gl, primitive, places, tints):
    attribute(gl, 0, places)
    attribute(gl, 1, tints)
    gl.glDrawArrays("iii", primitive, 0, len(places))


def strip(x, y, width, height):
    return [(x, y), (x + width, y), (x, y + height), (x + width, y + height)]


def show(gl, place, coordinates=((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0))):
    """A rectangle with these values at its corners."""
    draw_arrays(gl, TRIANGLE_STRIP, strip(*place), list(coordinates))


def target(gl, internal, layout, kind, side):
    """A new texture of a format and a framebuffer that draws to it."""
    name = texture(gl)
    image(gl, internal, side, side, layout, kind, None)
    framebuffer(gl, name)
    if not is_complete(gl):
        raise SystemExit("the framebuffer is not complete")
    gl.glViewport("iiii", 0, 0, side, side)
    return name


def to_window(gl):
    gl.glBindFramebufferEXT("ii", FRAMEBUFFER, 0)
    gl.glViewport("iiii", 0, 0, SIZE, SIZE)


def geometry_program(gl):
    """Points become squares of their own size, and triangles their outlines."""
    squares = """layout(points) in; layout(triangle_strip, max_vertices = 8) out;
    in vec3 color[]; out vec3 tint;
    void corner(vec2 by, vec3 shade) { gl_Position = gl_in[0].gl_Position + vec4(by / 60.0, 0.0, 0.0); tint = shade; EmitVertex(); }
    void main() {
        float side = 4.0 + 16.0 * color[0].z;
        for (int part = 0; part < 2; part++) {
            vec3 shade = part == 0 ? vec3(1.0, 1.0, 1.0) : vec3(color[0].xy, 0.0);
            float edge = side - 4.0 * float(part);
            corner(vec2(-edge, -edge), shade); corner(vec2(edge, -edge), shade);
            corner(vec2(-edge, edge), shade); corner(vec2(edge, edge), shade);
            EndPrimitive();
        }
    }"""
    outline = """layout(triangles) in; layout(line_strip, max_vertices = 4) out;
    in vec3 color[]; out vec3 tint;
    void main() {
        for (int vertex = 0; vertex < 4; vertex++) {
            gl_Position = gl_in[vertex % 3].gl_Position; tint = color[vertex % 3]; EmitVertex();
        }
    }"""
    fragment = FRAGMENT.replace("color", "tint")
    use(gl, fragment, geometry=squares)
    points = [(20, 20), (60, 24), (98, 22), (26, 60)]
    draw_arrays(gl, POINTS, points, [(1, 0, 0), (0, 0.6, 0.25), (0.2, 0.4, 0.5), (1, 1, 0.125)])
    use(gl, fragment.replace("in vec3", "flat in vec3"), geometry=outline.replace("out vec3", "flat out vec3"))
    draw_arrays(gl, TRIANGLES, [(50.5, 50.5), (112.5, 50.5), (112.5, 112.5)], [GREEN, YELLOW, CYAN])


def stream_output(gl):
    """A vertex program moves triangles into a buffer, of which a second one draws those that it holds: five of seven. A query tells
    both numbers, which become bars."""
    use(gl, None, VERTEX.replace("color = tint", "color = tint.brg").replace("window(place)", "window(place.yx)"),
        captured=["gl_Position", "color"])
    captured = filled_buffer(gl, TRANSFORM_FEEDBACK_BUFFER, [0] * (7 * 15))
    gl.glBindBufferBase("iii", TRANSFORM_FEEDBACK_BUFFER, 0, captured)
    places, tints = [], []
    for index in range(7):
        x = 4 + 16 * index
        places += [(60.25, x), (100.25, x), (60.25, x + 13.25)]
        tints += [RED, GREEN, BLUE]
    queries = {kind: names(gl, "glGenQueries") for kind in (0x8C87, 0x8C88)}
    for kind, query in queries.items():
        gl.glBeginQuery("ii", kind, query)
    gl.glEnable("i", 0x8C89)
    gl.glBeginTransformFeedback("i", TRIANGLES)
    draw_arrays(gl, TRIANGLES, places, tints)
    gl.glEndTransformFeedback()
    gl.glDisable("i", 0x8C89)
    counts = []
    for kind, query in queries.items():
        gl.glEndQuery("i", kind)
        count = ctypes.c_uint()
        gl.glGetQueryObjectuiv("iip", query, 0x8866, ctypes.addressof(count))
        counts.append(count.value)
    use(gl, vertex="""layout(location = 0) in vec4 place; layout(location = 1) in vec3 tint; out vec3 color;
    void main() { gl_Position = place; color = tint; }""")
    gl.glBindBuffer("ii", ARRAY_BUFFER, captured)
    for location, components, offset in ((0, 4, None), (1, 3, 16)):
        gl.glVertexAttribPointer("iiiiip", location, components, FLOAT, 0, 28, offset)
    gl.glDrawArrays("iii", TRIANGLES, 0, 3 * counts[1])
    use(gl)
    for row, count in enumerate(counts):
        show(gl, (4, 8 + 20 * row, 14 * count, 12), [GRAY, WHITE, GRAY, WHITE])


def instances(gl):
    """A square that is drawn fifteen times: its place is an attribute of each instance, its color one of every fifth, and its size the
    number of the instance."""
    use(gl, vertex="""layout(location = 0) in vec2 place; layout(location = 1) in vec3 tint;
    layout(location = 2) in vec2 offset; out vec3 color;
    void main() { gl_Position = window(place * float(gl_InstanceID + 4) * 0.5 + offset); color = tint; }""")
    attribute(gl, 0, strip(0, 0, 2, 2))
    attribute(gl, 1, [RED, GREEN, CYAN], 5)
    attribute(gl, 2, [(4 + 23 * (index % 5), 6 + 38 * (index // 5)) for index in range(15)], 1)
    gl.glDrawArraysInstanced("iiii", TRIANGLE_STRIP, 0, 4, 15)


def integer_targets(gl):
    """A target of signed integers of 16 bits, then the colors that its numbers mean; a second program adds bits of an unsigned one."""
    signed = target(gl, RGBA16I, 0x8D99, 0x1402, 30)
    use(gl, "flat in ivec4 number; out ivec4 result; void main() { result = number; }",
        """layout(location = 0) in vec2 place; layout(location = 1) in vec3 tint; flat out ivec4 number;
        void main() { gl_Position = window(place); number = ivec4(ivec3(tint) * ivec3(1, -300, 7), -5); }""")
    clear = (ctypes.c_int * 4)(-1000, 1000, 30000, -30000)
    gl.glClearBufferiv("iip", 0x1800, 0, ctypes.addressof(clear))
    draw_arrays(gl, TRIANGLES, [(8, 8), (112, 8), (60.75, 114)], [(77, 33, 4000)] * 3)
    to_window(gl)
    reading = use(gl, """uniform isampler2D numbers; in vec3 at; out vec4 result;
    void main() {
        ivec4 number = texelFetch(numbers, ivec2(at.xy), 0);
        if (at.z < 0.5) result = vec4(greaterThan(number.xyz, ivec3(0)), 1.0);
        else result = vec4(float(number.x & 127) / 255.0, float(-number.y % 256) / 255.0, float(number.z >> 7) / 255.0, 1.0);
    }""", COORDINATE)
    gl.glUniform1i("ii", uniform(gl, reading, "numbers"), 0)
    gl.glBindTexture("ii", TEXTURE_2D, signed)
    for half in (0, 1):
        show(gl, (2 + 60 * half, 30, 56, 60), [(0, 0, half), (30, 0, half), (0, 30, half), (30, 30, half)])


def float_targets(gl):
    """Values from −1 to 8 in targets of floats of 32, 16, and 11 and 10 bits; the second one is blended. An eighth of them is shown."""
    shown = []
    for internal, layout, kind in ((RGBA32F, RGBA, FLOAT), (RGBA16F, RGBA, FLOAT), (R11F_G11F_B10F, RGB, FLOAT)):
        shown.append(target(gl, internal, layout, kind, 32))
        gl.glClearColor("ffff", 0.5, 0.5, 0.5, 1)
        gl.glClear("i", COLOR_BUFFER_BIT)
        use(gl)
        if internal == RGBA16F:
            gl.glEnable("i", BLEND)
            gl.glBlendFunc("ii", 1, 1)
        draw_arrays(gl, TRIANGLES, [(12, 12), (110.625, 17.8125), (12.65625, 112.96875)], [(8, 0, 0), (0, 8, 0), (0, -1, 8)])
        draw_arrays(gl, TRIANGLES, [(100, 100), (60, 100), (100, 60)], [(2, 2, 1)] * 3)
        gl.glDisable("i", BLEND)
    to_window(gl)
    reading = use(gl, """uniform sampler2D values; in vec3 at; out vec4 result;
    void main() { result = texture(values, at.xy) / 8.0; }""", COORDINATE)
    for column, name in enumerate(shown):
        gl.glBindTexture("ii", TEXTURE_2D, name)
        show(gl, (4 + 38 * column, 44, 32, 32))


def eight_targets(gl):
    """A program writes eight colors at once; two of them have a mask."""
    textures = [texture(gl) for _ in range(8)]
    for name in textures:
        gl.glBindTexture("ii", TEXTURE_2D, name)
        image(gl, RGBA8, 28, 28, RGBA, UNSIGNED_BYTE, [40, 80, 120, 255] * 784)
    framebuffer(gl, *textures)
    buffers = (ctypes.c_uint * 8)(*range(COLOR_ATTACHMENT, COLOR_ATTACHMENT + 8))
    gl.glDrawBuffers("ip", 8, ctypes.addressof(buffers))
    outputs = "".join(f"layout(location = {index}) out vec4 color{index};\n" for index in range(8))
    writes = "".join(
        f"color{index} = vec4({index & 1}.0, {float(index >> 1 & 1) * 0.6}, {float(index >> 2) * 0.8}, 1.0);\n" for index in range(8)
    )
    use(gl, outputs + "void main() {\n" + writes + "}")
    gl.glColorMaskIndexedEXT("iiiii", 5, 0, 1, 1, 1)
    gl.glColorMaskIndexedEXT("iiiii", 7, 1, 1, 0, 1)
    gl.glViewport("iiii", 0, 0, 28, 28)
    draw_arrays(gl, TRIANGLES, [(8, 8), (112, 8), (60.9, 114)], [RED] * 3)
    gl.glColorMask("iiii", 1, 1, 1, 1)
    to_window(gl)
    use(gl, "uniform sampler2D values; in vec3 at; out vec4 result; void main() { result = texture(values, at.xy); }", COORDINATE)
    for index, name in enumerate(textures):
        gl.glBindTexture("ii", TEXTURE_2D, name)
        show(gl, (1 + 30 * (index % 4), 30 + 30 * (index // 4), 28, 28))


def texture_arrays(gl):
    """Four layers of an array in two dimensions, filtered, and three of one in one dimension. The layer is rounded."""
    colors = [RED, GREEN, BLUE, YELLOW]
    texture(gl, TEXTURE_2D_ARRAY, LINEAR)
    texels = []
    for layer in range(4):
        for texel in range(4):
            texels += [int(255 * part * (0.4 if texel == layer else 1.0) + 0.5) for part in colors[layer]] + [255]
    memory = (ctypes.c_ubyte * len(texels))(*texels)
    gl.glTexImage3D("iiiiiiiiip", TEXTURE_2D_ARRAY, 0, RGBA8, 2, 2, 4, 0, RGBA, UNSIGNED_BYTE, ctypes.addressof(memory))
    use(gl, "uniform sampler2DArray values; in vec3 at; out vec4 result; void main() { result = texture(values, at); }", COORDINATE)
    for layer, value in enumerate((0.0, 0.75, 2.25, 7.0)):
        show(gl, (2 + 30 * layer, 62, 26, 56), [(0, 0, value), (1, 0, value), (0, 1, value), (1, 1, value)])
    texture(gl, TEXTURE_1D_ARRAY)
    texels = [byte for layer in range(3) for x in range(4) for byte in (80 * x, 100 * layer, 255 - 80 * x, 255)]
    image(gl, RGBA8, 4, 3, RGBA, UNSIGNED_BYTE, texels, TEXTURE_1D_ARRAY)
    use(gl, "uniform sampler1DArray values; in vec3 at; out vec4 result; void main() { result = texture(values, at.xy); }", COORDINATE)
    show(gl, (10, 4, 100, 52), [(0, -0.9, 0), (1, -0.9, 0), (0, 2.9, 0), (1, 2.9, 0)])


def buffers(gl):
    """Colors from a block of uniforms, addressed by the column, and from a buffer texture, addressed by the row."""
    name = use(gl, """layout(std140) uniform Block { vec4 colors[12]; float scale; };
    uniform samplerBuffer texels;
    in vec3 at; out vec4 result;
    void main() {
        int column = int(gl_FragCoord.x) / 10; int row = int(gl_FragCoord.y) / 10;
        result = (gl_FragCoord.x + gl_FragCoord.y < 120.0) ? colors[column] * scale : texelFetch(texels, row);
    }""", COORDINATE)
    block = [value for index in range(12) for value in (index * 8 / 255, (44 - 4 * index) / 255, index % 3 * 32 / 255, 0.5)]
    gl.glBindBufferBase("iii", UNIFORM_BUFFER, 0, filled_buffer(gl, UNIFORM_BUFFER, block + [2, 0, 0, 0]))
    text = ctypes.create_string_buffer(b"Block")
    gl.glUniformBlockBinding("iii", name, gl.glGetUniformBlockIndex("ip", name, ctypes.addressof(text)), 0)
    bytes_ = [byte for row in range(12) for byte in (20 * row, 255 - 20 * row, 128, 255)]
    texels = filled_buffer(gl, TEXTURE_BUFFER, bytes_, ctypes.c_ubyte)
    gl.glBindTexture("ii", TEXTURE_BUFFER, names(gl, "glGenTextures"))
    gl.glTexBuffer("iii", TEXTURE_BUFFER, RGBA8, texels)
    show(gl, (0, 0, SIZE, SIZE))


def clip_distances(gl):
    """A rectangle that six distances cut to a hexagon; each moves with the place."""
    use(gl, vertex="""layout(location = 0) in vec2 place; layout(location = 1) in vec3 tint; out vec3 color;
    out float gl_ClipDistance[6];
    void main() {
        gl_Position = window(place); color = tint;
        vec2 from = place - vec2(60.25, 60.375);
        gl_ClipDistance[0] = 40.0 - from.x; gl_ClipDistance[1] = 44.0 + from.x;
        gl_ClipDistance[2] = 50.0 - from.y - from.x * 0.5; gl_ClipDistance[3] = 50.0 - from.y + from.x * 0.5;
        gl_ClipDistance[4] = 50.0 + from.y - from.x * 0.5; gl_ClipDistance[5] = 50.0 + from.y + from.x * 0.5;
    }""")
    for plane in (0, 1, 2, 4, 5):
        gl.glEnable("i", 0x3000 + plane)
    show(gl, (2, 2, 116, 116), [RED, GREEN, BLUE, YELLOW])


def layers(gl):
    """A geometry program sends each of four triangles to a layer of its own."""
    name = texture(gl, TEXTURE_2D_ARRAY)
    gl.glTexImage3D("iiiiiiiiip", TEXTURE_2D_ARRAY, 0, RGBA8, 30, 30, 4, 0, RGBA, UNSIGNED_BYTE, None)
    gl.glBindFramebuffer("ii", FRAMEBUFFER, names(gl, "glGenFramebuffers"))
    gl.glFramebufferTexture("iiii", FRAMEBUFFER, COLOR_ATTACHMENT, name, 0)
    gl.glViewport("iiii", 0, 0, 30, 30)
    gl.glClearColor("ffff", 0, 0.4, 0.4, 1)
    gl.glClear("i", COLOR_BUFFER_BIT)
    use(gl, FRAGMENT.replace("color", "tint"), geometry="""layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
    in vec3 color[]; out vec3 tint;
    void main() {
        for (int vertex = 0; vertex < 3; vertex++) {
            gl_Position = gl_in[vertex].gl_Position; gl_Layer = 3 - gl_PrimitiveIDIn; tint = color[vertex]; EmitVertex();
        }
    }""")
    places = [(8, 8), (112, 8), (60.75, 114)]
    draw_arrays(gl, TRIANGLES, [(x - 4 * index, y - 8 * index) for index in range(4) for x, y in places],
                [color for color in (RED, GREEN, BLUE, WHITE) for _ in range(3)])
    to_window(gl)
    use(gl, "uniform sampler2DArray values; in vec3 at; out vec4 result; void main() { result = texture(values, at); }", COORDINATE)
    for layer in range(4):
        place = (2 + 60 * (layer % 2), 2 + 60 * (layer // 2), 56, 56)
        show(gl, place, [(0, 0, layer), (1, 0, layer), (0, 1, layer), (1, 1, layer)])


def srgb_target(gl):
    """Colors that are encoded as sRGB when they are written, blended in linear light, beside the same without the curve. The stored
    bytes are shown."""
    use(gl)
    shown = []
    for is_curved in (1, 0):
        shown.append(target(gl, SRGB8_ALPHA8, RGBA, UNSIGNED_BYTE, 56))
        gl.glTexParameteri("iii", TEXTURE_2D, 0x8A48, 0x8A4A)
        (gl.glEnable if is_curved else gl.glDisable)("i", 0x8DB9)
        gl.glClearColor("ffff", 0.2, 0.2, 0.2, 1)
        gl.glClear("i", COLOR_BUFFER_BIT)
        show(gl, (0, 0, 120, 60), [(0, 0, 1), (1, 0, 0.4), (0, 0, 1), (1, 0, 0.4)])
        gl.glEnable("i", BLEND)
        gl.glBlendFunc("ii", 1, 1)
        show(gl, (30, 30, 60, 60), [(0.1, 0.2, 0.05)] * 4)
        gl.glDisable("i", BLEND)
    gl.glDisable("i", 0x8DB9)
    to_window(gl)
    use(gl, "uniform sampler2D values; in vec3 at; out vec4 result; void main() { result = texture(values, at.xy); }", COORDINATE)
    for half, name in enumerate(shown):
        gl.glBindTexture("ii", TEXTURE_2D, name)
        show(gl, (2 + 60 * half, 30, 56, 56))


def two_sources(gl):
    """A filter over stripes: the second color of the program multiplies what is stored."""
    use(gl)
    for stripe in range(6):
        show(gl, (20 * stripe, 0, 20, SIZE), [(0.2 * stripe, 1 - 0.2 * stripe, stripe % 2)] * 4)
    use(gl, """in vec3 color; layout(location = 0, index = 0) out vec4 sum; layout(location = 0, index = 1) out vec4 factor;
    void main() { sum = vec4(0.2, 0.0, 0.0, 1.0); factor = vec4(color, 1.0); }""")
    gl.glEnable("i", BLEND)
    gl.glBlendFunc("ii", 1, 0x88F9)
    show(gl, (10, 20, 100, 80), [(0, 0.6, 1), (0, 0.6, 1), (1, 0.2, 0), (1, 0.2, 0)])


def depth_clamp(gl):
    """Slanted rectangles that leave the range of depths, clipped on the left and clamped on the right, in a target of floats. Those that
    come later are nearer where they win."""
    vertex = """layout(location = 0) in vec2 place; layout(location = 1) in vec3 tint; uniform vec2 depths; out vec3 color;
    void main() { gl_Position = window(place); gl_Position.z = mix(depths.x, depths.y, place.y / 120.0); color = tint; }"""
    color = texture(gl)
    image(gl, RGBA8, SIZE, SIZE, RGBA, UNSIGNED_BYTE, None)
    framebuffer(gl, color)
    depth = texture(gl)
    image(gl, 0x8CAC, SIZE, SIZE, 0x1902, FLOAT, None)
    gl.glFramebufferTexture2DEXT("iiiii", FRAMEBUFFER, 0x8D00, TEXTURE_2D, depth, 0)
    if not is_complete(gl):
        raise SystemExit("the framebuffer is not complete")
    gl.glClear("i", COLOR_BUFFER_BIT | 0x100)
    name = use(gl, vertex=vertex)
    depths = uniform(gl, name, "depths")
    gl.glEnable("i", DEPTH_TEST)
    for half in (0, 1):
        (gl.glEnable if half else gl.glDisable)("i", DEPTH_CLAMP)
        for index, (tint, near, far) in enumerate(((RED, -1.5, 0.5), (GREEN, 1.5, -0.5), (BLUE, 0.9, 1.4))):
            gl.glUniform2f("iff", depths, near, far)
            show(gl, (4 + 60 * half + 16 * index, 4, 30, 112), [tint] * 4)
    gl.glDisable("i", DEPTH_TEST)
    to_window(gl)
    use(gl, "uniform sampler2D values; in vec3 at; out vec4 result; void main() { result = texture(values, at.xy); }", COORDINATE)
    gl.glBindTexture("ii", TEXTURE_2D, color)
    show(gl, (0, 0, SIZE, SIZE))


def conditions(gl):
    """Four squares whose drawing waits for queries: of samples that pass, that are hidden, and the two inverted by the order of draws."""
    use(gl)
    gl.glEnable("i", DEPTH_TEST)
    gl.glClear("i", 0x100)
    show(gl, (4, 4, 52, 112), [BLUE] * 4)
    queries = []
    gl.glDepthFunc("i", 0x0201)
    for place in ((64, 4, 52, 112), (10, 30, 40, 30)):
        queries.append(names(gl, "glGenQueries"))
        gl.glBeginQuery("ii", 0x8914, queries[-1])
        show(gl, place, [CYAN] * 4)
        gl.glEndQuery("i", 0x8914)
    gl.glDisable("i", DEPTH_TEST)
    for index, (query, tint) in enumerate(zip(queries * 2, (RED, GREEN, YELLOW, WHITE))):
        gl.glBeginConditionalRender("ii", query, 0x8E13)
        show(gl, (10 + 28 * index, 70, 20, 30), [tint] * 4)
        if index == 3:
            gl.glClear("i", COLOR_BUFFER_BIT)
        gl.glEndConditionalRender()


def rgtc_textures(gl):
    """Blocks of one and of two channels, unsigned below and signed above, as the program reads them."""
    red = [200, 40] + [0x88, 0xC6, 0xFA, 0x88, 0xC6, 0xFA]
    green = [10, 250] + [0x3F, 0x50, 0x11, 0x77, 0x02, 0xE4]
    signed = [100, 156] + [0x88, 0xC6, 0xFA, 0x88, 0xC6, 0xFA]
    use(gl, """uniform sampler2D values; in vec3 at; out vec4 result;
    void main() { result = vec4(texture(values, at.xy).rg * at.z + (1.0 - at.z), at.z, 1.0); }""", COORDINATE)
    for index, (internal, blocks) in enumerate(
        ((0x8DBB, red), (0x8DBD, red + green), (0x8DBC, signed), (0x8DBE, signed + green))
    ):
        texture(gl)
        memory = (ctypes.c_ubyte * len(blocks))(*blocks)
        gl.glCompressedTexImage2D("iiiiiiip", TEXTURE_2D, 0, internal, 4, 4, 0, len(blocks), ctypes.addressof(memory))
        scale = 0.5 if index > 1 else 1
        place = (2 + 60 * (index % 2), 2 + 60 * (index // 2), 56, 56)
        show(gl, place, [(0, 0, scale), (1, 0, scale), (0, 1, scale), (1, 1, scale)])


def lookups(gl):
    """Ways to read a texture with levels: a bias, a level, derivatives, offsets, a projection, a comparison."""
    texture(gl)
    for level, side in enumerate((8, 4, 2, 1)):
        texels = [byte for y in range(side) for x in range(side) for byte in (255 * (level == 1), 28 * x + 31, 28 * y + 31, 255)]
        image(gl, RGBA8, side, side, RGBA, UNSIGNED_BYTE, texels, level=level)
    gl.glTexParameteri("iii", TEXTURE_2D, 0x2801, 0x2700)
    for location, text in enumerate((
        "texture(values, at.xy, 2.0 + log2(3.5))",
        "textureLod(values, at.xy, 1.0)",
        "textureGrad(values, at.xy, vec2(0.25, 0.0), vec2(0.0, 0.1))",
        "textureOffset(values, at.xy * 0.5, ivec2(2, -3))",
        "textureProj(values, vec4(at.xy * 2.0, 0.0, 4.0))",
        "texelFetchOffset(values, ivec2(at.xy * 5.0), 0, ivec2(1, 2))",
        "vec4(vec2(textureSize(values, 1)) / 10.0, 0.0, 1.0)",
    )):
        use(gl, "uniform sampler2D values; in vec3 at; out vec4 result; void main() { result = " + text + "; }", COORDINATE)
        show(gl, (2 + 30 * (location % 4), 2 + 40 * (location // 4), 28, 36))
    texture(gl)
    image(gl, 0x81A5, 4, 4, 0x1902, UNSIGNED_SHORT, [4369 * index for index in range(16)])
    gl.glTexParameteri("iii", TEXTURE_2D, 0x884C, 0x884E)
    use(gl, """uniform sampler2DShadow values; in vec3 at; out vec4 result;
    void main() { result = vec4(texture(values, vec3(at.xy, at.x * 0.5 + 0.05)), 0.2, 0.6, 1.0); }""", COORDINATE)
    show(gl, (2, 82, 116, 36))


def packed_vertices(gl):
    """Attributes of halves, of ten and two bits, of bytes and of integers."""
    use(gl, vertex="""layout(location = 0) in vec2 place; layout(location = 1) in vec4 tint; layout(location = 2) in ivec2 offset;
    layout(location = 3) in uvec4 bits; layout(location = 4) in vec4 bytes; out vec3 color;
    void main() {
        gl_Position = window(place + vec2(offset));
        color = tint.rgb * vec3(bits.xyz & 1u) + bytes.rgb * tint.a;
    }""")
    halves = [0x0000, 0x0000, 0x5240, 0x0000, 0x0000, 0x5240, 0x5240, 0x5240]  # 0 and 50
    tints = [0x3FF | 2 << 30, 0x3FF << 10 | 1 << 30, 0x3FF << 20, 0x155 | 0x155 << 10 | 3 << 30]
    offsets = [5, -3, 12, 9, -2, 55, 60, 60]
    bits = [3, 1, 255, 7, 2, 5, 9, 0, 0, 0, 1, 0, 1, 1, 1, 1]
    bytes_ = [0, 128, 255, 9, 60, 70, 80, 9, 1, 2, 3, 9, 90, 10, 30, 9]
    arrays = [
        (0, 2, 0x140B, 0, halves, ctypes.c_ushort),
        (1, 4, 0x8368, 1, tints, ctypes.c_uint),
        (4, 4, UNSIGNED_BYTE, 1, bytes_, ctypes.c_ubyte),
    ]
    for location, components, kind, is_normalized, values, holder in arrays:
        filled_buffer(gl, ARRAY_BUFFER, values, holder)
        gl.glVertexAttribPointer("iiiiip", location, components, kind, is_normalized, 0, None)
    for location, components, kind, values, holder in (
        (2, 2, 0x1402, offsets, ctypes.c_short),
        (3, 4, UNSIGNED_BYTE, bits, ctypes.c_ubyte),
    ):
        filled_buffer(gl, ARRAY_BUFFER, values, holder)
        gl.glVertexAttribIPointer("iiiip", location, components, kind, 0, None)
    for location in range(5):
        gl.glEnableVertexAttribArray("i", location)
    gl.glDrawArrays("iii", TRIANGLE_STRIP, 0, 4)


def flow(gl):
    """How often a program repeats until a point has left a circle; those that stay are discarded by columns."""
    use(gl, """in vec3 at; out vec4 result;
    vec2 next(vec2 value, vec2 start) { return vec2(value.x * value.x - value.y * value.y, 2.0 * value.x * value.y) + start; }
    void main() {
        vec2 start = at.xy; vec2 value = start; int count = 0;
        while (dot(value, value) < 4.0) {
            value = next(value, start);
            if (++count >= 24) {
                if ((int(gl_FragCoord.x) & 4) != 0) discard;
                break;
            }
        }
        switch (count % 3) {
            case 0: result = vec4(float(count) / 25.5, 0.0, 0.2, 1.0); break;
            case 1: result = vec4(0.0, float(count) / 25.5, 0.4, 1.0); break;
            default: result = vec4(1.0 - float(count) / 25.5, 0.6, 0.0, 1.0);
        }
    }""", COORDINATE)
    show(gl, (2, 2, 116, 116), [(-2, -1.25, 0), (0.5, -1.25, 0), (-2, 1.25, 0), (0.5, 1.25, 0)])


def interpolation(gl):
    """Bands of a value that follows the perspective, that follows the window, and that the last vertex gives."""
    for column, kind in enumerate(("smooth", "noperspective", "flat")):
        use(gl, kind + " in vec3 color; out vec4 result; void main() { result = vec4(floor(color * 8.0) / 8.0, 1.0); }",
            """layout(location = 0) in vec2 place; layout(location = 1) in vec3 tint; """ + kind + """ out vec3 color;
            void main() {
                float w = place.y > 60.0 ? 4.0 : 1.0;
                gl_Position = window(place) * w; color = tint;
            }""")
        x = 2 + 40 * column
        tints = [(0, 0, 1), (1, 0, 1), (0, 1, 0), (1, 1, 0)]
        draw_arrays(gl, TRIANGLE_STRIP, [(x, 4.1), (x + 36, 4.1), (x + 10.2, 116), (x + 26.3, 116)], tints)


def point_sizes(gl):
    """Points whose sizes a vertex program gives; their coordinates become colors, from two origins."""
    gl.glEnable("i", 0x8642)
    gl.glEnable("i", 0x8861)
    use(gl, """in vec3 color; out vec4 result;
    void main() { result = vec4(floor(gl_PointCoord * 4.0) / 4.0, color.z, 1.0); }""",
        VERTEX.replace("color = tint", "color = tint; gl_PointSize = tint.x"))
    for half, origin in enumerate((0x8CA1, 0x8CA2)):
        gl.glPointParameteri("ii", 0x8CA0, origin)
        places = [(20 + 40 * index, 30 + 60 * half) for index in range(3)]
        draw_arrays(gl, POINTS, places, [(12, 0, 0), (32, 0, 0.4), (20, 0, 1)])


def clamped_colors(gl):
    """Colors beyond 0..1 at the vertices: clamped there in the lower half, as they are in the upper one. Between black and white,
    flat, and times a gray texel."""
    texture(gl)
    image(gl, RGBA8, 1, 1, RGBA, UNSIGNED_BYTE, [102, 102, 102, 255])
    begin = [(2, -1, 0.5), (-1, 3, 0.5)]
    for half, clamps in enumerate((1, 0)):
        gl.glClampColor("ii", 0x891A, clamps)
        for index in range(3):
            gl.glShadeModel("i", 0x1D00 if index == 1 else 0x1D01)
            (gl.glEnable if index == 2 else gl.glDisable)("i", TEXTURE_2D)
            draw(gl, QUADS, corners(4 + 39 * index, 4 + 60 * half, 34, 52), [begin[0], begin[1], begin[1], begin[0]])


def two_sided_lighting(gl):
    """Materials of both sides, on triangles that show the front, the back, and with one side of light the back; flat ones above."""
    gl.glEnable("i", 0x0B50)
    for side, colors in ((FRONT, (RED, YELLOW)), (BACK, (BLUE, CYAN))):
        for parameter, color in zip((0x1600, 0x1200), colors):
            memory = (ctypes.c_float * 4)(*color, 1)
            kept.append(memory)
            gl.glMaterialfv("iip", side, parameter, ctypes.addressof(memory))
    for row, model in enumerate((0x1D01, 0x1D00)):
        gl.glShadeModel("i", model)
        for column, (sides, turns) in enumerate(((1, False), (1, True), (0, True))):
            gl.glLightModeli("ii", 0x0B52, sides)
            x, y = 4 + 39 * column, 4 + 60 * row
            vertices = [(x, y), (x + 34, y), (x + 17, y + 50)]
            draw(gl, TRIANGLES, vertices[::-1] if turns else vertices)


PICTURES = [geometry_program, stream_output, instances, integer_targets, float_targets, eight_targets, texture_arrays, buffers]
PICTURES += [clip_distances, layers, srgb_target, two_sources, depth_clamp, conditions, rgtc_textures, lookups]
PICTURES += [packed_vertices, flow, interpolation, point_sizes, clamped_colors, two_sided_lighting]
