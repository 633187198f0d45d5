//! Declares enumerations whose values have a name, in files, on command lines and in tables.

/// Declares an enumeration of variants and their names: all values in order, the name of one, and the value of a name.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $type:ident {
            $( $(#[$variant_attribute:meta])* $variant:ident = $name:literal, )+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $type {
            $( $(#[$variant_attribute])* $variant, )+
        }

        impl $type {
            /// Every value, in order.
            pub const ALL: [Self; [$( $name ),+].len()] = [$( Self::$variant ),+];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $name, )+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(name: &str) -> Result<Self, String> {
                let found = Self::ALL.into_iter().find(|value| value.name() == name);
                found.ok_or_else(|| format!("one of {}", Self::ALL.map(Self::name).join(", ")))
            }
        }
    };
}
