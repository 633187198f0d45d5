//! Encodes heat maps as small pictures that the page enlarges.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::escape::{escape, json};
use crate::report::ReportError;
use crate::report::file::frame_name;
use crate::report::models::HeatMap;
use crate::report::number::{grouped, scaled};

/// Steps of the color scale from low to high: dark to light, perceptually about uniform.
const SCALE: [[u8; 3]; 5] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/// The most cells, over all maps, whose values a tooltip shows; the last frame takes precedence.
const TOLD: usize = 1 << 19;

/// The colors of values from 0 to 255.
fn palette() -> Vec<u8> {
    let mix = |value: u32| {
        let (step, part) = (value * 4 / 256, value * 4 % 256);
        let [from, to] = [step, step + 1].map(|step| SCALE[step as usize]);
        let channel = |channel: usize| {
            let [from, to] = [from, to].map(|color| u32::from(color[channel]));
            u8::try_from((from * (256 - part) + to * part) / 256).expect("between two bytes")
        };
        [0, 1, 2].map(channel)
    };
    (0..256).flat_map(mix).collect()
}

/// The color of a value between 0 and the largest.
#[expect(clippy::cast_possible_truncation, reason = "a level is between 0 and 255")]
fn shade(value: f64, largest: f64) -> u8 {
    let level = if largest > 0.0 { (value / largest).clamp(0.0, 1.0) * 255.0 } else { 0.0 };
    level.round() as u8
}

/// A PNG file as a data URL.
pub(super) fn address(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

fn picture(map: &HeatMap, largest: f64) -> Result<Vec<u8>, ReportError> {
    let size = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size(map.columns), size(map.rows));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette());
    let pixels: Vec<_> = map.values.iter().map(|value| shade(*value, largest)).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// The maps of each frame; the page shows one frame at a time, initially the last.
pub(super) fn heat_maps(maps: &[HeatMap]) -> Result<String, ReportError> {
    let frames: Vec<_> = maps.chunk_by(|left, right| left.frame == right.frame).collect();
    let Some(last) = frames.len().checked_sub(1) else { return Ok(String::new()) };
    let mut room = TOLD;
    let mut groups = Vec::new();
    for (place, maps_of_frame) in frames.iter().enumerate().rev() {
        let hidden = if place == last { "" } else { " hidden" };
        let mut group = format!("<div class=\"maps\"{hidden}>\n");
        for map in *maps_of_frame {
            let is_told = map.values.len() <= room;
            room -= if is_told { map.values.len() } else { 0 };
            let same = maps.iter().filter(|other| other.name == map.name).flat_map(|other| &other.values);
            group.push_str(&heat_map(map, same.copied().fold(0.0, f64::max), is_told)?);
        }
        groups.push(group + "</div>\n");
    }
    groups.reverse();
    let choice = if last == 0 {
        String::new()
    } else {
        let option = |(place, maps): (usize, &&[HeatMap])| {
            let selected = if place == last { " selected=\"\"" } else { "" };
            format!("<option{selected}>{}</option>", frame_name(maps[0].frame))
        };
        let options: String = frames.iter().enumerate().map(option).collect();
        format!("<p><label>Frame <select>{options}</select></label> Colors mean the same in all frames.</p>\n")
    };
    Ok(format!("<div class=\"frames\">\n{choice}{}</div>\n", groups.concat()))
}

/// A figure with the map, its scale up to the largest value of all frames, and the mean and largest value; one
/// line of text if the map is empty.
fn heat_map(map: &HeatMap, scale: f64, is_told: bool) -> Result<String, ReportError> {
    let largest = map.values.iter().copied().fold(0.0, f64::max);
    let mean = map.values.iter().map(|value| value / map.values.len() as f64).sum::<f64>();
    let (name, unit) = (escape(&map.name.replace('_', " ")), escape(&map.unit));
    if largest <= 0.0 {
        return Ok(format!("<p class=\"note\">{name}: 0 {unit} everywhere</p>\n"));
    }
    let values = if is_told {
        let values: Vec<_> = map.values.iter().map(|value| rounded(*value)).collect();
        let told = serde_json::json!({ "columns": map.columns, "unit": map.unit, "tile": map.tile, "values": values });
        format!("<output></output>\n<script type=\"application/json\">{}</script>\n", json(&told))
    } else {
        String::new()
    };
    Ok(format!(
        "<figure class=\"heat\">\n<figcaption>{name}, {unit}, tiles of {tile}×{tile} pixels</figcaption>\n\
         <img alt=\"heat map of {name}\" src=\"{}\" width=\"{}\" height=\"{}\" />\n\
         <div class=\"scale\"><span>0</span><i></i><span>{}</span><span class=\"mean\">mean {}, largest {}</span></div>\n{values}</figure>\n",
        address(&picture(map, scale)?),
        map.columns,
        map.rows,
        scaled(scale),
        grouped(mean, 2),
        scaled(largest),
        tile = map.tile,
    ))
}

/// A value as displayed; integers without a decimal point.
#[expect(clippy::cast_possible_truncation, reason = "larger values stay as they are")]
fn rounded(value: f64) -> serde_json::Value {
    let hundredths = (value * 100.0).round();
    if hundredths.abs() > 1e15 {
        value.into()
    } else if hundredths % 100.0 == 0.0 {
        ((hundredths / 100.0) as i64).into()
    } else {
        (hundredths / 100.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_share_a_scale_and_the_last_is_shown() {
        let map = |frame, values: [f64; 2]| HeatMap {
            frame,
            name: "overdraw".to_owned(),
            tile: 8,
            columns: 2,
            rows: 1,
            values: values.to_vec(),
            unit: "fragments per pixel".to_owned(),
        };
        let text = heat_maps(&[map(None, [0.0, 0.0]), map(Some(0), [8.0, 1.0]), map(Some(7), [0.126, 4.0])]).unwrap();
        assert_eq!(text.matches("<div class=\"maps\" hidden>").count(), 2);
        assert!(text.contains("<option>before</option><option>0</option><option selected=\"\">7</option>"), "{text}");
        assert_eq!(text.matches("<span>8</span>").count(), 2, "{text}");
        assert!(text.contains("largest 4<") && text.contains("\"values\":[0.13,4]"), "{text}");
        let one = heat_maps(&[map(Some(0), [8.0, 1.0])]).unwrap();
        assert!(!one.contains("<select>") && !one.contains("hidden"), "{one}");
        assert!(heat_maps(&[]).unwrap().is_empty());
    }

    #[test]
    fn a_map_becomes_a_pixel_for_each_tile() {
        let map = HeatMap {
            frame: None,
            name: "overdraw".to_owned(),
            tile: 8,
            columns: 3,
            rows: 2,
            values: vec![0.0, 1.0, 2.0, 4.0, -1.0, 3.0],
            unit: "fragments per pixel".to_owned(),
        };
        let bytes = picture(&map, 4.0).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (3, 2));
        let mut pixels = [0; 6];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [0, 64, 128, 255, 0, 191]);
        let palette = palette();
        assert_eq!((palette.len(), &palette[..3]), (768, &SCALE[0][..]));
        assert!(palette[765] > 245 && palette[766] > 225, "the last color is the lightest");
    }
}
