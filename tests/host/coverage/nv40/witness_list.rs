//! The witness of each row of `docs/coverage.md`, one line each: section, names, witness.
//!
//! A witness begins with its kind. `piglit` names tests that pass with Mesa's driver (`docs/piglit.md`); `document` and
//! `patent` a text, `driver` and `emulator` the code of others, `hardware` tests that others ran on a chip of the family or
//! an older one. `none` says what is missing.

const THREE_D: &str = "Class 0x4097 NV40_3D";
const VECTOR: &str = "Vertex opcodes, vector";
const SCALAR: &str = "Vertex opcodes, scalar";
const FRAGMENT: &str = "Fragment opcodes";

const PULLER: &str = "document envytools docs/hw/fifo/puller.rst";
const PS3_RELEASES: &str = "hardware a PlayStation 3, RPCS3's pull request 8246";
/// RPCS3 keeps these notes beside the code of special functions.
const PS3_FUNCTIONS: &str = "hardware a PlayStation 3, the compliance notes of RPCS3's FragmentProgramDecompiler.cpp";
const HINT: &str = "document envytools rnndb/graph/nv30-40_3d.xml; a hint has no other effect by its nature";
const UNNAMED: &str = "none; a number in Mesa's initial state";
const NOTIFIER: &str = "document envytools docs/hw/graph/intro.rst";
const OBJECTS: &str = "document envytools docs/hw/graph/2d/intro.rst";
const FRAMEBUFFER: &str =
    "piglit spec@ext_framebuffer_object@fbo-storage-formats; spec@ext_framebuffer_object@fbo-readpixels";
const NV_FP: &str = "document NV_fragment_program, section 3.11.5";
const NV_FP2: &str = "document NV_fragment_program2, section 3.11.5";
const NV_VP2: &str = "document NV_vertex_program2, section 2.14.3";
const NV_VP3: &str = "document NV_vertex_program3, section 2.14.5";
const SPLIT_BLITS: &str = "piglit spec@ext_framebuffer_blit@fbo-blit; spec@!opengl 1.1@texsubimage";
const HARDWARE_2D: &str = "hardware envytools hwtest/pgraph_rop.cc, NV4 to NV20";

/// The lines.
pub(super) const GROUPS: &[[&str; 3]] = &[
    ["Every class", "OBJECT REF_CNT DMA_SEMAPHORE SEMAPHORE_ACQUIRE YIELD", PULLER],
    ["Every class", "SEMAPHORE_OFFSET SEMAPHORE_RELEASE", PS3_RELEASES],
    // Synchronization, objects.
    ["Class *", "NOP NOTIFY DMA_NOTIFY WAIT_FOR_IDLE PM_TRIGGER", NOTIFIER],
    [THREE_D, "WARNING STATE_010C DMA_STATE REDUCE_DST_COLOR REDUCE_UNNAMED UNNAMED_*", UNNAMED],
    [THREE_D, "FLIP_*", "none; names in the register database, counts as in envytools docs/hw/graph/kelvin"],
    [THREE_D, "DMA_TEXTURE* DMA_COLOR* DMA_ZETA DMA_VTXBUF*", FRAMEBUFFER],
    [THREE_D, "DMA_FENCE", "driver Mesa nv30_screen.c, nv30_screen_fence_emit"],
    [THREE_D, "FENCE_* TEXTURE_READ_FENCE_VALUE", PS3_RELEASES],
    [THREE_D, "DMA_QUERY QUERY_RESET QUERY_ENABLE QUERY_GET", "piglit spec@arb_occlusion_query@occlusion_query"],
    [THREE_D, "RENDER_ENABLE", "piglit spec@nv_conditional_render@clear; spec@nv_conditional_render@vertex_array"],
    [
        THREE_D,
        "DMA_CLIP_ID CLIP_ID_PITCH CLIP_ID_OFFSET CLIP_ID_RECT_* CLEAR_CLIP_ID CLIP_ID CLIP_ID_TEST_ENABLE",
        "none; no public source describes the buffer of clip numbers",
    ],
    [
        THREE_D,
        "DMA_CULL_DATA INVALIDATE_ZCULL ZCULL_* CLEAR_ZCULL_SURFACE SCULL_CONTROL SURFACE_COMPRESSION \
         VTX_CACHE_INVALIDATE* PIPE_NOP VERTEX_ENGINE_SYNC TEX_CACHE_CTL NO_PARANOID_TEXTURE_FETCHES FP_REG_CONTROL \
         TRANSFORM_TIMEOUT",
        HINT,
    ],
    // Targets and clears.
    [THREE_D, "RT_HORIZ RT_VERT RT_FORMAT COLOR0_* ZETA_*", FRAMEBUFFER],
    [THREE_D, "RT_ENABLE COLOR1_* COLOR2_* COLOR3_*", "piglit spec@ext_framebuffer_object@fbo-drawbuffers-maxtargets"],
    [THREE_D, "VIEWPORT_TX_ORIGIN VIEWPORT_CLIP_*", "driver Mesa nv30_state_validate.c, nv30_validate_fb"],
    [THREE_D, "CONTROL0", "emulator RPCS3 rpcs3/Emu/RSX/rsx_methods.h, depth_buffer_float_enabled"],
    [
        THREE_D,
        "COORD_CONVENTIONS",
        "piglit spec@arb_fragment_coord_conventions@fp-arb-fragment-coord-conventions-integer; spec@ext_framebuffer_object@fbo-fragcoord",
    ],
    [
        THREE_D,
        "CLEAR_DEPTH_VALUE CLEAR_COLOR_VALUE CLEAR_BUFFERS CLEAR_RECT_*",
        "piglit spec@!opengl 1.1@masked-clear; spec@!opengl 1.0@gl-1.0-scissor-clear; spec@!opengl 1.1@depthrange-clear",
    ],
    [THREE_D, "SHADER_PACKER", "emulator RPCS3 rpcs3/Emu/RSX/rsx_methods.h, framebuffer_srgb_enabled"],
    // Rasterization.
    [THREE_D, "CYLINDRICAL_WRAP", "document the Direct3D 9 state D3DRS_WRAP0"],
    [
        THREE_D,
        "SHADE_MODEL FLATSHADE_FIRST",
        "piglit spec@arb_provoking_vertex@arb-provoking-vertex-render; spec@!opengl 1.1@clipflat",
    ],
    [THREE_D, "DEPTH_RANGE_* DEPTH_CONTROL", "piglit spec@arb_depth_clamp@depth-clamp-range"],
    [THREE_D, "VP_CLIP_PLANES_ENABLE ATTRIB_UCLIP*", "piglit spec@!opengl 1.1@user-clip"],
    [THREE_D, "LINE_WIDTH LINE_SMOOTH_ENABLE", "piglit spec@!opengl 1.1@line-aa-width"],
    [
        THREE_D,
        "SCISSOR_* VIEWPORT_HORIZ VIEWPORT_VERT VIEWPORT_TRANSLATE_* VIEWPORT_SCALE_*",
        "piglit spec@!opengl 1.0@gl-1.0-scissor-polygon; spec@!opengl 1.1@triangle-guardband-viewport",
    ],
    [THREE_D, "POINT_CENTER_MODE", "none; the register database names two centers"],
    [
        THREE_D,
        "POLYGON_OFFSET_*",
        "piglit spec@!opengl 1.1@polygon-offset; spec@!opengl 1.1@polygon-mode-offset; spec@!opengl 1.4@gl-1.4-polygon-offset",
    ],
    [THREE_D, "TEX_COORD_CONTROL", "emulator RPCS3 rpcs3/Emu/RSX/rsx_methods.h, texcoord_control_mask"],
    [THREE_D, "SPECULAR_ENABLE", "none; programs write what was fixed function"],
    [
        THREE_D,
        "VERTEX_TWO_SIDE_ENABLE",
        "piglit spec@!opengl 2.0@vertex-program-two-side enabled back; spec@!opengl 1.1@two-sided-lighting",
    ],
    [THREE_D, "EDGEFLAG", "document OpenGL 2.1, section 2.6.2"],
    [
        THREE_D,
        "POLYGON_STIPPLE_*",
        "hardware an Xbox, nxdk_pgraph_tests Stipple_tests; a PlayStation 3, ps3autotests rsx/primitives",
    ],
    [THREE_D, "POLYGON_MODE_*", "piglit spec@!opengl 1.1@polygon-mode"],
    [
        THREE_D,
        "CULL_FACE FRONT_FACE CULL_FACE_ENABLE",
        "piglit spec@!opengl 1.1@point-line-no-cull; spec@!opengl 1.1@clipflat",
    ],
    [THREE_D, "POLYGON_SMOOTH_ENABLE", "document OpenGL 2.1, section 3.5"],
    [
        THREE_D,
        "MULTISAMPLE_CONTROL",
        "document OpenGL 2.1, section 4.1.3; driver Mesa nv30_state_validate.c, nv30_validate_multisample",
    ],
    [THREE_D, "LINE_STIPPLE_*", "piglit spec@!opengl 1.1@linestipple"],
    [
        THREE_D,
        "POINT_SIZE POINT_PARAMS_ENABLE",
        "piglit shaders@glsl-vs-point-size; spec@!opengl 2.0@gl-2.0-large-point-fs",
    ],
    [
        THREE_D,
        "POINT_SPRITE",
        "piglit spec@arb_point_sprite@arb_point_sprite-checkerboard; spec@arb_point_sprite@arb_point_sprite-interactions 1.0",
    ],
    // Output merger.
    [THREE_D, "DITHER_ENABLE", "none; thresholds are those of older chips"],
    [
        THREE_D,
        "ALPHA_FUNC_*",
        "piglit spec@ext_framebuffer_object@fbo-alphatest-formats; spec@ext_framebuffer_object@fbo-alphatest-nocolor",
    ],
    [
        THREE_D,
        "BLEND_FUNC_* BLEND_COLOR BLEND_EQUATION",
        "piglit spec@!opengl 1.0@gl-1.0-blend-func; spec@!opengl 1.4@blendminmax; spec@!opengl 1.4@blendsquare",
    ],
    [THREE_D, "COLOR_MASK", "piglit spec@ext_framebuffer_object@fbo-colormask-formats; spec@!opengl 1.1@masked-clear"],
    [
        THREE_D,
        "STENCIL_*",
        "piglit spec@!opengl 2.0@stencil-twoside; spec@!opengl 2.0@gl-2.0-two-sided-stencil; spec@!opengl 1.4@stencil-wrap",
    ],
    [
        THREE_D,
        "MRT_BLEND_ENABLE MRT_COLOR_MASK",
        "piglit spec@ext_framebuffer_object@fbo-drawbuffers-blend-add; spec@ext_framebuffer_object@fbo-drawbuffers masked-clear",
    ],
    [THREE_D, "BLEND_COLOR2", "driver Mesa nv30_state_validate.c, nv30_validate_blend_colour"],
    [
        THREE_D,
        "COLOR_LOGIC_OP_*",
        "piglit spec@!opengl 1.0@gl-1.0-logicop@GL_COPY; spec@!opengl 1.1@gl-1.1-xor-copypixels",
    ],
    [THREE_D, "DEPTH_BOUNDS_TEST_*", "piglit spec@ext_depth_bounds_test@depth_bounds"],
    [
        THREE_D,
        "DEPTH_FUNC DEPTH_WRITE_ENABLE DEPTH_TEST_ENABLE",
        "piglit spec@!opengl 1.1@depthfunc; spec@ext_framebuffer_object@fbo-nodepth-test",
    ],
    // Vertices.
    [
        THREE_D,
        "VTX_ATTR_* VERTEX_BEGIN_END VERTEX_DATA",
        "piglit spec@!opengl 1.1@varray-disabled; spec@!opengl 2.0@gl-2.0-vertex-attr-0",
    ],
    [
        THREE_D,
        "VTXBUF VTXFMT VERTEX_DATA_BASE_OFFSET VB_VERTEX_BATCH",
        "piglit spec@!opengl 1.5@draw-vertices; spec@!opengl 1.5@vertex-buffer-offsets; spec@nv_half_float@attribs-half-float",
    ],
    [
        THREE_D,
        "VB_ELEMENT_* IDXBUF_* VB_INDEX_BATCH",
        "piglit spec@arb_vertex_buffer_object@combined-vertex-index; spec@arb_vertex_buffer_object@elements-negative-offset",
    ],
    [
        THREE_D,
        "FREQUENCY_DIVIDER_OPERATION",
        "emulator RPCS3 rpcs3/Emu/RSX/rsx_methods.h, frequency_divider_operation_mask",
    ],
    [THREE_D, "PRIMITIVE_RESTART_*", "piglit spec@nv_primitive_restart@primitive-restart-draw-mode-triangle_strip"],
    // Programs.
    [
        THREE_D,
        "FOG_MODE FOG_PARAMS",
        "piglit spec@!opengl 1.1@fog-modes; spec@ext_fog_coord@ext_fog_coord-modes; spec@arb_fragment_program@fp-fog",
    ],
    [
        THREE_D,
        "FP_ACTIVE_PROGRAM FP_CONTROL",
        "piglit spec@arb_fragment_program@fp-long-alu; spec@arb_fragment_program@fp-kil",
    ],
    [
        THREE_D,
        "VP_UPLOAD_* VP_START_FROM_ID VP_ATTRIB_EN VP_RESULT_EN ENGINE",
        "piglit spec@arb_vertex_program@instructions@mad; spec@arb_vertex_program@vp-two-constants",
    ],
    [THREE_D, "INDEXED_CONSTANT_READ_LIMITS", "piglit spec@arb_vertex_program@vp-arl-constant-array-huge"],
    [
        THREE_D,
        "ATTRIB_COLOR ATTRIB_TEX_COORD ATTRIB_TEX_COORD_EX",
        "driver Mesa nvfx_fragprog.c and nvfx_vertprog.c, their texcoord maps",
    ],
    [THREE_D, "TRANSFORM_BRANCH_BITS", NV_VP2],
    // Textures.
    [THREE_D, "ANISO_SPREAD TEX_FILTER_OPTIMIZATION", "none; the register database names their values"],
    [THREE_D, "VERTEX_TEX_*", "emulator RPCS3 rpcs3/Emu/RSX/RSXTexture.cpp, vertex_texture"],
    [
        THREE_D,
        "TEX_SIZE1 TEX_OFFSET TEX_FORMAT TEX_ENABLE TEX_NPOT_SIZE",
        "piglit spec@!opengl 1.2@tex3d; spec@!opengl 2.0@tex3d-npot; spec@arb_texture_cube_map@cubemap",
    ],
    [
        THREE_D,
        "TEX_WRAP TEX_BORDER_COLOR",
        "piglit spec@!opengl 1.1@texwrap 2d bordercolor; spec@!opengl 1.2@texwrap 3d",
    ],
    [THREE_D, "TEX_SWIZZLE", "piglit spec@ext_texture_swizzle@ext_texture_swizzle-swizzle"],
    [THREE_D, "TEX_FILTER", "piglit spec@ext_texture_lod_bias@lodbias; spec@!opengl 1.2@lodclamp-between"],
    [THREE_D, "COLOR_KEY", "document envytools rnndb/graph/nv10_3d.xml, the modes of older chips"],
    // Other chips.
    ["Class 0x0097 NV20_3D", "VP_* ENGINE", "hardware envytools docs/hw/graph/xf and hwtest/xf.cc, NV20"],
    [
        "Class 0xf1ca PICA200_VERTEX",
        "SH_* START_DRAW_FUNC0 VSH_*",
        "document 3dbrew, GPU/Internal Registers; emulator azahar, video_core/pica",
    ],
    // Two dimensions.
    ["Class 0x0039 M2MF", "DMA_BUFFER_* OFFSET_* PITCH_* LINE_* FORMAT BUF_NOTIFY", SPLIT_BLITS],
    ["Class 0x0062 SURFACE_2D", "DMA_IMAGE_* FORMAT PITCH OFFSET_*", SPLIT_BLITS],
    ["Class 0x309e SURFACE_SWZ", "DMA_IMAGE FORMAT OFFSET", SPLIT_BLITS],
    [
        "Class 0x3089 SIFM",
        "DMA_IMAGE SURFACE COLOR_FORMAT OPERATION CLIP_* OUT_* DU_DX DV_DY SIZE FORMAT OFFSET POINT",
        SPLIT_BLITS,
    ],
    ["Class 0x3089 SIFM", "PATTERN ROP BETA BETA4 COLOR_CONVERSION", HARDWARE_2D],
    [
        "Class 0x308a IFC",
        "CLIP SURFACE COLOR_CONVERSION OPERATION COLOR_FORMAT POINT SIZE_* COLOR",
        "hardware envytools hwtest/pgraph_class_ifc.cc, NV4 to NV20",
    ],
    ["Class 0x308a IFC", "COLOR_KEY PATTERN ROP BETA BETA4", HARDWARE_2D],
    [
        "Class 0x307b TEXUPLOAD",
        "SURFACE COLOR_* POINT SIZE CLIP_* COLOR",
        "none; the register database names the methods",
    ],
    ["Class 0x009f BLIT", "CLIP SURFACE OPERATION POINT_* SIZE", "driver xf86-video-nouveau nv04_exa.c, NV04EXACopy"],
    ["Class 0x009f BLIT", "COLOR_KEY PATTERN ROP BETA BETA4 FLIP_*", HARDWARE_2D],
    [
        "Class 0x004a GDI",
        "SURFACE OPERATION COLOR_FORMAT COLOR1_A UNCLIPPED_*",
        "driver xf86-video-nouveau nv04_exa.c, NV04EXASolid",
    ],
    ["Class 0x004a GDI", "PATTERN ROP BETA BETA4", HARDWARE_2D],
    [
        "Class 0x004a GDI",
        "CLIP_B_* COLOR1_B CLIPPED_* CLIP_C_* COLOR1_C SIZE_C POINT_C MONOCHROME_* CLIP_E_* COLOR?_E COLOR0_E COLOR1_E \
         SIZE_IN_E SIZE_OUT_E POINT_E",
        "hardware envytools hwtest/pgraph_class_solid.cc and pgraph_class_ifc.cc, NV4 to NV20",
    ],
    [
        "Class 0x004a GDI",
        "DMA_FONTS FONT_* CLIP_F_* COLOR1_F CHARACTER_* CLIP_G_* COLOR1_G",
        "none; fonts in memory are not described",
    ],
    ["Class 0x0012 BETA", "BETA_1D31", HARDWARE_2D],
    ["Class 0x0072 BETA4", "BETA_FACTOR", HARDWARE_2D],
    ["Class 0x0043 ROP", "ROP", HARDWARE_2D],
    ["Class 0x0044 PATTERN", "COLOR_* BITMAP* SELECT", "document envytools docs/hw/graph/2d/pattern.rst"],
    ["Class 0x0057 CHROMA", "COLOR*", OBJECTS],
    ["Class 0x0019 CLIP", "POINT SIZE", "hardware envytools hwtest/pgraph_class_clip.cc, NV4 to NV20"],
    // Vertex opcodes.
    [
        VECTOR,
        "MOV MUL ADD MAD DP3 DP4 MIN MAX SLT SGE ARL FRC FLR",
        "piglit spec@arb_vertex_program@instructions@mad; spec@arb_vertex_program@instructions@frc; spec@arb_vertex_program@instructions@arl",
    ],
    [VECTOR, "NOP DPH DST", "document ARB_vertex_program, section 2.14.5"],
    [VECTOR, "SEQ SFL SGT SLE SNE STR SSG ARR ARA", NV_VP2],
    [VECTOR, "TXL", NV_VP3],
    [
        SCALAR,
        "RCP RSQ LG2 EX2",
        "piglit spec@arb_vertex_program@instructions@ex2; spec@arb_vertex_program@instructions@rsq_reciprocal_square_root",
    ],
    [SCALAR, "NOP MOV EXP LOG LIT", "document ARB_vertex_program, section 2.14.5"],
    [
        SCALAR,
        "BRA SIN COS",
        "piglit spec@glsl-1.10@execution@glsl-vs-if-nested; spec@glsl-1.10@execution@built-in-functions@vs-sin-float",
    ],
    [SCALAR, "RCC", "document NV_vertex_program1_1"],
    [SCALAR, "BRI CAL CLI RET", NV_VP2],
    [SCALAR, "BRB CLB", "emulator RPCS3 rpcs3/Emu/RSX/Program/VertexProgramDecompiler.cpp"],
    [SCALAR, "PUSHA POPA", "document NV_vertex_program3, section 2.14.5"],
    // Fragment opcodes.
    [
        FRAGMENT,
        "MOV MUL ADD MAD DP3 DP4 MIN MAX SLT SGE FRC FLR KIL TEX TXP TXB RCP EX2 LG2 SIN COS",
        "piglit spec@arb_fragment_program@fp-long-alu; spec@arb_fragment_program@fp-kil; spec@arb_fragment_program@texturing@txp-2d",
    ],
    [
        FRAGMENT,
        "DDX DDY",
        "piglit shaders@glsl-derivs; spec@glsl-1.10@execution@fs-dfdx-accuracy; spec@glsl-1.10@execution@fs-dfdy-accuracy",
    ],
    [FRAGMENT, "NOP DST LIT LRP POW", "document ARB_fragment_program, section 3.11.5"],
    [FRAGMENT, "RSQ DIVSQ", PS3_FUNCTIONS],
    [FRAGMENT, "SLE SGT SNE SEQ STR SFL PK* UP* RFL X2D TXD", NV_FP],
    [FRAGMENT, "DP2A DIV NRM DP2 TXL BRK CAL IF LOOP REP RET", NV_FP2],
    [
        FRAGMENT,
        "TEXBEM TXPBEM BEMLUM TIMESWTEX FENCT FENCB",
        "emulator RPCS3 rpcs3/Emu/RSX/Program, FragmentProgramDecompiler.cpp and FragmentInterpreter.glsl",
    ],
    [FRAGMENT, "LITEX2", "none; Mesa's nvfx_shader.h names it"],
    // Values.
    ["Values of NV40_3D NOTIFY style", "*", NOTIFIER],
    ["Values of NV40_3D QUERY_GET counter", "ZPASS", "piglit spec@arb_occlusion_query@occlusion_query"],
    ["Values of NV40_3D QUERY_GET counter", "ZCULL_*", "none; the register database names the counters"],
    ["Values of NV40_3D RENDER_ENABLE mode", "*", "piglit spec@nv_conditional_render@clear"],
    [
        "Values of NV40_3D RT_FORMAT color",
        "R5G6B5 X8R8G8B8_Z A8R8G8B8 B8",
        "piglit spec@ext_framebuffer_object@fbo-storage-formats",
    ],
    [
        "Values of NV40_3D RT_FORMAT color",
        "X1R5G5B5_* X8R8G8B8_O G8B8 A16B16G16R16F A32B32G32R32F R32F X8B8G8R8_* A8B8G8R8",
        "emulator RPCS3 rpcs3/Emu/RSX/gcm_enums.h, surface_color_format",
    ],
    [
        "Values of NV40_3D RT_FORMAT zeta",
        "*",
        "piglit spec@arb_depth_texture@fbo-depth-gl_depth_component24-blit; spec@arb_depth_texture@fbo-depth-gl_depth_component16-blit",
    ],
    ["Values of NV40_3D RT_FORMAT layout", "*", "piglit spec@ext_framebuffer_object@fbo-generatemipmap"],
    ["Values of NV40_3D RT_FORMAT multisample", "X1", FRAMEBUFFER],
    [
        "Values of NV40_3D RT_FORMAT multisample",
        "X2_* X4_*",
        "emulator RPCS3 rpcs3/Emu/RSX/gcm_enums.h, surface_antialiasing",
    ],
    ["Values of NV40_3D SHADE_MODEL model", "*", "piglit spec@arb_provoking_vertex@arb-provoking-vertex-render"],
    ["Values of NV40_3D POLYGON_MODE_FRONT mode", "*", "piglit spec@!opengl 1.1@polygon-mode"],
    ["Values of NV40_3D CULL_FACE face", "*", "piglit spec@!opengl 1.1@point-line-no-cull"],
    ["Values of NV40_3D FRONT_FACE winding", "*", "piglit spec@!opengl 1.1@clipflat"],
    ["Values of NV40_3D ALPHA_FUNC_FUNC function", "*", "document OpenGL 2.1, section 4.1.4"],
    ["Values of NV40_3D BLEND_FUNC_SRC color", "*", "piglit spec@!opengl 1.0@gl-1.0-blend-func"],
    [
        "Values of NV40_3D BLEND_EQUATION color",
        "ADD MIN MAX SUBTRACT REVERSE_SUBTRACT",
        "piglit spec@!opengl 1.4@blendminmax; spec@!opengl 1.0@gl-1.0-blend-func",
    ],
    ["Values of NV40_3D BLEND_EQUATION color", "*_SIGNED", "none; the register database names the equations"],
    [
        "Values of NV40_3D STENCIL_OP_FAIL operation",
        "*",
        "piglit spec@!opengl 1.4@stencil-wrap; spec@!opengl 2.0@stencil-twoside",
    ],
    ["Values of NV40_3D COLOR_LOGIC_OP_OP operation", "*", "piglit spec@!opengl 1.0@gl-1.0-logicop@GL_NAND"],
    ["Values of NV40_3D VTXBUF dma", "*", "driver Mesa nv30_vbo.c, nv30_vbo_validate"],
    ["Values of NV40_3D VTXFMT component", "S16_NORM F32 U8_UNORM S16", "piglit spec@!opengl 1.5@draw-vertices"],
    ["Values of NV40_3D VTXFMT component", "F16", "piglit spec@arb_half_float_vertex@draw-vertices-half-float"],
    [
        "Values of NV40_3D VTXFMT component",
        "B8G8R8A8_UNORM S11S11S10_NORM U8",
        "emulator RPCS3 rpcs3/Emu/RSX/gcm_enums.h, vertex_base_type",
    ],
    [
        "Values of NV40_3D VERTEX_BEGIN_END primitive",
        "*",
        "piglit spec@!opengl 1.1@degenerate-prims; spec@!opengl 1.1@lineloop; spec@!opengl 1.1@clipflat",
    ],
    ["Values of NV40_3D IDXBUF_FORMAT index", "*", "piglit spec@arb_vertex_buffer_object@combined-vertex-index"],
    [
        "Values of NV40_3D FOG_MODE mode",
        "*",
        "piglit spec@!opengl 1.1@fog-modes; spec@nv_fog_distance@simple draw - gl_eye_plane",
    ],
    ["Values of NV40_3D FP_ACTIVE_PROGRAM dma", "*", "driver Mesa nv30_fragprog.c, nv30_fragprog_validate"],
    ["Values of NV40_3D ENGINE *", "*", "driver Mesa nv30_vertprog.c, nv30_vertprog_validate"],
    [
        "Values of NV40_3D TEX_FORMAT format",
        "B8 A1R5G5B5 A4R4G4B4 R5G6B5 A8R8G8B8 D8R8G8B8 G8B8 X16 Y16_X16",
        "piglit spec@!opengl 1.1@texwrap formats; spec@ext_texture_snorm@texwrap formats",
    ],
    [
        "Values of NV40_3D TEX_FORMAT format",
        "DXT1 DXT23 DXT45",
        "piglit spec@ext_texture_compression_s3tc@s3tc-teximage; spec@ext_texture_compression_s3tc@s3tc-targeted",
    ],
    [
        "Values of NV40_3D TEX_FORMAT format",
        "DEPTH24_D8 DEPTH16",
        "piglit spec@!opengl 1.5@depth-tex-compare; spec@arb_depth_texture@depth-tex-modes",
    ],
    [
        "Values of NV40_3D TEX_FORMAT format",
        "B8R8_G8R8 R8B8_R8G8 R6G5B5 DEPTH24_D8_FLOAT DEPTH16_FLOAT R5G5B5A1 HILO* W16_Z16_Y16_X16_FLOAT W32_Z32_Y32_X32_FLOAT \
         X32_FLOAT D1R5G5B5 Y16_X16_FLOAT",
        "emulator RPCS3 rpcs3/Emu/RSX/gcm_enums.h, CELL_GCM_TEXTURE formats",
    ],
    [
        "Values of NV40_3D TEX_WRAP s",
        "REPEAT MIRRORED_REPEAT CLAMP_TO_EDGE CLAMP_TO_BORDER CLAMP MIRROR_*",
        "piglit spec@!opengl 1.1@texwrap 2d; spec@!opengl 1.1@texwrap 1d; spec@!opengl 1.2@texwrap 3d",
    ],
    ["Values of NV40_3D TEX_WRAP compare", "*", "piglit spec@!opengl 1.5@depth-tex-compare"],
    [
        "Values of NV40_3D TEX_ENABLE anisotropy",
        "*",
        "document EXT_texture_filter_anisotropic; emulator RPCS3 rpcs3/Emu/RSX/gcm_enums.h",
    ],
    ["Values of NV40_3D TEX_SWIZZLE *", "*", "piglit spec@ext_texture_swizzle@ext_texture_swizzle-swizzle"],
    ["Values of NV40_3D TEX_FILTER kernel", "*", "none; the register database names the kernels"],
    [
        "Values of NV40_3D TEX_FILTER m*",
        "NEAREST* LINEAR*",
        "piglit spec@!opengl 1.2@lodclamp-between; spec@ext_texture_lod_bias@lodbias",
    ],
    ["Values of NV40_3D TEX_FILTER m*", "CONVOLUTION", "none; the register database names the filter"],
    ["Values of NV20_3D ENGINE mode", "*", "hardware envytools docs/hw/graph/xf and hwtest/xf.cc, NV20"],
    ["Values of PICA200_VERTEX *", "*", "document 3dbrew, GPU/Internal Registers; emulator azahar, video_core/pica"],
    ["Values of SURFACE_2D FORMAT format", "*", "hardware envytools hwtest/pgraph_class_surf.cc, NV4 to NV20"],
    ["Values of SIFM COLOR_CONVERSION conversion", "*", HARDWARE_2D],
    ["Values of SIFM COLOR_FORMAT format", "*", "hardware envytools hwtest/pgraph_class_sifm.cc, NV4 to NV20"],
    ["Values of SIFM OPERATION operation", "*", HARDWARE_2D],
    ["Values of SIFM FORMAT *", "*", "hardware envytools hwtest/pgraph_class_sifm.cc, NV4 to NV20"],
    ["Values of IFC COLOR_FORMAT format", "*", "hardware envytools hwtest/pgraph_class_ifc.cc, NV4 to NV20"],
    ["Values of GDI *", "*", "hardware envytools hwtest/pgraph_class_solid.cc, NV4 to NV20"],
    ["Values of PATTERN *", "*", "document envytools docs/hw/graph/2d/pattern.rst"],
];

/// What no row shows: a convention, its witness, and a test that shows it.
pub(super) const CONVENTIONS: &[[&str; 3]] = &[
    [
        "front faces turn counter-clockwise in the picture; the window's origin is above",
        "piglit spec@!opengl 1.1@clipflat; spec@!opengl 2.0@vertex-program-two-side enabled back",
        "tests/engines/geometry/reference.rs::facing_follows_the_sign_of_the_area",
    ],
    [
        "stencil state 0 is that of front faces",
        "piglit spec@!opengl 2.0@stencil-twoside; spec@!opengl 2.0@gl-2.0-two-sided-stencil",
        "tests/engines/rop/surfaces.rs::two_sided_stencil_applies_all_operations",
    ],
    [
        "the y of DDY and of the window position grows downward; COORD_CONVENTIONS turns the position",
        "piglit shaders@glsl-derivs; spec@arb_fragment_coord_conventions@fp-arb-fragment-coord-conventions-integer",
        "tests/engines/draws/driver.rs::window_positions_follow_the_conventions",
    ],
    [
        "a polygon offset unit is the least difference of the depth format",
        "piglit spec@!opengl 1.1@polygon-offset; spec@!opengl 1.4@gl-1.4-polygon-offset",
        "tests/engines/draws/primitives.rs::polygon_offset_moves_each_mode_by_slope_and_steps",
    ],
    [
        "the provoking vertex is the last one, but for polygons",
        "piglit spec@arb_provoking_vertex@arb-provoking-vertex-render; spec@!opengl 1.1@clipflat",
        "tests/engines/draws/primitives.rs::the_provoking_vertex_of_all_ten_primitives",
    ],
    [
        "sprites: s to the right, t downward, in the units whose bits are set",
        "piglit spec@arb_point_sprite@arb_point_sprite-checkerboard",
        "tests/engines/draws/primitives.rs::sprites_replace_any_of_ten_coordinates",
    ],
    [
        "anisotropic samples along the longer derivative",
        "document EXT_texture_filter_anisotropic; patent US 7,372,467 and 7,372,468",
        "tests/engines/counters/lookups.rs::footprints_take_as_many_samples_as_they_are_long",
    ],
    [
        "shadow comparison: the reference is the left operand",
        "piglit spec@!opengl 1.5@depth-tex-compare; spec@arb_fragment_program_shadow@tex-shadow2d",
        "tests/engines/texture/filters.rs::comparison_is_filtered_after_it_is_made",
    ],
    [
        "gamma is removed after filtering",
        "document EXT_texture_sRGB, NVIDIA Implementation Details",
        "tests/engines/texture/formats.rs::signed_expanded_and_gamma_bytes_follow_their_formulas",
    ],
    [
        "flat colors are those of the last vertex; texture coordinates stay smooth",
        "hardware a PlayStation 3, RPCS3's pull request 19251",
        "tests/engines/draws/program_state.rs::colors_are_flat_or_smooth",
    ],
    ["the faces of a cube: +x, -x, +y, -y, +z, -z", "hardware a PlayStation 3, RPCS3's issue 18434", ""],
    ["memory copies move one byte at each step", "hardware a PlayStation 3, RPCS3's issue 19198", ""],
    [
        "a fragment source is clamped before its magnitude is taken",
        "hardware a PlayStation 3, RPCS3's pull request 19326",
        "src/reference/fragment/run_fragment_program_tests.rs::a_source_is_clamped_before_its_magnitude",
    ],
    [
        "a return ignores the address of a method",
        "hardware a PlayStation 3, RPCS3's pull request 5185",
        "tests/host/undefined_bits.rs::a_return_with_the_address_of_a_method_ends_the_push",
    ],
    [
        "writes with undefined bits are dropped",
        "hardware envytools hwtest/pgraph_class_kelvin.cc; a PlayStation 3, RPCS3's pull request 14545",
        "tests/host/undefined_bits.rs::a_refused_write_keeps_what_was_there",
    ],
    [
        "releases write four bytes, and none after an offset that is no multiple of four",
        "hardware a PlayStation 3, RPCS3's pull request 8246",
        "tests/host/undefined_bits.rs::a_release_after_an_unaligned_offset_writes_nothing",
    ],
    [
        "signed, gamma and expanded texels",
        "hardware a PlayStation 3, RPCS3's issue 18171",
        "tests/engines/texture/formats.rs::an_rsx_reads_the_same",
    ],
    [
        "palettes of compressed blocks",
        "hardware a PlayStation 3, ps3autotests rsx/texture_formats",
        "tests/engines/texture/formats.rs::blocks_decode_as_on_an_rsx",
    ],
    [
        "words of a polygon stipple count from below; each byte is eight pixels, its highest bit to the left",
        "hardware an Xbox, nxdk_pgraph_tests Stipple_tests; a PlayStation 3, ps3autotests rsx/primitives",
        "tests/host/effects/shapes.rs::polygon_stipples_are_those_of_an_xbox_and_a_ps3",
    ],
    [
        "a point between two rows belongs to the upper one, between two columns to the right one",
        "hardware a PlayStation 3, ps3autotests rsx/primitives",
        "tests/host/effects/shapes.rs::points_cover_the_pixels_of_a_ps3",
    ],
    [
        "bilinear weights are cut off after eight bits; columns first, each step rounded to bytes",
        "hardware a PlayStation 3, ps3autotests rsx/texture_formats; an Xbox, nxdk_pgraph_tests Texture_LOD_Bias",
        "tests/engines/texture/formats.rs::bilinear_fetches_are_those_of_an_rsx",
    ],
    [
        "the unit's bias counts for explicit levels",
        "document NV_fragment_program2, section 3.11.6.6; Direct3D 9, texldl",
        "tests/engines/texture/filters.rs::levels_of_detail_with_bias_and_limits",
    ],
    [
        "back faces have the back colors",
        "piglit spec@!opengl 2.0@vertex-program-two-side enabled back; spec@!opengl 1.1@two-sided-lighting",
        "tests/engines/draws/driver.rs::back_faces_show_the_back_colours",
    ],
    [
        "operands of TXD: the coordinate, then the derivatives, whose order changes nothing",
        "document NV_fragment_program, section 3.11.5.39",
        "",
    ],
    ["order of the signed flags", "emulator RPCS3 rpcs3/Emu/RSX/RSXTexture.cpp, a_signed", ""],
    ["positions of samples", "driver Mesa nv50_context.c, for the next family", ""],
    ["rounding of fragment arithmetic", "none; ADR 0015", ""],
    [
        "colors are rounded to the nearest stored value",
        "hardware a PlayStation 3, ps3autotests rsx/primitives: the sum of the channels of a color that adds up to 255",
        "tests/host/effects/surfaces.rs::every_color_format_stores_its_channels",
    ],
];
