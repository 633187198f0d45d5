//! Writes typed method words to a stream, and skips registers whose value does not change.

use std::collections::HashMap;

use super::builder::{BuildError, StreamBuilder};
use super::methods::class_table;
use super::word::MethodWord;

/// Writes methods of the objects on a channel's subchannels and remembers what it wrote.
///
/// A value that does not fit into its field is not written; [`StreamWriter::take`] reports the first.
///
/// ```
/// use curie::command::methods::three_d::{rop::DEPTH_TEST_ENABLE, targets::RT_HORIZ};
/// use curie::command::writer::StreamWriter;
///
/// let mut writer = StreamWriter::new();
/// writer.bind(7, 0x4097, 0xbeef_4097);
/// for _ in 0..2 {
///     writer.set(7, RT_HORIZ::x(0u32) | RT_HORIZ::width(640u32));
///     writer.set(7, DEPTH_TEST_ENABLE::enable(true));
/// }
/// assert_eq!(writer.take()?.words().len(), 6, "what is set again takes no words");
/// # Ok::<(), curie::command::builder::BuildError>(())
/// ```
#[derive(Debug, Default)]
pub struct StreamWriter {
    stream: StreamBuilder,
    classes: [u32; 8],
    written: HashMap<(u8, u16), u32>,
    error: Option<BuildError>,
}

impl StreamWriter {
    /// Creates a writer without known values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds an object of this class to a subchannel.
    pub fn bind(&mut self, subchannel: u8, class: u32, handle: u32) {
        self.classes[usize::from(subchannel & 7)] = class;
        self.written.retain(|(bound, _), _| *bound != subchannel);
        self.stream.bind(subchannel, class, handle);
    }

    /// Writes a register unless it already holds this value.
    pub fn set<const ADDRESS: u16, const STRIDE: u16>(&mut self, subchannel: u8, word: MethodWord<ADDRESS, STRIDE>) {
        self.set_element(subchannel, 0, word);
    }

    /// Writes one register of an array unless it already holds this value.
    pub fn set_element<const ADDRESS: u16, const STRIDE: u16>(
        &mut self,
        subchannel: u8,
        element: u16,
        word: MethodWord<ADDRESS, STRIDE>,
    ) {
        let address = MethodWord::<ADDRESS, STRIDE>::address(element);
        if let Some(value) = self.value(subchannel, address, word) {
            self.set_value(subchannel, address, value);
        }
    }

    /// Writes a whole value to the register at an address unless it already holds this value.
    pub fn set_value(&mut self, subchannel: u8, method: u16, value: u32) {
        if self.written.insert((subchannel, method), value) != Some(value) {
            self.stream.method(subchannel, method, value);
        }
    }

    /// Writes a method that acts, regardless of earlier writes.
    pub fn act<const ADDRESS: u16, const STRIDE: u16>(&mut self, subchannel: u8, word: MethodWord<ADDRESS, STRIDE>) {
        if let Some(value) = self.value(subchannel, ADDRESS, word) {
            self.stream.method(subchannel, ADDRESS, value);
        }
    }

    /// Writes words to consecutive methods, regardless of earlier writes.
    pub fn upload(&mut self, subchannel: u8, method: u16, words: &[u32]) {
        self.stream.methods(subchannel, method, words);
    }

    /// Writes all words to one method.
    pub fn repeat(&mut self, subchannel: u8, method: u16, words: &[u32]) {
        self.stream.repeated(subchannel, method, words);
    }

    /// Takes the words since the last call; the known register values stay valid.
    ///
    /// # Errors
    /// When a number did not fit into its field.
    pub fn take(&mut self) -> Result<StreamBuilder, BuildError> {
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(std::mem::take(&mut self.stream)),
        }
    }

    fn value<const ADDRESS: u16, const STRIDE: u16>(
        &mut self,
        subchannel: u8,
        address: u16,
        word: MethodWord<ADDRESS, STRIDE>,
    ) -> Option<u32> {
        let value = word.value();
        if value.is_none() && self.error.is_none() {
            let table = class_table(self.classes[usize::from(subchannel & 7)]);
            let row = table.and_then(|table| table.find(address));
            self.error =
                Some(BuildError::FieldOverflow { method: row.map_or("an unknown method", |(row, _)| row.name) });
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::methods::three_d::{draw, texture};

    #[test]
    fn actions_are_always_written_and_registers_once_per_value() {
        let mut writer = StreamWriter::new();
        writer.act(7, draw::VERTEX_BEGIN_END::primitive(5u32));
        writer.act(7, draw::VERTEX_BEGIN_END::primitive(5u32));
        writer.set_element(7, 2, texture::TEX_OFFSET::offset(0x100u32));
        writer.set_element(7, 2, texture::TEX_OFFSET::offset(0x200u32));
        writer.set_element(7, 2, texture::TEX_OFFSET::offset(0x200u32));
        let words = writer.take().unwrap();
        assert_eq!(words.words()[1], 5);
        assert_eq!(words.words().len(), 8);
        assert_eq!(words.words()[4], 0x0004_0000 | 7 << 13 | 0x1a40);
        assert!(writer.take().unwrap().words().is_empty());
    }

    #[test]
    fn an_overflow_names_its_method() {
        let mut writer = StreamWriter::new();
        writer.bind(7, 0x4097, 1);
        writer.set_element(7, 1, texture::TEX_NPOT_SIZE::width(70_000u32));
        assert_eq!(writer.take().unwrap_err().to_string(), "a number does not fit into a field of TEX_NPOT_SIZE");
    }
}
