//! The witness of each row of `docs/coverage-geforce-8.md`, one line each: section, names, witness. The first line of a row
//! counts.
//!
//! A witness begins with its kind. `piglit` names tests that pass with Mesa's nv50 driver on the reference engine; `document`
//! a text, `driver` the code of others, `hardware` tests that others ran on a chip of the family. `none` says what is
//! missing.

const THREE_D: &str = "Class 0x5097 G80_3D";
const TWO_D: &str = "Class 0x502d G80_2D";
const COPY: &str = "Class 0x5039 G80_M2MF";
const COMPUTE: &str = "Class 0x50c0 G80_COMPUTE";

const PULLER: &str = "document envytools docs/hw/fifo/puller.rst";
const NOTIFIER: &str = "document envytools docs/hw/graph/intro.rst";
const DATABASE: &str = "document envytools rnndb/graph/g80_3d.xml";
const DATABASE_2D: &str = "document envytools rnndb/graph/g80_2d.xml";
const UNNAMED: &str = "none; a number in the Linux kernel's ctxnv50.c";
const HINT: &str = "document envytools rnndb/graph/g80_3d.xml; a hint has no other effect by its nature";
const SCREEN: &str = "driver Mesa nv50_screen.c, nv50_screen_init_hwctx";
const FRAMEBUFFER: &str =
    "piglit spec@ext_framebuffer_object@fbo-readpixels; spec@ext_framebuffer_object@fbo-drawbuffers-maxtargets";
const LAYERS: &str =
    "piglit spec@!opengl 3.2@layered-rendering@gl-layer; spec@!opengl 3.2@layered-rendering@clear-color";
const VIEWPORTS: &str = "piglit spec@arb_viewport_array@render-scissor; spec@arb_viewport_array@render-depthrange";
const STREAM_OUTPUT: &str = "piglit spec@ext_transform_feedback@interleaved-attribs; spec@ext_transform_feedback@separate-attribs; spec@ext_transform_feedback@tessellation triangle_strip flat_first";
const BLENDING: &str = "piglit spec@!opengl 1.4@blendminmax; spec@!opengl 1.0@gl-1.0-blend-func";
const STENCIL: &str = "piglit spec@!opengl 2.0@stencil-twoside; spec@!opengl 2.0@gl-2.0-two-sided-stencil";
const SAMPLES: &str = "piglit spec@ext_framebuffer_multisample@sample-coverage 4 inverted; spec@ext_framebuffer_multisample@sample-alpha-to-one 2";
const ATTRIBUTES: &str = "piglit spec@!opengl 3.0@attribs; spec@arb_vertex_type_2_10_10_10_rev@attribs; spec@arb_vertex_type_10f_11f_11f_rev@arb_vertex_type_10f_11f_11f_rev-draw-vertices; spec@arb_half_float_vertex@draw-vertices-half-float";
const CONDITIONS: &str = "piglit spec@nv_conditional_render@clear; spec@nv_conditional_render@vertex_array";
const CUDA: &str = "document the CUDA Programming Guide 1.0 and PTX ISA 1.0";
const KERNELS: &str = "hardware envytools hwtest/g80_int.cc, g80_fp.cc and g80_sfu.cc, G80 to GT218";
const COMPUTE_DATABASE: &str = "document envytools rnndb/graph/g80_compute.xml";
const LAUNCHES: &str = "driver Mesa nv50_compute.c, nv50_launch_grid";
const TEXTURE_DATABASE: &str = "document envytools rnndb/graph/g80_texture.xml";

/// The lines.
pub(super) const GROUPS: &[[&str; 3]] = &[
    ["Every class", "*", PULLER],
    // The 3D class: synchronization, resources and what nothing is known of.
    [THREE_D, "NOP NOTIFY SERIALIZE PM_TRIGGER DMA_NOTIFY", NOTIFIER],
    [THREE_D, "UNK1400_LANES", SCREEN],
    [THREE_D, "UNK* RT_UNK14 VTX_ATTR_MASK_UNK0DD0* VTX_UNK129C VERTEX_BASE_* FP_CTRL_UNK196C", UNNAMED],
    [THREE_D, "DMA_*", "driver Mesa nv50_screen.c: each object covers virtual memory"],
    [
        THREE_D,
        "ZCULL_* RT_COMP_ENABLE ZETA_COMP_ENABLE *_FLUSH TEX_CACHE_CTL DELAY MP_PM_* WATCHDOG_TIMER COUNTER_ENABLE",
        HINT,
    ],
    [THREE_D, "STACK_* LOCAL_* *_REG_ALLOC_* REG_MODE CALL_LIMIT_LOG", "driver Mesa nv50_screen.c and nv50_program.c"],
    [
        THREE_D,
        "*_ALT VTX_ATTR_DEFINE VTX_ATTR_DATA BIND_TSC2 BIND_TIC2 LINKED_TSC D3D_* CLIPID_* CSAA_ENABLE",
        DATABASE,
    ],
    // Vertices.
    [
        THREE_D,
        "VTX_ATTR_1F VTX_ATTR_2F_* VTX_ATTR_3F_* VTX_ATTR_4F_*",
        "piglit spec@!opengl 2.0@attribs; spec@!opengl 3.0@attribs",
    ],
    [THREE_D, "VTX_ATTR_*", "document envytools rnndb/graph/g80_3d.xml: the comments on conversions"],
    [
        THREE_D,
        "VERTEX_ARRAY_DIVISOR VERTEX_ARRAY_PER_INSTANCE VB_INSTANCE_BASE",
        "piglit spec@arb_instanced_arrays@arb_instanced_arrays-drawarrays; spec@arb_base_instance@arb_base_instance-drawarrays",
    ],
    [THREE_D, "VERTEX_ARRAY_* VP_ATTR_EN", ATTRIBUTES],
    [THREE_D, "VERTEX_RUNOUT_*", "driver Mesa nv50_screen.c: the address of four zeros"],
    [
        THREE_D,
        "VP_GP_BUILTIN_ATTR_EN VERTEX_ID_BASE PRIMITIVE_ID SEMANTIC_PRIM_ID",
        "piglit spec@arb_draw_instanced@arb_draw_instanced-drawarrays; spec@glsl-1.50@execution@primitive-id-no-gs",
    ],
    [
        THREE_D,
        "VB_ELEMENT_BASE",
        "piglit spec@arb_draw_elements_base_vertex@arb_draw_elements_base_vertex-drawelements",
    ],
    [
        THREE_D,
        "PRIM_RESTART_*",
        "piglit spec@nv_primitive_restart@primitive-restart-draw-mode-triangle_strip; spec@nv_primitive_restart@primitive-restart-draw-mode-lines",
    ],
    [
        THREE_D,
        "VB_ELEMENT_* VERTEX_DATA",
        "piglit spec@!opengl 1.1@draw-pixels; spec@nv_primitive_restart@primitive-restart-vbo_index_only",
    ],
    [THREE_D, "VERTEX_BEGIN_GL VERTEX_END_GL VERTEX_BUFFER_*", "piglit spec@ext_provoking_vertex@provoking-vertex"],
    [THREE_D, "VERTEX_BEGIN_D3D VERTEX_END_D3D", DATABASE],
    [THREE_D, "DRAW_TFB_*", "driver Mesa nv50_vbo.c, nva0_draw_stream_output"],
    [THREE_D, "EDGEFLAG", "piglit spec@!opengl 1.0@gl-1.0-edgeflag-const"],
    // Programs and textures.
    [THREE_D, "VP_* GP_* FP_* CODE_CB_FLUSH", "driver Mesa nv50_shader_state.c and nv50_program.c"],
    [THREE_D, "CB_* SET_PROGRAM_CB", "driver Mesa nv50_shader_state.c, nv50_constbufs_validate"],
    [THREE_D, "ISA_FLAGS", "driver Mesa nv50_vbo.c and nv50_program.c: mul_zero_wins"],
    [
        THREE_D,
        "NOPERSPECTIVE_BITMAP",
        "piglit spec@glsl-1.30@execution@interpolation@interpolation-noperspective-gl_frontcolor-smooth-vertex",
    ],
    [
        THREE_D,
        "SEMANTIC_COLOR VERTEX_TWO_SIDE_ENABLE",
        "piglit spec@!opengl 1.1@two-sided-lighting; spec@!opengl 2.0@vertex-program-two-side back front2",
    ],
    [THREE_D, "SHADE_MODEL PROVOKING_VERTEX_LAST", "piglit spec@ext_provoking_vertex@provoking-vertex"],
    [
        THREE_D,
        "SEMANTIC_CLIP CLIP_DISTANCE_*",
        "piglit spec@!opengl 1.1@user-clip; spec@glsl-1.30@execution@clipping@vs-clip-distance-in-param",
    ],
    [THREE_D, "SEMANTIC_PTSZ POINT_SIZE", "piglit shaders@glsl-vs-point-size"],
    [THREE_D, "LAYER SEMANTIC_LAYER RT_ARRAY_MODE ZETA_ARRAY_MODE RT_LAYER_STRIDE ZETA_LAYER_STRIDE", LAYERS],
    [
        THREE_D,
        "BIND_* TSC_* TIC_* TEX_LIMITS",
        "piglit spec@!opengl 1.1@texwrap 2d; spec@arb_sampler_objects@sampler-objects",
    ],
    [THREE_D, "TEX_MISC", "document ARB_seamless_cube_map"],
    [
        THREE_D,
        "SAMPLE_SHADING",
        "document ARB_sample_shading; driver Mesa nv50_state_validate.c, nv50_validate_min_samples",
    ],
    // Targets, clears, reports.
    [THREE_D, "RT_* ZETA_* SCREEN_SCISSOR_*", FRAMEBUFFER],
    [
        THREE_D,
        "CLEAR_*",
        "piglit spec@!opengl 1.1@masked-clear; spec@!opengl 1.0@gl-1.0-scissor-clear; spec@!opengl 1.1@depthrange-clear",
    ],
    [THREE_D, "STRMOUT_*", STREAM_OUTPUT],
    [THREE_D, "RASTERIZE_ENABLE", "piglit spec@ext_transform_feedback@discard-drawarrays"],
    [
        THREE_D,
        "QUERY_* COUNTER_RESET SAMPLECNT_ENABLE",
        "piglit spec@arb_occlusion_query@occlusion_query; spec@ext_transform_feedback@intervening-read prims_written use_gs",
    ],
    [THREE_D, "COND_*", CONDITIONS],
    // Rasterization.
    [THREE_D, "VIEWPORT_* DEPTH_RANGE_* SCISSOR_* GP_VIEWPORT_ID_ENABLE SEMANTIC_VIEWPORT", VIEWPORTS],
    [THREE_D, "WINDOW_OFFSET_* SCREEN_Y_CONTROL FRAMEBUFFER_SRGB", DATABASE],
    [
        THREE_D,
        "VIEW_VOLUME_CLIP_CTRL DEPTH_CLIP_NEGATIVE_Z",
        "piglit spec@arb_depth_clamp@depth-clamp-range; spec@arb_clip_control@arb_clip_control-clip-control",
    ],
    [THREE_D, "CLIP_RECT_* CLIP_RECTS_*", "piglit spec@ext_window_rectangles@render"],
    [THREE_D, "POLYGON_MODE_*", "piglit spec@!opengl 1.1@polygon-mode"],
    [
        THREE_D,
        "POLYGON_OFFSET_*",
        "piglit spec@!opengl 1.1@polygon-offset; spec@ext_polygon_offset_clamp@ext_polygon_offset_clamp-draw",
    ],
    [THREE_D, "POLYGON_SMOOTH_ENABLE LINE_SMOOTH_BLUR COVERAGE_LUT", "document OpenGL 3.3, section 3.6"],
    [
        THREE_D,
        "POLYGON_STIPPLE_*",
        "document OpenGL 3.3 (compatibility), section 3.6.2; driver Mesa nv50_state_validate.c, nv50_validate_stipple",
    ],
    [
        THREE_D,
        "CULL_FACE* FRONT_FACE",
        "piglit spec@!opengl 1.1@point-line-no-cull; spec@!opengl 1.1@polygon-mode-facing",
    ],
    [THREE_D, "LINE_WIDTH LINE_SMOOTH_ENABLE", "piglit spec@!opengl 1.1@line-aa-width"],
    [THREE_D, "LINE_STIPPLE*", "piglit spec@!opengl 1.1@linestipple"],
    [THREE_D, "POINT_SPRITE_* POINT_COORD_REPLACE_MAP", "piglit spec@arb_point_sprite@arb_point_sprite-checkerboard"],
    [THREE_D, "POINT_*", DATABASE],
    [
        THREE_D,
        "PIXEL_CENTER_INTEGER",
        "piglit spec@arb_fragment_coord_conventions@fp-arb-fragment-coord-conventions-integer",
    ],
    [THREE_D, "MULTISAMPLE_* MSAA_MASK", SAMPLES],
    // Output merger.
    [THREE_D, "STENCIL_*", STENCIL],
    [THREE_D, "DEPTH_BOUNDS*", "piglit spec@ext_depth_bounds_test@depth_bounds"],
    [
        THREE_D,
        "ALPHA_TEST_*",
        "piglit spec@ext_framebuffer_object@fbo-alphatest-nocolor; spec@ext_framebuffer_object@fbo-alphatest-formats",
    ],
    [THREE_D, "DEPTH_*", "driver Mesa nv50_state.c, nv50_zsa_state_create"],
    [THREE_D, "BLEND_INDEPENDENT IBLEND_*", "document ARB_draw_buffers_blend; envytools rnndb/graph/g80_3d.xml"],
    [THREE_D, "BLEND_ENABLE*", "document EXT_draw_buffers2; envytools rnndb/graph/g80_3d.xml"],
    [THREE_D, "BLEND_*", BLENDING],
    [THREE_D, "COLOR_MASK*", "piglit spec@ext_draw_buffers2@fbo-drawbuffers2-colormask"],
    [THREE_D, "LOGIC_OP*", "piglit spec@!opengl 1.0@gl-1.0-logicop"],
    [THREE_D, "FRAG_COLOR_CLAMP_EN", "piglit spec@arb_color_buffer_float@gl_rgba8-render"],
    // Other classes.
    [TWO_D, "NOP NOTIFY SERIALIZE PM_TRIGGER DMA_NOTIFY", NOTIFIER],
    [TWO_D, "DMA_*", "driver Mesa nv50_screen.c: each object covers virtual memory"],
    [TWO_D, "UNK* SET_PIXELS_*", UNNAMED],
    [
        TWO_D,
        "DST_* SRC_* BLIT_* CLIP_* OPERATION",
        "piglit spec@ext_framebuffer_blit@fbo-blit; spec@!opengl 1.1@copyteximage 2d",
    ],
    [
        TWO_D,
        "ROP PATTERN_BITMAP PATTERN_BITMAP_COLOR PATTERN_COLOR_FORMAT PATTERN_BITMAP_FORMAT",
        "driver Mesa nv50_surface.c, nv50_blit_eng2d: masks of depth and stencil",
    ],
    [TWO_D, "COND_*", CONDITIONS],
    [TWO_D, "SIFC_WIDTH SIFC_HEIGHT SIFC_D* SIFC_FORMAT SIFC_DATA", "driver Mesa nv50_transfer.c, nv50_sifc_linear_u8"],
    [TWO_D, "*", DATABASE_2D],
    [COPY, "NOP NOTIFY SERIALIZE PM_TRIGGER DMA_NOTIFY", NOTIFIER],
    [COPY, "DMA_*", "driver Mesa nv50_screen.c: each object covers virtual memory"],
    [COPY, "*", "piglit spec@arb_copy_buffer@copybuffersubdata"],
    [COMPUTE, "NOP NOTIFY SERIALIZE PM_TRIGGER DMA_NOTIFY", NOTIFIER],
    [COMPUTE, "DMA_*", "driver Mesa nv50_compute.c: each object covers virtual memory"],
    [COMPUTE, "UNK*", UNNAMED],
    [
        COMPUTE,
        "BLOCKDIM_* BLOCK_ALLOC GRIDDIM GRIDID SHARED_SIZE USER_PARAM* CP_* LAUNCH GLOBAL_* CODE_CB_FLUSH",
        LAUNCHES,
    ],
    [COMPUTE, "*", COMPUTE_DATABASE],
    // Instructions.
    ["Instructions of vertex programs", "*", "driver Mesa nv50_ir_emit_nv50.cpp, nv50_program.c"],
    ["Instructions of geometry programs", "*", "driver Mesa nv50_ir_emit_nv50.cpp, nv50_program.c"],
    ["Instructions of fragment programs", "*", "driver Mesa nv50_ir_emit_nv50.cpp, nv50_program.c"],
    ["Instructions of compute programs", "bra brk prebrk call ret preret join joinat bar exit nop trap brkpt", CUDA],
    ["Instructions of compute programs", "*", KERNELS],
    // Values.
    ["Values of G80_3D RT_FORMAT format", "*", "driver Mesa nv50_formats.c; envytools rnndb/g80_defs.xml"],
    ["Values of G80_3D ZETA_FORMAT format", "*", "driver Mesa nv50_formats.c; envytools rnndb/g80_defs.xml"],
    [
        "Values of G80_3D DEPTH_TEST_FUNC function",
        "*",
        "document envytools rnndb/graph/nv_3ddefs.xml, gl_comparison_op",
    ],
    ["Values of G80_3D STENCIL_FRONT_OP_FAIL operation", "*", STENCIL],
    [
        "Values of G80_3D BLEND_FUNC_SRC_RGB factor",
        "*SRC1*",
        "piglit spec@arb_blend_func_extended@arb_blend_func_extended-fbo-extended-blend",
    ],
    ["Values of G80_3D BLEND_*", "*", BLENDING],
    ["Values of G80_3D LOGIC_OP operation", "*", "piglit spec@!opengl 1.0@gl-1.0-logicop"],
    ["Values of G80_3D POLYGON_MODE_FRONT mode", "*", "piglit spec@!opengl 1.1@polygon-mode"],
    ["Values of G80_3D CULL_FACE face", "*", "piglit spec@!opengl 1.1@polygon-mode-facing"],
    ["Values of G80_3D FRONT_FACE winding", "*", "piglit spec@!opengl 1.1@polygon-mode-facing"],
    ["Values of G80_3D SHADE_MODEL model", "*", "piglit spec@ext_provoking_vertex@provoking-vertex"],
    ["Values of G80_3D VERTEX_ARRAY_ATTRIB *", "*", ATTRIBUTES],
    [
        "Values of G80_3D VERTEX_BEGIN_GL primitive",
        "*_ADJACENCY",
        "piglit spec@glsl-1.50@glsl-1.50-gs-input-layout-qualifiers lines_adjacency",
    ],
    ["Values of G80_3D VERTEX_BEGIN_GL primitive", "*", "piglit spec@ext_provoking_vertex@provoking-vertex"],
    [
        "Values of G80_3D GP_OUTPUT_PRIMITIVE_TYPE primitive",
        "*",
        "piglit spec@ext_transform_feedback@geometry-shaders-basic",
    ],
    ["Values of G80_3D COND_MODE mode", "*", CONDITIONS],
    [
        "Values of G80_3D MULTISAMPLE_MODE samples",
        "MS1 MS2 MS4 MS8",
        "piglit spec@ext_framebuffer_multisample@sample-coverage 2 inverted; spec@ext_framebuffer_multisample@sample-coverage 8 inverted",
    ],
    [
        "Values of G80_3D MULTISAMPLE_MODE samples",
        "*",
        "document NV_framebuffer_multisample_coverage; envytools docs/hw/memory/g80-surface.rst",
    ],
    ["Values of G80_3D CLIP_RECTS_MODE mode", "INSIDE_ANY OUTSIDE_ALL", "piglit spec@ext_window_rectangles@render"],
    ["Values of G80_3D CLIP_DISTANCE_MODE c0", "*", "document ARB_cull_distance"],
    [
        "Values of G80_3D POINT_SPRITE_CTRL coord_origin",
        "*",
        "piglit spec@arb_point_sprite@arb_point_sprite-checkerboard",
    ],
    ["Values of G80_3D SET_PROGRAM_CB program", "*", "driver Mesa nv50_shader_state.c, nv50_constbufs_validate"],
    ["Values of G80_3D NOTIFY style", "*", NOTIFIER],
    ["Values of G80_3D SEMAPHORE_TRIGGER action", "*", PULLER],
    ["Values of G80_3D *", "*", DATABASE],
    ["Values of G80_2D OPERATION operation", "SRCCOPY", "piglit spec@!opengl 1.1@copyteximage 2d"],
    ["Values of G80_2D *", "*", DATABASE_2D],
    // Entries.
    ["Texture entries, type", "ONE_D", "piglit spec@!opengl 1.1@texwrap 1d"],
    [
        "Texture entries, type",
        "TWO_D TWO_D_NO_MIPMAP",
        "piglit spec@!opengl 1.1@texwrap 2d; spec@arb_texture_rectangle@copyteximage rect",
    ],
    ["Texture entries, type", "THREE_D", "piglit spec@!opengl 1.2@texwrap 3d"],
    ["Texture entries, type", "CUBEMAP", "piglit spec@arb_pixel_buffer_object@cubemap pbo"],
    ["Texture entries, type", "ONE_D_ARRAY TWO_D_ARRAY", "piglit spec@ext_texture_array@copyteximage 1d_array"],
    ["Texture entries, type", "ONE_D_BUFFER", "piglit spec@arb_texture_buffer_object@formats (fs, arb)"],
    ["Texture entries, component source", "*", "document EXT_texture_swizzle; driver Mesa nv50_tex.c"],
    [
        "Texture entries, format",
        "bc*",
        "piglit spec@ext_texture_compression_rgtc@rgtc-teximage-01; spec@ext_texture_compression_s3tc@s3tc-teximage",
    ],
    ["Texture entries, format", "*", "driver Mesa nv50_formats.c; envytools rnndb/graph/g80_texture.xml"],
    ["Texture entries, format with comparison", "*", "piglit spec@!opengl 1.5@depth-tex-compare"],
    ["Texture entries, *", "*", TEXTURE_DATABASE],
    ["Sampler entries, wrap", "*", "piglit spec@!opengl 1.1@texwrap 2d; spec@!opengl 1.1@texwrap 2d bordercolor"],
    ["Sampler entries, comparison", "*", "piglit spec@!opengl 1.5@depth-tex-compare"],
    [
        "Sampler entries, anisotropy",
        "*",
        "document EXT_texture_filter_anisotropic; envytools rnndb/graph/g80_texture.xml",
    ],
    ["Sampler entries, *", "*", "driver Mesa nv50_state.c, nv50_sampler_state_create"],
];

/// Conventions that no row shows: what they say, their witness, and a test.
pub(super) const CONVENTIONS: &[[&str; 3]] = &[
    [
        "a pixel on an edge belongs to a triangle whose left or upper edge it is",
        "document envytools rnndb/graph/g80_3d.xml, TRIANGLE_RAST_FLIP",
        "",
    ],
    [
        "positions of samples",
        "document envytools docs/hw/memory/g80-surface.rst; driver Mesa nv50_context.c",
        "tests/engines/draws/simt_samples.rs::each_sample_has_its_number_and_place",
    ],
    [
        "blocks of gobs: where bytes of surfaces are",
        "document envytools docs/hw/memory/g80-surface.rst",
        "tests/engines/compute/stream_textures.rs::texels_in_blocks",
    ],
    [
        "colors that the shade model makes flat are divided by w",
        "none; programs of Mesa's driver multiply by it",
        "tests/engines/draws/simt.rs::a_flat_color_follows_the_perspective_of_programs",
    ],
    [
        "products are truncated before sums of multiply-adds, which are rounded to nearest",
        "hardware envytools hwtest/g80_fp.cc",
        "tests/arith/tesla.rs::every_operation_of_the_tesla_processor_agrees",
    ],
    [
        "a culling distance drops a primitive whose vertices are all behind it",
        "document ARB_cull_distance; envytools rnndb/graph/g80_3d.xml, CLIP_DISTANCE_MODE",
        "tests/engines/draws/clip_distances.rs::planes_cull_whole_primitives",
    ],
    ["4 bits of subpixels", "none; the driver says 8", ""],
];
