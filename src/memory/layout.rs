//! Where a texel of a surface lies: linear rows or swizzled (Morton) order.
