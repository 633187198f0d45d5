//! What the run of every night does beyond that of every change (`just nightly`).

/// Whether all cases are wanted. Compilers of software adapters take most of a test's time, so other runs have fewer.
pub(crate) fn is_nightly() -> bool {
    std::env::var_os("CURIE_NIGHTLY").is_some()
}

/// The number of random cases: of every change, and of every night.
pub(crate) fn cases(daily: u64, nightly: u64) -> u64 {
    if is_nightly() { nightly } else { daily }
}
