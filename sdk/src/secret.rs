//! Secrets of a client: sent over the wire, never logged.

use std::fmt;

use crate::Error;
use crate::random::fresh_bytes;

macro_rules! secret {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// Wraps a secret.
            pub fn new(secret: impl Into<String>) -> $name {
                $name(secret.into())
            }

            /// The secret itself, to store it or hand it on. Keep it out of logs.
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
    /// Token that grants the right to play one seat. `Debug` hides it.
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
    /// Token that grants the right to watch one private table. `Debug` hides it.
    SpectatorToken
}

secret! {
    /// Secret of an invite, with which somebody without an API key takes a seat. `Debug` hides it.
    InviteSecret
}

secret! {
    /// API key of an owner of tables: a platform or an organiser. `Debug` hides it.
    ApiKey
}

secret! {
    /// Secret that owns an agent's name: 16 to 64 bytes, fixed by the first connection. `Debug` hides it.
    AgentKey
}

impl AgentKey {
    /// Generates a random key. Store it: without it the name is lost.
    pub fn generate() -> Result<AgentKey, Error> {
        let hex: String = fresh_bytes::<24>()?.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(AgentKey(format!("pla_{hex}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_agent_keys_are_unique_and_52_characters_long() {
        let (one, other) = (AgentKey::generate().unwrap(), AgentKey::generate().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.reveal().len(), 52);
    }

    #[test]
    fn debug_hides_every_secret() {
        let (seat, spectator, key) =
            (SeatToken::from("swordfish"), SpectatorToken::new("swordfish"), ApiKey::new("swordfish"));
        for shown in
            [format!("{seat:?} {spectator:?} {key:?}"), format!("{:#?}", (Some(seat), spectator, key))]
        {
            assert!(!shown.contains("sword"), "{shown}");
        }
    }
}
