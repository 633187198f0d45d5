//! Numbers the runs of operations and the flow instructions of a [`FragmentProgram`], for counters and costs.
//!
//! Numbers follow the program text: the main block, then each subroutine; within a block from the first node to
//! the last; for IF the `then` block before the other. A run consists of the operations between flow instructions:
//! one or more operations that every fragment of a block executes together.

use super::fragment::{Block, FragmentNode, FragmentOperation, FragmentProgram};

/// The numbers of a program's blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramNumbers {
    /// The numbers of the main block.
    pub body: BlockNumbers,
    /// The numbers of the subroutines.
    pub subroutines: Vec<BlockNumbers>,
    /// The number of blocks.
    pub count: usize,
}

impl ProgramNumbers {
    /// Numbers the main block and its nested blocks, then each subroutine.
    #[must_use]
    pub fn new(body: &Block, subroutines: &[Block]) -> Self {
        let mut count = 0;
        let body = BlockNumbers::of_block(body, &mut count);
        let subroutines = subroutines.iter().map(|block| BlockNumbers::of_block(block, &mut count)).collect();
        Self { body, subroutines, count }
    }
}

/// The number of a block, and those of its nested blocks in program order: for IF the taken one, then the other.
/// other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockNumbers {
    /// The block's own number; the main block is 0.
    pub number: usize,
    /// The numbers of nested blocks.
    pub inner: Vec<Self>,
}

impl BlockNumbers {
    fn of_block(block: &Block, next: &mut usize) -> Self {
        let number = *next;
        *next += 1;
        let inner = block.iter().flat_map(inner_blocks).map(|block| Self::of_block(block, next)).collect();
        Self { number, inner }
    }
}

/// The blocks nested in a node, in numbering order.
pub fn inner_blocks(node: &FragmentNode) -> Vec<&Block> {
    match node {
        FragmentNode::If { then, otherwise, .. } => vec![then, otherwise],
        FragmentNode::Loop { body, .. } => vec![body],
        FragmentNode::Operation(_)
        | FragmentNode::Call { .. }
        | FragmentNode::Break { .. }
        | FragmentNode::Return { .. } => Vec::new(),
    }
}

/// Every node of blocks and of the blocks nested in them, in numbering order.
pub fn nodes<'program>(blocks: impl IntoIterator<Item = &'program Block>) -> Vec<&'program FragmentNode> {
    let mut found = Vec::new();
    for node in blocks.into_iter().flatten() {
        found.push(node);
        found.extend(nodes(inner_blocks(node)));
    }
    found
}

/// Every operation of blocks and of the blocks nested in them, in numbering order.
pub fn operations<'program>(
    blocks: impl IntoIterator<Item = &'program Block>,
) -> impl Iterator<Item = &'program FragmentOperation> {
    nodes(blocks).into_iter().filter_map(|node| match node {
        FragmentNode::Operation(operation) => Some(operation),
        _ => None,
    })
}

/// The numbered parts of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentBlocks<'program> {
    /// The runs, indexed by their numbers.
    pub runs: Vec<Vec<&'program FragmentOperation>>,
    /// The flow instructions, indexed by their numbers.
    pub flows: Vec<&'program FragmentNode>,
    /// The main block in terms of these numbers.
    pub body: Vec<BlockPart>,
    /// The subroutines in terms of these numbers.
    pub subroutines: Vec<Vec<BlockPart>>,
    /// The block of each run. Blocks are numbered where they begin, including empty ones.
    pub block_of_run: Vec<usize>,
    /// The block of each flow instruction.
    pub block_of_flow: Vec<usize>,
    /// The loop body of each flow instruction, if it is a loop.
    pub body_of_flow: Vec<Option<usize>>,
    /// The number of blocks.
    pub block_count: usize,
}

/// A node of the tree with its number.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum BlockPart {
    /// Operations.
    Run {
        /// Its number.
        run: usize,
    },
    /// IF.
    If {
        /// Its number.
        flow: usize,
        /// The block for fragments that pass.
        then: Vec<Self>,
        /// The block for the others.
        otherwise: Vec<Self>,
    },
    /// LOOP or REP.
    Loop {
        /// Its number.
        flow: usize,
        /// The repeated block.
        body: Vec<Self>,
    },
    /// CAL.
    Call {
        /// Its number.
        flow: usize,
        /// Index of the subroutine.
        subroutine: usize,
    },
    /// BRK.
    Break {
        /// Its number.
        flow: usize,
    },
    /// RET.
    Return {
        /// Its number.
        flow: usize,
    },
}

impl FragmentProgram {
    /// Numbers the runs of operations and the flow instructions.
    #[must_use]
    pub fn numbered_blocks(&self) -> FragmentBlocks<'_> {
        let numbers = ProgramNumbers::new(&self.body, &self.subroutines);
        let mut blocks = FragmentBlocks {
            runs: Vec::new(),
            flows: Vec::new(),
            body: Vec::new(),
            subroutines: Vec::new(),
            block_of_run: Vec::new(),
            block_of_flow: Vec::new(),
            body_of_flow: Vec::new(),
            block_count: numbers.count,
        };
        blocks.body = blocks.number(&self.body, &numbers.body);
        let subroutines = self.subroutines.iter().zip(&numbers.subroutines);
        blocks.subroutines = subroutines.map(|(block, numbers)| blocks.number(block, numbers)).collect();
        blocks
    }
}

impl<'program> FragmentBlocks<'program> {
    fn number(&mut self, block: &'program Block, numbers: &BlockNumbers) -> Vec<BlockPart> {
        let mut inner = numbers.inner.iter();
        let mut parts = Vec::new();
        for node in block {
            if let FragmentNode::Operation(operation) = node {
                if let Some(BlockPart::Run { run }) = parts.last() {
                    self.runs[*run].push(operation);
                } else {
                    parts.push(BlockPart::Run { run: self.runs.len() });
                    self.runs.push(vec![operation]);
                    self.block_of_run.push(numbers.number);
                }
                continue;
            }
            let flow = self.flows.len();
            self.flows.push(node);
            self.block_of_flow.push(numbers.number);
            self.body_of_flow.push(None);
            let mut next = || inner.next().expect("every block within is numbered");
            parts.push(match node {
                FragmentNode::If { then, otherwise, .. } => {
                    let then = self.number(then, next());
                    BlockPart::If { flow, then, otherwise: self.number(otherwise, next()) }
                }
                FragmentNode::Loop { body, .. } => {
                    let numbers = next();
                    self.body_of_flow[flow] = Some(numbers.number);
                    BlockPart::Loop { flow, body: self.number(body, numbers) }
                }
                FragmentNode::Call { subroutine, .. } => BlockPart::Call { flow, subroutine: *subroutine },
                FragmentNode::Break { .. } => BlockPart::Break { flow },
                FragmentNode::Return { .. } => BlockPart::Return { flow },
                FragmentNode::Operation(_) => unreachable!("operations were taken above"),
            });
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::BlockPart;
    use crate::isa::nv40_fragment::FragmentOpcode as Op;
    use crate::isa::test_words::{flow, fragment, full, words};
    use crate::shader::fragment::FragmentProgram;

    #[test]
    fn numbers_follow_the_text() {
        let operation = |register| fragment(Op::Mov, register, &[full(0)]);
        let program = [
            operation(1),
            operation(2),
            flow(Op::If, 20, 28),
            operation(3),
            operation(7),
            flow(Op::Rep, 2 << 2 | 2 << 10 | 2 << 19, 28),
            operation(4),
            operation(5),
            flow(Op::Cal, 40, 0),
            flow(Op::Ret, 0, 0),
            operation(6),
            flow(Op::Ret, 0, 0),
        ];
        let program = FragmentProgram::decode(&words(&program)).unwrap();
        let blocks = program.numbered_blocks();
        let registers: Vec<Vec<u8>> = blocks
            .runs
            .iter()
            .map(|run| run.iter().map(|operation| operation.destination.unwrap().index).collect())
            .collect();
        assert_eq!(registers, [vec![1, 2], vec![3, 7], vec![4], vec![5], vec![6]]);
        assert_eq!(
            blocks.body,
            [
                BlockPart::Run { run: 0 },
                BlockPart::If {
                    flow: 0,
                    then: vec![BlockPart::Run { run: 1 }],
                    otherwise: vec![BlockPart::Loop { flow: 1, body: vec![BlockPart::Run { run: 2 }] }],
                },
                BlockPart::Run { run: 3 },
                BlockPart::Call { flow: 2, subroutine: 0 },
            ]
        );
        assert_eq!(blocks.subroutines, [[BlockPart::Run { run: 4 }]]);
        assert_eq!(blocks.flows.len(), 3);
        // Blocks: main 0, THEN 1, ELSE 2, the loop's body 3, the subroutine 4.
        assert_eq!(blocks.block_of_run, [0, 1, 3, 0, 4]);
        assert_eq!(blocks.block_of_flow, [0, 2, 0]);
        assert_eq!(blocks.body_of_flow, [None, Some(3), None]);
        assert_eq!(blocks.block_count, 5);
    }
}
