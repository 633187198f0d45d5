//! The stage of stream output: writes the vertices of assembled primitives to memory.

use super::assembled::{Assembled, PrimitiveList};
use super::buffers::grown;
use crate::gpu::{Bound, DeviceError, Gpu, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::context::Context;
use crate::kernels::workgroups::linear_workgroups;
use crate::pipeline::{StreamCounts, StreamOut, VertexWord};

const PLACE_PRIMITIVES: &str = include_str!("../../../wgsl/setup/place_primitives.wgsl");
const STREAM_OUT: &str = include_str!("../../../wgsl/setup/stream_out.wgsl");

bindings! {
    /// Bindings of `place_primitives` and `stream_out`.
    StreamBindings {
        0 => memory: Bound<'a>,
        /// The sizes and the words of a vertex.
        1 => stream: Bound<'a>,
        4 => vertices: Bound<'a>,
        5 => primitives: Bound<'a>,
        /// The counts, then the first vertex of each primitive.
        20 => places: Bound<'a>,
    }
}

/// The words of the counts: vertices in the buffers, generated primitives, written ones, and an unused one.
const COUNTS: u32 = 4;

/// The places of stream output, behind the counts.
#[derive(Debug, Default)]
pub(in crate::kernels) struct StreamOutStage {
    places: Option<wgpu::Buffer>,
}

impl StreamOutStage {
    /// Makes room for the places of this many primitives, behind the counts.
    fn places(&mut self, gpu: &Gpu, recording: &mut Recording, primitives: u32) -> Result<wgpu::Buffer, DeviceError> {
        let before = self.places.clone();
        let places =
            grown(gpu, &mut self.places, "places of stream output", (u64::from(primitives) + u64::from(COUNTS)) * 4)?;
        if let Some(before) = before.filter(|before| *before != places) {
            recording.copy((&before, 0), (&places, 0), u64::from(COUNTS) * 4);
        }
        Ok(places)
    }

    /// The buffer that begins with the counts.
    pub(in crate::kernels) fn counts(&mut self, context: &mut Context) -> Result<wgpu::Buffer, DeviceError> {
        self.places(&context.gpu, &mut context.recording, 0)
    }

    /// What draws have done so far.
    pub(in crate::kernels) fn read(&self, context: &mut Context) -> Result<StreamCounts, DeviceError> {
        let mut words = [0_u32; 3];
        if let Some(places) = &self.places {
            context.gpu.read_back(&mut context.recording, places, 0, bytemuck::cast_slice_mut(&mut words))?;
        }
        let [vertices, generated, written] = words;
        Ok(StreamCounts { vertices, generated, written })
    }

    /// Sets what draws have done so far.
    pub(in crate::kernels) fn set(&mut self, context: &mut Context, counts: StreamCounts) -> Result<(), DeviceError> {
        let places = self.counts(context)?;
        let words = [counts.vertices, counts.generated, counts.written];
        context.recording.upload(&places, 0, bytemuck::cast_slice(&words))
    }

    /// Begins the buffers anew.
    pub(in crate::kernels) fn begin(&mut self, context: &mut Context) -> Result<(), DeviceError> {
        let places = self.counts(context)?;
        context.recording.upload(&places, 0, &0_u32.to_le_bytes())
    }

    /// Records the output of primitives of this many corners, behind the vertices in the buffers. Each begins with its provoking
    /// vertex if the first one provokes.
    pub(in crate::kernels) fn write(
        &mut self,
        context: &mut Context,
        stream_out: &StreamOut,
        (assembled, corners): (Assembled<'_>, u32),
        first_provokes: bool,
    ) -> Result<(), DeviceError> {
        let count = u32::try_from(assembled.primitives.len()).unwrap_or(u32::MAX);
        if count == 0 {
            return Ok(());
        }
        let Context { gpu, recording, memory, .. } = context;
        let places = self.places(gpu, recording, count)?;
        let mut stream = vec![[count, corners, stream_out.capacity(), 0]];
        for buffer in &stream_out.buffers {
            let start = memory.locate(buffer.window).start / 4;
            let words = buffer.words.iter().zip(start..).filter_map(|(word, place)| Some(((*word)?, place)));
            stream.extend(words.map(|(word, place)| match word {
                VertexWord::Output(output) => [place, buffer.stride / 4, 1, output.number()],
                VertexWord::Word(value) => [place, buffer.stride / 4, 0, value],
            }));
        }
        stream[0][3] = u32::try_from(stream.len() - 1).unwrap_or(u32::MAX) | u32::from(first_provokes) << 31;
        let stream = recording.store(bytemuck::cast_slice(&stream))?;
        let stored;
        let primitives = match assembled.primitives {
            PrimitiveList::Host { list, .. } => {
                stored = recording.store(bytemuck::cast_slice(list))?;
                Bound::from(&stored)
            }
            PrimitiveList::Device { buffer, .. } => Bound::from(buffer),
        };
        let bindings = StreamBindings {
            memory: memory.buffer().into(),
            stream: (&stream).into(),
            vertices: assembled.vertices.into(),
            primitives,
            places: (&places).into(),
        };
        let kernel = gpu.kernel_of("place_primitives", 0, || PLACE_PRIMITIVES.to_owned())?;
        recording.dispatch(&kernel, &bindings, [1, 1, 1]);
        let kernel = gpu.kernel_of("stream_out", 0, || STREAM_OUT.to_owned())?;
        recording.dispatch(&kernel, &bindings, linear_workgroups(count, 64));
        Ok(())
    }
}
