//! `curie adapters`: lists the adapters that wgpu finds, and whether the kernels run on them.

use curie::engine::{INSTALL_HINT, open_gpu};
use curie::gpu::{AdapterChoice, AdapterSummary, adapters};

use super::failure::Failure;
use super::output::print_line;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print one JSON array instead of lines
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let found = adapters();
    let results: Vec<_> = found.iter().map(self_test_result).collect();
    if arguments.json {
        let rows: Vec<_> = found
            .iter()
            .zip(&results)
            .map(|(adapter, result)| serde_json::json!({ "adapter": adapter, "self_test": result }))
            .collect();
        return print_line(serde_json::Value::Array(rows));
    }
    if found.is_empty() {
        return print_line(format_args!("no adapter; {INSTALL_HINT}"));
    }
    print_line("needed: 8 storage buffers per kernel, and one that holds guest memory")?;
    for (adapter, result) in found.iter().zip(&results) {
        let AdapterSummary { name, kind, backend, driver, max_bindings, .. } = adapter;
        print_line(format_args!("{name} ({kind}, {backend}, {driver})"))?;
        let mebibytes = adapter.max_binding_bytes >> 20;
        print_line(format_args!("  storage buffers: {max_bindings} of up to {mebibytes} MiB"))?;
        print_line(format_args!("  self-test: {result}"))?;
    }
    Ok(())
}

fn self_test_result(adapter: &AdapterSummary) -> String {
    match open_gpu(&AdapterChoice::Named(adapter.name.clone())) {
        Ok(_) => "passed".to_owned(),
        Err(error) => error.to_string(),
    }
}
