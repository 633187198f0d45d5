//! Reads mesh files (`.mesh`) into quantized positions, normals and triangles; `scenes/convert_mesh.py` makes them
//! from other formats.
//!
//! Little endian: `CURIMESH`, `u32` vertices, `u32` triangles. Per vertex, three `i16` of its position and three
//! `i8` of its normal follow, as parts of 32767 and 127; then per triangle three `u16` vertex numbers.

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"CURIMESH";

/// Bytes before the first vertex.
const HEADER_BYTES: usize = 16;

/// Bytes of a vertex.
const VERTEX_BYTES: usize = 9;

/// Bytes of a triangle.
const TRIANGLE_BYTES: usize = 6;

/// Why bytes are not a mesh.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum MeshFileError {
    /// The magic number is missing.
    #[error("the file does not begin with CURIMESH")]
    Magic,
    /// The file's length differs from its header.
    #[error("the file has {found} bytes; its header asks for {expected}")]
    Length {
        /// Bytes of the file.
        found: usize,
        /// Bytes that the header implies.
        expected: u64,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex} of {vertices}")]
    Index {
        /// The triangle, from 0.
        triangle: usize,
        /// The vertex number in it.
        vertex: u32,
        /// The number of vertices.
        vertices: u32,
    },
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MeshFile {
    pub(super) positions: Vec<[f64; 3]>,
    pub(super) normals: Vec<[f64; 3]>,
    pub(super) indices: Vec<u32>,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    if !bytes.starts_with(MAGIC) || bytes.len() < HEADER_BYTES {
        return Err(MeshFileError::Magic);
    }
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (vertices, triangles) = (word(8), word(12));
    let expected =
        HEADER_BYTES as u64 + u64::from(vertices) * VERTEX_BYTES as u64 + u64::from(triangles) * TRIANGLE_BYTES as u64;
    if bytes.len() as u64 != expected {
        return Err(MeshFileError::Length { found: bytes.len(), expected });
    }
    let (vertex_bytes, triangle_bytes) = bytes[HEADER_BYTES..].split_at(vertices as usize * VERTEX_BYTES);
    let mut mesh = MeshFile { positions: Vec::new(), normals: Vec::new(), indices: Vec::new() };
    for vertex in vertex_bytes.chunks_exact(VERTEX_BYTES) {
        let position = [0, 2, 4].map(|at: usize| f64::from(i16::from_le_bytes([vertex[at], vertex[at + 1]])) / 32767.0);
        let normal = [6, 7, 8].map(|at: usize| f64::from(vertex[at].cast_signed()) / 127.0);
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        mesh.positions.push(position);
        mesh.normals.push(if length > 0.0 { normal.map(|x| x / length) } else { [0.0, 1.0, 0.0] });
    }
    for (triangle, corners) in triangle_bytes.chunks_exact(TRIANGLE_BYTES).enumerate() {
        for at in [0, 2, 4] {
            let vertex = u32::from(u16::from_le_bytes([corners[at], corners[at + 1]]));
            if vertex >= vertices {
                return Err(MeshFileError::Index { triangle, vertex, vertices });
            }
            mesh.indices.push(vertex);
        }
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(indices: [u16; 3]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([2, 0, 0, 0, 1, 0, 0, 0]);
        for _ in 0..2 {
            bytes.extend([0xff, 0x7f, 0, 0, 1, 0x80, 0, 127, 0]);
        }
        bytes.extend(indices.iter().flat_map(|index| index.to_le_bytes()));
        bytes
    }

    #[test]
    fn a_small_file_by_hand() {
        let mesh = read(&file([0, 1, 0])).unwrap();
        assert_eq!(mesh.positions[0], [1.0, 0.0, -1.0]);
        assert_eq!(mesh.normals[1], [0.0, 1.0, 0.0]);
        assert_eq!(mesh.indices, [0, 1, 0]);
    }

    #[test]
    fn damaged_files_are_refused() {
        assert_eq!(read(b"OFF"), Err(MeshFileError::Magic));
        assert_eq!(read(&file([0, 2, 0])), Err(MeshFileError::Index { triangle: 0, vertex: 2, vertices: 2 }));
        let bytes = file([0; 3]);
        for length in 8..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length}");
        }
        let mut huge = bytes;
        huge[8..16].fill(0xff);
        assert!(matches!(read(&huge), Err(MeshFileError::Length { .. })));
    }
}
