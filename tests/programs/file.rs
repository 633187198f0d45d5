//! Parses a program file into the program and its checks.

use curie::arith::vertex::VertexRuleSet;

/// A program and its expectations from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramTest {
    /// The program, from its header to END.
    pub(crate) program: String,
    /// The checks to run.
    pub(crate) stages: Vec<Stage>,
    /// The microcode, if the file specifies it.
    pub(crate) words: Vec<u32>,
    /// The arithmetic of a vertex program, if it is not that of the language.
    pub(crate) rules: Option<VertexRuleSet>,
    /// The booleans of a vertex program.
    pub(crate) booleans: u32,
    /// Inputs and results.
    pub(crate) runs: Vec<Run>,
}

/// A check requested by a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The text assembles, to the words in the file, if any.
    Assemble,
    /// The listing of the words assembles to them.
    Roundtrip,
    /// The reference produces the results.
    Reference,
    /// The kernels produce the results, with the bits of the reference.
    Kernels,
}

/// One line of inputs and results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// The line in the file.
    pub(crate) line: usize,
    /// `NAME=x,y,z,w` groups.
    pub(crate) inputs: String,
    /// The expected outcome.
    pub(crate) outcome: Outcome,
}

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The fragment is discarded.
    Discarded,
    /// Registers have values.
    Registers {
        /// Names and bits.
        values: Vec<(String, [u32; 4])>,
        /// Maximum distance of a result from these values, in units in the last place; 0 for equal bits.
        tolerance: u32,
    },
}

impl ProgramTest {
    /// Reads a file.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let start = text.lines().position(|line| line.starts_with("!!")).ok_or("there is no header of a language")?;
        let end = text.lines().position(|line| line == "END").ok_or("there is no line that says END")?;
        let program: Vec<&str> = text.lines().skip(start).take((end + 1).saturating_sub(start)).collect();
        let mut test = Self {
            program: program.join("\n") + "\n",
            stages: Vec::new(),
            words: Vec::new(),
            rules: None,
            booleans: 0,
            runs: Vec::new(),
        };
        for (index, line) in text.lines().enumerate() {
            if !(start..=end).contains(&index) {
                test.line(index + 1, line).map_err(|error| format!("line {}: {error}", index + 1))?;
            }
        }
        let is_run = test.stages.iter().any(|stage| matches!(stage, Stage::Reference | Stage::Kernels));
        match (test.stages.is_empty(), is_run, test.runs.is_empty()) {
            (true, ..) => Err("nothing is checked".to_owned()),
            (_, true, true) => Err("no line says what the program gives".to_owned()),
            (_, false, false) => Err("no engine runs the lines".to_owned()),
            _ => Ok(test),
        }
    }

    /// Parses a line outside the program.
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        if line.is_empty() {
            return Ok(());
        }
        let comment = line.strip_prefix("# ").ok_or("it is neither a comment nor part of the program")?;
        let (word, rest) = comment.split_once(' ').unwrap_or((comment, ""));
        match word {
            "test" => self.stages = rest.split(", ").map(stage).collect::<Result<_, _>>()?,
            "run:" => self.runs.push(run(number, rest)?),
            "words:" => {
                for word in rest.split_whitespace() {
                    self.words.push(u32::from_str_radix(word, 16).map_err(|_| format!("{word:?} is not a word"))?);
                }
            }
            "rules:" => {
                self.rules = Some(match rest {
                    "legacy" => VertexRuleSet::Nv40Legacy,
                    "modern" => VertexRuleSet::Nv40Modern,
                    _ => return Err(format!("{rest:?} is not a rule set")),
                });
            }
            "booleans:" => {
                let digits = rest.strip_prefix("0x").ok_or("a mask begins with 0x")?;
                self.booleans = u32::from_str_radix(digits, 16).map_err(|_| format!("{rest:?} is not a mask"))?;
            }
            _ if word.strip_suffix(':').is_some_and(|word| word.bytes().all(|letter| letter.is_ascii_lowercase())) => {
                return Err(format!("unknown directive {word:?}"));
            }
            _ => {}
        }
        Ok(())
    }
}

fn stage(name: &str) -> Result<Stage, String> {
    Ok(match name {
        "assemble" => Stage::Assemble,
        "roundtrip" => Stage::Roundtrip,
        "reference" => Stage::Reference,
        "kernels" => Stage::Kernels,
        _ => return Err(format!("unknown check {name:?}")),
    })
}

fn run(line: usize, text: &str) -> Result<Run, String> {
    let (inputs, results) = text.split_once("->").ok_or("the line has no ->")?;
    let inputs = inputs.trim().to_owned();
    if results.trim() == "discarded" {
        return Ok(Run { line, inputs, outcome: Outcome::Discarded });
    }
    let (mut values, mut tolerance) = (Vec::new(), 0);
    for group in results.split_whitespace() {
        if let Some(units) = group.strip_prefix('~') {
            let units = units.strip_suffix("ulp").and_then(|units| units.parse().ok()).filter(|&units| units > 0);
            tolerance = units.ok_or_else(|| format!("{group:?} is not a tolerance"))?;
            continue;
        }
        let (name, value) = group.split_once('=').ok_or_else(|| format!("{group:?} is not NAME=x,y,z,w"))?;
        values.push((name.to_owned(), vector(value).ok_or_else(|| format!("{value:?} is not four numbers"))?));
    }
    if values.is_empty() {
        return Err("there is no result".to_owned());
    }
    Ok(Run { line, inputs, outcome: Outcome::Registers { values, tolerance } })
}

/// Four numbers, each a decimal or eight hexadecimal digits after `0x`.
fn vector(text: &str) -> Option<[u32; 4]> {
    let components: Option<Vec<u32>> = text.split(',').map(component).collect();
    components?.try_into().ok()
}

fn component(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) if digits.len() == 8 => u32::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => text.parse().ok().map(f32::to_bits),
    }
}
