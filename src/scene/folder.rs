//! Reads the files beside a scene file, and names streams after their files.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::error::{SceneError, Source};
use super::text::Text;
use crate::files;

/// The largest file that a scene may name.
const MAX_BYTES: u64 = 16 << 20;

/// The file that makes a folder a scene.
pub(super) const SCENE_OF_FOLDER: &str = "scene.ron";

/// Names and texts of files embedded in a program.
pub type EmbeddedFiles = &'static [(&'static str, &'static str)];

/// The name of a file's stream: the name of a scene's folder, or of another file up to its first dot.
#[must_use]
pub fn stream_name(path: &Path) -> String {
    let is_scene_of_folder = path.file_name() == Some(OsStr::new(SCENE_OF_FOLDER));
    let named = if is_scene_of_folder { path.parent().unwrap_or(path) } else { path };
    let canonical = named.canonicalize().unwrap_or_else(|_| named.to_owned());
    let name = canonical.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').find(|part| !part.is_empty()).unwrap_or("stream").to_owned()
}

/// The folder of a scene file.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Files that take precedence over those on disk.
    pub(super) embedded: EmbeddedFiles,
}

impl Folder {
    /// The name of a file in messages.
    pub(super) fn display(&self, name: &Text) -> String {
        self.path.join(name.as_str()).display().to_string()
    }

    /// The bytes of a file inside the folder.
    pub(super) fn bytes(&self, source: &Source, name: &Text) -> Result<Vec<u8>, SceneError> {
        let relative = Path::new(name.as_str());
        if !relative.components().all(|part| matches!(part, Component::Normal(_))) || name.as_str().is_empty() {
            return Err(source.at(
                name,
                format!("`{name}` lies outside the scene's folder"),
                "a file in this folder is expected",
            ));
        }
        if let Some((_, text)) = self.embedded.iter().find(|(embedded, _)| *embedded == name.as_str()) {
            return Ok(text.as_bytes().to_vec());
        }
        let path = self.path.join(relative);
        let unreadable = |error: std::io::Error| {
            source.at(name, format!("{}: {error}", path.display()), self.nearest(name).unwrap_or_default())
        };
        files::read_inside(&self.path, relative, MAX_BYTES).map_err(unreadable)
    }

    /// The file of this folder with the most similar name.
    fn nearest(&self, name: &Text) -> Option<String> {
        let entries = std::fs::read_dir(&self.path).ok()?;
        let mut names: Vec<_> =
            entries.take(1000).filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        super::suggest::suggestion(name.as_str(), names.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_called_by_files_and_folders_without_endings() {
        let names = [
            ("a/alu20.nvcap.zst", "alu20"),
            ("other.ron", "other"),
            ("scenes/phong/scene.ron", "phong"),
            ("scenes/phong/", "phong"),
            ("scenes/phong/../edges", "edges"),
            (".hidden", "hidden"),
            ("/", "stream"),
        ];
        for (path, name) in names {
            assert_eq!(stream_name(Path::new(path)), name);
        }
    }
}
