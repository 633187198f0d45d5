//! `curie adapters`: what wgpu finds, and whether the kernels can run on it.

use curie::engine::{INSTALL_HINT, open_gpu};
use curie::gpu::{AdapterChoice, AdapterSummary, adapters};

use super::Failure;

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
        println!("{}", serde_json::Value::Array(rows));
        return Ok(());
    }
    if found.is_empty() {
        println!("no adapter; {INSTALL_HINT}");
        return Ok(());
    }
    println!("needed: 8 storage buffers per kernel, and one that holds guest memory");
    for (adapter, result) in found.iter().zip(&results) {
        println!("{} ({}, {}, {})", adapter.name, adapter.kind, adapter.backend, adapter.driver);
        println!("  storage buffers: {} of up to {} MiB", adapter.max_bindings, adapter.max_binding_bytes >> 20);
        println!("  self-test: {result}");
    }
    Ok(())
}

fn self_test_result(adapter: &AdapterSummary) -> String {
    match open_gpu(&AdapterChoice::Named(adapter.name.clone())) {
        Ok(_) => "passed".to_owned(),
        Err(error) => error.to_string(),
    }
}
