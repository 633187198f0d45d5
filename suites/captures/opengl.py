"""Opens an OpenGL context without a window, through EGL and ctypes, and reads its picture back."""

import ctypes
import struct
import sys
import zlib

COMMAND_TYPES = {"d": ctypes.c_double, "f": ctypes.c_float, "i": ctypes.c_int, "p": ctypes.c_void_p}


class Context:
    """A context with a surface of SIZE pixels a side. Attributes are OpenGL's commands, called with their types:
    `gl.glClearColor("ffff", 0, 0, 0, 1)`; a returned value is an integer."""

    def __init__(self, size):
        self.size = size
        egl = ctypes.CDLL("libEGL.so.1", mode=ctypes.RTLD_GLOBAL)
        egl.eglGetDisplay.restype = egl.eglCreatePbufferSurface.restype = egl.eglCreateContext.restype = ctypes.c_void_p
        egl.eglGetProcAddress.restype = ctypes.c_void_p
        self.address = egl.eglGetProcAddress
        display = ctypes.c_void_p(egl.eglGetDisplay(None))
        config, count = ctypes.c_void_p(), ctypes.c_int()

        def attributes(*values):
            return (ctypes.c_int * (len(values) + 1))(*values, 0x3038)

        # Eight bits for red, green, blue, alpha and stencil, 24 for depth; a pbuffer for OpenGL.
        wanted = attributes(0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8, 0x3025, 24, 0x3026, 8, 0x3033, 1, 0x3040, 8)
        steps = [
            egl.eglInitialize(display, None, None),
            egl.eglBindAPI(0x30A2),
            egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(count)),
        ]
        surface = ctypes.c_void_p(egl.eglCreatePbufferSurface(display, config, attributes(0x3057, size, 0x3056, size)))
        context = ctypes.c_void_p(egl.eglCreateContext(display, config, None, None))
        steps.append(egl.eglMakeCurrent(display, surface, surface, context))
        if not all(steps):
            raise SystemExit("EGL opens no context")

    def __getattr__(self, name):
        address = self.address(name.encode())

        def call(types="", *values):
            types = [COMMAND_TYPES[letter] for letter in types]
            return ctypes.CFUNCTYPE(ctypes.c_uint, *types)(address)(*values)

        setattr(self, name, call)
        return call

    def renderer(self):
        address = self.address(b"glGetString")
        return ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint)(address)(0x1F01).decode()

    def write_picture(self, path):
        """Writes the surface's color as a PNG file, the upper row first."""
        row_bytes = 3 * self.size
        pixels = (ctypes.c_ubyte * (row_bytes * self.size))()
        self.glPixelStorei("ii", 0x0D05, 1)
        self.glReadPixels("iiiiiip", 0, 0, self.size, self.size, 0x1907, 0x1401, ctypes.addressof(pixels))
        rows = [bytes(pixels[row_bytes * y : row_bytes * (y + 1)]) for y in reversed(range(self.size))]
        write_png(path, self.size, rows)


def write_png(path, width, rows):
    """Writes rows of 8-bit red, green and blue."""

    def chunk(kind, content):
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    scanlines = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", scanlines) + chunk(b"IEND", b""))


def main(rows_path, picture_path):
    """Turns the rows that picture.c writes into a PNG file."""
    with open(rows_path, "rb") as file:
        width, height = map(int, file.readline().split())
        pixels = file.read()
    write_png(picture_path, width, [pixels[3 * width * y : 3 * width * (y + 1)] for y in range(height)])


if __name__ == "__main__":
    main(*sys.argv[1:])
