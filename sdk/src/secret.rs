//! Secrets that a client holds: they go over the wire, and never into a log.

use std::fmt;

use crate::Error;
use crate::random::fresh_bytes;

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

secret! {
    /// The secret that a name of an agent belongs to: 16 to 64 bytes of your choice, and the same ever after. `Debug` does
    /// not show it.
    AgentKey
}

impl AgentKey {
    /// A new one that nobody can guess. Store it: without it the name is lost.
    pub fn generate() -> Result<AgentKey, Error> {
        let hex: String = fresh_bytes::<24>()?.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(AgentKey(format!("pla_{hex}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_an_agent_is_new_each_time_and_of_the_right_length() {
        let (one, other) = (AgentKey::generate().unwrap(), AgentKey::generate().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.reveal().len(), 52);
    }

    #[test]
    fn debug_shows_nothing_in_any_form() {
        let (seat, rail, key) =
            (SeatToken::from("swordfish"), SpectatorToken::new("swordfish"), ApiKey::new("swordfish"));
        for shown in [format!("{seat:?} {rail:?} {key:?}"), format!("{:#?}", (Some(seat), rail, key))] {
            assert!(!shown.contains("sword"), "{shown}");
        }
    }
}
