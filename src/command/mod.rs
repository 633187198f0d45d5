//! Push buffers: packets, method tables, listings, and a typed builder.
