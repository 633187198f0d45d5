//! Counters: the same on both engines and for every size of tiles and batches, sums that hold, and streams with known
//! numbers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod captures;
mod carries;
mod documents;
mod geforce_8;
mod hidden;
mod lookups;
mod models;
mod prefetch;
mod rejects;
mod runs;
mod streams;
mod warps;
