//! Push buffers: decodes packets into methods; method tables, listings, and a builder that writes streams.

pub mod builder;
pub mod drawing;
pub mod ib_packet;
pub mod list;
pub mod methods;
pub mod packet;
pub mod word;
pub mod writer;
