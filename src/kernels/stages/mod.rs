//! The stages of draws and transfers on the device: each owns its buffers and declares its bindings.

pub(in crate::kernels) mod assembled;
pub(in crate::kernels) mod buffers;
pub(in crate::kernels) mod count_quads;
pub(in crate::kernels) mod count_rejects;
pub mod geometry;
pub(in crate::kernels) mod launch;
pub(in crate::kernels) mod merge_pixels;
pub(in crate::kernels) mod rasterize_tiles;
pub(in crate::kernels) mod run_geometry_programs;
pub(in crate::kernels) mod run_vertex_programs;
pub mod scan_out;
pub(in crate::kernels) mod set_up_primitives;
pub(in crate::kernels) mod shade_quads;
pub(in crate::kernels) mod stream_out;
pub(in crate::kernels) mod transfer;

#[cfg(test)]
mod tests {
    use crate::gpu::{link, module_source};
    use crate::kernels::tiles::draw_tiles::TileBindings;

    /// The bindings that an item's module and the modules that it imports declare.
    fn declared(item: &str) -> Vec<u32> {
        let source = format!("import package::{item};\n");
        let linked = link(item, &source, &module_source).unwrap();
        let numbers = linked.source.split("@binding(").skip(1);
        numbers.map(|rest| rest.split(')').next().unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn kernels_declare_no_other_bindings_than_their_structs() {
        use super::*;
        let set_up = set_up_primitives::SetUpBindings::NUMBERS;
        let kernels = [
            ("setup::transform_vertices::main", set_up_primitives::TransformBindings::NUMBERS),
            ("setup::set_up_primitives::main", set_up),
            ("setup::set_up_triangles::main", set_up),
            ("setup::set_up_clipped::main", set_up),
            ("setup::bin_large_primitives::main", set_up_primitives::BinBindings::NUMBERS),
            ("setup::count_stipples::main", set_up_primitives::StippleBindings::NUMBERS),
            ("setup::assemble_primitives::main", run_geometry_programs::AssemblyBindings::NUMBERS),
            ("setup::place_primitives::main", stream_out::StreamBindings::NUMBERS),
            ("setup::stream_out::main", stream_out::StreamBindings::NUMBERS),
            ("raster::rasterize_tiles::main", rasterize_tiles::RasterizeBindings::NUMBERS),
            ("raster::coverage_at_samples::covered_bits", rasterize_tiles::RasterizeBindings::NUMBERS),
            ("raster::coverage_at_eight_samples::covered_bits", rasterize_tiles::RasterizeBindings::NUMBERS),
            ("raster::count_rejects::main", count_rejects::RejectBindings::NUMBERS),
            ("raster::compact_quads::main", geometry::CompactBindings::NUMBERS),
            ("fragment::count_quads::main", count_quads::CountQuadsBindings::NUMBERS),
            ("blit::fill_surface::main", transfer::TransferBindings::NUMBERS),
            ("blit::fill_blocks::main", transfer::TransferBindings::NUMBERS),
            ("software::fill_row_blocks::main", transfer::TransferBindings::NUMBERS),
            ("blit::write_words::main", transfer::TransferBindings::NUMBERS),
            ("blit::copy_memory::main", transfer::TransferBindings::NUMBERS),
            ("blit::source_copy::load_source_u32", transfer::TransferBindings::NUMBERS),
            ("present::scan_out::main", scan_out::ScanOutBindings::NUMBERS),
        ];
        for (kernel, numbers) in kernels {
            let declared = declared(kernel);
            assert!(!declared.is_empty(), "{kernel}");
            let strange: Vec<_> = declared.iter().filter(|number| !numbers.contains(number)).collect();
            assert!(strange.is_empty(), "{kernel} declares {strange:?}");
        }
    }

    #[test]
    fn no_struct_gives_a_number_two_meanings() {
        use super::*;
        let generated = [
            run_vertex_programs::VertexBindings::NUMBERS,
            run_geometry_programs::GeometryProgramBindings::NUMBERS,
            shade_quads::ShadeBindings::NUMBERS,
            merge_pixels::MergeBindings::NUMBERS,
            TileBindings::NUMBERS,
        ];
        for numbers in generated {
            let mut sorted = numbers.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), numbers.len(), "{numbers:?}");
        }
    }
}
