//! Names the output registers of a vertex program in WGSL.

use crate::shader::analysis::vertex_resources::VertexResources;

/// The value of an output register that is not written.
pub(super) const INITIAL_OUTPUT: &str = "vec4u(0u, 0u, 0u, 0x3f800000u)";

/// The value of an output register of the program.
pub(super) fn output_register(output: u8, resources: &VertexResources) -> String {
    if resources.has_indexed_outputs {
        format!("outputs[{output}]")
    } else if resources.outputs >> output & 1 != 0 {
        format!("o{output}")
    } else {
        INITIAL_OUTPUT.to_owned()
    }
}

/// The output registers of a mask.
pub(super) fn outputs_of(mask: u16) -> impl Iterator<Item = u8> {
    (0..16u8).filter(move |output| mask >> output & 1 != 0)
}
