//! Prints a capture as text: records, methods with their fields, and the programs that draws use.

mod tesla_programs;

use std::io::{self, Write};

use crate::capture::{Buffer, Capture, Record, Submission};
use crate::chip::{Chip, ChipError};
use crate::command::list::describe_method;
use crate::command::methods::three_d;
use crate::isa::VertexMicrocode;
use crate::machine::{UnsupportedChipset, chip_of};
use crate::memory::{MemoryError, MemorySpace};
use crate::pipeline::Vec4VertexStage;
use crate::pipeline::{Draw, GpuCommand, NullEngine};
use crate::plural::counted;
use crate::shader::fragment::FragmentProgram;
use tesla_programs::TeslaPrograms;

/// Why a listing stopped.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The capture's chip is not supported.
    #[error(transparent)]
    Chipset(#[from] UnsupportedChipset),
    /// The text cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The capture declares impossible memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// Writes a capture as text: one line per record, and one per method of a submission.
///
/// Vertex programs are disassembled at the first draw that uses them, fragment programs where they become active.
/// Their microcode is read from guest memory, which holds the host's writes and the stream's own copies; nothing
/// is drawn. A line that starts with `!` reports what the chip refuses. Tesla programs are disassembled where a method
/// names their start.
///
/// # Errors
/// When the text cannot be written, the capture's chip is not supported, or the capture declares impossible
/// memory.
pub fn list_capture(capture: &Capture, out: &mut dyn Write) -> Result<(), ListError> {
    let header = &capture.header;
    let chip = chip_of(header)?;
    writeln!(
        out,
        "chipset {:#x}, {} MiB VRAM, {} MiB GART",
        header.chipset,
        header.vram_bytes >> 20,
        header.gart_bytes >> 20
    )?;
    let memory = NullEngine::new(header.vram_bytes, header.gart_bytes)?;
    let mut listing = Listing { chip, memory, vertex_program: None, tesla: TeslaPrograms::default(), out };
    for (number, record) in capture.records.iter().enumerate() {
        listing.record(number, record)?;
    }
    listing.end(capture)
}

/// The state of a listing.
struct Listing<'a> {
    chip: Chip,
    memory: NullEngine,
    /// The last vertex program written.
    vertex_program: Option<VertexMicrocode>,
    tesla: TeslaPrograms,
    out: &'a mut dyn Write,
}

impl Listing<'_> {
    fn record(&mut self, number: usize, record: &Record) -> Result<(), ListError> {
        writeln!(self.out, "{number} {}", describe_record(record))?;
        let result = match record {
            Record::Submit(submission) => return self.submission(submission),
            _ => self.chip.apply(record, &mut self.memory),
        };
        self.note(result)
    }

    /// Writes a chip error as a line; the listing continues.
    fn note(&mut self, result: Result<(), ChipError>) -> Result<(), ListError> {
        if let Err(error) = result {
            writeln!(self.out, "  ! {error}")?;
        }
        Ok(())
    }

    fn submission(&mut self, submission: &Submission) -> Result<(), ListError> {
        let mut run = match self.chip.start(submission) {
            Ok(run) => run,
            Err(error) => return self.note(Err(error)),
        };
        loop {
            let write = match self.chip.next_method(&mut run, &mut self.memory) {
                Ok(Some(write)) => write,
                Ok(None) => return Ok(()),
                Err(error) => return self.note(Err(error)),
            };
            let class = self.chip.bound_class(write.subchannel);
            writeln!(self.out, "  {}", describe_method(class, write))?;
            let result = self.chip.execute_method(write, &mut self.memory);
            self.note(result)?;
            for command in self.memory.take_drawn() {
                if let GpuCommand::Draw(draw) = command {
                    self.draw(&draw)?;
                }
            }
            let is_three_d = class.is_some_and(|class| three_d::CLASS.has(class));
            if is_three_d && write.method == three_d::program::FP_ACTIVE_PROGRAM {
                self.fragment_program()?;
            }
            if let Some(program) = class.and_then(|class| self.tesla.method(class, write)) {
                writeln!(self.out, "    {}", program.title())?;
                self.indented(&program.lines(&self.chip, self.memory.memory()).join("\n"))?;
            }
        }
    }

    fn draw(&mut self, draw: &Draw) -> Result<(), ListError> {
        let Some(Vec4VertexStage { microcode, .. }) = draw.vertex.vec4() else { return Ok(()) };
        if self.vertex_program.as_ref() == Some(microcode) {
            return Ok(());
        }
        writeln!(self.out, "    vertex program at slot {}:", microcode.start())?;
        self.indented(&microcode.disassemble().unwrap_or_else(|error| format!("! {error}")))?;
        self.vertex_program = Some(microcode.clone());
        Ok(())
    }

    fn fragment_program(&mut self) -> Result<(), ListError> {
        let window = self.chip.fragment_program();
        writeln!(self.out, "    fragment program at {:?} {:#x}:", window.space, window.start)?;
        self.indented(&fragment_program_text(self.memory.memory().slice(window)))
    }

    fn indented(&mut self, text: &str) -> Result<(), ListError> {
        for line in text.lines() {
            writeln!(self.out, "      {line}")?;
        }
        Ok(())
    }

    fn end(self, capture: &Capture) -> Result<(), ListError> {
        list_warnings(capture, self.out)?;
        for (anomaly, occurrences) in self.chip.anomalies().iter() {
            let times = counted(occurrences.count, "time");
            writeln!(self.out, "! {anomaly} ({times}, first {:#010x})", occurrences.first_value)?;
        }
        for surface in self.chip.bound_surfaces() {
            writeln!(
                self.out,
                "{} {}x{} {} at {:?} {:#x}",
                surface.name,
                surface.width,
                surface.height,
                surface.format.name(),
                surface.window.space,
                surface.window.start
            )?;
        }
        Ok(())
    }
}

fn list_warnings(capture: &Capture, out: &mut dyn Write) -> io::Result<()> {
    capture.warnings.iter().try_for_each(|warning| writeln!(out, "! {warning}"))
}

/// Describes a record in one line, without the words of a submission.
fn describe_record(record: &Record) -> String {
    let tag = record.tag_name();
    match record {
        Record::Channel { vram_handle, gart_handle, notifier_buffer } => {
            format!("{tag} vram={vram_handle:#x} gart={gart_handle:#x} notifiers=buffer {notifier_buffer}")
        }
        Record::Object { handle, class } => format!("{tag} handle={handle:#x} class={class:#06x}"),
        Record::Notifier { handle, offset, bytes, buffer } => {
            format!("{tag} handle={handle:#x} buffer {buffer} {offset:#x}+{bytes:#x}")
        }
        Record::CreateBuffer(buffer) | Record::MoveBuffer(buffer) => format!("{tag} {}", describe_buffer(buffer)),
        Record::DestroyBuffer { handle } => format!("{tag} buffer {handle}"),
        Record::Pages { handle, first_page, bytes } => {
            format!("{tag} buffer {handle} first_page={first_page} bytes={:#x}", bytes.len())
        }
        Record::Write { handle, offset, bytes } => {
            format!("{tag} buffer {handle} {offset:#x}+{:#x}", bytes.len())
        }
        Record::Prepare { handle, flags } => format!("{tag} buffer {handle} flags={flags:#x}"),
        Record::Mark(text) => format!("{tag} {}", text.escape_ascii()),
        Record::Times(times) => format!("{tag} {}", counted(times.len(), "time")),
        Record::Submit(submission) => {
            let words: usize = submission.pushes.iter().map(|push| push.words.len()).sum();
            format!("{tag} {} buffers={} words={words}", submission.sequence, submission.buffers.len())
        }
    }
}

fn describe_buffer(buffer: &Buffer) -> String {
    let space = match buffer.space() {
        Some(MemorySpace::Vram) => "VRAM".to_owned(),
        Some(MemorySpace::Gart) => "GART".to_owned(),
        None => format!("domain {}", buffer.domain),
    };
    let tiling = match (buffer.tile_flags, buffer.tile_mode) {
        (0, 0) => String::new(),
        (flags, mode) => format!(" tile_flags={flags:#x} tile_mode={mode:#x}"),
    };
    format!("buffer {} {space} {:#x}+{:#x}{tiling}", buffer.handle, buffer.offset, buffer.bytes)
}

/// Disassembles a fragment program, or states why it cannot be decoded.
pub(crate) fn fragment_program_text(microcode: &[u8]) -> String {
    let mut word = |offset: u32| {
        let bytes = microcode.get(offset as usize * 4..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    match FragmentProgram::decode_from(&mut word) {
        Ok(program) => program.to_string(),
        Err(error) => format!("! {error}"),
    }
}
