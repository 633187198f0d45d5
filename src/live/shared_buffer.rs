//! The memory that a program and the chip both hold of a buffer, and the words in which the two copies differ.
//!
//! The *shadow* holds what both sides last agreed on. A word of the program that differs from it was written by the
//! program, a word of the chip by the chip. The program's word wins if both wrote: it is the later one, or the program
//! did not wait, and then hardware would give either.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

/// Bytes of a word, the unit of comparison.
const WORD_BYTES: usize = 4;

/// Bytes that are read and compared at once.
const CHUNK_BYTES: usize = 1 << 16;

/// Bytes that are compared at once before their words are.
const BLOCK_BYTES: usize = 256;

/// Equal bytes between two runs that are cheaper to write again than a record's own bytes.
pub(super) const MERGED_GAP: usize = 32;

/// A buffer's memory in the program, and the shadow.
#[derive(Debug)]
pub(super) struct SharedBuffer {
    memory: File,
    shadow: Vec<u8>,
}

impl SharedBuffer {
    /// Memory that is zero, as a new buffer is.
    pub(super) fn new(memory: File, bytes: usize) -> Self {
        Self { memory, shadow: vec![0; bytes] }
    }

    /// Passes on what the program wrote since the last agreement, as offset and bytes, and agrees on it. Runs of words
    /// at most `gap` bytes apart are one.
    ///
    /// # Errors
    /// When the memory cannot be read, or as `take` does.
    pub(super) fn take_written<E>(
        &mut self,
        gap: usize,
        mut take: impl FnMut(usize, &[u8]) -> Result<(), E>,
    ) -> Result<(), E>
    where
        E: From<io::Error>,
    {
        let mut memory = vec![0; CHUNK_BYTES.min(self.shadow.len())];
        for start in (0..self.shadow.len()).step_by(CHUNK_BYTES) {
            let shadow = &mut self.shadow[start..];
            let bytes = shadow.len().min(CHUNK_BYTES);
            let (shadow, memory) = (&mut shadow[..bytes], &mut memory[..bytes]);
            read_at(&self.memory, start, memory)?;
            for run in merged(changed_words(shadow, memory), gap) {
                shadow[run.clone()].copy_from_slice(&memory[run.clone()]);
                take(start + run.start, &memory[run])?;
            }
        }
        Ok(())
    }

    /// Writes the words that the chip wrote since the last agreement to the program's memory, except where the program
    /// wrote meanwhile, and agrees on the chip's content.
    ///
    /// # Errors
    /// When the memory cannot be accessed.
    pub(super) fn bring(&mut self, chip: &[u8]) -> io::Result<()> {
        let mut memory = vec![0; CHUNK_BYTES.min(self.shadow.len())];
        for (start, chip) in (0..).step_by(CHUNK_BYTES).zip(chip.chunks(CHUNK_BYTES)) {
            let Some(shadow) = self.shadow.get_mut(start..start + chip.len()) else { break };
            let written = changed_words(shadow, chip);
            if written.is_empty() {
                continue;
            }
            let memory = &mut memory[..chip.len()];
            read_at(&self.memory, start, memory)?;
            for run in untouched(&written, shadow, memory) {
                self.memory.write_all_at(&chip[run.clone()], (start + run.start) as u64)?;
            }
            shadow.copy_from_slice(chip);
        }
        Ok(())
    }

    /// Like [`Self::bring`], for a buffer of reports: the words for which a program looks come after all others.
    ///
    /// # Errors
    /// When the memory cannot be accessed.
    pub(super) fn bring_reports(&mut self, chip: &[u8], comes_last: fn(usize) -> bool) -> io::Result<()> {
        self.bring(&without(comes_last, chip, &self.shadow))?;
        self.bring(chip)
    }

    /// How many bytes the buffer has.
    pub(super) const fn bytes(&self) -> usize {
        self.shadow.len()
    }
}

/// Reads bytes of a file; those beyond its end are zero.
fn read_at(file: &File, start: usize, mut bytes: &mut [u8]) -> io::Result<()> {
    let mut offset = start as u64;
    while !bytes.is_empty() {
        match file.read_at(bytes, offset) {
            Ok(0) => {
                bytes.fill(0);
                return Ok(());
            }
            Ok(count) => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The chip's words, but for those with some numbers, which are those of the shadow.
fn without(comes_last: fn(usize) -> bool, chip: &[u8], shadow: &[u8]) -> Vec<u8> {
    let mut words = chip.to_vec();
    let pairs = words.chunks_mut(WORD_BYTES).zip(shadow.chunks(WORD_BYTES)).enumerate();
    for (_, (word, shadow)) in pairs.filter(|(number, _)| comes_last(*number)) {
        word.copy_from_slice(shadow);
    }
    words
}

/// The maximal runs of words in which two contents of the same length differ, in bytes.
fn changed_words(old: &[u8], new: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let blocks = old.chunks(BLOCK_BYTES).zip(new.chunks(BLOCK_BYTES)).enumerate();
    for (number, (old, new)) in blocks.filter(|(_, (old, new))| old != new) {
        for (word, (old, new)) in old.chunks(WORD_BYTES).zip(new.chunks(WORD_BYTES)).enumerate() {
            if old != new {
                let start = number * BLOCK_BYTES + word * WORD_BYTES;
                push_run(&mut runs, start..start + new.len(), 0);
            }
        }
    }
    runs
}

/// The words of these runs in which the program's memory is still the shadow.
fn untouched(runs: &[Range<usize>], shadow: &[u8], memory: &[u8]) -> Vec<Range<usize>> {
    let mut kept = Vec::new();
    for run in runs {
        for start in run.clone().step_by(WORD_BYTES) {
            let word = start..(start + WORD_BYTES).min(run.end);
            if shadow[word.clone()] == memory[word.clone()] {
                push_run(&mut kept, word, 0);
            }
        }
    }
    kept
}

/// Joins runs that are at most `gap` bytes apart.
fn merged(runs: Vec<Range<usize>>, gap: usize) -> Vec<Range<usize>> {
    let mut joined = Vec::new();
    for run in runs {
        push_run(&mut joined, run, gap);
    }
    joined
}

/// Appends a run, or extends the last one if it is at most `gap` bytes before.
fn push_run(runs: &mut Vec<Range<usize>>, run: Range<usize>, gap: usize) {
    match runs.last_mut() {
        Some(last) if run.start - last.end <= gap => last.end = run.end,
        _ => runs.push(run),
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "results are lists of ranges")]
mod tests {
    use super::*;

    /// The bytes of words.
    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A buffer whose memory in the program is a file of its own.
    fn buffer(name: &str, words: usize) -> (SharedBuffer, File) {
        let path = std::env::temp_dir().join(format!("curie-shared-{}-{name}", std::process::id()));
        let options = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let memory = options.expect("a file");
        std::fs::remove_file(&path).expect("the file exists");
        memory.set_len(words as u64 * 4).expect("a file grows");
        let other = memory.try_clone().expect("a descriptor");
        (SharedBuffer::new(memory, words * WORD_BYTES), other)
    }

    fn written(shared: &mut SharedBuffer, gap: usize) -> Vec<(usize, Vec<u8>)> {
        let mut runs = Vec::new();
        let take = |offset, bytes: &[u8]| {
            runs.push((offset, bytes.to_vec()));
            Ok::<_, io::Error>(())
        };
        shared.take_written(gap, take).expect("memory is readable");
        runs
    }

    fn content(memory: &File, words: usize) -> Vec<u8> {
        let mut content = vec![0xee; words * 4];
        read_at(memory, 0, &mut content).expect("memory is readable");
        content
    }

    #[test]
    fn runs_are_words_and_maximal() {
        let old = bytes(&[0, 1, 2, 3, 4, 5]);
        assert_eq!(changed_words(&old, &old), []);
        let mut new = old.clone();
        new[5] = 9;
        new[8] = 9;
        new[23] = 9;
        assert_eq!(changed_words(&old, &new), [4..12, 20..24]);
        // Contents need not end with a whole word, and runs cross blocks.
        assert_eq!(changed_words(&[0; 6], &[0, 0, 0, 0, 0, 1]), [4..6]);
        assert_eq!(changed_words(&[0; 1024], &[1; 1024]), [0..1024]);
        let mut far = [0; 1024];
        far[BLOCK_BYTES - 1] = 1;
        far[BLOCK_BYTES] = 1;
        assert_eq!(changed_words(&[0; 1024], &far), [BLOCK_BYTES - 4..BLOCK_BYTES + 4]);
    }

    #[test]
    fn near_runs_are_joined() {
        assert_eq!(merged(vec![0..4, 8..12, 44..48, 84..88], 32), [0..48, 84..88]);
        assert_eq!(merged(vec![0..4, 8..12], 0), [0..4, 8..12]);
    }

    #[test]
    fn what_the_program_wrote_is_taken_once() {
        let (mut shared, memory) = buffer("taken", 6);
        memory.write_all_at(&bytes(&[7]), 4).expect("a write");
        memory.write_all_at(&bytes(&[8]), 12).expect("a write");
        assert_eq!(written(&mut shared, 0), [(4, bytes(&[7])), (12, bytes(&[8]))]);
        assert_eq!(written(&mut shared, 0), []);
        memory.write_all_at(&bytes(&[1, 7, 0, 2]), 0).expect("a write");
        assert_eq!(written(&mut shared, MERGED_GAP), [(0, bytes(&[1, 7, 0, 2]))]);
    }

    #[test]
    fn chunks_have_their_own_offsets() {
        let words = CHUNK_BYTES / 4 + 2;
        let (mut shared, memory) = buffer("chunks", words);
        memory.write_all_at(&bytes(&[5]), CHUNK_BYTES as u64 + 4).expect("a write");
        assert_eq!(written(&mut shared, 0), [(CHUNK_BYTES + 4, bytes(&[5]))]);
        let mut chip = content(&memory, words);
        chip[CHUNK_BYTES..CHUNK_BYTES + 4].copy_from_slice(&bytes(&[6]));
        shared.bring(&chip).expect("memory is writable");
        assert_eq!(content(&memory, words), chip);
    }

    #[test]
    fn a_word_that_both_wrote_is_the_programs() {
        let (mut shared, memory) = buffer("conflict", 4);
        memory.write_all_at(&bytes(&[10, 11, 12, 13]), 0).expect("a write");
        assert_eq!(written(&mut shared, 0).len(), 1);
        // The chip writes words 1 and 2, the program 2 and 3.
        memory.write_all_at(&bytes(&[22, 23]), 8).expect("a write");
        shared.bring(&bytes(&[10, 31, 32, 13])).expect("memory is writable");
        assert_eq!(content(&memory, 4), bytes(&[10, 31, 22, 23]));
        // The program's words still count as written.
        assert_eq!(written(&mut shared, 0), [(8, bytes(&[22, 23]))]);
    }

    #[test]
    fn some_words_come_after_all_others() {
        let words: Vec<u32> = (101..=112).collect();
        let comes_last = |number| number == 0 || number % 4 == 3;
        let first = without(comes_last, &bytes(&words), &bytes(&[7; 12]));
        assert_eq!(first, bytes(&[7, 102, 103, 7, 105, 106, 107, 7, 109, 110, 111, 7]));
        let (mut shared, memory) = buffer("reports", 12);
        shared.bring_reports(&bytes(&words), comes_last).expect("memory is writable");
        assert_eq!(content(&memory, 12), bytes(&words));
        assert_eq!(written(&mut shared, 0), [], "the chip's words are not the program's");
    }

    #[test]
    fn a_return_to_the_old_word_is_a_write() {
        let (mut shared, memory) = buffer("return", 1);
        memory.write_all_at(&bytes(&[1]), 0).expect("a write");
        assert_eq!(written(&mut shared, 0).len(), 1);
        memory.write_all_at(&bytes(&[2]), 0).expect("a write");
        shared.bring(&bytes(&[3])).expect("memory is writable");
        memory.write_all_at(&bytes(&[1]), 0).expect("a write");
        assert_eq!(written(&mut shared, 0), [(0, bytes(&[1]))]);
    }

    #[test]
    fn memory_that_was_cut_reads_as_zero() {
        let (mut shared, memory) = buffer("cut", 4);
        memory.write_all_at(&bytes(&[1, 2, 3, 4]), 0).expect("a write");
        assert_eq!(written(&mut shared, 0).len(), 1);
        memory.set_len(6).expect("a file shrinks");
        assert_eq!(written(&mut shared, 0), [(8, bytes(&[0, 0]))]);
    }
}
