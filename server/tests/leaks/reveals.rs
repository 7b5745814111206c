//! Entropy and seeds before their time: while a table or a tournament is starting, nothing that anybody is told depends on what
//! others have revealed so far, or on the server's seed.
//!
//! Two servers have the same table (or tournament), with another seed of the server and other entropy. Everything that
//! everybody is told of them must be the same bytes, but for ids and commitments, which are public. It is also searched for
//! the secrets, which are shown later: the search finds them then.

mod tables;
mod tournaments;

use parlor_store::{Log, MemoryLog};
use parlor_testkit::wait_until;

use crate::deal_tables::{Told, difference, replaced};

/// Entropy of a participant that the viewers do not hold.
type Hidden = [u8; 32];

/// The two values of a hidden entropy.
const HIDDEN: [Hidden; 2] = [*b"a hidden entropy of a first seat", *b"another one of the seat, as long"];

/// A commitment to entropy, under the tag of tables or tournaments.
fn commitment(tag: &str, id: &[u8; 16], entropy: &[u8]) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    Sha256::new().chain_update(tag).chain_update(id).chain_update(entropy).finalize().to_vec()
}

/// Everything that was told so far of a table or a tournament.
#[derive(Default)]
struct Transcript {
    told: Vec<Told>,
    /// Values that are public and differ between the servers.
    public: Vec<Vec<u8>>,
}

impl Transcript {
    /// The messages, with blanks in place of the public values.
    fn blanked(&self) -> Vec<Told> {
        let blank = |told: &Told| {
            let mut told = told.clone();
            for value in self.public.iter().filter(|value| !value.is_empty()) {
                told.bytes = replaced(&told.bytes, value, &vec![b'-'; value.len()]);
            }
            // The bytes are compared; the text explains a difference.
            told.text = String::from_utf8_lossy(&told.bytes).into_owned();
            told
        };
        self.told.iter().map(blank).collect()
    }

    /// The first call whose answer has a secret in it, as bytes or written in hexadecimal, Base64 or decimal numbers.
    fn find(&self, secret: &[u8]) -> Option<&'static str> {
        use base64::{Engine, engine::general_purpose::STANDARD};
        let hexadecimal: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let base64 = STANDARD.encode(secret);
        let decimal = format!("{secret:?}");
        let decimal = decimal.trim_matches(['[', ']']);
        // The last characters of Base64 depend on what follows.
        let forms = [secret, hexadecimal.as_bytes(), &base64.as_bytes()[..40], decimal.as_bytes()];
        let has = |bytes: &[u8]| forms.iter().any(|form| bytes.windows(form.len()).any(|part| part == *form));
        self.told.iter().find(|told| has(&told.bytes) || has(told.text.as_bytes())).map(|told| told.call)
    }
}

/// Asserts that two servers have told the same.
fn assert_same(one: &Transcript, other: &Transcript) {
    assert_eq!(difference(&one.blanked(), &other.blanked()), None);
}

/// Waits until the log of a table or a tournament has this many entries.
async fn wait_for_length(log: &MemoryLog, id: &str, length: usize) {
    let id = id.parse().expect("an id");
    let read = async || log.read(id, 0).await.expect("a log").len();
    wait_until("entries in a log", async || read().await >= length).await;
    assert_eq!(read().await, length);
}
