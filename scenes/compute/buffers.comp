#version 310 es
// Sums a[n] * i for the numbers i below the lowest three bits of the thread's number, adds a multiple of that number, and adds
// up the places of even threads.
//
// buffers.nvcap holds what Mesa 22.3.6 (chip GT215, OpenGL ES 3.1) sends for a dispatch of 3 x 2 x 2 work groups, with a of
// 7 n + 3 and a scale of 1000. That version prepares the setup of the compute class and never submits it; the second
// submission of the recording is that setup, written as later versions submit it.
layout(local_size_x=32, local_size_y=2) in;
layout(std430, binding=0) buffer Input { uint a[]; };
layout(std430, binding=1) buffer Output { uint b[]; };
layout(std430, binding=2) buffer Total { uint total; };
uniform uint scale;
void main() {
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uvec3 at = gl_GlobalInvocationID;
    uint n = at.x + size.x * (at.y + size.y * at.z);
    uint own = gl_LocalInvocationIndex;
    uint sum = 0u;
    for (uint i = 0u; i < (own & 7u); i++) sum += a[n] * i;
    b[n] = sum + scale * own;
    if ((own & 1u) == 0u) atomicAdd(total, n);
}
