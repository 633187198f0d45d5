/* Preloaded into a program of piglit: writes its picture when it ends, as rows of red, green and blue bytes.

   PICTURE names the file. The rows are those of piglit's window or of the framebuffer in its place, the upper one first,
   after a line "WIDTH HEIGHT". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*function)(void);

static function opengl(const char *name)
{
    void *egl = dlopen("libEGL.so.1", RTLD_NOLOAD | RTLD_LAZY);
    function (*find)(const char *) = egl ? (function (*)(const char *))dlsym(egl, "eglGetProcAddress") : NULL;
    function found = find ? find(name) : NULL;
    if (!found)
        abort();
    return found;
}

static void write_picture(const char *path, int width, int height, unsigned framebuffer)
{
    ((void (*)(unsigned, unsigned))opengl("glBindFramebufferEXT"))(0x8D40, framebuffer);
    ((void (*)(unsigned, int))opengl("glPixelStorei"))(0x0D05, 1);
    size_t row_bytes = 3 * (size_t)width;
    unsigned char *pixels = malloc(row_bytes * height);
    FILE *file = fopen(path, "wb");
    if (!pixels || !file)
        abort();
    ((void (*)(int, int, int, int, unsigned, unsigned, void *))opengl("glReadPixels"))(0, 0, width, height, 0x1907, 0x1401, pixels);
    fprintf(file, "%d %d\n", width, height);
    for (int y = height - 1; y >= 0; y--)
        fwrite(pixels + row_bytes * y, 1, row_bytes, file);
    if (fclose(file))
        abort();
    free(pixels);
}

/* Piglit's programs end by this call, with their context current. */
void exit(int status)
{
    const char *path = getenv("PICTURE");
    int *width = dlsym(RTLD_DEFAULT, "piglit_width"), *height = dlsym(RTLD_DEFAULT, "piglit_height");
    unsigned *framebuffer = dlsym(RTLD_DEFAULT, "piglit_winsys_fbo");
    if (path && width && height && framebuffer)
        write_picture(path, *width, *height, *framebuffer);
    ((void (*)(int))dlsym(RTLD_NEXT, "exit"))(status);
    abort();
}
