//! The transfer stage: clears, copies, images, reports and fences over guest memory.

use std::collections::HashMap;
use std::sync::Arc;

use crate::gpu::{Bound, DeviceError, Gpu, Kernel};
use crate::kernels::bindings::bindings;
use crate::kernels::context::Context;
use crate::kernels::memory_mirror::{Locate, MirrorWindow};
use crate::kernels::plan::reached_memory::{cleared, copied, scaled};
use crate::kernels::plan::scale_image;
use crate::kernels::plan::transfer::{self, SourceCopy, TransferDispatch, TransferKernel, WordRuns};
use crate::kernels::software::wide_fills::in_wide_words;
use crate::memory::MemoryWindow;
use crate::pipeline::{Clear, EngineError, MemoryCopy, ScaledImage, host_transfer};

/// Number of words in a repeated value, and how many values are kept.
const PATTERN_WORDS: usize = 1 << 16;
const PATTERNS: usize = 8;
/// Maximum number of cached kernels; images have one for each combination of formats and operations.
const KERNEL_LIMIT: usize = 1024;

bindings! {
    /// Bindings of the transfer kernels.
    TransferBindings {
        /// Guest memory, as 32-bit or 64-bit words.
        0 | 19 => memory: Bound<'a>,
        /// A copy of the source, if it overlaps the destination, or words of the stream.
        1 => source: Bound<'a>,
        14 => parameters: Bound<'a>,
        /// The counter of passing samples.
        15 => counters: Bound<'a>,
    }
}

/// The state that transfers keep between commands.
#[derive(Debug)]
pub(in crate::kernels) struct TransferStage {
    /// The copy of a source that overlaps its destination.
    source_copy: wgpu::Buffer,
    /// Values of earlier clears, repeated.
    patterns: Vec<(u32, wgpu::Buffer)>,
    kernels: HashMap<TransferKernel, Arc<Kernel>>,
}

impl TransferStage {
    /// Creates a stage with empty caches.
    pub(in crate::kernels) fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        Ok(Self { source_copy: gpu.buffer("source copy", 0)?, patterns: Vec::new(), kernels: HashMap::new() })
    }

    /// Clears surfaces.
    pub(in crate::kernels) fn clear(
        &mut self,
        context: &mut Context,
        counters: &wgpu::Buffer,
        clear: &Clear,
    ) -> Result<(), EngineError> {
        transfer::refuse(clear.unsupported())?;
        let written = cleared(clear);
        context.upload(&|| written.clone())?;
        let dispatches = transfer::clear_surfaces(clear, &|window| context.locate(window))?;
        written.iter().for_each(|window| context.memory.mark_device_write(*window));
        for dispatch in &dispatches {
            match transfer::word_runs(dispatch) {
                Some(words) => self.fill_words(context, &words)?,
                None if context.gpu.has_wide_words() => {
                    self.dispatch(context, counters, &in_wide_words(dispatch.clone()))?;
                }
                None => self.dispatch(context, counters, dispatch)?,
            }
        }
        Ok(context.submit_if_full()?)
    }

    /// Fills words with copies, which every adapter performs at memory speed.
    fn fill_words(&mut self, context: &mut Context, words: &WordRuns) -> Result<(), EngineError> {
        let Context { gpu, recording, memory, .. } = context;
        let pattern = match self.patterns.iter().find(|(value, _)| *value == words.value) {
            _ if words.value == 0 => None,
            Some((_, pattern)) => Some(pattern.clone()),
            None => {
                let content = vec![words.value; PATTERN_WORDS];
                let pattern = gpu.buffer_with("pattern", bytemuck::cast_slice(&content))?;
                if self.patterns.len() >= PATTERNS {
                    self.patterns.remove(0);
                }
                self.patterns.push((words.value, pattern.clone()));
                Some(pattern)
            }
        };
        for &(first, bytes) in &words.runs {
            let Some(pattern) = &pattern else {
                recording.clear(memory.buffer(), first, bytes);
                continue;
            };
            for offset in (0..bytes).step_by(PATTERN_WORDS * 4) {
                let length = (bytes - offset).min(PATTERN_WORDS as u64 * 4);
                recording.copy((pattern, 0), (memory.buffer(), first + offset), length);
            }
        }
        Ok(())
    }

    /// Copies memory: on the host if only the host wrote it, so that uploads of programs and vertices never wait.
    pub(in crate::kernels) fn copy_memory(
        &mut self,
        context: &mut Context,
        counters: &wgpu::Buffer,
        copy: &MemoryCopy,
    ) -> Result<(), EngineError> {
        transfer::refuse(copy.unsupported())?;
        let [source, destination] = copied(copy);
        let memory = &mut context.memory;
        if !memory.is_device_newer(source) && !memory.is_device_newer(destination) {
            host_transfer::copy_memory(memory.host_mut(), copy);
            memory.mark_host_write(destination);
            return Ok(());
        }
        context.upload(&|| vec![source, destination])?;
        if let Some(dispatch) = transfer::copy_memory(copy, &|window| context.locate(window))? {
            context.memory.mark_device_write(destination);
            self.dispatch(context, counters, &dispatch)?;
        }
        Ok(())
    }

    /// Draws an image of the 2D classes.
    pub(in crate::kernels) fn scale_image(
        &mut self,
        context: &mut Context,
        counters: &wgpu::Buffer,
        image: &ScaledImage,
    ) -> Result<(), EngineError> {
        transfer::refuse(image.unsupported())?;
        let [source, destination] = scaled(image);
        context.upload(&|| vec![source, destination])?;
        if let Some(dispatch) = scale_image::scale_image(image, &|window| context.locate(window))? {
            context.memory.mark_device_write(destination);
            self.dispatch(context, counters, &dispatch)?;
        }
        Ok(())
    }

    /// Writes the few words of a window on the device, in stream order.
    pub(in crate::kernels) fn write_words(
        &mut self,
        context: &mut Context,
        counters: &wgpu::Buffer,
        window: MemoryWindow,
        dispatch: impl FnOnce(Locate<'_>) -> Option<TransferDispatch>,
    ) -> Result<(), EngineError> {
        context.upload(&|| vec![window])?;
        if let Some(dispatch) = dispatch(&|window| context.locate(window)) {
            context.memory.mark_device_write(window);
            self.dispatch(context, counters, &dispatch)?;
        }
        Ok(())
    }

    /// Records a dispatch over guest memory, which must be up to date.
    fn dispatch(
        &mut self,
        context: &mut Context,
        counters: &wgpu::Buffer,
        dispatch: &TransferDispatch,
    ) -> Result<(), EngineError> {
        let kernel = self.kernel(&context.gpu, &dispatch.kernel)?;
        let Context { gpu, recording, memory, .. } = context;
        let parameters = recording.store(&dispatch.parameters)?;
        let words = match &dispatch.source_copy {
            SourceCopy::Words(words) => Some(recording.store(bytemuck::cast_slice(words))?),
            &SourceCopy::Memory(MirrorWindow { start, bytes }) => {
                let bytes = u64::from(bytes);
                if self.source_copy.size() < bytes {
                    self.source_copy = gpu.buffer("source copy", bytes)?;
                }
                recording.copy((memory.buffer(), u64::from(start)), (&self.source_copy, 0), bytes);
                None
            }
            SourceCopy::Unused => None,
        };
        let bindings = TransferBindings {
            memory: memory.buffer().into(),
            source: words.as_ref().map_or((&self.source_copy).into(), Bound::from),
            parameters: (&parameters).into(),
            counters: counters.into(),
        };
        recording.dispatch(&kernel, &bindings, dispatch.workgroups);
        Ok(context.submit_if_full()?)
    }

    fn kernel(&mut self, gpu: &Gpu, key: &TransferKernel) -> Result<Arc<Kernel>, DeviceError> {
        if let Some(kernel) = self.kernels.get(key) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = gpu.kernel_from::<DeviceError>(key.label(), || Ok(key.source().into_owned()))?;
        if self.kernels.len() >= KERNEL_LIMIT {
            self.kernels.clear();
        }
        self.kernels.insert(key.clone(), Arc::clone(&kernel));
        Ok(kernel)
    }
}

/// Zeroes bytes: on the host if only the host wrote them, else on both sides.
pub(in crate::kernels) fn zero_memory(context: &mut Context, window: MemoryWindow) -> Result<(), EngineError> {
    if !context.memory.is_device_newer(window) {
        host_transfer::zero_memory(context.memory.host_mut(), window);
        context.memory.mark_host_write(window);
        return Ok(());
    }
    context.upload(&Vec::new)?;
    context.memory.clear(&context.gpu, &mut context.recording, window)
}
