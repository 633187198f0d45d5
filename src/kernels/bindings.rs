//! Typed bindings: a struct per kernel declares the buffers that the kernel binds, and their numbers, in one place.
//!
//! The numbers are those of the WGSL. A number has one meaning within a kernel; kernels that share a module share the
//! numbers of that module.

/// The bindings of parameter blocks, whose offset in their buffer changes per dispatch, in the kernels of draws and
/// transfers.
/// draws and transfers.
pub(super) const BLOCKS: &[u32] = &[1, 2, 3, 5, 6, 11, 12, 14];

/// Declares the bindings of a kernel as a struct with a field for each buffer, `numbers => field: type`. The type is
/// `Bound<'a>`, or `Option<Bound<'a>>` if only some variants of the kernel declare the binding.
macro_rules! bindings {
    (
        $(#[$doc:meta])*
        $name:ident {
            $($(#[$field_doc:meta])* $($number:literal)|+ => $field:ident: $kind:ty,)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub(in crate::kernels) struct $name<'a> {
            $($(#[$field_doc])* pub(in crate::kernels) $field: $kind,)+
        }

        impl<'a> crate::gpu::Bindings<'a> for $name<'a> {
            fn bound(&self, number: u32) -> Option<crate::gpu::Bound<'a>> {
                match number {
                    $($($number)|+ => self.$field.into(),)+
                    _ => None,
                }
            }
        }

        impl $name<'_> {
            /// The numbers of all bindings.
            #[cfg(test)]
            pub(in crate::kernels) const NUMBERS: &'static [u32] = &[$($($number),+),+];
        }
    };
}

pub(super) use bindings;
