//! Builds a tree of blocks, with one routine per called label, from the flow statements of a fragment text.

use std::collections::HashMap;

use super::code::{FragmentCode, Node};
use crate::constants::ConstantSource;
use crate::cursor::{Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::nv40_fragment::decode::{CALL_LIMIT, FlowDepth, IF_LIMIT, LOOP_LIMIT, SLOT_LIMIT};
use crate::shader::condition::{ConditionTest, Relation};

/// An open block.
#[derive(Debug)]
struct Frame {
    kind: FrameKind,
    /// The statement that opened it.
    span: Span,
    nodes: Vec<Node>,
}

#[derive(Debug)]
enum FrameKind {
    If { condition: ConditionTest, then: Option<Vec<Node>> },
    Loop { parameters: ConstantSource, has_index: bool },
}

/// The statements from one label to the next.
type Segment = Vec<Node>;

/// The flow of a text as it is read.
#[derive(Debug)]
pub(super) struct Flow {
    segments: Vec<Segment>,
    /// The segment that each label begins.
    labels: HashMap<String, usize>,
    frames: Vec<Frame>,
    /// Called labels with the place of their first call.
    calls: Vec<(String, Span)>,
    numbers: HashMap<String, usize>,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            segments: vec![Segment::new()],
            labels: HashMap::new(),
            frames: Vec::new(),
            calls: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl Flow {
    /// The block that statements go to.
    pub(super) fn block(&mut self) -> &mut Vec<Node> {
        match self.frames.last_mut() {
            Some(frame) => &mut frame.nodes,
            None => self.segments.last_mut().expect("there is a segment from the start"),
        }
    }

    pub(super) fn label(&mut self, name: &str, span: Span) -> Parsed<()> {
        if !self.frames.is_empty() {
            return Err(Diagnostic::new(span, "a label inside of a block").label("labels stand outside of blocks"));
        }
        if self.labels.contains_key(name) {
            return Err(Diagnostic::new(span, format!("the label `{}` is there twice", shortened(name))));
        }
        self.labels.insert(name.to_owned(), self.segments.len());
        self.segments.push(Segment::new());
        Ok(())
    }

    fn open(&mut self, kind: FrameKind, span: Span) -> Parsed<()> {
        let is_if = matches!(kind, FrameKind::If { .. });
        let same = self.frames.iter().filter(|frame| matches!(frame.kind, FrameKind::If { .. }) == is_if).count() + 1;
        let (what, limit, name) = if is_if {
            ("IF blocks around each other", IF_LIMIT, "MAX_PROGRAM_IF_DEPTH_NV")
        } else {
            ("LOOP and REP blocks around each other", LOOP_LIMIT, "MAX_PROGRAM_LOOP_DEPTH_NV")
        };
        let error =
            (same > limit as usize).then(|| Diagnostic::over_limit(span.clone(), what, same, limit as usize, name));
        // The block opens despite the error, so that its end is not a second error.
        self.frames.push(Frame { kind, span, nodes: Vec::new() });
        error.map_or(Ok(()), Err)
    }

    pub(super) fn open_if(&mut self, condition: ConditionTest, span: Span) -> Parsed<()> {
        self.open(FrameKind::If { condition, then: None }, span)
    }

    pub(super) fn open_loop(&mut self, parameters: ConstantSource, has_index: bool, span: Span) -> Parsed<()> {
        self.open(FrameKind::Loop { parameters, has_index }, span)
    }

    pub(super) fn otherwise(&mut self, span: Span) -> Parsed<()> {
        match self.frames.last_mut() {
            Some(Frame { kind: FrameKind::If { then: then @ None, .. }, nodes, .. }) => {
                *then = Some(std::mem::take(nodes));
                Ok(())
            }
            _ => Err(Diagnostic::new(span, "ELSE without IF").label("belongs to no open IF")),
        }
    }

    pub(super) fn end_if(&mut self, span: Span) -> Parsed<()> {
        match self.frames.pop() {
            Some(Frame { kind: FrameKind::If { condition, then }, nodes, .. }) => {
                let (then, otherwise) = match then {
                    Some(then) => (then, nodes),
                    None => (nodes, Vec::new()),
                };
                self.block().push(Node::If { condition, then, otherwise });
                Ok(())
            }
            other => Err(self.not_closed(other, "ENDIF without IF", span)),
        }
    }

    pub(super) fn end_loop(&mut self, with_index: bool, span: Span) -> Parsed<()> {
        match self.frames.pop() {
            Some(Frame { kind: FrameKind::Loop { parameters, has_index }, nodes, .. }) if has_index == with_index => {
                self.block().push(Node::Loop { parameters, has_index, body: nodes });
                Ok(())
            }
            other if with_index => Err(self.not_closed(other, "ENDLOOP without LOOP", span)),
            other => Err(self.not_closed(other, "ENDREP without REP", span)),
        }
    }

    /// Reopens a block that an end statement does not match.
    fn not_closed(&mut self, frame: Option<Frame>, message: &str, span: Span) -> Diagnostic {
        self.frames.extend(frame);
        Diagnostic::new(span, message).label("closes no open block")
    }

    pub(super) fn break_loop(&mut self, condition: ConditionTest, span: Span) -> Parsed<()> {
        if !self.frames.iter().any(|frame| matches!(frame.kind, FrameKind::Loop { .. })) {
            return Err(Diagnostic::new(span, "BRK outside of LOOP and REP").label("leaves no loop"));
        }
        self.block().push(Node::Break { condition });
        Ok(())
    }

    pub(super) fn call(&mut self, name: &str, condition: ConditionTest, span: Span) {
        let next = self.calls.len();
        let routine = *self.numbers.entry(name.to_owned()).or_insert(next);
        if routine == next {
            self.calls.push((name.to_owned(), span));
        }
        self.block().push(Node::Call { condition, routine });
    }

    /// Assembles the segments into the program.
    pub(super) fn finish(mut self, code: &mut FragmentCode) -> Parsed<()> {
        if let Some(frame) = self.frames.pop() {
            let what = match frame.kind {
                FrameKind::If { .. } => "IF without ENDIF",
                FrameKind::Loop { has_index: true, .. } => "LOOP without ENDLOOP",
                FrameKind::Loop { .. } => "REP without ENDREP",
            };
            return Err(Diagnostic::new(frame.span, what).label("the block is not closed"));
        }
        let start = self.position("main").unwrap_or(0);
        let mut length = 0;
        (code.body, _) = self.routine(start, &mut length, &(0..0))?;
        for (name, span) in &self.calls {
            let start = self.position(name).ok_or_else(|| {
                let mut labels: Vec<&str> = self.labels.keys().map(String::as_str).collect();
                labels.sort_by_key(|&label| self.labels[label]);
                Diagnostic::new(span.clone(), format!("there is no label `{}`", shortened(name))).suggest(name, labels)
            })?;
            let (routine, returns) = self.routine(start, &mut length, span)?;
            if !returns {
                return Err(Diagnostic::new(span.clone(), format!("`{}` reaches END without RET", shortened(name)))
                    .label("is called here")
                    .note("a subroutine ends with RET"));
            }
            code.routines.push(routine);
        }
        self.check_calls(code)
    }

    fn position(&self, label: &str) -> Option<usize> {
        self.labels.get(label).copied()
    }

    /// Collects the statements from a segment up to an unconditional RET, and returns whether there is one.
    fn routine(&self, start: usize, length: &mut usize, span: &Span) -> Parsed<(Vec<Node>, bool)> {
        let mut nodes = Vec::new();
        for node in self.segments[start..].iter().flatten() {
            // Statements that several labels reach are copied for each label.
            *length += statements(node);
            if *length > SLOT_LIMIT as usize {
                let (count, limit) = (*length, SLOT_LIMIT as usize);
                return Err(Diagnostic::over_limit(span.clone(), "instructions", count, limit, "instruction slots"));
            }
            if !matches!(node, Node::Return { condition } if condition.relation == Relation::Always) {
                nodes.push(node.clone());
            }
            if never_goes_on(node) {
                return Ok((nodes, true));
            }
        }
        Ok((nodes, false))
    }

    /// Rejects recursion, and nesting across calls beyond the chip's stacks.
    fn check_calls(&self, code: &FragmentCode) -> Parsed<()> {
        let mut known = Callees { known: vec![Known::New; code.routines.len()], active: 0 };
        self.depth(code, &code.body, &mut known)?;
        for routine in &code.routines {
            self.depth(code, routine, &mut known)?;
        }
        Ok(())
    }

    fn depth(&self, code: &FragmentCode, block: &[Node], known: &mut Callees) -> Parsed<FlowDepth> {
        let mut deepest = FlowDepth::default();
        for node in block {
            let inner = match node {
                Node::If { then, otherwise, .. } => {
                    let inner = self.depth(code, then, known)?.max(self.depth(code, otherwise, known)?);
                    FlowDepth { ifs: inner.ifs + 1, ..inner }
                }
                Node::Loop { body, .. } => {
                    let inner = self.depth(code, body, known)?;
                    FlowDepth { loops: inner.loops + 1, ..inner }
                }
                Node::Call { routine, .. } => self.called(code, *routine, known)?,
                Node::Instruction(_) | Node::Break { .. } | Node::Return { .. } => continue,
            };
            deepest = deepest.max(inner);
        }
        let limits = [
            ("IF blocks", deepest.ifs, IF_LIMIT, "MAX_PROGRAM_IF_DEPTH_NV"),
            ("LOOP and REP blocks", deepest.loops, LOOP_LIMIT, "MAX_PROGRAM_LOOP_DEPTH_NV"),
            ("calls", deepest.calls, CALL_LIMIT, "MAX_PROGRAM_CALL_DEPTH_NV"),
        ];
        for (what, count, limit, name) in limits {
            if count > limit {
                let span = self.calls.first().map_or(0..0, |(_, span)| span.clone());
                let what = format!("{what} inside of each other");
                return Err(Diagnostic::over_limit(span, &what, count as usize, limit as usize, name));
            }
        }
        Ok(deepest)
    }

    fn called(&self, code: &FragmentCode, routine: usize, known: &mut Callees) -> Parsed<FlowDepth> {
        let inner = match known.known[routine] {
            Known::Depth(depth) => depth,
            Known::Active => {
                let (name, span) = &self.calls[routine];
                let message = format!("`{}` calls itself", shortened(name));
                return Err(Diagnostic::new(span.clone(), message).label("recursion has no end"));
            }
            Known::New => {
                if known.active >= CALL_LIMIT {
                    let (_, span) = &self.calls[routine];
                    let (count, limit) = (CALL_LIMIT as usize + 1, CALL_LIMIT as usize);
                    let (what, name) = ("calls inside of each other", "MAX_PROGRAM_CALL_DEPTH_NV");
                    return Err(Diagnostic::over_limit(span.clone(), what, count, limit, name));
                }
                known.known[routine] = Known::Active;
                known.active += 1;
                let depth = self.depth(code, &code.routines[routine], known)?;
                known.active -= 1;
                known.known[routine] = Known::Depth(depth);
                depth
            }
        };
        Ok(FlowDepth { calls: inner.calls + 1, ..inner })
    }
}

/// What is known about routines during the search, and how many calls deep it is.
struct Callees {
    known: Vec<Known>,
    active: u32,
}

#[derive(Debug, Clone, Copy)]
enum Known {
    New,
    Active,
    Depth(FlowDepth),
}

/// The number of statements in a node and its blocks.
fn statements(node: &Node) -> usize {
    let all = |block: &[Node]| block.iter().map(statements).sum::<usize>();
    match node {
        Node::If { then, otherwise, .. } => 1 + all(then) + all(otherwise),
        Node::Loop { body, .. } => 1 + all(body),
        Node::Instruction(_) | Node::Call { .. } | Node::Break { .. } | Node::Return { .. } => 1,
    }
}

/// Whether every path through a node reaches RET.
fn never_goes_on(node: &Node) -> bool {
    match node {
        Node::Return { condition } => condition.relation == Relation::Always,
        Node::If { then, otherwise, .. } => then.iter().any(never_goes_on) && otherwise.iter().any(never_goes_on),
        Node::Instruction(_) | Node::Loop { .. } | Node::Call { .. } | Node::Break { .. } => false,
    }
}
