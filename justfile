# What people run; `.ci/run` runs checks and tests on a fresh machine.

# Format, lints, documentation.
check:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings
    cargo clippy --all-targets --no-default-features -- -D warnings
    RUSTDOCFLAGS='-D warnings' cargo doc --no-deps

# All tests; a missing adapter is a failure.
test:
    CURIE_REQUIRE_ADAPTER=1 cargo test

# Licences, sources, duplicate versions.
deny:
    cargo deny check

# Each fuzz target for SECONDS.
fuzz SECONDS="600":
    for target in assembly capture packets vertex_microcode fragment_microcode; do cargo +nightly fuzz run $target -- -max_total_time={{SECONDS}} || exit 1; done

# Every benchmark once, quickly.
bench:
    cargo bench -- --quick
