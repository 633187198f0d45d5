//! The parameters of a compute launch for its kernel, and where its memory lies in one buffer.

use bytemuck::{Pod, Zeroable};

use crate::pipeline::launch::{CONSTANT_STEP, Interpolants, Launch, LaunchThreads, Plane};

/// The pages of global memory. Buffers begin at multiples of their size.
const PAGE_BYTES: u32 = 256;

/// Where the number of a page begins in an entry of the page table of sparse memory.
const PAGE_NUMBER_SHIFT: u32 = 9;

/// The bytes between buffers beyond which memory is sparse.
const MAX_GAP_BYTES: usize = 1 << 20;

/// The parameters of `wgsl/compute/parameters.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(in crate::kernels) struct Parameters {
    pub(in crate::kernels) zero: u32,
    pub(in crate::kernels) dispatch: u32,
    pub(in crate::kernels) blocks: u32,
    pub(in crate::kernels) grid_width: u32,
    pub(in crate::kernels) warps: u32,
    pub(in crate::kernels) threads: u32,
    pub(in crate::kernels) block_width: u32,
    pub(in crate::kernels) block_height: u32,
    pub(in crate::kernels) turn_limit: u32,
    pub(in crate::kernels) instruction_limit: u32,
    pub(in crate::kernels) pass_limit: u32,
    pub(in crate::kernels) stack_entries: u32,
    pub(in crate::kernels) local_words: u32,
    pub(in crate::kernels) memory_start: u32,
    pub(in crate::kernels) memory_pages: u32,
    pub(in crate::kernels) argument_words: u32,
    pub(in crate::kernels) slot_words: u32,
    pub(in crate::kernels) slot_start: u32,
    pub(in crate::kernels) header: [u32; 3],
    pub(in crate::kernels) elements: ElementParameters,
    pub(in crate::kernels) constants: [[u32; 2]; 16],
    pub(in crate::kernels) globals: [[u32; 2]; 16],
}

/// Global memory as the kernels see it: all buffers with the gaps between them, or without them if they are large.
#[derive(Debug)]
pub(in crate::kernels) struct LaunchLayout {
    pub(in crate::kernels) start: u32,
    /// A multiple of four.
    pub(in crate::kernels) bytes: u64,
    /// The bytes of each page that belong to a buffer; in sparse memory, the page's number in the device's buffer above them.
    pub(in crate::kernels) pages: Vec<u32>,
    pub(in crate::kernels) is_sparse: bool,
    /// Where each buffer is in the device's buffer.
    pub(in crate::kernels) places: Vec<u64>,
}

impl LaunchLayout {
    /// The layout of buffers with these addresses, ascending, and sizes.
    pub(in crate::kernels) fn new(buffers: &[(u32, usize)]) -> Self {
        let start = buffers.first().map_or(0, |(address, _)| *address);
        let end = buffers.last().map_or(0, |(address, bytes)| (address - start) as usize + bytes);
        let used: usize = buffers.iter().map(|(_, bytes)| bytes).sum();
        let is_sparse = end - used > MAX_GAP_BYTES;
        let (mut places, mut pages) = (Vec::new(), Vec::new());
        let mut next = 0;
        for (address, bytes) in buffers {
            let place = if is_sparse { next } else { (address - start) as usize };
            let place = place.next_multiple_of(PAGE_BYTES as usize);
            places.push(place as u64);
            pages.resize((address - start).div_ceil(PAGE_BYTES) as usize, 0);
            let first = place / PAGE_BYTES as usize;
            for (number, begin) in (first..).zip((0..*bytes).step_by(PAGE_BYTES as usize)) {
                let held = (bytes - begin).min(PAGE_BYTES as usize);
                let number = if is_sparse { number << PAGE_NUMBER_SHIFT } else { 0 };
                pages.push(u32::try_from(number | held).unwrap_or(0));
            }
            next = place + bytes;
        }
        Self { start, bytes: (next as u64).next_multiple_of(4), pages, is_sparse, places }
    }
}

/// The first three words of shared memory.
pub(in crate::kernels) fn header(launch: &Launch) -> [u32; 3] {
    let bytes = launch.shared_start([0; 3]);
    let word = |place: usize| u32::from_le_bytes([bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]]);
    [word(0), word(4), word(8)]
}

/// Of each global space, where it begins in memory and the last address in it.
pub(in crate::kernels) fn globals(launch: &Launch) -> [[u32; 2]; 16] {
    std::array::from_fn(|number| {
        let space = u8::try_from(number).ok().and_then(|number| launch.globals.get(&number));
        space.map_or([0; 2], |space| [space.start, space.last])
    })
}

/// The number of result words of a thread. A fragment has one more, which tells whether it is discarded.
pub(in crate::kernels) fn output_stride(launch: &Launch) -> u32 {
    match &launch.threads {
        LaunchThreads::Grid | LaunchThreads::Primitives(_) => 0,
        LaunchThreads::Vertices(vertices) => vertices.output_words,
        LaunchThreads::Fragments(fragments) => fragments.results + 1,
    }
}

/// The part of the parameters about vertices and fragments.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(in crate::kernels) struct ElementParameters {
    pub(in crate::kernels) last_threads: u32,
    pub(in crate::kernels) input_words: u32,
    pub(in crate::kernels) inputs_start: u32,
    pub(in crate::kernels) fragments_start: u32,
    pub(in crate::kernels) has_planes: u32,
    pub(in crate::kernels) output_words: u32,
    pub(in crate::kernels) output_stride: u32,
    pub(in crate::kernels) outputs_start: u32,
    pub(in crate::kernels) reserved: u32,
}

impl ElementParameters {
    /// Those of a launch with this many words of memory; appends the inputs to the tables.
    pub(in crate::kernels) fn of(launch: &Launch, memory_words: u64, tables: &mut Vec<u32>) -> Self {
        let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let mut parameters = Self {
            last_threads: launch.last_block_threads(),
            input_words: launch.threads.input_words(),
            inputs_start: word(tables.len()),
            fragments_start: 0,
            has_planes: 0,
            output_words: launch.threads.output_words(),
            output_stride: output_stride(launch),
            outputs_start: u32::try_from(memory_words).unwrap_or(u32::MAX),
            reserved: 0,
        };
        match &launch.threads {
            LaunchThreads::Grid | LaunchThreads::Primitives(_) => {}
            LaunchThreads::Vertices(vertices) => tables.extend(&vertices.attributes),
            LaunchThreads::Fragments(fragments) => {
                match &fragments.interpolants {
                    Interpolants::Values(values) => tables.extend(values),
                    Interpolants::Planes(planes) => {
                        parameters.has_planes = 1;
                        let words = |plane: &Plane| [plane.origin, plane.dx, plane.dy, plane.flat];
                        tables.extend(planes.iter().flat_map(words));
                    }
                }
                parameters.fragments_start = word(tables.len());
                for quad in &fragments.quads {
                    for fragment in 0..4 {
                        let places = [false, true].map(|is_centroid| quad.place(fragment, is_centroid));
                        tables.push(quad.primitive);
                        tables.extend(places.as_flattened());
                        tables.push(quad.sample.into());
                    }
                }
            }
        }
        // An index of zero is always inside.
        tables.push(0);
        parameters
    }
}

/// The tables of a launch, and the first word and the bytes of each constant space.
pub(in crate::kernels) fn tables(launch: &Launch, layout: &LaunchLayout) -> (Vec<u32>, [[u32; 2]; 16]) {
    let mut tables = layout.pages.clone();
    let words_of = |bytes: &[u8]| -> Vec<u32> {
        let word = |part: &[u8]| {
            let mut word = [0; 4];
            word[..part.len()].copy_from_slice(part);
            u32::from_le_bytes(word)
        };
        bytes.chunks(4).map(word).collect()
    };
    tables.extend(words_of(&launch.parameters));
    let mut constants = [[0; 2]; 16];
    for (space, bytes) in launch.stage.constants.iter() {
        let Some(constant) = constants.get_mut(usize::from(*space)) else { continue };
        let size = bytes.len().next_multiple_of(CONSTANT_STEP);
        *constant = [tables.len(), size].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let end = tables.len() + size / 4;
        tables.extend(words_of(bytes));
        tables.resize(end, 0);
    }
    (tables, constants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_gaps_between_buffers_are_kept() {
        let layout = LaunchLayout::new(&[(0x1_0000, 260), (0x1_0300, 7)]);
        assert_eq!((layout.start, layout.bytes, layout.is_sparse), (0x1_0000, 0x308, false));
        assert_eq!(layout.pages, [256, 4, 0, 7]);
        assert_eq!(layout.places, [0, 0x300]);
    }

    #[test]
    fn sparse_memory_has_no_gaps() {
        let layout = LaunchLayout::new(&[(0x1_0000, 4), (0x100_0000, 600)]);
        assert_eq!((layout.bytes, layout.is_sparse), (256 + 600, true));
        assert_eq!(layout.places, [0, 256]);
        let held: Vec<_> = layout.pages.iter().enumerate().filter(|(_, page)| **page != 0).collect();
        assert_eq!(held, [(0, &4), (0xff00, &(1 << 9 | 256)), (0xff01, &(2 << 9 | 256)), (0xff02, &(3 << 9 | 88))]);
    }

    #[test]
    fn a_launch_may_have_no_memory() {
        let layout = LaunchLayout::new(&[]);
        assert_eq!((layout.bytes, layout.pages.len(), layout.places.len()), (0, 0, 0));
    }
}
