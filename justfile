# Recipes for development. `.ci/run` runs the same checks and the tests on a fresh machine.

# Check format, lints and documentation.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo clippy --lib --bins --no-default-features --features cli -- -D warnings
    cargo clippy --lib --no-default-features -- -D warnings
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps

# Run all tests; fail if there is no adapter.
test:
    CURIE_REQUIRE_ADAPTER=1 cargo test --workspace

# Run all tests with all of their cases, as the hosted workflow does every night. It takes about twice as long.
nightly:
    CURIE_NIGHTLY=1 CURIE_REQUIRE_ADAPTER=1 cargo test --workspace

# Rewrite the hashes of check files, snapshots and generated tables. Review the diff: hashes come from the reference.
bless:
    cargo run -- check --bless scenes/check.toml scenes/captures/check.toml scenes/compute/check.toml
    BLESS=1 INSTA_UPDATE=always cargo test --no-fail-fast --test engines --test host --test command_line

# Compare both engines over CASES families of MEMBERS random streams. KERNELS is invocations, workgroups or stages.
differential CASES="80" SEED="0" KERNELS="invocations" MEMBERS="4" MEMBER="0":
    CURIE_REQUIRE_ADAPTER=1 CURIE_DIFFERENTIAL_CASES={{CASES}} CURIE_DIFFERENTIAL_SEED={{SEED}} CURIE_DIFFERENTIAL_PATH={{KERNELS}} CURIE_DIFFERENTIAL_MEMBERS={{MEMBERS}} CURIE_DIFFERENTIAL_MEMBER={{MEMBER}} cargo test --test engines random_streams_leave_the_same_bytes

# Remove the effect of each row of docs/coverage.md from a copy of the program; its test must fail.
mutants:
    CURIE_REQUIRE_ADAPTER=1 cargo test --test host tests_fail_without_the_effect_of_their_row -- --ignored

# Check licenses, sources and duplicate versions of dependencies.
deny:
    cargo deny check

# Run each fuzz target for SECONDS. Without unsafe code, an address sanitizer would find nothing.
fuzz SECONDS="600":
    for target in assembly nv20_assembly capture packets vertex_microcode nv20_vertex_microcode fragment_microcode pica_microcode pica_assembly shader_binary tesla_microcode tesla_assembly cubin elf_cubin cg_program ptx draws machine scene program_inputs statistics report launch_arguments models live wayland tesla_programs ptx_programs pica_programs rasterizer texture_unit output_merger recompiler engines images compute; do inputs=tests/host/fuzz/inputs/$target; mkdir -p fuzz/corpus/$target; cargo +nightly fuzz run --sanitizer none $target fuzz/corpus/$target $(ls -d $inputs 2>/dev/null) -- -max_total_time={{SECONDS}} || exit 1; done

# Run piglit on the emulated chip (docs/piglit.md). OPTIONS are those of `deqp-runner suite`, or --sample.
[positional-arguments]
piglit *OPTIONS:
    cargo build --release
    suites/piglit/run "$@"

# Run every benchmark once, quickly.
bench:
    cargo bench -- --quick
