//! Compiles PTX 1.0 to 1.5, the language of CUDA's first compilers, for the Tesla processors `sm_10` and `sm_11`.
//!
//! ```text
//! text ─ token ─ parser ─► ast: typed statements, checked against opcodes
//!                               │ lower: machine instructions over virtual registers
//!                               ▼
//!                         ir: basic blocks ─ simplify ─ uniform, joins ─► where diverged warps run together again
//!                               │ conditions, allocate: $c0 to $c3, $r0 to $r127, local memory
//!                               ▼
//!                         emit ─► words
//! ```
//!
//! Parameters, shared variables and the thread's coordinates are where compilers of the time put them; see
//! `docs/ptx.md`, also for what is different.
//!
//! Source: NVIDIA's documents of PTX ISA 1.0 to 1.5 for the language; for the machine, those of `isa::tesla`.

mod allocate;
mod ast;
mod conditions;
mod emit;
#[cfg(test)]
mod error_tests;
mod flow;
mod ir;
mod joins;
mod layout;
mod liveness;
mod lower;
mod opcodes;
mod operands;
mod parser;
mod scope;
mod simplify;
mod statements;
mod target;
#[cfg(test)]
mod tests;
mod token;
mod types;
mod uniform;

use super::cursor::Parsed;
use super::diagnostic::Diagnostics;
use crate::isa::tesla::module::{TeslaKernel, TeslaModule};
use crate::shader::simt::Operation;
use ast::{Function, Module};
use emit::Places;
use ir::{Program, Terminator};
use layout::Layout;

/// Whether a text begins as PTX does: with `.version`, after blanks and comments.
#[must_use]
pub fn is_ptx(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let comment_end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else {
            return rest.starts_with(".version");
        };
        let Some(end) = comment_end else { return false };
        rest = rest[end..].trim_start();
    }
}

/// Compiles a text; `name` is what errors call it.
///
/// # Errors
/// Every statement that does not fit the language or has no instructions on the target.
pub fn compile_ptx(name: &str, text: &str) -> Result<TeslaModule, Diagnostics> {
    Diagnostics::check_length(name, text)?;
    let errors = |errors| Diagnostics::new(name, text, errors);
    let module = parser::parse(text).map_err(errors)?;
    let layout = Layout::of_module(&module).map_err(|error| errors(vec![error]))?;
    let mut compiled = TeslaModule {
        constants: layout::constants(&module, &layout),
        globals: layout::globals(&module, &layout),
        textures: layout::textures(&module, &layout),
        ..TeslaModule::default()
    };
    let mut failed = Vec::new();
    for function in module.functions.iter().filter(|function| function.is_kernel) {
        match kernel(&module, function, &layout) {
            Ok(kernel) => {
                compiled.generation = compiled.generation.max(kernel.generation());
                compiled.kernels.push(kernel);
            }
            Err(error) => failed.push(error),
        }
    }
    if failed.is_empty() { Ok(compiled) } else { Err(errors(failed)) }
}

fn kernel(module: &Module, function: &Function, layout: &Layout) -> Parsed<TeslaKernel> {
    let layout = layout.with_kernel(module, function)?;
    let mut program = lower::lower(module, function, &layout)?;
    simplify::simplify(&mut program);
    if let Some(exit) = exit_of(&program) {
        uniform::mark_uniform_branches(&mut program, exit, layout::parameters_end(module, function, &layout));
        joins::add_joins(&mut program, exit);
        simplify::order_blocks(&mut program);
    }
    let conditions = conditions::allocate_conditions(&mut program)?;
    let allocation = allocate::allocate(&mut program, function.max_registers, layout.local_bytes)?;
    let code = emit::emit(&program, Places { registers: &allocation.places, conditions: &conditions })?;
    Ok(TeslaKernel {
        name: function.name.clone(),
        code,
        registers: allocation.count,
        shared_bytes: layout.shared_bytes,
        local_bytes: allocation.local_bytes,
        barriers: barriers(&program),
        parameters: Some(layout::parameters(module, function, &layout)),
        ..TeslaKernel::default()
    })
}

/// The block that ends the thread; a kernel that loops forever has none.
fn exit_of(program: &Program) -> Option<usize> {
    program.blocks.iter().position(|block| block.terminator == Terminator::Exit)
}

/// One more than the last barrier that is used.
fn barriers(program: &Program) -> u8 {
    let instructions = program.blocks.iter().flat_map(|block| &block.instructions);
    let numbers = instructions.filter(|one| matches!(one.operation, Operation::Barrier { .. })).filter_map(|one| {
        let ir::Operand::Immediate(number) = one.sources.first()?.operand else { return None };
        u8::try_from(number + 1).ok()
    });
    numbers.max().unwrap_or(0)
}
