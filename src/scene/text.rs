//! Types of the schema: texts with positions in the file, named maps, names from the method tables.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use super::suggest::suggestion;
use crate::command::methods::enums;
use crate::command::word::FieldValue;
use crate::format;
use crate::pipeline::SampleMode;

/// The most entries of a map.
const MAX_ENTRIES: usize = 512;

/// A text of a scene file.
#[derive(Debug, Clone, Default)]
pub struct Text {
    text: String,
    /// The address of the text while the file was in memory, which determines its position; 0 if there is none.
    address: usize,
}

impl Text {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its position in its file, in bytes.
    #[must_use]
    pub(super) fn span(&self, source: &str) -> Range<usize> {
        match self.address.checked_sub(source.as_ptr() as usize) {
            Some(start) if start + self.text.len() <= source.len() => start..start + self.text.len(),
            _ => 0..0,
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), address: 0 }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text in double quotes")
            }

            // Texts without escapes are borrowed from the file itself.
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text, E> {
                Ok(Text { text: text.to_owned(), address: text.as_ptr() as usize })
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text { text: text.to_owned(), address: 0 })
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// A map in the order of the file; a repeated key is an error.
#[derive(Debug, Clone)]
pub struct Entries<K, T>(pub Vec<(K, T)>);

/// A map by name.
pub type Named<T> = Entries<Text, T>;

impl<K, T> Default for Entries<K, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, T> Entries<K, T> {
    /// The entries in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &(K, T)> {
        self.0.iter()
    }
}

impl<T> Named<T> {
    /// The position of the entry with this name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(key, _)| key.as_str() == name)
    }

    /// The entry with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        self.position(name).map(|index| &self.0[index].1)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }
}

impl<'de, K: Deserialize<'de> + PartialEq + fmt::Display, T: Deserialize<'de>> Deserialize<'de> for Entries<K, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<K, T>(PhantomData<(K, T)>);
        impl<'de, K: Deserialize<'de> + PartialEq + fmt::Display, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<K, T> {
            type Value = Entries<K, T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a map in braces")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Vec<(K, T)> = Vec::new();
                while let Some(key) = map.next_key::<K>()? {
                    if entries.iter().any(|(known, _)| *known == key) {
                        return Err(de::Error::custom(format!("`{key}` is there twice")));
                    }
                    if entries.len() == MAX_ENTRIES {
                        return Err(de::Error::custom(format!("more than {MAX_ENTRIES} entries")));
                    }
                    entries.push((key, map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct WordVisitor<T> {
    what: &'static str,
    names: Vec<(T, &'static str)>,
}

impl<T: Copy> Visitor<'_> for WordVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.what)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<T, E> {
        if let Some((code, _)) = self.names.iter().find(|(_, name)| *name == word) {
            return Ok(*code);
        }
        let mut names: Vec<_> = self.names.iter().map(|(_, name)| *name).collect();
        names.dedup();
        let hint = suggestion(word, names.iter().copied()).unwrap_or_else(|| format!("there are {}", names.join(", ")));
        Err(E::custom(format!("`{word}` is no {}; {hint}", self.what)))
    }
}

/// Declares types that hold one value of a method table's enum, read by its name.
macro_rules! words {
    ( $( $(#[$meta:meta])* $name:ident = $table:ident $what:literal; )* ) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub u32);

        impl $name {
            /// The value with this name in the method tables.
            ///
            /// # Panics
            /// When there is no such value.
            #[must_use]
            pub fn named(name: &str) -> Self {
                let found = enums::$table.iter().find(|(_, known)| *known == name);
                Self(found.expect("the name is in the table").0)
            }

            /// The name of the value.
            #[must_use]
            pub fn name(self) -> &'static str {
                enums::$table.iter().find(|(code, _)| *code == self.0).map_or("?", |(_, name)| name)
            }
        }

        impl FieldValue for $name {
            fn field_bits(self, width: u32) -> Option<u32> {
                self.0.field_bits(width)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let visitor = WordVisitor { what: $what, names: enums::$table.to_vec() };
                deserializer.deserialize_identifier(visitor).map(Self)
            }
        }
    )* };
}

words! {
    /// A comparison.
    Compare = COMPARE "comparison";
    /// A comparison of a texture unit.
    ShadowCompare = SHADOW_COMPARE "comparison";
    /// A factor of blending.
    BlendFactor = BLEND_FACTOR "blend factor";
    /// An equation of blending.
    BlendEquation = BLEND_EQUATION "blend equation";
    /// A stencil operation.
    StencilOperation = STENCIL_OP "stencil operation";
    /// A logic operation.
    LogicOperation = LOGIC_OP "logic operation";
    /// The winding of front faces.
    FrontFace = FRONT_FACE "winding";
    /// How polygons are drawn.
    PolygonMode = POLYGON_MODE "polygon mode";
    /// How colors are interpolated.
    ShadeModel = SHADE_MODEL "shade model";
    /// How the fog factor is computed.
    FogMode = FOG_MODE "fog mode";
    /// A type of primitive.
    Primitive = PRIMITIVE "primitive";
    /// A type of indices.
    IndexType = INDEX_TYPE "type of indices";
    /// The type of an attribute's components.
    VertexType = VERTEX_TYPE "type of vertex components";
    /// The order of pixels or texels in memory.
    SurfaceType = SURFACE_TYPE "layout";
    /// The format of texels.
    TextureFormat = TEXTURE_FORMAT "texture format";
    /// What lies beyond the edge of a texture.
    Wrap = WRAP "wrap mode";
    /// A minification filter.
    MinFilter = MIN_FILTER "minification filter";
    /// A magnification filter.
    MagFilter = MAG_FILTER "magnification filter";
    /// The kernel of a convolution filter.
    Convolution = CONVOLUTION "convolution kernel";
    /// A filter of an image copy.
    ImageFilter = IMAGE_FILTER "image filter";
}

/// Declares types that hold one value of a table that all chips share, read by its name.
macro_rules! common_words {
    ( $( $(#[$meta:meta])* $name:ident($kind:ty) = $values:expr, $label:expr, $what:literal; )* ) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub $kind);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let names = $values.iter().map(|value| (*value, $label(*value))).collect();
                deserializer.deserialize_identifier(WordVisitor { what: $what, names }).map(Self)
            }
        }
    )* };
}

common_words! {
    /// The format of color targets.
    ColorFormat(format::ColorFormat) = format::ColorFormat::ALL, format::ColorFormat::name, "color format";
    /// The format of a depth and stencil target.
    ZetaFormat(format::ZetaFormat) = format::ZetaFormat::ALL, format::ZetaFormat::name, "depth format";
    /// The number of samples of a pixel, and their positions.
    Samples(SampleMode) = SampleMode::ALL, samples_name, "multisample mode";
}

/// The name of a multisample mode, as NV40's method table has it.
pub(super) const fn samples_name(mode: SampleMode) -> &'static str {
    match mode {
        SampleMode::One => "X1",
        SampleMode::TwoDiagonal => "X2_DIAGONAL",
        SampleMode::FourSquare => "X4_SQUARE",
        SampleMode::FourRotated => "X4_ROTATED",
        SampleMode::Eight => "X8",
    }
}
