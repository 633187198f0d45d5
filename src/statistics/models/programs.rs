//! The results of a draw's programs, on processors for each stage or on a unified one.

use super::shader::DrawShading;
use super::vertices::DrawVertices;
use super::warps::DrawWarps;

/// The programs of a draw on the processors that run them.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelledPrograms {
    /// Each stage on processors of its own.
    Staged {
        /// Its vertices on the vertex processors.
        vertices: DrawVertices,
        /// Its fragments on the shader units.
        shading: DrawShading,
    },
    /// All stages on one processor.
    Unified(DrawWarps),
}

impl ModelledPrograms {
    /// Its vertices on vertex processors.
    #[must_use]
    pub const fn vertices(&self) -> Option<&DrawVertices> {
        if let Self::Staged { vertices, .. } = self { Some(vertices) } else { None }
    }

    /// Its fragments on shader units.
    #[must_use]
    pub const fn shading(&self) -> Option<&DrawShading> {
        if let Self::Staged { shading, .. } = self { Some(shading) } else { None }
    }

    /// Its warps on a unified processor.
    #[must_use]
    pub const fn warps(&self) -> Option<&DrawWarps> {
        if let Self::Unified(warps) = self { Some(warps) } else { None }
    }
}
