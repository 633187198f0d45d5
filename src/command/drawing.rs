//! Builds captures that draw to one color surface, with programs given as text.

use super::builder::{BuildError, CaptureBuilder, StreamBuilder, THREE_D, address};
use super::methods::three_d::{CLASS, program, targets, vertex};
use crate::arith::vertex::VertexRuleSet;
use crate::asm::{Assembly, ConstantSource, Diagnostics, FragmentAssembly, VertexAssembly, assemble};
use crate::capture::Capture;
use crate::memory::MemorySpace;

/// Why a program cannot be part of a [`Drawing`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DrawingError {
    /// The text has mistakes.
    #[error(transparent)]
    Assembly(#[from] Diagnostics),
    /// The program reads a parameter whose value is not in its text.
    #[error("the program reads {0}, whose value is not in its text")]
    Parameter(ConstantSource),
}

/// `RT_FORMAT`: `A8R8G8B8` and `Z24S8`, row by row.
const FORMAT: u32 = 0x148;

/// A capture in the making, which draws with the 3D class of the GeForce 6800 to one color surface.
///
/// The surface has 32 bits per pixel (`A8R8G8B8`) and holds zeros at first; there is no depth surface. Vertex programs give
/// positions in pixels from the left upper corner, not in clip coordinates. Other state is that after reset: `capture` and
/// `stream` change it, on the subchannel [`THREE_D`].
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use curie::{Drawing, run};
///
/// let mut drawing = Drawing::new(8, 4);
/// drawing.program("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND")?;
/// drawing.program("!!ARBfp1.0\nMOV result.color, {0.0, 0.2, 0.4, 1.0};\nEND")?;
/// drawing.named("VERTEX_BEGIN_END", &[("primitive", "QUADS")])?;
/// for (x, y) in [(2.0, 1.0), (8.0, 1.0), (8.0, 4.0), (2.0, 4.0)] {
///     drawing.attribute(0, [x, y, 0.0, 1.0]);
/// }
/// drawing.named("VERTEX_BEGIN_END", &[("primitive", "STOP")])?;
/// let surface = run(&drawing.finish())?.surfaces.remove(0);
/// assert_eq!(surface.pixel(2, 1), Some([0, 51, 102]));
/// assert_eq!(surface.pixel(1, 1), Some([0, 0, 0]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Drawing {
    /// The buffers and their first contents.
    pub capture: CaptureBuilder,
    /// The methods.
    pub stream: StreamBuilder,
}

impl Drawing {
    /// Starts a drawing on a surface of this many pixels, at most 4096 in each direction.
    #[must_use]
    pub fn new(width: u16, height: u16) -> Self {
        let mut capture = CaptureBuilder::new();
        let [width, height] = [width, height].map(u32::from);
        let pitch = (width * 4).next_multiple_of(64);
        let surface = capture.buffer(MemorySpace::Vram, u64::from(pitch) * u64::from(height));
        let mut stream = StreamBuilder::new();
        stream.bind_three_d();
        stream.methods(THREE_D, targets::RT_HORIZ, &[width << 16, height << 16, FORMAT, pitch, address(&surface)]);
        Self { capture, stream }
    }

    /// Loads a vertex or fragment program for the draws that follow, in a language of the GeForce 6800.
    ///
    /// # Errors
    /// When the text has mistakes, or the program has parameters.
    pub fn program(&mut self, text: &str) -> Result<&mut Self, DrawingError> {
        match assemble("program", text)? {
            Assembly::Vertex(program) => self.vertex_program(&program)?,
            Assembly::Fragment(program) => self.fragment_program(&program)?,
        }
        Ok(self)
    }

    /// Writes a method of the 3D class by name, like [`StreamBuilder::named`].
    ///
    /// # Errors
    /// When a name is unknown or a number does not fit.
    pub fn named(&mut self, method: &str, fields: &[(&str, &str)]) -> Result<&mut Self, BuildError> {
        self.stream.named(THREE_D, CLASS.class, method, fields)?;
        Ok(self)
    }

    /// Sets an attribute of the next vertex: 0, the position, which completes the vertex; 3, the color; up to 15.
    ///
    /// # Panics
    /// When the number is larger.
    pub fn attribute(&mut self, number: u16, value: [f32; 4]) -> &mut Self {
        assert!(number < 16, "a vertex has 16 attributes");
        self.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * number, &value);
        self
    }

    /// The capture, with all methods in one submission.
    #[must_use]
    pub fn finish(mut self) -> Capture {
        self.capture.submit(self.stream);
        self.capture.finish()
    }

    fn vertex_program(&mut self, vertex: &VertexAssembly) -> Result<(), DrawingError> {
        let constants = vertex.constants.iter().map(|constant| Ok((constant.slot, number(&constant.source)?)));
        let constants: Vec<_> = constants.collect::<Result<_, DrawingError>>()?;
        let is_modern = vertex.rules == VertexRuleSet::Nv40Modern;
        let engine = program::ENGINE::mode(1u32)
            | program::ENGINE::rules(u32::from(is_modern))
            | program::ENGINE::skip_viewport(true);
        let stream = &mut self.stream;
        stream.method(THREE_D, program::ENGINE, engine.value().expect("the values are in range"));
        stream.method(THREE_D, program::VP_UPLOAD_FROM_ID, 0);
        for instruction in &vertex.instructions {
            stream.methods(THREE_D, program::VP_UPLOAD_INST, instruction);
        }
        stream.method(THREE_D, program::VP_START_FROM_ID, u32::from(vertex.start));
        for (slot, value) in constants {
            stream.method(THREE_D, program::VP_UPLOAD_CONST_ID, slot);
            stream.methods(THREE_D, program::VP_UPLOAD_CONST, &value);
        }
        stream.methods(THREE_D, program::VP_ATTRIB_EN, &[u32::from(vertex.attributes), vertex.results]);
        Ok(())
    }

    fn fragment_program(&mut self, fragment: &FragmentAssembly) -> Result<(), DrawingError> {
        let mut sources = fragment.constants.iter().chain(&fragment.loops).map(|(_, source)| source);
        sources.try_for_each(|source| number(source).map(drop))?;
        let words = fragment.patched(&|source| number(source).unwrap_or_default());
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let microcode = self.capture.buffer(MemorySpace::Vram, bytes.len() as u64);
        self.capture.write(&microcode, &bytes);
        // In VRAM.
        self.stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, address(&microcode) | 1);
        self.stream.method(THREE_D, program::FP_CONTROL, fragment.control);
        Ok(())
    }
}

/// The value of a constant.
fn number(source: &ConstantSource) -> Result<[u32; 4], DrawingError> {
    match source {
        ConstantSource::Literal(value) | ConstantSource::Named(_, value) => Ok(*value),
        parameter => Err(DrawingError::Parameter(*parameter)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_cannot_run_alone_are_refused() {
        let mut drawing = Drawing::new(8, 8);
        let words = drawing.stream.words().len();
        let mut refused = |text: &str| drawing.program(text).unwrap_err().to_string();
        let found = refused("!!ARBvp1.0\nMOV result.position, program.local[2];\nEND");
        assert_eq!(found, "the program reads program.local[2], whose value is not in its text");
        let found = refused("!!ARBfp1.0\nMOV result.color, program.env[1];\nEND");
        assert_eq!(found, "the program reads program.env[1], whose value is not in its text");
        assert!(refused("!!ARBvp1.0\nMOVE result.position, vertex.position;\nEND").contains("MOVE"));
        assert_eq!(drawing.stream.words().len(), words, "nothing is written");
    }
}
