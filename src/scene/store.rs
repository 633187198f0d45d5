//! Stores a scene's surfaces, textures, meshes, instances and fragment programs in buffers.

use std::cell::Cell;

use super::attribute::{self, PlacedAttribute};
use super::error::SceneError;
use super::expression::{Scope, Value, inverted, transposed};
use super::image::{self, Texels};
use super::mesh::{Geometry, MAX_INDICES, MAX_VERTICES, ShapeError, Vertex};
use super::plan::Plan;
use super::schema::{self, AttributeSource, Image, Shape, Surface};
use super::text::{Entries, Text, VertexType};
use super::texture::PlacedTexture;
use crate::capture::Buffer;
use crate::command::builder::{CaptureBuilder, address};
use crate::format::{TextureFormat, VertexFormat};
use crate::memory::MemorySpace;
use crate::pipeline::Dimensions;

/// The most memory that a scene takes: a card has 256 MiB, and a part of it holds command buffers and gaps between images.
const MAX_BYTES: u64 = 240 << 20;

/// The limit of all meshes together, in meshes of the largest size.
const MESHES: usize = 16;

/// The most instances of a draw.
const MAX_INSTANCES: u32 = 1 << 16;

/// Bytes that can change from frame to frame.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) buffer: Buffer,
    pub(super) is_dynamic: bool,
}

/// A mesh in memory.
#[derive(Debug, Clone)]
pub(super) struct StoredMesh {
    pub(super) vertices: Stored,
    /// Where a stream writes the next vertices.
    pub(super) next: Option<Buffer>,
    pub(super) attributes: Vec<PlacedAttribute>,
    pub(super) stride: u32,
    pub(super) vertex_count: u32,
    pub(super) primitive: u32,
    /// Buffer, count, and whether indices have 32 bits.
    pub(super) indices: Option<(Buffer, u32, bool)>,
    /// The indices of one instance.
    pub(super) index_values: Vec<u32>,
}

impl StoredMesh {
    /// Takes the vertices that a stream has written.
    pub(super) fn turn(&mut self) {
        if let Some(next) = &mut self.next {
            std::mem::swap(next, &mut self.vertices.buffer);
        }
    }
}

/// The instances of a draw in memory.
#[derive(Debug, Clone)]
pub(super) struct StoredInstances {
    pub(super) stream: Stored,
    pub(super) attributes: Vec<PlacedAttribute>,
    pub(super) stride: u32,
    pub(super) count: u32,
    /// Indices of all instances.
    pub(super) indices: Option<(Buffer, u32, bool)>,
}

/// Creates buffers and tracks their total size.
#[derive(Debug)]
pub(super) struct Store<'a> {
    pub(super) plan: &'a Plan,
    pub(super) capture: CaptureBuilder,
    pub(super) steps: &'a Cell<u64>,
    taken: u64,
}

impl<'a> Store<'a> {
    pub(super) fn new(plan: &'a Plan, steps: &'a Cell<u64>) -> Self {
        Self { plan, capture: plan.chip.capture(), steps, taken: 0 }
    }

    /// Creates a buffer in video memory; `name` is its purpose.
    pub(super) fn buffer(&mut self, name: &Text, bytes: u64) -> Result<Buffer, SceneError> {
        self.taken = self.taken.saturating_add(bytes);
        if self.taken > MAX_BYTES {
            let message = format!("the scene needs more than {} MiB of memory", MAX_BYTES >> 20);
            return Err(self.plan.source.at(name, message, "with this"));
        }
        Ok(self.capture.buffer(MemorySpace::Vram, bytes.max(1)))
    }

    /// Creates a buffer with contents.
    pub(super) fn filled(&mut self, name: &Text, bytes: &[u8]) -> Result<Buffer, SceneError> {
        let buffer = self.buffer(name, bytes.len() as u64)?;
        self.capture.write(&buffer, bytes);
        Ok(buffer)
    }

    /// Places a texture, which gives its layout an address.
    pub(super) fn texture(
        &mut self,
        index: usize,
        scope: &Scope<'_>,
    ) -> Result<(PlacedTexture, Option<Stored>), SceneError> {
        let plan = self.plan;
        let (name, texture) = &plan.scene.textures.0[index];
        if let Image::Target(target, surface) = &texture.image {
            let target = plan.scene.targets.position(target.as_str()).unwrap_or(0);
            return Ok((target_texture(plan, name, texture, target, *surface)?, None));
        }
        let (mut layout, bytes, is_dynamic) = texture_bytes(plan, index, scope)?;
        let buffer = self.filled(name, &bytes)?;
        layout.offset = address(&buffer);
        Ok((layout, Some(Stored { buffer, is_dynamic })))
    }

    /// Places a mesh.
    pub(super) fn mesh(
        &mut self,
        index: usize,
        geometry: &Geometry,
        scope: &Scope<'_>,
    ) -> Result<StoredMesh, SceneError> {
        let plan = self.plan;
        let (name, mesh) = &plan.scene.meshes.0[index];
        let built = built_mesh(plan, index, geometry, scope)?;
        let vertices = self.filled(name, &built.bytes)?;
        let count = u32::try_from(geometry.vertices.len()).unwrap_or(u32::MAX);
        let indices = if geometry.indices.is_empty() {
            None
        } else {
            let is_wide = mesh.indices.map_or(count > 0x1_0000, |kind| kind.name() == "U32");
            if !is_wide && count > 0x1_0000 {
                return Err(plan.source.at(
                    name,
                    format!("mesh `{name}` has {count} vertices"),
                    "U16 indices reach 65536",
                ));
            }
            let bytes = index_bytes(&geometry.indices, is_wide);
            let buffer = self.filled(name, &bytes)?;
            Some((buffer, u32::try_from(geometry.indices.len()).unwrap_or(0), is_wide))
        };
        let is_streamed = plan.is_streamed(index);
        let next = is_streamed.then(|| self.buffer(name, built.bytes.len() as u64)).transpose()?;
        Ok(StoredMesh {
            vertices: Stored { buffer: vertices, is_dynamic: built.is_dynamic || is_streamed },
            next,
            attributes: built.attributes,
            stride: built.stride,
            vertex_count: count,
            primitive: geometry.primitive,
            indices,
            index_values: geometry.indices.clone(),
        })
    }

    /// Places the instances of a draw.
    pub(super) fn instances(
        &mut self,
        name: &Text,
        instances: &schema::Instances,
        mesh: &StoredMesh,
        scope: &Scope<'_>,
    ) -> Result<StoredInstances, SceneError> {
        let fail = |label: String| self.plan.source.at(name, format!("mesh `{name}` cannot be drawn so often"), label);
        let count = instances.count;
        if !(1..=MAX_INSTANCES).contains(&count) {
            return Err(fail(format!("1 to {MAX_INSTANCES} instances are possible")));
        }
        let (attributes, stride, bytes, is_dynamic) = instance_bytes(self.plan, name, instances, scope)?;
        let buffer = self.filled(name, &bytes)?;
        let indices = match self.plan.chip.repeats_indices() {
            true => self.repeated_indices(name, count, mesh)?,
            false => None,
        };
        Ok(StoredInstances { stream: Stored { buffer, is_dynamic }, attributes, stride, count, indices })
    }

    /// The indices of all instances, where each instance is a range of vertices.
    fn repeated_indices(
        &mut self,
        name: &Text,
        count: u32,
        mesh: &StoredMesh,
    ) -> Result<Option<(Buffer, u32, bool)>, SceneError> {
        let fail = |label: String| self.plan.source.at(name, format!("mesh `{name}` cannot be drawn so often"), label);
        if mesh.vertex_count > 0xffff || mesh.vertex_count.saturating_mul(count) > 1 << 24 {
            return Err(fail("a frequency divider is at most 65535 vertices, a draw at most 2^24".to_owned()));
        }
        if mesh.index_values.len() as u64 * u64::from(count) > MAX_INDICES as u64 {
            return Err(fail(format!("{MAX_INDICES} indices are possible over all instances")));
        }
        if mesh.indices.is_none() {
            return Ok(None);
        }
        let all: Vec<u32> = (0..count)
            .flat_map(|instance| mesh.index_values.iter().map(move |index| index + instance * mesh.vertex_count))
            .collect();
        let is_wide = mesh.vertex_count * count > 0x1_0000;
        let buffer = self.filled(name, &index_bytes(&all, is_wide))?;
        Ok(Some((buffer, u32::try_from(all.len()).unwrap_or(0), is_wide)))
    }
}

fn index_bytes(indices: &[u32], is_wide: bool) -> Vec<u8> {
    if is_wide {
        return indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    }
    #[expect(clippy::cast_possible_truncation, reason = "the number of vertices was checked")]
    indices.iter().flat_map(|index| (*index as u16).to_le_bytes()).collect()
}

fn target_texture(
    plan: &Plan,
    name: &Text,
    texture: &schema::Texture,
    target: usize,
    surface: Surface,
) -> Result<PlacedTexture, SceneError> {
    let mut layout =
        plan.targets[target].texture(surface).ok_or_else(|| plan.source.at(name, "no such surface", ""))?;
    if let Some(format) = texture.format.and_then(|format| TextureFormat::from_code(format.0)) {
        if format.bytes() != layout.format.bytes() || format.is_compressed() {
            let message = format!("a surface of {} cannot be read as {}", layout.format.name(), format.name());
            return Err(plan.source.at(name, message, "texels of the same size are needed"));
        }
        layout.format = format;
    }
    Ok(layout)
}

/// Layout and bytes of a texture that is not a target, and whether they depend on the frame.
pub(super) fn texture_bytes(
    plan: &Plan,
    index: usize,
    scope: &Scope<'_>,
) -> Result<(PlacedTexture, Vec<u8>, bool), SceneError> {
    let (name, texture) = &plan.scene.textures.0[index];
    let mut inner = scope.with(&[]);
    let mut texels = texels(plan, name, &texture.image, &mut inner)?;
    if texture.mipmaps {
        texels.build_levels();
    }
    let format = texture.format.map_or(Some(TextureFormat::A8R8G8B8), |format| TextureFormat::from_code(format.0));
    let format = format.unwrap_or(TextureFormat::A8R8G8B8);
    let linear = texture.layout.map(|layout| layout.name() == "LINEAR");
    let linear = if texture.rectangle { Some(true) } else { linear };
    let layout = plan.chip.place_texture(format, texels.dimensions, texels.size, texels.levels(), linear);
    let layout = layout.map_err(|why| plan.source.at(name, format!("texture `{name}` is impossible"), why))?;
    let bytes = layout.encode(&texels);
    Ok((layout, bytes, inner.reads_time()))
}

fn texels(plan: &Plan, name: &Text, image: &Image, scope: &mut Scope<'_>) -> Result<Texels, SceneError> {
    let source = &plan.source;
    let bounded = |dimensions: Dimensions, size: [u32; 3]| {
        let faces = if dimensions == Dimensions::Cube { 6 } else { 1 };
        let texels = size.iter().fold(faces, |product: u64, side| product.saturating_mul(u64::from(*side)));
        if texels == 0 || texels > image::MAX_TEXELS || size.iter().any(|side| *side > 4096) {
            let label = format!("1 to {} are possible, at most 4096 in a row", image::MAX_TEXELS);
            return Err(source.at(name, format!("texture `{name}` has {texels} texels"), label));
        }
        Ok(())
    };
    let mut formula = |color: &Text, dimensions: Dimensions, size: [u32; 3]| {
        bounded(dimensions, size)?;
        let expression = source.expression(color)?;
        image::from_expression(&expression, scope, dimensions, size).map_err(|error| source.located(&error))
    };
    let file = |name: &Text| {
        let bytes = plan.folder.bytes(source, name)?;
        image::decode_png(&bytes).map_err(|why| source.at(name, format!("`{name}` cannot be read"), why))
    };
    match image {
        Image::File(name) => {
            let (width, height, texels) = file(name)?;
            Ok(Texels::new(Dimensions::Two, [width, height, 1], vec![texels]))
        }
        Image::Faces(names) => {
            let faces = names.iter().map(file).collect::<Result<Vec<_>, _>>()?;
            let width = faces.first().map_or(0, |face| face.0);
            if faces.len() != 6 || faces.iter().any(|face| (face.0, face.1) != (width, width)) {
                return Err(source.at(
                    name,
                    format!("texture `{name}` is no cube"),
                    "six square pictures of one size are needed",
                ));
            }
            Ok(Texels::new(Dimensions::Cube, [width, width, 1], faces.into_iter().map(|face| face.2).collect()))
        }
        Image::Line { size, color } => formula(color, Dimensions::One, [*size, 1, 1]),
        Image::Formula { size, color } => formula(color, Dimensions::Two, [size.0, size.1, 1]),
        Image::Volume { size, color } => formula(color, Dimensions::Three, [size.0, size.1, size.2]),
        Image::Cube { size, color } => formula(color, Dimensions::Cube, [*size, *size, 1]),
        Image::NormalMap { size, height, strength } => {
            Ok(image::normal_map(&formula(height, Dimensions::Two, [size.0, size.1, 1])?, *strength))
        }
        Image::Target(..) => Err(source.at(name, "a target has no texels of its own", "")),
    }
}

/// A mesh as bytes.
#[derive(Debug)]
pub(super) struct BuiltMesh {
    attributes: Vec<PlacedAttribute>,
    stride: u32,
    pub(super) bytes: Vec<u8>,
    is_dynamic: bool,
}

/// Vertices of a mesh in the formats of its attributes.
pub(super) fn built_mesh(
    plan: &Plan,
    index: usize,
    geometry: &Geometry,
    scope: &Scope<'_>,
) -> Result<BuiltMesh, SceneError> {
    let (name, mesh) = &plan.scene.meshes.0[index];
    let source = &plan.source;
    let defaults = Entries(vec![
        (0, attribute_of(AttributeSource::Position)),
        (2, attribute_of(AttributeSource::Normal)),
        (8, attribute_of(AttributeSource::Coordinate)),
    ]);
    let wanted = mesh.attributes.as_ref().unwrap_or(&defaults);
    let mut inner = scope.with(&[]);
    let mut expressions = Vec::new();
    let mut places = Vec::new();
    for (slot, attribute) in wanted.iter() {
        let (expression, size) = match &attribute.from {
            AttributeSource::Formula(text) => {
                let expression = source.expression(text)?;
                set_vertex(&mut inner, 0, geometry.vertices.first());
                let size = match expression.evaluate(&inner).map_err(|error| source.located(&error))? {
                    Value::Vector { size, .. } => size,
                    Value::Matrix(_) => {
                        return Err(source.at(text, "an attribute is no matrix", "a vector is expected"));
                    }
                };
                (Some(expression), size)
            }
            AttributeSource::Coordinate => (None, 2),
            AttributeSource::Position | AttributeSource::Normal | AttributeSource::Tangent => (None, 3),
        };
        expressions.push(expression);
        places.push((*slot, vertex_format(attribute.format), attribute.size.map_or(size, |size| size as usize)));
    }
    let (placed, stride) =
        placed(&places).map_err(|why| source.at(name, format!("mesh `{name}` is impossible"), why))?;
    let mut bytes = vec![0; geometry.vertices.len() * stride as usize];
    for (number, (vertex, place)) in geometry.vertices.iter().zip(bytes.chunks_mut(stride.max(1) as usize)).enumerate()
    {
        for ((attribute, (_, wanted)), expression) in placed.iter().zip(wanted.iter()).zip(&expressions) {
            let value = match (expression, &wanted.from) {
                (Some(expression), _) => {
                    set_vertex(&mut inner, number, Some(vertex));
                    expression.evaluate(&inner).map_err(|error| source.located(&error))?.rows()[0]
                }
                (None, AttributeSource::Normal) => with_one(vertex.normal),
                (None, AttributeSource::Tangent) => with_one(vertex.tangent),
                (None, AttributeSource::Coordinate) => [vertex.coordinate[0], vertex.coordinate[1], 0.0, 1.0],
                (None, _) => with_one(vertex.position),
            };
            attribute::encode(attribute, value, plan.chip.short_scale(), place);
        }
    }
    Ok(BuiltMesh { attributes: placed, stride, bytes, is_dynamic: inner.reads_time() })
}

/// Attributes, stride and bytes of a draw's instances, and whether they depend on the frame.
pub(super) fn instance_bytes(
    plan: &Plan,
    name: &Text,
    instances: &schema::Instances,
    scope: &Scope<'_>,
) -> Result<(Vec<PlacedAttribute>, u32, Vec<u8>, bool), SceneError> {
    let source = &plan.source;
    let mut inner = scope.with(&[]);
    inner.set("instance", 0.0);
    let mut expressions = Vec::new();
    let mut places = Vec::new();
    for (slot, attribute) in instances.attributes.iter() {
        let expression = source.expression(&attribute.from)?;
        let size = match expression.evaluate(&inner).map_err(|error| source.located(&error))? {
            Value::Vector { size, .. } => size,
            Value::Matrix(_) => return Err(source.at(&attribute.from, "an attribute is no matrix", "")),
        };
        places.push((*slot, vertex_format(attribute.format), attribute.size.map_or(size, |size| size as usize)));
        expressions.push(expression);
    }
    let (placed, stride) =
        placed(&places).map_err(|why| source.at(name, format!("the instances of `{name}` are impossible"), why))?;
    let mut bytes = vec![0; instances.count as usize * stride as usize];
    for (number, place) in bytes.chunks_mut(stride.max(1) as usize).enumerate() {
        inner.set("instance", exact(number));
        for (attribute, expression) in placed.iter().zip(&expressions) {
            let value = expression.evaluate(&inner).map_err(|error| source.located(&error))?;
            attribute::encode(attribute, value.rows()[0], plan.chip.short_scale(), place);
        }
    }
    Ok((placed, stride, bytes, inner.reads_time()))
}

fn placed(places: &[(u8, VertexFormat, usize)]) -> Result<(Vec<PlacedAttribute>, u32), String> {
    let places: Vec<_> =
        places.iter().map(|&(slot, format, size)| (slot, format, u8::try_from(size).unwrap_or(u8::MAX))).collect();
    attribute::place(&places)
}

fn attribute_of(from: AttributeSource) -> schema::Attribute {
    schema::Attribute { from, format: VertexType::named("F32"), size: None }
}

fn vertex_format(kind: VertexType) -> VertexFormat {
    VertexFormat::from_code(kind.0).unwrap_or(VertexFormat::F32)
}

fn with_one([x, y, z]: [f64; 3]) -> [f64; 4] {
    [x, y, z, 1.0]
}

#[expect(clippy::cast_precision_loss, reason = "at most a few million")]
fn exact(number: usize) -> f64 {
    number as f64
}

fn set_vertex(scope: &mut Scope<'_>, number: usize, vertex: Option<&Vertex>) {
    scope.set("vertex", exact(number));
    for (name, value) in vertex.iter().flat_map(|vertex| vertex.values()) {
        scope.set(name, value);
    }
}

/// The vertices of all meshes before encoding; they are the same in all frames.
pub(super) fn geometries(plan: &Plan, scope: &Scope<'_>) -> Result<Vec<Geometry>, SceneError> {
    let mut all = Vec::new();
    let (mut vertices, mut indices) = (0, 0);
    for (index, (name, _)) in plan.scene.meshes.iter().enumerate() {
        let next = geometry(plan, index, &all, scope)?;
        vertices += next.vertices.len();
        indices += next.indices.len();
        if vertices > MESHES * MAX_VERTICES || indices > MESHES * MAX_INDICES {
            let message = format!(
                "the meshes have more than {} vertices or {} indices",
                MESHES * MAX_VERTICES,
                MESHES * MAX_INDICES
            );
            return Err(plan.source.at(name, message, "with this"));
        }
        all.push(next);
    }
    Ok(all)
}

/// The vertices of a mesh before encoding.
fn geometry(plan: &Plan, index: usize, earlier: &[Geometry], scope: &Scope<'_>) -> Result<Geometry, SceneError> {
    let (name, mesh) = &plan.scene.meshes.0[index];
    let source = &plan.source;
    let fail = |error: ShapeError| source.at(name, format!("mesh `{name}` is impossible"), error.to_string());
    let mut found = match &mesh.shape {
        Shape::File(file) => Geometry::of_file(&plan.folder.bytes(source, file)?).map_err(fail)?,
        Shape::Join(parts) => {
            let mut joined = Geometry::empty();
            for part in parts {
                let part = plan.scene.meshes.position(part.as_str()).and_then(|part| earlier.get(part));
                joined.append(part.unwrap_or(&Geometry::empty())).map_err(fail)?;
            }
            joined
        }
        shape => Geometry::of_shape(shape).map_err(fail)?.unwrap_or_else(Geometry::empty),
    };
    if let Some(text) = &mesh.transform {
        let value = source.expression(text)?.evaluate(scope).map_err(|error| source.located(&error))?;
        let Value::Matrix(matrix) = value else {
            return Err(source.at(text, "this is no matrix", format!("found {}", value.kind())));
        };
        let inverse = inverted(&matrix).ok_or_else(|| source.at(text, "this matrix has no inverse", ""))?;
        found.transform(&matrix, &transposed(&inverse));
    }
    Ok(found)
}
