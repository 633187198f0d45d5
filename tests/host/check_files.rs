//! The check files beside the bundled captures and scenes list all of them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::common::check_files::{CAPTURES, COMPUTE, GEFORCE_8, LONG_CAPTURES, SCENES, bundled_streams, cases, stream};

/// The bundled streams that no case of these check files plays.
fn without_case(files: &[&str]) -> BTreeSet<PathBuf> {
    let cases = files.iter().flat_map(|file| cases(file));
    let played: BTreeSet<PathBuf> = cases.map(|case| stream(&case).path.clone()).collect();
    bundled_streams().into_iter().filter(|path| !played.contains(path)).collect()
}

#[test]
fn every_bundled_stream_has_a_case() {
    assert_eq!(without_case(&[CAPTURES, GEFORCE_8, LONG_CAPTURES, SCENES, COMPUTE]), BTreeSet::new());
}

#[test]
fn streams_without_a_case_are_found() {
    let streams = |file| cases(file).iter().map(|case| stream(case).path.clone()).collect::<BTreeSet<_>>();
    assert_eq!(without_case(&[CAPTURES, GEFORCE_8, LONG_CAPTURES, COMPUTE]), streams(SCENES));
    assert_eq!(without_case(&[CAPTURES, GEFORCE_8, SCENES, COMPUTE]), streams(LONG_CAPTURES));
}
