//! Evidence for the 2D, copy and compute classes, entries and instructions, one line each: section, names, test, reason.

const TWO_D: &str = "Class 0x502d G80_2D";
const COPY: &str = "Class 0x5039 G80_M2MF";
const COMPUTE: &str = "Class 0x50c0 G80_COMPUTE";
const NOTIFIER: &str = "tests/host/tesla_effects/transfers.rs::every_class_writes_its_notifier";
const OBJECT: &str = "every DMA object covers all of virtual memory";
const ORDER: &str = "work is done in order";
const SEEN: &str = "memory is read where it is used";
const UNNAMED: &str = "no public source says what it does; drivers write its initial value";
const COUNTERS: &str = "a performance counter of the driver, or a limit that stops endless programs";
const RESOURCES: &str = "programs have all the registers, stacks and local memory that they address";
const DRAWN: &str = "drawing in two dimensions, which is counted: Mesa's driver draws by the 3D class";
const BITMAP: &str = "of uploads of bitmaps, which are counted";
const UPLOADS: &str = "tests/host/tesla_effects/transfers.rs::uploads_fill_rows_and_blocks";
const SCALED: &str = "tests/host/tesla_effects/transfers.rs::uploads_that_convert_or_scale_are_counted";
const NEAREST: &str = "tests/host/tesla_effects/transfers.rs::copies_take_the_nearest_texel";
const BLOCKS: &str = "tests/host/tesla_effects/transfers.rs::copies_read_blocks";
const CONVERSIONS: &str = "tests/host/tesla_effects/transfers.rs::copies_convert_formats";
const CONDITIONS: &str = "tests/host/tesla_effects/transfers.rs::copies_are_clipped_and_conditional";
const PATTERNS: &str = "tests/host/tesla_effects/transfers.rs::copies_combine_with_a_pattern";
const FORTY_BITS: &str = "tests/host/tesla_effects/transfers.rs::images_and_copies_have_addresses_of_forty_bits";
const LINES: &str = "tests/host/tesla_effects/transfers.rs::memory_is_copied_line_by_line";
const COPIED_BLOCKS: &str = "tests/engines/compute/stream_textures.rs::copies_write_and_read_blocks";
const LAUNCH: &str = "tests/host/tesla_effects/launches.rs::a_launch_has_a_grid_parameters_and_memory";
const LAUNCH_TEXTURES: &str = "tests/host/tesla_effects/launches.rs::a_launch_has_textures";
const LAUNCH_FORTY_BITS: &str = "tests/host/tesla_effects/launches.rs::launches_have_addresses_of_forty_bits";

/// The lines.
pub(super) const GROUPS: &[[&str; 4]] = &[
    ["Every class", "SEMAPHORE_ADDRESS_HIGH", FORTY_BITS, ""],
    [
        "Every class",
        "SEMAPHORE_ADDRESS_LOW SEMAPHORE_SEQUENCE SEMAPHORE_TRIGGER",
        "tests/host/tesla_effects/transfers.rs::semaphores_at_addresses_are_released_and_compared",
        "",
    ],
    [
        "Every class",
        "OBJECT REF_CNT DMA_SEMAPHORE SEMAPHORE_*",
        "tests/host/tesla_effects/transfers.rs::the_puller_binds_counts_and_releases",
        "",
    ],
    ["Every class", "YIELD", "", "there is one channel"],
    ["Every class", "NOTIFY_INTR", "", "an interrupt of the driver"],
    ["Every class", "WRCACHE_FLUSH", "", SEEN],
    // The 2D class.
    [TWO_D, "NOTIFY DMA_NOTIFY", NOTIFIER, ""],
    [TWO_D, "NOP SERIALIZE", "", ORDER],
    [TWO_D, "PM_TRIGGER", "", COUNTERS],
    [TWO_D, "DMA_*", "", OBJECT],
    [TWO_D, "UNK* SET_PIXELS_FROM_MEMORY_*", "", UNNAMED],
    [TWO_D, "DST_ADDRESS_HIGH SRC_ADDRESS_HIGH COND_ADDRESS_HIGH", FORTY_BITS, ""],
    [TWO_D, "DST_FORMAT SRC_FORMAT", CONVERSIONS, ""],
    [TWO_D, "SIFC_FORMAT SIFC_BITMAP_ENABLE SIFC_DX_* SIFC_DY_*", SCALED, "uploads that convert or scale are counted"],
    [TWO_D, "DST_*", UPLOADS, ""],
    [TWO_D, "SRC_LINEAR SRC_BLOCK_DIMENSIONS SRC_DEPTH SRC_LAYER", BLOCKS, ""],
    [TWO_D, "SRC_*", NEAREST, ""],
    [TWO_D, "COND_* CLIP_*", CONDITIONS, ""],
    [TWO_D, "COLOR_KEY_ENABLE", "tests/host/tesla_effects/transfers.rs::copies_with_keys_are_counted", ""],
    [TWO_D, "COLOR_KEY*", "", "of copies with a color key, which are counted"],
    [TWO_D, "BETA*", "", "of blending operations, which are counted"],
    [TWO_D, "PATTERN_SELECT PATTERN_OFFSET", "tests/host/tesla_effects/transfers.rs::copies_with_keys_are_counted", ""],
    [TWO_D, "ROP OPERATION PATTERN_BITMAP_COLOR PATTERN_BITMAP", PATTERNS, ""],
    [
        TWO_D,
        "PATTERN_COLOR_FORMAT PATTERN_BITMAP_FORMAT",
        "",
        "the bits of a texel are those of the pattern's color, in the format that drivers write",
    ],
    [TWO_D, "PATTERN_*", "", "of patterns of many colors, which are counted"],
    [TWO_D, "DRAW_*", "", DRAWN],
    [TWO_D, "SIFC_BITMAP_*", "", BITMAP],
    [TWO_D, "SIFC_DST_X_FRACT SIFC_DST_Y_FRACT", "", "uploads begin at whole texels"],
    [TWO_D, "SIFC_*", UPLOADS, ""],
    [TWO_D, "BLIT_*", NEAREST, ""],
    // Memory copies.
    [COPY, "NOTIFY DMA_NOTIFY", NOTIFIER, ""],
    [COPY, "NOP SERIALIZE", "", ORDER],
    [COPY, "PM_TRIGGER", "", COUNTERS],
    [COPY, "DMA_*", "", OBJECT],
    [COPY, "OFFSET_*_HIGH", FORTY_BITS, ""],
    [COPY, "OFFSET_* PITCH_* LINE_* FORMAT BUF_NOTIFY", LINES, ""],
    [COPY, "LAYOUT_* BLOCKLINEAR_*", COPIED_BLOCKS, ""],
    // Launches.
    [COMPUTE, "NOTIFY DMA_NOTIFY", NOTIFIER, ""],
    [COMPUTE, "NOP SERIALIZE DELAY*", "", ORDER],
    [COMPUTE, "PM_TRIGGER MP_PM_* WATCHDOG_TIMER", "", COUNTERS],
    [COMPUTE, "DMA_*", "", OBJECT],
    [COMPUTE, "UNK*", "", UNNAMED],
    [COMPUTE, "TSC_FLUSH TIC_FLUSH TEX_CACHE_CTL CODE_CB_FLUSH WRCACHE_FLUSH", "", SEEN],
    [COMPUTE, "LINKED_TSC", "", "no driver samples by the entry with the number of the texture"],
    [COMPUTE, "TEX_MISC", "tests/host/tesla_effects/launches.rs::launches_ask_for_cube_maps_without_seams", ""],
    [
        COMPUTE,
        "STACK_ADDRESS_* LOCAL_ADDRESS_* CALL_LIMIT_LOG LANES32_ENABLE LOCAL_WARPS_* STACK_WARPS_* REG_MODE",
        "",
        RESOURCES,
    ],
    [COMPUTE, "BLOCKDIM_LATCH", "", "sizes of blocks are in effect at once"],
    [COMPUTE, "COND_*", "", "no driver makes launches conditional; other modes than ALWAYS are counted"],
    [COMPUTE, "GLOBAL_PITCH", "", "of block linear spaces, which are counted"],
    [COMPUTE, "GLOBAL_ADDRESS_HIGH", "tests/engines/compute/stream.rs::what_a_launch_cannot_do_is_counted", ""],
    [
        COMPUTE,
        "CP_ADDRESS_HIGH CB_DEF_ADDRESS_HIGH TIC_ADDRESS_HIGH TSC_ADDRESS_HIGH QUERY_ADDRESS_HIGH",
        LAUNCH_FORTY_BITS,
        "",
    ],
    [COMPUTE, "BIND_* TIC_* TSC_* TEX_LIMITS", LAUNCH_TEXTURES, ""],
    [COMPUTE, "ISA_FLAGS", "tests/host/tesla_effects/launches.rs::zero_wins_in_launches_where_it_is_asked_for", ""],
    [COMPUTE, "*", LAUNCH, ""],
    // Values.
    ["Values of G80_3D NOTIFY style", "*", NOTIFIER, "no driver waits for an interrupt here: both write the notifier"],
    [
        "Values of * SEMAPHORE_TRIGGER action",
        "*",
        "tests/host/tesla_effects/transfers.rs::semaphores_at_addresses_are_released_and_compared",
        "",
    ],
    ["Values of G80_2D COLOR_KEY_FORMAT format", "*", "", "of copies with a color key, which are counted"],
    ["Values of G80_2D OPERATION operation", "SRCCOPY", NEAREST, ""],
    ["Values of G80_2D OPERATION operation", "ROP", PATTERNS, ""],
    ["Values of G80_2D OPERATION operation", "*", "", "no driver at hand asks for it; it is counted"],
    ["Values of G80_2D PATTERN_SELECT pattern", "BITMAP_8X8", PATTERNS, ""],
    ["Values of G80_2D PATTERN_SELECT pattern", "*", "", "no driver at hand asks for it; it is counted"],
    [
        "Values of G80_2D PATTERN_*",
        "*",
        "",
        "the bits of a texel are those of the pattern's color, in the format that drivers write",
    ],
    ["Values of G80_2D DRAW_SHAPE shape", "*", "", DRAWN],
    ["Values of G80_2D SIFC_BITMAP_*", "*", "", BITMAP],
    [
        "Values of G80_2D BLIT_CONTROL origin",
        "*",
        "",
        "the place of a texel is that of its corner; drivers add the half themselves",
    ],
    ["Values of G80_2D BLIT_CONTROL filter", "*", NEAREST, "filters between texels are counted"],
    // Entries.
    ["Texture entries, type", "CUBEMAP", "tests/engines/draws/simt_textures.rs::faces_of_a_cube_map", ""],
    ["Texture entries, type", "CUBE_ARRAY", "tests/engines/draws/simt_textures.rs::faces_of_an_array_of_cube_maps", ""],
    ["Texture entries, type", "*_ARRAY", "tests/engines/draws/simt_textures.rs::layers_of_an_array", ""],
    ["Texture entries, type", "ONE_D_BUFFER", "tests/engines/draws/simt_textures.rs::a_buffer_is_a_row", ""],
    ["Texture entries, type", "*", "src/chip/tesla/texture_entry.rs::other_types", ""],
    ["Texture entries, component source", "*", "src/chip/tesla/texture_entry.rs::two_dimensions_in_blocks", ""],
    ["Texture entries, format", "*", "src/chip/tesla/texture_entry.rs::formats_by_sizes_and_types", ""],
    ["Texture entries, format with comparison", "*", "tests/engines/draws/simt_textures.rs::depths_are_compared", ""],
    ["Sampler entries, wrap", "*", "tests/engines/compute/stream_textures.rs::wraps_and_borders", ""],
    ["Sampler entries, comparison", "*", "tests/engines/draws/simt_textures.rs::depths_are_compared", ""],
    [
        "Sampler entries, anisotropy",
        "*",
        "src/chip/tesla/texture_entry.rs::anisotropy_comes_from_the_texture_if_asked_for",
        "",
    ],
    [
        "Sampler entries, filter between levels",
        "*",
        "tests/engines/compute/stream_textures.rs::levels_are_read_and_mixed",
        "",
    ],
    ["Sampler entries, *", "*", "tests/engines/compute/stream_textures.rs::the_level_of_detail_chooses_the_filter", ""],
    // Instructions.
    ["Instructions of *", "texcsaa", "", "no driver has a use of coverage samples"],
    [
        "Instructions of *",
        "fma",
        "src/reference/compute/arithmetic_tests.rs::what_is_not_emulated_gives_zero_and_is_counted",
        "double precision is not emulated",
    ],
    ["Instructions of *", "emit restart", "tests/engines/draws/geometry_programs.rs::points_become_squares", ""],
    [
        "Instructions of *",
        "add sub subr addc",
        "src/reference/compute/arithmetic_tests.rs::integers_are_summed_with_their_terms",
        "",
    ],
    ["Instructions of *", "set slct", "src/reference/compute/arithmetic_tests.rs::comparisons_give_all_ones", ""],
    [
        "Instructions of *",
        "max min",
        "src/reference/compute/arithmetic_tests.rs::smaller_and_larger_numbers_are_chosen",
        "",
    ],
    [
        "Instructions of *",
        "mul sad",
        "src/reference/compute/arithmetic_tests.rs::products_have_their_width_and_sign",
        "",
    ],
    [
        "Instructions of *",
        "and or xor shl shr",
        "src/reference/compute/arithmetic_tests.rs::bits_are_combined_and_shifted",
        "",
    ],
    ["Instructions of *", "cvt", "src/reference/compute/arithmetic_tests.rs::numbers_are_converted", ""],
    [
        "Instructions of *",
        "mov mov2",
        "src/reference/compute/arithmetic_tests.rs::special_registers_tell_the_place_and_the_time",
        "",
    ],
    [
        "Instructions of *",
        "rcp rsqrt lg2 sin cos ex2 presin preex2",
        "tests/arith/tesla.rs::special_functions_agree_over_all_fractions",
        "",
    ],
    [
        "Instructions of *",
        "interp",
        "tests/engines/compute/graphics.rs::planes_are_sampled_at_centers_centroids_and_vertices",
        "",
    ],
    [
        "Instructions of *",
        "discard",
        "tests/engines/draws/simt.rs::a_program_discards_computes_depth_and_writes_two_targets",
        "",
    ],
    ["Instructions of *", "bra joinat", "src/reference/compute/flow_tests.rs::diverged_threads_join", ""],
    [
        "Instructions of *",
        "break breakaddr",
        "src/reference/compute/flow_tests.rs::threads_break_out_of_a_loop_after_different_trips",
        "",
    ],
    [
        "Instructions of *",
        "call ret",
        "src/reference/compute/flow_tests.rs::threads_return_from_calls_at_different_places",
        "",
    ],
    ["Instructions of *", "preret", "src/reference/compute/flow_tests.rs::a_pushed_return_address_is_returned_to", ""],
    [
        "Instructions of *",
        "quadon quadpop",
        "src/reference/compute/flow_tests.rs::quads_become_whole_and_partial_again",
        "",
    ],
    ["Instructions of *", "quadop", "src/reference/compute/flow_tests.rs::quad_operations_read_another_lane", ""],
    ["Instructions of *", "vote", "src/reference/compute/flow_tests.rs::votes_tell_any_and_all", ""],
    ["Instructions of *", "bar", "src/reference/compute/flow_tests.rs::warps_exchange_values_across_a_barrier", ""],
    ["Instructions of *", "trap brkpt", "src/reference/compute/flow_tests.rs::a_trap_ends_the_launch", ""],
    [
        "Instructions of *",
        "nop exit pmevent",
        "src/reference/compute/flow_tests.rs::an_exit_ends_threads_whatever_the_predicate",
        "",
    ],
    ["Instructions of *", "ld", "src/reference/compute/memory_tests.rs::global_loads_fill_registers_by_their_size", ""],
    ["Instructions of *", "st", "src/reference/compute/memory_tests.rs::global_stores_change_their_bytes_only", ""],
    ["Instructions of *", "texgather", "tests/engines/draws/simt_textures.rs::gathers_read_four_texels", ""],
    ["Instructions of *", "texquerylod", "tests/engines/draws/simt_textures.rs::levels_of_detail_are_asked_for", ""],
    ["Instructions of *", "texprep", "tests/engines/draws/simt_textures.rs::faces_of_an_array_of_cube_maps", ""],
    [
        "Instructions of *",
        "texbias",
        "tests/engines/draws/simt_textures.rs::levels_of_detail_have_a_bias_and_limits",
        "",
    ],
    ["Instructions of *", "tex*", "tests/engines/draws/simt_textures.rs::formats_that_the_driver_uses", ""],
    ["Instructions of *", "*", "src/reference/compute/memory_tests.rs::atomic_operations_happen_lane_by_lane", ""],
];
