//! The texture unit: formats, layouts, filters, and streams that sample.

mod filters;
mod formats;
mod layouts;
mod streams;
mod texel_image;
mod units;
