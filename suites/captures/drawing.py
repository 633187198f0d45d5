"""Shared parts of the pictures: constants of OpenGL, geometry, textures, framebuffers and programs."""

import ctypes

SIZE = 120
RED, GREEN, BLUE, WHITE = (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)
YELLOW, CYAN, MAGENTA, GRAY = (1, 1, 0), (0, 1, 1), (1, 0, 1), (0.4, 0.4, 0.4)

POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN, QUADS, QUAD_STRIP, POLYGON = range(10)
TEXTURE_2D, TEXTURE_CUBE_MAP, CUBE_FACE = 0x0DE1, 0x8513, 0x8515
NEAREST, LINEAR, CLAMP_TO_EDGE = 0x2600, 0x2601, 0x812F
RGB, RGBA, ALPHA, LUMINANCE, LUMINANCE_ALPHA, BGRA = 0x1907, 0x1908, 0x1906, 0x1909, 0x190A, 0x80E1
UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT, FLOAT = 0x1401, 0x1403, 0x1405, 0x1406
FRAMEBUFFER, COLOR_ATTACHMENT, RENDERBUFFER = 0x8D40, 0x8CE0, 0x8D41
FRONT, BACK, FRONT_AND_BACK, CW, CCW = 0x0404, 0x0405, 0x0408, 0x0900, 0x0901
COLOR_BUFFER_BIT, STENCIL_BUFFER_BIT = 0x4000, 0x0400


def begin(gl):
    """Makes window coordinates in pixels, from the lower left corner, the coordinates of vertices."""
    gl.glMatrixMode("i", 0x1701)
    gl.glLoadIdentity()
    gl.glOrtho("dddddd", 0, SIZE, 0, SIZE, -1, 1)
    gl.glMatrixMode("i", 0x1700)
    gl.glDisable("i", 0x0BD0)
    gl.glClearColor("ffff", 0.2, 0.2, 0.2, 1)
    gl.glClear("i", COLOR_BUFFER_BIT)


def draw(gl, primitive, vertices, colors=None, coordinates=None):
    """Draws (x, y) or (x, y, z) vertices, with a color or a texture coordinate for each if there are any."""
    gl.glBegin("i", primitive)
    for index, vertex in enumerate(vertices):
        if colors:
            gl.glColor3f("fff", *colors[index])
        if coordinates:
            gl.glTexCoord3f("fff", *(tuple(coordinates[index]) + (0,))[:3])
        gl.glVertex3f("fff", *(tuple(vertex) + (0,))[:3])
    gl.glEnd()


def corners(x, y, width, height):
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def rectangle(gl, place, color=None, coordinates=None):
    if color:
        gl.glColor3f("fff", *color)
    draw(gl, QUADS, corners(*place), coordinates=coordinates)


def textured(gl, place):
    """A rectangle with the whole texture, row 0 of the texels below."""
    rectangle(gl, place, WHITE, corners(0, 0, 1, 1))


def texture(gl, target=TEXTURE_2D, filter=NEAREST):
    """Binds a new texture without mipmaps."""
    name = ctypes.c_uint()
    gl.glGenTextures("ip", 1, ctypes.addressof(name))
    gl.glBindTexture("ii", target, name.value)
    for parameter, value in ((0x2801, filter), (0x2800, filter), (0x2802, CLAMP_TO_EDGE), (0x2803, CLAMP_TO_EDGE)):
        gl.glTexParameteri("iii", target, parameter, value)
    return name.value


def image(gl, internal, width, height, layout, kind, texels, target=TEXTURE_2D, level=0):
    """Gives a texture an image: a list of numbers, or None."""
    types = {UNSIGNED_BYTE: ctypes.c_ubyte, UNSIGNED_SHORT: ctypes.c_ushort, UNSIGNED_INT: ctypes.c_uint, FLOAT: ctypes.c_float}
    memory = (types.get(kind, ctypes.c_ushort) * len(texels))(*texels) if texels else None
    address = ctypes.addressof(memory) if memory else None
    gl.glPixelStorei("ii", 0x0CF5, 1)
    gl.glTexImage2D("iiiiiiiip", target, level, internal, width, height, 0, layout, kind, address)


def framebuffer(gl, *textures):
    """Binds a new framebuffer with these textures as its color attachments."""
    name = ctypes.c_uint()
    gl.glGenFramebuffersEXT("ip", 1, ctypes.addressof(name))
    gl.glBindFramebufferEXT("ii", FRAMEBUFFER, name.value)
    for index, attached in enumerate(textures):
        gl.glFramebufferTexture2DEXT("iiiii", FRAMEBUFFER, COLOR_ATTACHMENT + index, TEXTURE_2D, attached, 0)
    return name.value


def is_complete(gl):
    return gl.glCheckFramebufferStatusEXT("i", FRAMEBUFFER) == 0x8CD5


def program(gl, fragment):
    """Uses a fragment shader with fixed vertex processing."""
    shader = gl.glCreateShader("i", 0x8B30)
    text = ctypes.c_char_p(fragment.encode())
    gl.glShaderSource("iipp", shader, 1, ctypes.addressof(text), None)
    gl.glCompileShader("i", shader)
    name = gl.glCreateProgram()
    gl.glAttachShader("ii", name, shader)
    gl.glLinkProgram("i", name)
    linked = ctypes.c_int()
    gl.glGetProgramiv("iip", name, 0x8B82, ctypes.addressof(linked))
    if not linked.value:
        raise SystemExit("the shader does not link")
    gl.glUseProgram("i", name)
    return name
