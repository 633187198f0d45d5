//! Parses the bindings of fixed-pipeline state that ARB programs read as parameters, such as `state.material.diffuse`.
//!
//! Source: `ARB_vertex_program` and `ARB_fragment_program`, the tables of parameter bindings.

use std::fmt::{self, Display, Formatter};

use super::cursor::{Cursor, Parsed, shortened};
use super::diagnostic::{Diagnostic, Span};
use super::token::Token;

/// Most lights, clip planes, matrices of a palette and texture units that a binding can name.
const MAX_INDEX: u32 = 64;

/// Front or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Face {
    /// The front of a primitive, which is the default.
    Front,
    /// Its back.
    Back,
}

/// A property of a material, a light, or both multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LightProperty {
    /// Ambient color.
    Ambient,
    /// Diffuse color.
    Diffuse,
    /// Specular color.
    Specular,
    /// Emitted color of a material.
    Emission,
    /// Exponent of a material: (s, 0, 0, 1).
    Shininess,
    /// Position of a light.
    Position,
    /// Attenuation of a light: constant, linear, quadratic, spot exponent.
    Attenuation,
    /// Direction of a spot light, w the cosine of its cutoff.
    SpotDirection,
    /// Half angle of a light.
    Half,
}

impl LightProperty {
    const MATERIAL: &'static [(&'static str, Self)] = &[
        ("ambient", Self::Ambient),
        ("diffuse", Self::Diffuse),
        ("specular", Self::Specular),
        ("emission", Self::Emission),
        ("shininess", Self::Shininess),
    ];
    const LIGHT: &'static [(&'static str, Self)] = &[
        ("ambient", Self::Ambient),
        ("diffuse", Self::Diffuse),
        ("specular", Self::Specular),
        ("position", Self::Position),
        ("attenuation", Self::Attenuation),
        ("spot", Self::SpotDirection),
        ("half", Self::Half),
    ];
    const PRODUCT: &'static [(&'static str, Self)] =
        &[("ambient", Self::Ambient), ("diffuse", Self::Diffuse), ("specular", Self::Specular)];

    const fn name(self) -> &'static str {
        match self {
            Self::Ambient => "ambient",
            Self::Diffuse => "diffuse",
            Self::Specular => "specular",
            Self::Emission => "emission",
            Self::Shininess => "shininess",
            Self::Position => "position",
            Self::Attenuation => "attenuation",
            Self::SpotDirection => "spot.direction",
            Self::Half => "half",
        }
    }
}

/// A matrix of the fixed pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Matrix {
    /// Model view matrix n.
    ModelView(u8),
    /// Projection.
    Projection,
    /// Projection times model view matrix 0.
    ModelViewProjection,
    /// Texture matrix n.
    Texture(u8),
    /// Palette matrix n.
    Palette(u8),
    /// Program matrix n.
    Program(u8),
}

/// How a matrix is changed before a row is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatrixForm {
    /// As it is.
    Plain,
    /// Its inverse.
    Inverse,
    /// Its transpose.
    Transpose,
    /// The transpose of its inverse.
    InverseTranspose,
}

/// Which vector of the state is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StateBinding {
    /// A material's property.
    Material(Face, LightProperty),
    /// A light's property.
    Light(u8, LightProperty),
    /// Ambient color of the scene.
    LightModelAmbient,
    /// Scene color of a face: ambient times material plus emission.
    SceneColor(Face),
    /// Light times material.
    LightProduct(u8, Face, LightProperty),
    /// Plane of texture coordinate generation: unit, eye plane (else object plane), coordinate s, t, r, q.
    TextureGeneration(u8, bool, u8),
    /// Color of a texture environment.
    TextureEnvironment(u8),
    /// Fog color.
    FogColor,
    /// Density, start, end, 1/(end − start).
    FogParameters,
    /// Coefficients of a user clip plane.
    ClipPlane(u8),
    /// Point size, smallest, largest, fade threshold.
    PointSize,
    /// Distance attenuation of points.
    PointAttenuation,
    /// Near, far, far − near, 1.
    DepthRange,
    /// A row of a matrix.
    MatrixRow(Matrix, MatrixForm, u8),
}

impl Display for StateBinding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let face = |face: Face| if face == Face::Front { "" } else { ".back" };
        match *self {
            Self::Material(side, property) => write!(f, "state.material{}.{}", face(side), property.name()),
            Self::Light(light, property) => write!(f, "state.light[{light}].{}", property.name()),
            Self::LightModelAmbient => f.write_str("state.lightmodel.ambient"),
            Self::SceneColor(side) => write!(f, "state.lightmodel{}.scenecolor", face(side)),
            Self::LightProduct(light, side, property) => {
                write!(f, "state.lightprod[{light}]{}.{}", face(side), property.name())
            }
            Self::TextureGeneration(unit, is_eye, coordinate) => {
                let letter = ["s", "t", "r", "q"][usize::from(coordinate) & 3];
                write!(f, "state.texgen[{unit}].{}.{letter}", if is_eye { "eye" } else { "object" })
            }
            Self::TextureEnvironment(unit) => write!(f, "state.texenv[{unit}].color"),
            Self::FogColor => f.write_str("state.fog.color"),
            Self::FogParameters => f.write_str("state.fog.params"),
            Self::ClipPlane(plane) => write!(f, "state.clip[{plane}].plane"),
            Self::PointSize => f.write_str("state.point.size"),
            Self::PointAttenuation => f.write_str("state.point.attenuation"),
            Self::DepthRange => f.write_str("state.depth.range"),
            Self::MatrixRow(matrix, form, row) => {
                match matrix {
                    Matrix::ModelView(index) => write!(f, "state.matrix.modelview[{index}]"),
                    Matrix::Projection => f.write_str("state.matrix.projection"),
                    Matrix::ModelViewProjection => f.write_str("state.matrix.mvp"),
                    Matrix::Texture(index) => write!(f, "state.matrix.texture[{index}]"),
                    Matrix::Palette(index) => write!(f, "state.matrix.palette[{index}]"),
                    Matrix::Program(index) => write!(f, "state.matrix.program[{index}]"),
                }?;
                f.write_str(match form {
                    MatrixForm::Plain => "",
                    MatrixForm::Inverse => ".inverse",
                    MatrixForm::Transpose => ".transpose",
                    MatrixForm::InverseTranspose => ".invtrans",
                })?;
                write!(f, ".row[{row}]")
            }
        }
    }
}

/// Reads a binding after `state`. A matrix without a row, or with a range of rows, gives several vectors.
///
/// # Errors
/// When the words name no state.
pub fn state_binding(cursor: &mut Cursor<'_>) -> Parsed<Vec<StateBinding>> {
    const GROUPS: [&str; 11] =
        ["material", "light", "lightmodel", "lightprod", "texgen", "texenv", "fog", "clip", "point", "depth", "matrix"];
    let (group, span) = member(cursor, "a group of state")?;
    let one = |binding: StateBinding| Ok(vec![binding]);
    match group {
        "material" => {
            let side = face(cursor);
            one(StateBinding::Material(side, word(cursor, LightProperty::MATERIAL)?))
        }
        "light" => {
            let light = index(cursor)?;
            let property = word(cursor, LightProperty::LIGHT)?;
            if property == LightProperty::SpotDirection {
                word(cursor, &[("direction", ())])?;
            }
            one(StateBinding::Light(light, property))
        }
        "lightmodel" => {
            if cursor.accept_member("ambient") {
                return one(StateBinding::LightModelAmbient);
            }
            let side = face(cursor);
            word(cursor, &[("scenecolor", ()), ("ambient", ())])?;
            one(StateBinding::SceneColor(side))
        }
        "lightprod" => {
            let light = index(cursor)?;
            let side = face(cursor);
            one(StateBinding::LightProduct(light, side, word(cursor, LightProperty::PRODUCT)?))
        }
        "texgen" => {
            let unit = optional_index(cursor)?;
            let is_eye = word(cursor, &[("eye", true), ("object", false)])?;
            one(StateBinding::TextureGeneration(unit, is_eye, word(cursor, &[("s", 0), ("t", 1), ("r", 2), ("q", 3)])?))
        }
        "texenv" => {
            let unit = optional_index(cursor)?;
            word(cursor, &[("color", ())])?;
            one(StateBinding::TextureEnvironment(unit))
        }
        "fog" => one(word(cursor, &[("color", StateBinding::FogColor), ("params", StateBinding::FogParameters)])?),
        "clip" => {
            let plane = index(cursor)?;
            word(cursor, &[("plane", ())])?;
            one(StateBinding::ClipPlane(plane))
        }
        "point" => {
            one(word(cursor, &[("size", StateBinding::PointSize), ("attenuation", StateBinding::PointAttenuation)])?)
        }
        "depth" => one(word(cursor, &[("range", StateBinding::DepthRange)])?),
        "matrix" => matrix_rows(cursor),
        _ => Err(no_such_state(group, span).suggest(group, GROUPS)),
    }
}

fn no_such_state(found: &str, span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("there is no state `{}`", shortened(found))).label("not a parameter binding")
}

fn member<'text>(cursor: &mut Cursor<'text>, what: &str) -> Parsed<(&'text str, Span)> {
    cursor.expect(Token::Dot)?;
    cursor.name(what)
}

/// Reads `.word`, one of a table.
fn word<T: Copy>(cursor: &mut Cursor<'_>, table: &[(&str, T)]) -> Parsed<T> {
    let (found, span) = member(cursor, "a name of state")?;
    table
        .iter()
        .find(|(name, _)| *name == found)
        .map(|(_, value)| *value)
        .ok_or_else(|| no_such_state(found, span).suggest(found, table.iter().map(|(name, _)| *name)))
}

fn face(cursor: &mut Cursor<'_>) -> Face {
    if cursor.accept_member("back") {
        return Face::Back;
    }
    cursor.accept_member("front");
    Face::Front
}

fn index(cursor: &mut Cursor<'_>) -> Parsed<u8> {
    let value = cursor.bracketed("an index", MAX_INDEX)?;
    Ok(value.to_le_bytes()[0])
}

fn optional_index(cursor: &mut Cursor<'_>) -> Parsed<u8> {
    if cursor.peek() == Some(Token::OpenBracket) { index(cursor) } else { Ok(0) }
}

fn matrix_rows(cursor: &mut Cursor<'_>) -> Parsed<Vec<StateBinding>> {
    const NAMES: [&str; 6] = ["modelview", "projection", "mvp", "texture", "palette", "program"];
    let (name, span) = member(cursor, "a matrix")?;
    let matrix = match name {
        "modelview" => Matrix::ModelView(optional_index(cursor)?),
        "projection" => Matrix::Projection,
        "mvp" => Matrix::ModelViewProjection,
        "texture" => Matrix::Texture(optional_index(cursor)?),
        "palette" => Matrix::Palette(index(cursor)?),
        "program" => Matrix::Program(optional_index(cursor)?),
        _ => return Err(no_such_state(name, span).suggest(name, NAMES)),
    };
    let mut form = MatrixForm::Plain;
    for (name, named) in [
        ("inverse", MatrixForm::Inverse),
        ("transpose", MatrixForm::Transpose),
        ("invtrans", MatrixForm::InverseTranspose),
    ] {
        if cursor.accept_member(name) {
            form = named;
            break;
        }
    }
    let rows = if cursor.accept_member("row") { cursor.bracketed_range("a row", "rows", 4)? } else { 0..=3 };
    Ok(rows.map(|row| StateBinding::MatrixRow(matrix, form, row.to_le_bytes()[0])).collect())
}

#[cfg(test)]
mod tests {
    use super::state_binding;
    use crate::cursor::Cursor;

    fn names(text: &str) -> Result<Vec<String>, String> {
        let mut cursor = Cursor::new(text, 0).unwrap();
        cursor.advance();
        let bindings = state_binding(&mut cursor).map_err(|error| format!("{} {:?}", error.message, error.notes))?;
        assert_eq!(cursor.peek(), None, "{text}");
        Ok(bindings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn every_binding_reads_back_as_it_is_written() {
        for text in [
            "state.material.ambient",
            "state.material.back.shininess",
            "state.light[7].spot.direction",
            "state.light[0].half",
            "state.light[1].attenuation",
            "state.lightmodel.ambient",
            "state.lightmodel.scenecolor",
            "state.lightmodel.back.scenecolor",
            "state.lightprod[3].back.specular",
            "state.texgen[2].eye.q",
            "state.texgen[0].object.s",
            "state.texenv[1].color",
            "state.fog.color",
            "state.fog.params",
            "state.clip[5].plane",
            "state.point.size",
            "state.point.attenuation",
            "state.depth.range",
            "state.matrix.modelview[1].invtrans.row[2]",
            "state.matrix.mvp.row[0]",
            "state.matrix.texture[3].transpose.row[1]",
            "state.matrix.palette[9].row[3]",
            "state.matrix.program[7].inverse.row[3]",
        ] {
            assert_eq!(names(text), Ok(vec![text.to_owned()]));
        }
        assert_eq!(names("state.material.front.diffuse").unwrap(), ["state.material.diffuse"]);
        assert_eq!(names("state.matrix.modelview.row[1]").unwrap(), ["state.matrix.modelview[0].row[1]"]);
    }

    #[test]
    fn matrices_have_four_rows() {
        assert_eq!(names("state.matrix.projection").unwrap().len(), 4);
        assert_eq!(
            names("state.matrix.mvp.row[1..2]").unwrap(),
            ["state.matrix.mvp.row[1]", "state.matrix.mvp.row[2]"]
        );
        assert!(names("state.matrix.mvp.row[2..1]").is_err());
        assert!(names("state.matrix.mvp.row[4]").is_err());
    }

    #[test]
    fn unknown_state_has_a_suggestion() {
        assert!(names("state.materiel.ambient").unwrap_err().contains("material"));
        assert!(names("state.fog.colour").unwrap_err().contains("color"));
    }
}
