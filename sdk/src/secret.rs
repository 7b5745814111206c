//! Secrets that a client holds: they go over the wire, and never into a log.

use std::fmt;

macro_rules! secret {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// Takes a secret as it was given.
            pub fn new(secret: impl Into<String>) -> $name {
                $name(secret.into())
            }

            /// The secret itself, to hand it on or to store it. Whoever calls this answers for where it goes.
            #[must_use]
            pub fn reveal(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(secret: String) -> $name {
                $name(secret)
            }
        }

        impl From<&str> for $name {
            fn from(secret: &str) -> $name {
                $name(secret.into())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    };
}

secret! {
    /// The right to play one seat. `Debug` does not show it.
    ///
    /// ```
    /// use parlor_sdk::SeatToken;
    /// let token = SeatToken::new("swordfish");
    /// assert_eq!(format!("{token:?}"), "SeatToken(..)");
    /// assert_eq!(token.reveal(), "swordfish");
    /// ```
    SeatToken
}

secret! {
    /// The right to watch one private table. `Debug` does not show it.
    SpectatorToken
}

secret! {
    /// The key of whoever owns tables: a platform, an organiser. `Debug` does not show it.
    ApiKey
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing_in_any_form() {
        let (seat, rail, key) =
            (SeatToken::from("swordfish"), SpectatorToken::new("swordfish"), ApiKey::new("swordfish"));
        for shown in [format!("{seat:?} {rail:?} {key:?}"), format!("{:#?}", (Some(seat), rail, key))] {
            assert!(!shown.contains("sword"), "{shown}");
        }
    }
}
