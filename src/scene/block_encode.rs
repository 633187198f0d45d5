//! Compresses colors into blocks: end points at the corners of the colors' box, indices by nearest palette color.
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "colors are clamped before they are cut")]

use super::image::Texel;
use crate::format::texel::{BlockKind, block_texel};

/// Encodes the sixteen texels of a block, row by row.
pub(super) fn encode_block(kind: BlockKind, texels: &[Texel; 16]) -> [u32; 4] {
    let bytes = texels.map(|texel| texel.map(|value| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u32));
    match kind {
        BlockKind::Dxt1 => {
            let [ends, indices] = colors(kind, &bytes);
            [ends, indices, 0, 0]
        }
        BlockKind::Dxt3 => {
            let alpha = |first: usize| {
                (0..8).fold(0, |word, texel| word | ((bytes[first + texel][3] * 15 + 127) / 255) << (4 * texel))
            };
            let [ends, indices] = colors(kind, &bytes);
            [alpha(0), alpha(8), ends, indices]
        }
        BlockKind::Dxt5 => {
            let [low, high] = alphas(&bytes);
            let [ends, indices] = colors(kind, &bytes);
            [low, high, ends, indices]
        }
        // Scenes have no formats of Tesla.
        BlockKind::Rgtc1 { .. } | BlockKind::Rgtc2 { .. } => [0; 4],
    }
}

/// End points and indices of the colors. DXT1 with transparent texels uses the three-color mode.
fn colors(kind: BlockKind, texels: &[[u32; 4]; 16]) -> [u32; 2] {
    let is_transparent = |texel: &[u32; 4]| kind == BlockKind::Dxt1 && texel[3] < 128;
    let has_holes = texels.iter().any(is_transparent);
    let (mut low, mut high) = ([255; 3], [0; 3]);
    for texel in texels.iter().filter(|texel| !is_transparent(texel)) {
        for channel in 0..3 {
            low[channel] = low[channel].min(texel[channel]);
            high[channel] = high[channel].max(texel[channel]);
        }
    }
    if low[0] > high[0] {
        (low, high) = ([0; 3], [0; 3]);
    }
    // Of the box's four diagonals, the one along which the channels vary together fits best.
    for channel in 1..3 {
        let middle = |channel: usize| i64::from(low[channel] + high[channel]) / 2;
        let covariance: i64 = texels
            .iter()
            .map(|texel| (i64::from(texel[0]) - middle(0)) * (i64::from(texel[channel]) - middle(channel)))
            .sum();
        if covariance < 0 {
            std::mem::swap(&mut low[channel], &mut high[channel]);
        }
    }
    let (mut first, mut second) = (to_565(high), to_565(low));
    if (first < second) != has_holes {
        std::mem::swap(&mut first, &mut second);
    }
    let ends = first | second << 16;
    let indices = (0..16).fold(0, |indices, place| {
        let texel = &texels[place];
        let best = (0..4u32).min_by_key(|index| {
            let block = if kind == BlockKind::Dxt1 { [ends, *index, 0, 0] } else { [0, 0, ends, *index] };
            let found = block_texel(block, kind, 0, 0);
            let is_hole = kind == BlockKind::Dxt1 && found[3] == 0;
            if is_hole != is_transparent(texel) {
                return u32::MAX;
            }
            (0..3).map(|channel| found[channel].abs_diff(texel[channel]).pow(2)).sum()
        });
        indices | best.unwrap_or(0) << (2 * place)
    });
    [ends, indices]
}

const fn to_565(color: [u32; 3]) -> u32 {
    ((color[0] * 31 + 127) / 255) << 11 | ((color[1] * 63 + 127) / 255) << 5 | ((color[2] * 31 + 127) / 255)
}

/// The eight bytes of interpolated alpha, in the eight-value mode.
fn alphas(texels: &[[u32; 4]; 16]) -> [u32; 2] {
    let low = texels.iter().map(|texel| texel[3]).min().unwrap_or(0);
    let high = texels.iter().map(|texel| texel[3]).max().unwrap_or(0);
    let mut bits = u64::from(high | low << 8);
    if high > low {
        for (place, texel) in texels.iter().enumerate() {
            // Index 0 is the first end and 1 the second; 2 to 7 lie between.
            let step = ((texel[3] - low) * 7 + (high - low) / 2) / (high - low);
            let index = match step {
                7 => 0,
                0 => 1,
                step => 8 - step,
            };
            bits |= u64::from(index) << (16 + 3 * place);
        }
    }
    [bits as u32, (bits >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kind: BlockKind, texels: &[Texel; 16]) -> u32 {
        let block = encode_block(kind, texels);
        (0..16u32)
            .map(|place| {
                let found = block_texel(block, kind, place % 4, place / 4);
                let wanted = texels[place as usize].map(|value| (value * 255.0 + 0.5) as u32);
                (0..4).map(|channel| found[channel].abs_diff(wanted[channel])).max().unwrap_or(0)
            })
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn plain_blocks_and_ramps_come_back() {
        for kind in [BlockKind::Dxt1, BlockKind::Dxt3, BlockKind::Dxt5] {
            assert!(error(kind, &[[1.0, 0.0, 0.5, 1.0]; 16]) <= 4, "{kind:?}");
            let ramp: [Texel; 16] = std::array::from_fn(|place| {
                let part = place as f32 / 15.0;
                [part, 1.0 - part, part * 0.5, 1.0]
            });
            assert!(error(kind, &ramp) <= 48, "{kind:?} {}", error(kind, &ramp));
        }
        let fade: [Texel; 16] = std::array::from_fn(|place| [1.0, 1.0, 1.0, place as f32 / 15.0]);
        assert!(error(BlockKind::Dxt5, &fade) <= 19);
        assert!(error(BlockKind::Dxt3, &fade) <= 1);
    }

    #[test]
    fn holes_stay_holes() {
        let texels: [Texel; 16] =
            std::array::from_fn(|place| if place % 3 == 0 { [0.0; 4] } else { [1.0, place as f32 / 15.0, 0.0, 1.0] });
        let block = encode_block(BlockKind::Dxt1, &texels);
        for place in 0..16u32 {
            let alpha = block_texel(block, BlockKind::Dxt1, place % 4, place / 4)[3];
            assert_eq!(alpha, if place % 3 == 0 { 0 } else { 255 });
        }
    }
}
