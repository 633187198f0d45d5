#version 310 es
// Reads three textures: texels of an image, means of four heights, and voxels of integers.
//
// textures.nvcap holds what Mesa 22.3.6 (chip GT215, OpenGL ES 3.1) sends for a dispatch of 3 x 5 work groups. The image has
// 24 x 20 texels (10 x, 12 y, x + y, 255 - x) of RGBA8, the heights are 16 x 8 floats x * x + 5 y with a linear filter that
// repeats, and the volume has 8 x 4 x 3 texels (x, 16 y, 32 z, x + y + z) of RGBA8UI. That version prepares the setup of the
// compute class and never submits it; the second submission of the recording is that setup, written as later versions submit
// it.
layout(local_size_x=8, local_size_y=4) in;
layout(binding=0) uniform highp sampler2D image;
layout(binding=1) uniform highp sampler2D heights;
layout(binding=2) uniform highp usampler3D volume;
layout(std430, binding=0) buffer Texels { uint texels[]; };
layout(std430, binding=1) buffer Means { float means[]; };
layout(std430, binding=2) buffer Voxels { uint voxels[]; };
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int n = at.x + 24 * at.y;
    texels[n] = packUnorm4x8(texelFetch(image, at, 0));
    means[n] = textureLod(heights, vec2(at + 1) / vec2(textureSize(heights, 0)), 0.0).x;
    uvec4 voxel = texelFetch(volume, ivec3(at.x & 7, at.y & 3, at.x >> 3), 0);
    voxels[n] = voxel.x + 256u * voxel.y + 65536u * voxel.z + 16777216u * voxel.w;
}
