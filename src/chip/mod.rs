//! The chip seen from the push buffer: objects, registers and memory; methods become work.
