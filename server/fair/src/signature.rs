//! Signatures of records: Ed25519 keys and their ids.

use std::fmt;
use std::str::FromStr;

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use sha2::{Digest, Sha256};

use crate::Secret;

/// Length of a signature in bytes.
pub const SIGNATURE_BYTES: usize = 64;

/// The server's secret key. `Debug` does not print it.
///
/// ```
/// use parlor_fair::SigningKey;
/// let key = SigningKey::from_bytes([1; 32]);
/// let signature = key.sign(b"a record");
/// assert!(key.public_key().verify(b"a record", &signature));
/// assert!(!key.public_key().verify(b"another one", &signature));
/// ```
pub struct SigningKey {
    secret: Secret<[u8; 32]>,
    pair: Ed25519KeyPair,
}

impl SigningKey {
    /// A key from its 32 secret bytes, the private key of RFC 8032.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> SigningKey {
        let pair = Ed25519KeyPair::from_seed_unchecked(&bytes).expect("every 32 bytes are a private key");
        SigningKey { secret: Secret::new(bytes), pair }
    }

    /// The secret bytes, for the file of the key.
    #[must_use]
    pub const fn reveal(&self) -> &[u8; 32] {
        self.secret.reveal()
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        let bytes = self.pair.public_key().as_ref().try_into();
        PublicKey(bytes.expect("a public key has 32 bytes"))
    }

    /// Signs a message.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_BYTES] {
        self.pair.sign(message).as_ref().try_into().expect("a signature has 64 bytes")
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public_key().id())
    }
}

/// A public key. Its text form is 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

/// Text that is not a public key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a public key has 64 hexadecimal digits")]
pub struct InvalidPublicKey;

impl PublicKey {
    /// A key from its bytes. They need not be those of a valid key: such a key verifies nothing.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> PublicKey {
        PublicKey(bytes)
    }

    /// The bytes of the key.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The id of the key.
    #[must_use]
    pub fn id(&self) -> KeyId {
        let hash: [u8; 32] = Sha256::digest(self.0).into();
        let mut id = [0; 8];
        id.copy_from_slice(&hash[..8]);
        KeyId(id)
    }

    /// True if this is the signature of the message under this key.
    #[must_use]
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

impl FromStr for PublicKey {
    type Err = InvalidPublicKey;

    fn from_str(text: &str) -> Result<PublicKey, InvalidPublicKey> {
        let digits: Option<Vec<u8>> =
            text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or(InvalidPublicKey)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(PublicKey(bytes))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

/// The id of a public key: the first 8 bytes of its SHA-256. Its text form is 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId([u8; 8]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

/// A set of messages that a manifest stands for. Its hash depends on the messages, not on their order.
///
/// ```
/// use parlor_fair::MessageSet;
/// let (mut one, mut other) = (MessageSet::default(), MessageSet::default());
/// for (message, last) in [(b"a", b"b"), (b"b", b"a")] {
///     one.add(message);
///     other.add(last);
/// }
/// assert_eq!(one.hash(), other.hash());
/// ```
#[derive(Clone, Debug, Default)]
pub struct MessageSet(Vec<[u8; 32]>);

impl MessageSet {
    /// Adds a message.
    pub fn add(&mut self, message: &[u8]) {
        self.0.push(Sha256::digest(message).into());
    }

    /// Number of messages.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// SHA-256 of the SHA-256 of all messages, one after the other in the order of their bytes.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        let mut hashes = self.0.clone();
        hashes.sort_unstable();
        hashes.iter().fold(Sha256::new(), Digest::chain_update).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The first two test vectors of RFC 8032, section 7.1.
    #[test]
    fn signatures_are_those_of_rfc_8032() {
        let vectors = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                &b""[..],
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
                 d25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                &[0x72],
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
                 387b2eaeb4302aeeb00d291612bb0c00",
            ),
        ];
        for (secret, public, message, signature) in vectors {
            let secret: PublicKey = secret.parse().unwrap();
            let key = SigningKey::from_bytes(*secret.as_bytes());
            assert_eq!(key.public_key().to_string(), public);
            assert_eq!(hex(&key.sign(message)), signature);
            assert!(key.public_key().verify(message, &key.sign(message)));
        }
    }

    /// `hashlib.sha256(public_key).hexdigest()[:16]` in Python.
    #[test]
    fn key_id_is_pinned() {
        let key: PublicKey =
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a".parse().unwrap();
        assert_eq!(key.id().to_string(), "21fe31dfa154a261");
    }

    #[test]
    fn altered_signatures_and_messages_are_refused() {
        let key = SigningKey::from_bytes([7; 32]);
        let signature = key.sign(b"message");
        assert!(!key.public_key().verify(b"massage", &signature));
        assert!(!SigningKey::from_bytes([8; 32]).public_key().verify(b"message", &signature));
        for bit in 0..SIGNATURE_BYTES * 8 {
            let mut altered = signature;
            altered[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.public_key().verify(b"message", &altered), "bit {bit}");
        }
        for length in [0, 63] {
            assert!(!key.public_key().verify(b"message", &signature[..length]));
        }
        assert!(!PublicKey::from_bytes([0xff; 32]).verify(b"message", &signature));
    }

    /// In Python: `sha256(b"".join(sorted(sha256(m).digest() for m in messages))).hexdigest()`.
    #[test]
    fn hash_of_a_message_set_is_pinned() {
        let mut set = MessageSet::default();
        assert_eq!(hex(&set.hash()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        [b"one".as_slice(), b"two", b"three"].iter().for_each(|message| set.add(message));
        assert_eq!(set.count(), 3);
        assert_eq!(hex(&set.hash()), "fc87132571beff441a7167793c37adc002b57d92723be9f6b4ff195f22a30747");
    }

    #[test]
    fn public_keys_are_read_from_text() {
        let key = SigningKey::from_bytes([7; 32]).public_key();
        assert_eq!(key.to_string().parse(), Ok(key));
        assert_eq!(key.to_string().to_uppercase().parse(), Ok(key));
        for text in
            ["", "12", &key.to_string()[1..], &key.to_string().replace(['a', 'b', 'c'], "g"), &"é".repeat(32)]
        {
            assert_eq!(text.parse::<PublicKey>(), Err(InvalidPublicKey), "{text}");
        }
    }

    #[test]
    fn debug_does_not_print_the_secret_key() {
        let key = SigningKey::from_bytes([0xab; 32]);
        assert_eq!(format!("{key:?}"), format!("SigningKey({})", key.public_key().id()));
    }
}
