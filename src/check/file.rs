//! Reads a check file: TOML with a table `[[case]]` for each case and `[defaults]` for all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::case::{Case, Engine, Expected, ExpectedCount, Pixel, Program, ProgramInputs, Stream, Subject};
use super::{CheckError, StreamOptions, files};
use crate::counters::Counter;
use crate::scene::stream_name;

/// The surfaces that a picture can show.
const SHOWN: [&str; 10] =
    ["color0", "color1", "color2", "color3", "color4", "color5", "color6", "color7", "depth", "stencil"];

/// A check file, read.
#[derive(Debug, Clone)]
pub struct CheckFile {
    /// The file.
    pub path: PathBuf,
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    defaults: Options,
    #[serde(default, rename = "case")]
    cases: Vec<Spanned<Entry>>,
}

/// What a file may set for all cases.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    engines: Option<Vec<Engine>>,
    machine: Option<String>,
    until: Option<u32>,
    until_draw: Option<u64>,
    surface: Option<String>,
    frame: Option<u32>,
    size: Option<[u32; 2]>,
}

/// A case as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    capture: Option<PathBuf>,
    scene: Option<PathBuf>,
    program: Option<PathBuf>,
    engines: Option<Vec<Engine>>,
    machine: Option<String>,
    until: Option<u32>,
    until_draw: Option<u64>,
    surface: Option<String>,
    flip: Option<bool>,
    frame: Option<u32>,
    size: Option<[u32; 2]>,
    input: Option<OneOrMore>,
    inputs: Option<PathBuf>,
    stage: Option<String>,
    entry: Option<String>,
    textures: Option<OneOrMore>,
    booleans: Option<u32>,
    full_outputs: Option<bool>,
    depth: Option<bool>,
    #[serde(default)]
    surfaces: BTreeMap<String, String>,
    readbacks: Option<Vec<String>>,
    #[serde(default)]
    counters: BTreeMap<String, BTreeMap<String, Count>>,
    #[serde(default)]
    pixels: Vec<Pixel>,
    picture: Option<PathBuf>,
    results: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn into_texts(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::More(texts) => texts,
        }
    }
}

/// The value of a counter, or the values of its elements by name.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a counter is a number, or a table of numbers by element")]
enum Count {
    Total(u64),
    Elements(BTreeMap<String, u64>),
}

impl CheckFile {
    /// Reads a file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// When it cannot be read, has unknown keys, or a case is not of one kind; the error names the line.
    pub fn open(path: &Path) -> Result<Self, CheckError> {
        Self::read(path, &files::read_text(path)?)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn read(path: &Path, text: &str) -> Result<Self, CheckError> {
        let document: Document = toml::from_str(text)
            .map_err(|error| at(path, text, error.span().map_or(0, |span| span.start), error.message()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut names = BTreeSet::new();
        let mut cases = Vec::with_capacity(document.cases.len());
        for entry in document.cases {
            let start = entry.span().start;
            let case = entry.into_inner().case(folder, &document.defaults);
            let case = case.map_err(|message| at(path, text, start, &message))?;
            if !names.insert(case.name.clone()) {
                return Err(at(path, text, start, &format!("a second case has the name '{}'", case.name)));
            }
            cases.push(Case { line: line(text, start), ..case });
        }
        if cases.is_empty() {
            return Err(at(path, text, 0, "there is no [[case]]"));
        }
        Ok(Self { path: path.to_owned(), cases })
    }
}

/// The line of a byte offset, from 1.
fn line(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

fn at(path: &Path, text: &str, offset: usize, message: &str) -> CheckError {
    CheckError::Line { path: path.to_owned(), line: line(text, offset), message: message.trim_end().to_owned() }
}

impl Entry {
    /// The case, or what is wrong with it.
    fn case(mut self, folder: &Path, defaults: &Options) -> Result<Case, String> {
        let expected = self.expected(folder)?;
        let subjects = [self.capture.take(), self.scene.take(), self.program.take()];
        let [capture, scene, program] = subjects.map(|path| path.map(|path| folder.join(path)));
        let (path, subject) = match (capture, scene, program) {
            (Some(path), None, None) => (path.clone(), self.stream(path, defaults, false)?),
            (None, Some(path), None) => (path.clone(), self.stream(path, defaults, true)?),
            (None, None, Some(path)) => (path.clone(), self.program(path, folder)?),
            _ => return Err("a case has one of the keys capture, scene, program".to_owned()),
        };
        let is_program = matches!(subject, Subject::Program(_));
        if is_program && !(Expected { results: None, ..expected.clone() }).is_empty() {
            return Err(
                "a program gives results; surfaces, readbacks, counters, pixels and picture are of streams".to_owned()
            );
        }
        if !is_program && expected.results.is_some() {
            return Err("results are of programs".to_owned());
        }
        let name = self.name.unwrap_or_else(|| stream_name(&path));
        if name.is_empty() || name.contains([',', '"']) || name.chars().any(char::is_control) {
            return Err(format!("the name {name:?} is empty, or has a comma, a quotation mark or a line break"));
        }
        let machine = self.machine.or_else(|| defaults.machine.clone());
        // A machine that is not bundled is a file.
        let machine = machine.map(|machine| match machine.ends_with(".toml") {
            true => folder.join(machine).display().to_string(),
            false => machine,
        });
        let mut engines = self.engines.or_else(|| defaults.engines.clone()).unwrap_or(vec![Engine::Reference]);
        engines.sort();
        engines.dedup();
        if engines.is_empty() {
            return Err("engines: one of reference and kernels is needed".to_owned());
        }
        Ok(Case { name, line: 0, subject, engines, machine, expected })
    }

    fn stream(&self, path: PathBuf, defaults: &Options, is_scene: bool) -> Result<Subject, String> {
        let keys = [
            ("input", self.input.is_some()),
            ("inputs", self.inputs.is_some()),
            ("stage", self.stage.is_some()),
            ("entry", self.entry.is_some()),
            ("textures", self.textures.is_some()),
            ("booleans", self.booleans.is_some()),
            ("full_outputs", self.full_outputs.is_some()),
            ("depth", self.depth.is_some()),
        ];
        refuse(&keys, "programs")?;
        if !is_scene {
            refuse(&[("frame", self.frame.is_some()), ("size", self.size.is_some())], "scenes")?;
        }
        let size = self.size.or(defaults.size).map(|[width, height]| (width, height));
        if size.is_some_and(|(width, height)| !(1..=4096).contains(&width) || !(1..=4096).contains(&height)) {
            return Err("size: width and height are 1 to 4096 pixels".to_owned());
        }
        let frame = self.frame.or(defaults.frame).unwrap_or(0);
        if frame >= 1_000_000 {
            return Err("frame: less than 1000000".to_owned());
        }
        let surface = self.surface.as_ref().or(defaults.surface.as_ref());
        let surface = surface.map_or("color0", String::as_str).to_owned();
        if !SHOWN.contains(&surface.as_str()) {
            return Err(format!("surface: '{surface}' is none of {}", SHOWN.join(", ")));
        }
        Ok(Subject::Stream(Stream {
            path,
            options: StreamOptions { frame, size },
            until: self.until.or(defaults.until),
            until_draw: self.until_draw.or(defaults.until_draw),
            surface,
            flip: self.flip.unwrap_or(false),
        }))
    }

    fn program(&mut self, path: PathBuf, folder: &Path) -> Result<Subject, String> {
        let keys = [
            ("until", self.until.is_some()),
            ("until_draw", self.until_draw.is_some()),
            ("surface", self.surface.is_some()),
            ("flip", self.flip.is_some()),
            ("frame", self.frame.is_some()),
            ("size", self.size.is_some()),
        ];
        refuse(&keys, "streams")?;
        let stage = self.stage.take();
        if stage.as_ref().is_some_and(|stage| !["vertex", "fragment"].contains(&stage.as_str())) {
            return Err("stage: vertex or fragment".to_owned());
        }
        let inputs = match (self.input.take(), self.inputs.take()) {
            (Some(_), Some(_)) => return Err("a program has input or inputs".to_owned()),
            (Some(texts), None) => ProgramInputs::Given(texts.into_texts()),
            (None, Some(file)) => ProgramInputs::File(folder.join(file)),
            (None, None) => ProgramInputs::Given(vec![String::new()]),
        };
        Ok(Subject::Program(Program {
            path,
            inputs,
            stage,
            entry: self.entry.take(),
            textures: self.textures.take().map_or_else(Vec::new, OneOrMore::into_texts),
            folder: folder.to_owned(),
            booleans: self.booleans.unwrap_or(0),
            full_outputs: self.full_outputs.unwrap_or(false),
            depth: self.depth.unwrap_or(false),
        }))
    }

    fn expected(&mut self, folder: &Path) -> Result<Expected, String> {
        let mut counters = Vec::new();
        for (group, members) in &self.counters {
            for (name, count) in members {
                counters.extend(counted(group, name, count)?);
            }
        }
        let named = |name: &str| name == "zeta" || SHOWN[..8].contains(&name);
        let pixel_surfaces = self.pixels.iter().map(|pixel| &pixel.surface);
        if let Some(name) = self.surfaces.keys().chain(pixel_surfaces).find(|name| !named(name)) {
            return Err(format!("'{name}' is none of the surfaces {}, zeta", SHOWN[..8].join(", ")));
        }
        if let Some(Pixel { value, .. }) = self.pixels.iter().find(|pixel| !is_hexadecimal(&pixel.value)) {
            return Err(format!("pixels: '{value}' is not a hexadecimal number such as 0xff102030"));
        }
        Ok(Expected {
            surfaces: std::mem::take(&mut self.surfaces).into_iter().collect(),
            readbacks: self.readbacks.take(),
            counters,
            pixels: std::mem::take(&mut self.pixels),
            picture: self.picture.take().map(|path| folder.join(path)),
            results: self.results.take(),
        })
    }
}

/// Refuses keys that belong to other cases.
fn refuse(keys: &[(&str, bool)], owners: &str) -> Result<(), String> {
    match keys.iter().find(|(_, is_given)| *is_given) {
        Some((key, _)) => Err(format!("the key {key} is of {owners}")),
        None => Ok(()),
    }
}

fn is_hexadecimal(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    !digits.is_empty() && digits.len().is_multiple_of(2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The counters that an entry names, or that there are none.
fn counted(group: &str, name: &str, count: &Count) -> Result<Vec<ExpectedCount>, String> {
    let found = Counter::ALL.iter().find(|counter| (counter.row().group, counter.row().name) == (group, name));
    let Some(&counter) = found else {
        return Err(format!("there is no counter {group}.{name}; docs/statistics.md lists them"));
    };
    let elements = counter.row().elements;
    match count {
        Count::Total(value) => Ok(vec![(format!("{group}.{name}"), counter, None, *value)]),
        Count::Elements(values) => {
            let one = |(element, value): (&String, &u64)| match elements.iter().position(|known| known == element) {
                Some(index) => Ok((format!("{group}.{name}.{element}"), counter, Some(index), *value)),
                None => Err(format!("the counter {group}.{name} has no element {element}: {}", elements.join(", "))),
            };
            values.iter().map(one).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CheckFile, String> {
        CheckFile::read(Path::new("tests/a.toml"), text).map_err(|error| error.to_string())
    }

    fn error(text: &str) -> String {
        read(text).unwrap_err()
    }

    #[test]
    fn cases_take_defaults_and_paths_are_relative_to_the_file() {
        let file = read(
            "[defaults]\nengines = ['kernels', 'reference']\nuntil_draw = 4\nmachine = 'own.toml'\n\n[[case]]\ncapture = \
             'b/cube.nvcap'\n[[case]]\nname = 'two'\nscene = '../scenes/phong'\nframe = 3\nsize = [96, 72]\nengines = \
             ['reference']\nmachine = '6800-ultra'\npicture = 'two.png'\n",
        )
        .unwrap();
        let [first, second] = <[Case; 2]>::try_from(file.cases).unwrap();
        assert_eq!((first.name.as_str(), first.line), ("cube", 6));
        assert_eq!(first.engines, [Engine::Reference, Engine::Kernels]);
        assert_eq!(first.machine.as_deref(), Some("tests/own.toml"));
        let Subject::Stream(stream) = &first.subject else { panic!() };
        assert_eq!((stream.path.as_path(), stream.until_draw), (Path::new("tests/b/cube.nvcap"), Some(4)));
        let Subject::Stream(stream) = &second.subject else { panic!() };
        assert_eq!(stream.options, StreamOptions { frame: 3, size: Some((96, 72)) });
        assert_eq!((second.engines, second.machine.as_deref()), (vec![Engine::Reference], Some("6800-ultra")));
        assert_eq!(second.expected.picture.as_deref(), Some(Path::new("tests/two.png")));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let cases = [
            ("[[case]]\ncapture = 'a'\n\ncolour = 1\n", "tests/a.toml:4: unknown field `colour`"),
            ("[defaults]\nengine = 'kernels'\n", "tests/a.toml:2: unknown field `engine`"),
            ("\n[[case]]\ncapture = \n", "tests/a.toml:3: "),
            ("\n\n[[case]]\nname = 'x'\n", "tests/a.toml:3: a case has one of the keys"),
            ("[[case]]\ncapture = 'a'\nscene = 'b'\n", "tests/a.toml:1: a case has one of the keys"),
            (
                "[[case]]\ncapture = 'a'\n[[case]]\ncapture = 'b/a.nvcap'\n",
                "tests/a.toml:3: a second case has the name 'a'",
            ),
            ("[[case]]\ncapture = 'a'\nframe = 1\n", "the key frame is of scenes"),
            ("[[case]]\ncapture = 'a'\ninput = 'v[0]=1'\n", "the key input is of programs"),
            ("[[case]]\nprogram = 'a.vp'\nuntil = 1\n", "the key until is of streams"),
            ("[[case]]\nprogram = 'a.vp'\npicture = 'x'\n", "a program gives results"),
            ("[[case]]\ncapture = 'a'\nresults = []\n", "results are of programs"),
            ("[[case]]\ncapture = 'a'\nsurfaces.color8 = 'x'\n", "'color8' is none of"),
            ("[[case]]\ncapture = 'a'\nsurface = 'zeta'\n", "'zeta' is none of"),
            ("[[case]]\ncapture = 'a'\ncounters.raster.quad = 1\n", "no counter raster.quad"),
            ("[[case]]\ncapture = 'a'\ncounters.raster.quads.unit0 = 1\n", "has no element unit0"),
            ("[[case]]\ncapture = 'a'\ncounters.raster.quads = -1\n", "a counter is a number"),
            ("[[case]]\ncapture = 'a'\npixels = [{ x = 1, y = 2, value = 'red' }]\n", "'red' is not a hexadecimal"),
            ("[[case]]\ncapture = 'a'\npixels = [{ x = 1, z = 2, value = '0x00' }]\n", "unknown field `z`"),
            ("[[case]]\ncapture = 'a'\nengines = []\n", "one of reference and kernels"),
            ("[[case]]\ncapture = 'a'\nengines = ['auto']\n", "unknown variant `auto`"),
            ("[[case]]\nname = 'a,b'\ncapture = 'a'\n", "a comma"),
            ("# nothing\n", "there is no [[case]]"),
        ];
        for (text, expected) in cases {
            let error = error(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn counters_are_found_by_name() {
        let text =
            "[[case]]\ncapture = 'a'\n[case.counters]\nraster.quads = 12\nshading.arithmetic_instructions.fp16 = 3\n";
        let file = read(text).unwrap();
        let names: Vec<_> = file.cases[0]
            .expected
            .counters
            .iter()
            .map(|(name, _, element, value)| (name.as_str(), *element, *value))
            .collect();
        assert_eq!(names, [("raster.quads", None, 12), ("shading.arithmetic_instructions.fp16", Some(1), 3)]);
    }
}
