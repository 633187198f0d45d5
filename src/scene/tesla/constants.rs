//! Computes and uploads the constants of a draw's programs.

use super::methods::Methods;
use crate::command::methods::tesla::three_d::below_1400::{CB_ADDR, CB_DATA};
use crate::scene::constants::Finder;
use crate::scene::error::SceneError;
use crate::scene::loaded_program::SimtCode;

/// The most words of a packet of constants.
const PACKET: usize = 1024;

/// The words of c0[] that a program's constants fill, in order: where each run of words begins, and the words.
pub(super) fn runs(code: &SimtCode, finder: &Finder<'_>) -> Result<Vec<(u32, Vec<u32>)>, SceneError> {
    let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
    for constant in &code.constants {
        let value = finder.bits(&constant.value)?;
        let words = &value[..constant.count as usize];
        match runs.last_mut() {
            Some((start, run)) if start.wrapping_add(u32::try_from(run.len()).unwrap_or(0)) == constant.word => {
                run.extend_from_slice(words);
            }
            _ => runs.push((constant.word, words.to_vec())),
        }
    }
    Ok(runs)
}

/// Writes runs of words into a constant buffer.
pub(super) fn upload(methods: &mut Methods, buffer: u32, runs: &[(u32, Vec<u32>)]) {
    for (start, words) in runs {
        for (first, words) in (*start..).step_by(PACKET).zip(words.chunks(PACKET)) {
            methods.act(CB_ADDR, first << 8 | buffer);
            methods.repeat(CB_DATA, words);
        }
    }
}
