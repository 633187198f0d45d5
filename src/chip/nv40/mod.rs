//! The classes of the GeForce 6800: the 3D engine, memory copies and the 2D objects.

mod copy;
mod pixel_context;
mod rectangles;
mod scaled_image;
mod slots;
mod surfaces;
pub(crate) mod three_d;
mod unscaled_image;

use super::ClassRow;
use super::nv20::VertexEngine;
use super::pica200::PicaVertexProcessor;
use crate::command::methods::{
    NULL, blit, image_upload, memory_copy, nv20_three_d, pica200_vertex, pixel_context as pixel_methods,
    rectangles as rectangle_methods, scaled_image as scaled_methods, surfaces as surface_methods, texture_upload,
    three_d as three_d_methods,
};

/// Every class of the GeForce 6800, and the vertex processors of the GeForce 3 and the PICA200, which can replace its
/// vertex programs.
pub static CLASSES: &[ClassRow] = &[
    ClassRow::null(&NULL),
    ClassRow::new(&three_d_methods::CLASS, || Box::new(three_d::ThreeD::new())),
    ClassRow::new(&nv20_three_d::CLASS, || Box::new(VertexEngine::new())),
    ClassRow::new(&pica200_vertex::CLASS, || Box::new(PicaVertexProcessor::new())),
    ClassRow::new(&memory_copy::CLASS, || Box::new(copy::Copy::default())),
    ClassRow::new(&surface_methods::CLASS_2D, || Box::new(surfaces::LinearSurfaces::default())),
    ClassRow::new(&surface_methods::CLASS_SWIZZLED, || Box::new(surfaces::SwizzledSurface::default())),
    ClassRow::new(&scaled_methods::CLASS, || Box::new(scaled_image::ScaledImages::default())),
    ClassRow::new(&image_upload::CLASS, || Box::new(unscaled_image::ImageUpload::default())),
    ClassRow::new(&texture_upload::CLASS, || Box::new(unscaled_image::TextureUpload::default())),
    ClassRow::new(&blit::CLASS, || Box::new(unscaled_image::Blits::default())),
    ClassRow::new(&rectangle_methods::CLASS, || Box::new(rectangles::Rectangles::default())),
    ClassRow::new(&pixel_methods::beta::CLASS, || Box::new(pixel_context::Beta::default())),
    ClassRow::new(&pixel_methods::beta4::CLASS, || Box::new(pixel_context::Beta4::default())),
    ClassRow::new(&pixel_methods::rop::CLASS, || Box::new(pixel_context::Rop::default())),
    ClassRow::new(&pixel_methods::pattern::CLASS, || Box::new(pixel_context::PatternState::default())),
    ClassRow::new(&pixel_methods::color_key::CLASS, || Box::new(pixel_context::ColorKey::default())),
    ClassRow::new(&pixel_methods::clip::CLASS, || Box::new(pixel_context::Clip::default())),
];
