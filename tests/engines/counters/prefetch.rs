//! The bundled scenes on the model of prefetching: what the latency of memory costs them.

use std::path::Path;

use curie::replay::ReplayOptions;
use curie::scene::{SceneFile, SceneOptions};
use curie::statistics::models::{ModelRunner, TracedFrames, frame_textures, texture_trace};

use super::models::ultra;
use crate::common::nightly::is_nightly;

/// Clocks of the slowest pipe in the first frame of a scene, with the latency of memory and without; `None` if the
/// frame has no texture lookups.
fn clocks(name: &str, size: Option<(u32, u32)>) -> Option<[u64; 2]> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name);
    let capture = SceneFile::open(&folder, &SceneOptions { size }).unwrap().capture(0..1).unwrap();
    let machine = ultra();
    let mut frames = TracedFrames::new(&capture, &machine, &ReplayOptions::default()).unwrap();
    let frame = frames.find(|frame| frame.as_ref().is_ok_and(|frame| !frame.draws.is_empty())).unwrap().unwrap();
    let (trace, is_cut_off) = texture_trace(&frame.draws, &machine);
    assert!(!is_cut_off, "{name}");
    if trace.lookups.is_empty() {
        return None;
    }
    let (textures, _) = frame_textures(&trace, &machine, ModelRunner::default()).unwrap();
    let most = |of: fn(&curie::statistics::prefetch::PrefetchResult) -> u64| textures.pipes.iter().map(of).max();
    Some([most(|pipe| pipe.cycles)?, most(|pipe| pipe.cycles_without_latency)?])
}

/// At least 97 % of the rate without latency, as Igehy, Eldridge and Proudfoot published for their scenes.
#[test]
fn the_scenes_run_at_nearly_the_rate_without_latency() {
    // Scenes of many lookups have enough of them at a quarter of their width and height.
    let small = Some((128, 96));
    let scenes = [
        ("anemones", small),
        ("anisotropic_floor", None),
        ("army", None),
        ("deferred", small),
        ("displacement", None),
        ("edges", None),
        ("hdr", None),
        ("island", None),
        ("reflection", None),
        ("shadow_map", small),
    ];
    // The first one has the most lookups, and these have one texture, several, and a depth texture.
    let daily = ["anisotropic_floor", "reflection", "shadow_map"];
    for (name, size) in scenes.into_iter().filter(|(name, _)| is_nightly() || daily.contains(name)) {
        let [with, without] = clocks(name, size).unwrap_or_else(|| panic!("{name} has no lookups"));
        assert!(without <= with && with * 97 <= without * 100, "{name}: {with} clocks, {without} without latency");
    }
}

/// A frame of about a thousand clocks hides no first latency: nothing is shaded before its first line arrives.
#[test]
fn a_small_frame_pays_the_latency_once() {
    let [with, without] = clocks("anisotropic_floor", Some((128, 96))).unwrap();
    assert!(with * 97 > without * 100, "{with} clocks, {without} without latency");
    assert_eq!(with - without, u64::from(ultra().prefetch.memory_latency));
}

#[test]
fn the_other_scenes_have_no_lookups() {
    for name in ["julia", "particles", "phong", "shadow_volumes"] {
        assert_eq!(clocks(name, Some((32, 24))), None, "{name}");
    }
}
