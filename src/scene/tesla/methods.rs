//! Writes methods of the 3D class, whose registers hold whole words.

use crate::command::builder::{BuildError, StreamBuilder};
use crate::command::writer::StreamWriter;

/// The subchannel of the 3D class. Those of the others are Mesa's too.
pub(super) const THREE_D: u8 = 3;

/// The subchannel of memory copies.
pub(super) const COPY: u8 = 5;

/// The writer of a channel's methods.
#[derive(Debug, Default)]
pub(super) struct Methods {
    pub(super) writer: StreamWriter,
    /// Whether buffers of streams are limited in bytes.
    pub(super) limits_bytes: bool,
}

impl Methods {
    /// Writes a register of the 3D class unless it holds the value.
    pub(super) fn set(&mut self, method: u16, value: impl Into<u32>) {
        self.writer.set_value(THREE_D, method, value.into());
    }

    /// Writes one of the registers of an array, which are `stride` bytes apart.
    pub(super) fn set_element(&mut self, method: u16, stride: u16, element: u16, value: impl Into<u32>) {
        self.set(method + stride * element, value);
    }

    /// Writes a register that holds a float.
    pub(super) fn set_float(&mut self, method: u16, value: f32) {
        self.set(method, value.to_bits());
    }

    /// Writes the two registers of an address, the upper half first.
    pub(super) fn set_address(&mut self, high: u16, low: u16, address: u32) {
        self.set(high, 0u32);
        self.set(low, address);
    }

    /// Writes a method that acts, or that another one changes.
    pub(super) fn act(&mut self, method: u16, value: u32) {
        self.writer.upload(THREE_D, method, &[value]);
    }

    /// Writes all words to one method.
    pub(super) fn repeat(&mut self, method: u16, words: &[u32]) {
        self.writer.repeat(THREE_D, method, words);
    }

    /// The methods since the last call.
    pub(super) fn take(&mut self) -> Result<StreamBuilder, BuildError> {
        self.writer.take()
    }
}

/// A pair of half words, the first one in the low half.
pub(super) const fn halves(low: u32, high: u32) -> u32 {
    low & 0xffff | high << 16
}
