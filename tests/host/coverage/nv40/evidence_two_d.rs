//! Evidence for the copy and 2D classes, one line each: section, names, test, reason.

const NOTIFIER: &str = "tests/host/effects/notifiers.rs::every_class_writes_its_notifier";
const CONTEXTS: &str = "tests/engines/images/objects.rs::every_class_draws_by_its_contexts";
const UPLOADS: &str = "tests/engines/images/objects.rs::uploads_are_dithered_or_truncated";
const VERTEX_ENGINE: &str = "tests/host/stream.rs::a_vertex_engine_of_nv20_replaces_the_program_while_it_is_selected";
const PICA: &str = "Class 0xf1ca PICA200_VERTEX";
const SCALED: &str = "Class 0x3089 SIFM";
const UPLOAD: &str = "Class 0x308a IFC";
const TEXTURE: &str = "Class 0x307b TEXUPLOAD";
const BLIT: &str = "Class 0x009f BLIT";
const RECTANGLES: &str = "Class 0x004a GDI";
const IN_ORDER: &str = "work is done in order";
const FONTS: &str = "no public source describes how fonts lie in memory";

/// The lines.
pub(super) const GROUPS: &[[&str; 4]] = &[
    // The 3D class has its own lines; its number does not match this pattern.
    ["Class 0x00*", "NOP", "", IN_ORDER],
    ["Class 0x3*", "NOP WAIT_FOR_IDLE", "", IN_ORDER],
    ["Class 0x00*", "NOTIFY DMA_NOTIFY", NOTIFIER, ""],
    ["Class 0x3*", "NOTIFY DMA_NOTIFY", NOTIFIER, ""],
    ["Class 0x0097 NV20_3D", "VP_* ENGINE", VERTEX_ENGINE, ""],
    ["Values of NV20_3D ENGINE mode", "*", VERTEX_ENGINE, ""],
    [PICA, "NOP", "", IN_ORDER],
    [PICA, "NOTIFY DMA_NOTIFY", NOTIFIER, ""],
    [PICA, "SH_OUTMAP* VSH_OUTMAP_MASK", "tests/host/pica200.rs::outputs_go_where_their_semantics_say", ""],
    [PICA, "START_DRAW_FUNC0", "tests/host/pica200.rs::draws_run_the_shader_in_drawing_mode", ""],
    [PICA, "VSH_BOOLUNIFORM VSH_INTUNIFORM", "tests/host/pica200.rs::integers_and_booleans", ""],
    [
        PICA,
        "VSH_INPUTBUFFER_CONFIG VSH_ATTRIBUTES_PERMUTATION_*",
        "tests/host/pica200.rs::attributes_go_to_the_registers_of_the_permutation",
        "",
    ],
    [
        PICA,
        "VSH_ENTRYPOINT VSH_CODETRANSFER_INDEX VSH_CODETRANSFER_DATA VSH_OPDESCS_*",
        "tests/host/pica200.rs::code_and_descriptors_advance_with_each_word",
        "",
    ],
    [PICA, "VSH_CODETRANSFER_END", "", "words are in effect at once"],
    [PICA, "VSH_FLOATUNIFORM_*", "tests/host/pica200.rs::float_registers_take_packed_words_and_singles", ""],
    [
        "Values of PICA200_VERTEX START_DRAW_FUNC0 mode",
        "*",
        "tests/host/pica200.rs::draws_run_the_shader_in_drawing_mode",
        "",
    ],
    [
        "Values of PICA200_VERTEX SH_OUTMAP x",
        "*",
        "tests/engines/draws/pica200.rs::every_semantic_reaches_its_stage",
        "",
    ],
    [
        "Class 0x0039 M2MF",
        "BUF_NOTIFY",
        "tests/engines/images/objects.rs::notifiers_are_written_after_the_next_method",
        "",
    ],
    [
        "Class 0x0039 M2MF",
        "DMA_BUFFER_* OFFSET_* PITCH_* LINE_* FORMAT",
        "tests/engines/images/copies.rs::every_increment_and_pitch",
        "",
    ],
    [
        "Class 0x0062 SURFACE_2D",
        "DMA_IMAGE_SOURCE OFFSET_SOURCE",
        "tests/engines/images/objects.rs::blits_move_overlapping_rectangles",
        "",
    ],
    [
        "Class 0x0062 SURFACE_2D",
        "DMA_IMAGE_DESTIN FORMAT PITCH OFFSET_DESTIN",
        "tests/engines/images/formats.rs::every_source_format_into_every_surface_format",
        "",
    ],
    [
        "Class 0x309e SURFACE_SWZ",
        "DMA_IMAGE FORMAT OFFSET",
        "tests/engines/images/scaling.rs::clip_rectangles_and_negative_points_on_linear_and_swizzled_surfaces",
        "",
    ],
    [
        SCALED,
        "DMA_IMAGE SURFACE COLOR_FORMAT SIZE OFFSET POINT",
        "tests/engines/images/formats.rs::every_source_format_into_every_surface_format",
        "",
    ],
    [SCALED, "COLOR_CONVERSION", "tests/engines/images/formats.rs::dithered_areas_have_the_mean_of_their_colour", ""],
    [SCALED, "PATTERN", "tests/engines/images/operations.rs::patterns_of_bits_in_every_shape_and_order", ""],
    [SCALED, "ROP OPERATION", "tests/engines/images/operations.rs::rop_and_with_every_truth_table", ""],
    [SCALED, "BETA", "tests/engines/images/operations.rs::blend_and_by_alpha_times_beta", ""],
    [SCALED, "BETA4", "tests/engines/images/operations.rs::premultiplied_operations_by_four_factors", ""],
    [
        SCALED,
        "CLIP_POINT CLIP_SIZE OUT_POINT OUT_SIZE",
        "tests/engines/images/scaling.rs::clip_rectangles_and_negative_points_on_linear_and_swizzled_surfaces",
        "",
    ],
    [
        SCALED,
        "DU_DX DV_DY FORMAT",
        "tests/engines/images/scaling.rs::every_scale_samples_where_the_fixed_point_says",
        "",
    ],
    [UPLOAD, "COLOR_KEY", "tests/engines/images/objects.rs::keyed_colours_are_not_written", ""],
    [UPLOAD, "CLIP", "tests/engines/images/objects.rs::clip_objects_take_two_corners_or_a_corner_and_a_size", ""],
    [UPLOAD, "PATTERN ROP BETA BETA4 OPERATION", CONTEXTS, ""],
    [UPLOAD, "COLOR_CONVERSION", UPLOADS, ""],
    [
        UPLOAD,
        "SURFACE COLOR_FORMAT POINT SIZE_OUT SIZE_IN COLOR",
        "tests/engines/images/objects.rs::images_from_the_processor_in_every_format",
        "",
    ],
    [TEXTURE, "COLOR_CONVERSION", UPLOADS, ""],
    [
        TEXTURE,
        "SURFACE COLOR_FORMAT POINT SIZE CLIP_* COLOR",
        "tests/engines/images/objects.rs::textures_from_the_processor_into_swizzled_surfaces",
        "",
    ],
    [BLIT, "WAIT_FOR_IDLE", "", IN_ORDER],
    [BLIT, "FLIP_*", "", "nothing waits for a screen"],
    [BLIT, "COLOR_KEY CLIP", "tests/engines/images/objects.rs::blits_are_clipped_and_leave_out_the_key", ""],
    [BLIT, "PATTERN ROP BETA BETA4 OPERATION", CONTEXTS, ""],
    [BLIT, "SURFACE POINT_IN POINT_OUT SIZE", "tests/engines/images/objects.rs::blits_move_overlapping_rectangles", ""],
    [RECTANGLES, "PATTERN ROP BETA BETA4 OPERATION", CONTEXTS, ""],
    [
        RECTANGLES,
        "SURFACE COLOR_FORMAT COLOR1_A COLOR1_B UNCLIPPED_* CLIPPED_* CLIP_B_*",
        "tests/engines/images/objects.rs::solid_rectangles_with_and_without_clip",
        "",
    ],
    [
        RECTANGLES,
        "MONOCHROME_* CLIP_C_* COLOR1_C SIZE_C POINT_C CLIP_E_* COLOR?_E COLOR0_E COLOR1_E SIZE_IN_E SIZE_OUT_E POINT_E",
        "tests/engines/images/objects.rs::bitmaps_of_one_and_two_colours",
        "",
    ],
    [RECTANGLES, "DMA_FONTS FONT_* CLIP_F_* COLOR1_F CHARACTER_* CLIP_G_* COLOR1_G", "", FONTS],
    ["Class 0x0012 BETA", "BETA_1D31", "tests/engines/images/operations.rs::blend_and_by_alpha_times_beta", ""],
    [
        "Class 0x0072 BETA4",
        "BETA_FACTOR",
        "tests/engines/images/operations.rs::premultiplied_operations_by_four_factors",
        "",
    ],
    ["Class 0x0043 ROP", "ROP", "tests/engines/images/operations.rs::rop_and_with_every_truth_table", ""],
    ["Class 0x0044 PATTERN", "SELECT", "tests/engines/images/operations.rs::rop_and_with_every_truth_table", ""],
    [
        "Class 0x0044 PATTERN",
        "COLOR_FORMAT BITMAP_FORMAT BITMAP_SHAPE BITMAP_COLOR BITMAP",
        "tests/engines/images/operations.rs::patterns_of_bits_in_every_shape_and_order",
        "",
    ],
    [
        "Class 0x0044 PATTERN",
        "COLOR_Y8 COLOR_R5G6B5 COLOR_X1R5G5B5 COLOR_X8R8G8B8",
        "tests/engines/images/operations.rs::patterns_take_colours_in_every_format",
        "",
    ],
    ["Class 0x0057 CHROMA", "COLOR_FORMAT COLOR", "tests/engines/images/objects.rs::keyed_colours_are_not_written", ""],
    [
        "Class 0x0019 CLIP",
        "POINT SIZE",
        "tests/engines/images/objects.rs::clip_objects_take_two_corners_or_a_corner_and_a_size",
        "",
    ],
    // Values.
    [
        "Values of SURFACE_2D FORMAT format",
        "*",
        "tests/engines/images/formats.rs::every_source_format_into_every_surface_format",
        "",
    ],
    [
        "Values of SIFM COLOR_CONVERSION conversion",
        "DITHER",
        "tests/engines/images/formats.rs::dithered_areas_have_the_mean_of_their_colour",
        "",
    ],
    [
        "Values of SIFM COLOR_CONVERSION conversion",
        "*",
        "tests/engines/images/formats.rs::conversions_of_every_value",
        "",
    ],
    [
        "Values of SIFM COLOR_FORMAT format",
        "*",
        "tests/engines/images/formats.rs::every_source_format_into_every_surface_format",
        "",
    ],
    [
        "Values of SIFM OPERATION operation",
        "SRCCOPY_AND",
        "tests/engines/images/operations.rs::source_copy_and_leaves_out_transparent_pixels",
        "",
    ],
    [
        "Values of SIFM OPERATION operation",
        "ROP_AND",
        "tests/engines/images/operations.rs::rop_and_with_every_truth_table",
        "",
    ],
    [
        "Values of SIFM OPERATION operation",
        "BLEND_AND",
        "tests/engines/images/operations.rs::blend_and_by_alpha_times_beta",
        "",
    ],
    [
        "Values of SIFM OPERATION operation",
        "SRCCOPY",
        "tests/engines/images/formats.rs::every_source_format_into_every_surface_format",
        "",
    ],
    [
        "Values of SIFM OPERATION operation",
        "*_PREMULT",
        "tests/engines/images/operations.rs::premultiplied_operations_by_four_factors",
        "",
    ],
    [
        "Values of SIFM FORMAT *",
        "*",
        "tests/engines/images/scaling.rs::every_scale_samples_where_the_fixed_point_says",
        "",
    ],
    [
        "Values of IFC COLOR_FORMAT format",
        "*",
        "tests/engines/images/objects.rs::images_from_the_processor_in_every_format",
        "",
    ],
    [
        "Values of GDI MONOCHROME_FORMAT format",
        "*",
        "tests/engines/images/objects.rs::bitmaps_of_one_and_two_colours",
        "",
    ],
    [
        "Values of GDI COLOR_FORMAT format",
        "*",
        "tests/engines/images/objects.rs::solid_rectangles_with_and_without_clip",
        "",
    ],
    [
        "Values of PATTERN SELECT kind",
        "COLOR",
        "tests/engines/images/operations.rs::rop_and_with_every_truth_table",
        "",
    ],
    [
        "Values of PATTERN COLOR_FORMAT format",
        "*",
        "tests/engines/images/operations.rs::patterns_have_two_colours_in_every_format",
        "",
    ],
    ["Values of PATTERN *", "*", "tests/engines/images/operations.rs::patterns_of_bits_in_every_shape_and_order", ""],
];
