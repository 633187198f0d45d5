//! Translates IF, LOOP, REP, CAL, BRK and RET into structured WGSL over a mask of active pixels.
//!
//! A block narrows `active_pixels` and restores it at its end, except for the pixels that left an outer scope: BRK
//! removes them until the end of the loop, RET until the end of the subroutine, and the end of the program for good.
//! Subroutines are inlined.

use super::generator::{Generator, Scope};
use crate::counters::BlockNumbers;
use crate::pipeline::EngineError;
use crate::recompiler::text::COMPONENTS;
use crate::shader::analysis::execution_order::has_break;
use crate::shader::condition::Relation;
use crate::shader::fragment::{Block, EXECUTION_LIMIT, FragmentNode};

impl Generator<'_> {
    /// Emits the main block.
    pub(super) fn emit_program(&mut self) -> Result<(), EngineError> {
        let key = self.key;
        if self.usage.has_flow {
            self.text.line("var active_pixels = vec4<bool>(true);");
        }
        if self.early_ends.can_end {
            self.text.line("var ended = vec4<bool>(false);");
        }
        if self.early_ends.counts_instructions {
            self.text.line("var executed = 0u;");
        }
        for unit in self.counted_units() {
            self.text.line(format!("var fetched{unit} = vec4u(0u);"));
        }
        if self.counts_flow() {
            self.text.line("var branches = vec3u(0u);");
            (1..self.numbers.count).for_each(|block| self.text.line(format!("var entered{block} = 0u;")));
        }
        let numbers = self.numbers.clone();
        self.emit_block(&key.body, &numbers.body)
    }

    /// Whether the quad's flow is counted.
    const fn counts_flow(&self) -> bool {
        self.key.counts && self.usage.has_flow
    }

    /// The units with counted fetches.
    fn counted_units(&self) -> impl Iterator<Item = u8> + use<> {
        let units = if self.key.counts { self.key.counted_units } else { 0 };
        (0..16).filter(move |unit| units >> unit & 1 != 0)
    }

    /// The variables that count the program's work for a quad.
    pub(super) fn flow_words(&self) -> Vec<String> {
        if self.key.flow_counts() == 0 {
            return Vec::new();
        }
        let branches = ["x", "y", "z"].map(|outcome| match self.counts_flow() {
            true => format!("branches.{outcome}"),
            false => "0u".to_owned(),
        });
        let entered = (1..self.numbers.count).map(|block| format!("entered{block}"));
        let fetched = self.counted_units().flat_map(|unit| {
            let words = self.key.counted_words[usize::from(unit)];
            [0, 1, 2, 3].map(|word| match words >> word & 1 {
                0 => "0u".to_owned(),
                _ => format!("fetched{unit}.{}", COMPONENTS[word]),
            })
        });
        branches.into_iter().chain(entered).chain(fetched).collect()
    }

    /// Counts the work of a unit's last fetch, if some pixel is active.
    pub(super) fn emit_fetch_count(&mut self, unit: u8) {
        if self.counted_units().all(|counted| counted != unit) {
            return;
        }
        let taken = match self.usage.has_flow {
            true => format!("select(vec4u(0u), texture_counts_{unit}, any(active_pixels))"),
            false => format!("texture_counts_{unit}"),
        };
        self.text.line(format!("fetched{unit} += {taken};"));
    }

    /// Counts how the active pixels diverge at a branch.
    fn emit_branch_count(&mut self, taken: Option<&String>) {
        if let Some(taken) = taken.filter(|_| self.counts_flow()) {
            self.text.import("fragment::count_pixels", "branch_outcome");
            self.text.line(format!("branches += branch_outcome(active_pixels, {taken});"));
        }
    }

    /// Ends the whole quad if a loop iteration or a call would start beyond the limit of executed instructions.
    fn emit_limit(&mut self) {
        if self.early_ends.counts_instructions {
            self.text.open(format!("if any(active_pixels) && executed >= {EXECUTION_LIMIT}u {{"));
            self.text.line("ended = vec4<bool>(true);");
            self.text.line("active_pixels = vec4<bool>(false);");
            self.text.close();
        }
    }

    fn emit_block(&mut self, block: &Block, numbers: &BlockNumbers) -> Result<(), EngineError> {
        if self.counts_flow() && numbers.number != 0 {
            let entered = numbers.number;
            self.text.line(format!("entered{entered} += select(0u, 1u, any(active_pixels));"));
        }
        let mut inner = numbers.inner.iter();
        let mut next = || inner.next().expect("blocks are numbered as they stand");
        if self.early_ends.counts_instructions {
            self.text.line(format!("executed += select(0u, {}u, any(active_pixels));", block.len()));
        }
        for node in block {
            match node {
                FragmentNode::Operation(operation) => self.emit_operation(operation),
                FragmentNode::If { condition, then, otherwise } => {
                    let taken = Self::passing_any(*condition);
                    self.emit_branch_count(taken.as_ref());
                    let (then_numbers, otherwise_numbers) = (next(), next());
                    self.emit_if(taken, (then, then_numbers), (otherwise, otherwise_numbers))?;
                }
                FragmentNode::Loop { condition, .. } => {
                    let entering = Self::passing_any(*condition);
                    self.emit_branch_count(entering.as_ref());
                    let numbers = next();
                    if condition.relation != Relation::Never {
                        self.emit_loop(node, numbers, entering)?;
                    }
                }
                FragmentNode::Call { condition, subroutine } => {
                    let entering = Self::passing_any(*condition);
                    self.emit_branch_count(entering.as_ref());
                    self.emit_call(*subroutine, entering)?;
                }
                FragmentNode::Break { condition } => {
                    let leaving = Self::passing_any(*condition);
                    self.emit_branch_count(leaving.as_ref());
                    let scope = self.scopes.iter().rev().find_map(|scope| match scope {
                        Scope::Loop(variable) => Some(variable.clone()),
                        Scope::Call(_) => None,
                    });
                    if let Some(variable) = scope {
                        self.emit_leave(&variable, leaving);
                    }
                }
                FragmentNode::Return { condition } => {
                    let leaving = Self::passing_any(*condition);
                    self.emit_branch_count(leaving.as_ref());
                    let scope = self.scopes.iter().rev().find_map(|scope| match scope {
                        Scope::Call(variable) => Some(variable.clone()),
                        Scope::Loop(_) => None,
                    });
                    self.emit_leave(&scope.unwrap_or_else(|| "ended".to_owned()), leaving);
                }
            }
        }
        Ok(())
    }

    /// Removes pixels until the end of a scope.
    fn emit_leave(&mut self, variable: &str, leaving: Option<String>) {
        let leaving = leaving.map_or("active_pixels".to_owned(), |leaving| format!("(active_pixels & {leaving})"));
        self.text.line(format!("{variable} = {variable} | {leaving};"));
        self.text.line(format!("active_pixels = active_pixels & !{variable};"));
    }

    /// Emits `active_pixels = saved`, without the pixels that left scopes that are still open.
    fn emit_restore(&mut self, saved: &str) {
        let mut gone = Vec::new();
        for scope in self.scopes.iter().rev() {
            match scope {
                Scope::Loop(variable) => gone.push(variable.clone()),
                // Pixels that left a scope outside the subroutine are not in `saved`.
                Scope::Call(variable) => {
                    gone.push(variable.clone());
                    break;
                }
            }
        }
        if self.early_ends.can_end {
            gone.push("ended".to_owned());
        }
        if gone.is_empty() {
            self.text.line(format!("active_pixels = {saved};"));
        } else {
            self.text.line(format!("active_pixels = {saved} & !({});", gone.join(" | ")));
        }
    }

    fn emit_if(
        &mut self,
        taken: Option<String>,
        then: (&Block, &BlockNumbers),
        otherwise: (&Block, &BlockNumbers),
    ) -> Result<(), EngineError> {
        let Some(taken) = taken else { return self.emit_block(then.0, then.1) };
        let saved = self.text.bind("outer", "active_pixels");
        let taken = self.text.bind("taken", &taken);
        for ((block, numbers), condition) in [(then, taken.clone()), (otherwise, format!("!{taken}"))] {
            if block.is_empty() {
                continue;
            }
            let ended = if self.early_ends.can_end { " & !ended" } else { "" };
            self.text.line(format!("active_pixels = {saved} & {condition}{ended};"));
            self.text.open("if any(active_pixels) {");
            self.emit_block(block, numbers)?;
            self.text.close();
        }
        self.emit_restore(&saved);
        Ok(())
    }

    fn emit_loop(
        &mut self,
        node: &FragmentNode,
        numbers: &BlockNumbers,
        entering: Option<String>,
    ) -> Result<(), EngineError> {
        let FragmentNode::Loop { count, initial, increment, has_index, body, .. } = node else { return Ok(()) };
        let saved = self.text.bind("outer", "active_pixels");
        if let Some(entering) = entering {
            self.text.line(format!("active_pixels = active_pixels & {entering};"));
        }
        let broken = self.text.name("broken");
        let breaks = has_break(body);
        if breaks {
            self.text.line(format!("var {broken} = vec4<bool>(false);"));
            self.scopes.push(Scope::Loop(broken));
        }
        let previous_index = has_index.then(|| self.text.bind("index", "loop_index"));
        let iteration = self.text.name("round");
        self.text.open(format!("for (var {iteration} = 0; {iteration} < {count}; {iteration} += 1) {{"));
        self.emit_limit();
        self.text.line("if !any(active_pixels) { break; }");
        if *has_index {
            self.text.line(format!("loop_index = {initial} + {iteration} * ({increment});"));
        }
        self.emit_block(body, numbers)?;
        self.text.close();
        if let Some(previous) = previous_index {
            self.text.line(format!("loop_index = {previous};"));
        }
        if breaks {
            self.scopes.pop();
        }
        self.emit_restore(&saved);
        Ok(())
    }

    fn emit_call(&mut self, subroutine: usize, entering: Option<String>) -> Result<(), EngineError> {
        let key = self.key;
        let Some(body) = key.subroutines.get(subroutine) else { return Ok(()) };
        let saved = self.text.bind("outer", "active_pixels");
        if let Some(entering) = entering {
            self.text.line(format!("active_pixels = active_pixels & {entering};"));
        }
        self.emit_limit();
        let returned = self.text.name("returned");
        self.text.line(format!("var {returned} = vec4<bool>(false);"));
        self.scopes.push(Scope::Call(returned));
        self.text.open("{");
        let numbers = self.numbers.subroutines[subroutine].clone();
        self.emit_block(body, &numbers)?;
        self.text.close();
        self.scopes.pop();
        self.emit_restore(&saved);
        Ok(())
    }
}
