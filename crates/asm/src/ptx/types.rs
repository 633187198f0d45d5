//! The types, state spaces and special registers of PTX.

/// What the bits of a value mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Nothing in particular.
    Bits,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A float.
    Float,
    /// A truth value.
    Predicate,
}

/// A fundamental type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Type {
    /// What the bits mean.
    pub(super) kind: Kind,
    /// How many bits there are; 1 for predicates.
    pub(super) bits: u8,
}

/// Every type with its name.
pub(super) const TYPES: [(&str, Type); 16] = [
    (".pred", PREDICATE),
    (".b8", Type { kind: Kind::Bits, bits: 8 }),
    (".b16", Type { kind: Kind::Bits, bits: 16 }),
    (".b32", B32),
    (".b64", Type { kind: Kind::Bits, bits: 64 }),
    (".u8", Type { kind: Kind::Unsigned, bits: 8 }),
    (".u16", U16),
    (".u32", U32),
    (".u64", Type { kind: Kind::Unsigned, bits: 64 }),
    (".s8", Type { kind: Kind::Signed, bits: 8 }),
    (".s16", Type { kind: Kind::Signed, bits: 16 }),
    (".s32", Type { kind: Kind::Signed, bits: 32 }),
    (".s64", Type { kind: Kind::Signed, bits: 64 }),
    (".f16", Type { kind: Kind::Float, bits: 16 }),
    (".f32", F32),
    (".f64", Type { kind: Kind::Float, bits: 64 }),
];

pub(super) const PREDICATE: Type = Type { kind: Kind::Predicate, bits: 1 };
pub(super) const B32: Type = Type { kind: Kind::Bits, bits: 32 };
pub(super) const U16: Type = Type { kind: Kind::Unsigned, bits: 16 };
pub(super) const U32: Type = Type { kind: Kind::Unsigned, bits: 32 };
pub(super) const F32: Type = Type { kind: Kind::Float, bits: 32 };

impl Type {
    /// The type of a name with its point.
    pub(super) fn of(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|(_, found)| *found)
    }

    /// Its name with its point.
    pub(super) fn name(self) -> &'static str {
        TYPES.iter().find(|(_, known)| *known == self).map_or("?", |(name, _)| *name)
    }

    pub(super) const fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float)
    }

    /// Whether it is of double precision.
    pub(super) const fn is_double(self) -> bool {
        self.is_float() && self.bits == 64
    }

    pub(super) const fn is_signed(self) -> bool {
        matches!(self.kind, Kind::Signed)
    }

    pub(super) const fn is_predicate(self) -> bool {
        matches!(self.kind, Kind::Predicate)
    }

    pub(super) const fn bytes(self) -> u32 {
        (self.bits as u32).div_ceil(8)
    }

    /// How many words a register of the type takes.
    ///
    /// Double precision is demoted to single precision, which has one.
    // Unverified: in memory, the first four of the eight bytes hold it.
    pub(super) const fn words(self) -> u8 {
        if self.bits == 64 && !self.is_float() { 2 } else { 1 }
    }

    /// The same kind with other bits.
    pub(super) const fn with_bits(self, bits: u8) -> Self {
        Self { bits, ..self }
    }

    /// Whether a register of a type may stand where an instruction has this one.
    pub(super) fn accepts(self, register: Self) -> bool {
        let is_one_bits = self.kind == Kind::Bits || register.kind == Kind::Bits;
        let are_alike = self.is_float() == register.is_float() && self.is_predicate() == register.is_predicate();
        self.bits == register.bits && (are_alike || is_one_bits && !self.is_predicate() && !register.is_predicate())
    }
}

/// A state space of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum StateSpace {
    /// Parameters of a kernel.
    Parameter,
    /// Shared memory of a block.
    Shared,
    /// Constant memory.
    Constant,
    /// Global memory.
    Global,
    /// Memory of a thread.
    Local,
    /// Textures.
    Texture,
}

/// Every state space of memory with its name.
pub(super) const SPACES: [(&str, StateSpace); 6] = [
    (".param", StateSpace::Parameter),
    (".shared", StateSpace::Shared),
    (".const", StateSpace::Constant),
    (".global", StateSpace::Global),
    (".local", StateSpace::Local),
    (".tex", StateSpace::Texture),
];

impl StateSpace {
    /// Its name.
    pub(super) fn name(self) -> &'static str {
        SPACES.iter().find(|(_, space)| *space == self).map_or("", |(name, _)| name)
    }
}

/// A special register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Special {
    /// A coordinate of the thread in its block.
    Thread(Dimension),
    /// A size of the block.
    BlockSize(Dimension),
    /// A coordinate of the block in the grid.
    Block(Dimension),
    /// A size of the grid.
    GridSize(Dimension),
    /// The number of the thread in its warp.
    Lane,
    /// The number of the warp in its multiprocessor.
    Warp,
    /// The number of the grid.
    Grid,
    /// Clock cycles.
    Clock,
    /// A performance counter.
    Counter(u8),
}

/// A dimension of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Dimension {
    X,
    Y,
    Z,
}

impl Dimension {
    /// The dimension of a component with its point.
    pub(super) fn of(component: &str) -> Option<Self> {
        match component {
            ".x" => Some(Self::X),
            ".y" => Some(Self::Y),
            ".z" => Some(Self::Z),
            _ => None,
        }
    }
}

/// Every special register with its name; those with components as their x.
pub(super) const SPECIALS: [(&str, Special); 12] = [
    ("%tid", Special::Thread(Dimension::X)),
    ("%ntid", Special::BlockSize(Dimension::X)),
    ("%ctaid", Special::Block(Dimension::X)),
    ("%nctaid", Special::GridSize(Dimension::X)),
    ("%laneid", Special::Lane),
    ("%warpid", Special::Warp),
    ("%gridid", Special::Grid),
    ("%clock", Special::Clock),
    ("%pm0", Special::Counter(0)),
    ("%pm1", Special::Counter(1)),
    ("%pm2", Special::Counter(2)),
    ("%pm3", Special::Counter(3)),
];

impl Special {
    /// The same register with a dimension; `None` if it has no components.
    pub(super) const fn with(self, dimension: Dimension) -> Option<Self> {
        match self {
            Self::Thread(_) => Some(Self::Thread(dimension)),
            Self::BlockSize(_) => Some(Self::BlockSize(dimension)),
            Self::Block(_) => Some(Self::Block(dimension)),
            Self::GridSize(_) => Some(Self::GridSize(dimension)),
            _ => None,
        }
    }
}
