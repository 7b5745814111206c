//! Entropy for shuffles: drawn at random, committed to, and revealed only after the commitments of all are known.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use parlor_fair::{Entropy, MAX_ENTROPY_BYTES, MIN_ENTROPY_BYTES, TableId, TournamentId};

use crate::error::Reason;
use crate::random::fresh_bytes;
use crate::{Error, wire};

/// Number of seats, or tournaments, whose entropy is kept at once. Beyond it the oldest is dropped, and then withheld.
const MAX_KEPT: usize = 65_536;

/// Draws 32 random bytes.
pub(crate) fn draw() -> Result<Vec<u8>, Error> {
    Ok(fresh_bytes::<32>()?.to_vec())
}

/// Commitment of a seat at a table to its entropy; empty for a malformed id, which the server refuses.
pub(crate) fn table_commitment(table_id: &str, entropy: &[u8]) -> Result<Vec<u8>, Error> {
    let entropy = parse(entropy)?;
    let commitment = table_id.parse::<TableId>().map(|table| entropy.commitment(table).as_bytes().to_vec());
    Ok(commitment.unwrap_or_default())
}

/// Commitment of the organiser or an entrant of a tournament to its entropy; empty for a malformed id, which the server
/// refuses.
pub(crate) fn tournament_commitment(tournament_id: &str, entropy: &[u8]) -> Result<Vec<u8>, Error> {
    let entropy = parse(entropy)?;
    let tournament = tournament_id.parse::<TournamentId>();
    let commitment = tournament.map(|id| entropy.tournament_commitment(id).as_bytes().to_vec());
    Ok(commitment.unwrap_or_default())
}

fn parse(entropy: &[u8]) -> Result<Entropy, Error> {
    let parsed = Entropy::new(entropy).ok().filter(|_| entropy.len() >= MIN_ENTROPY_BYTES);
    let wrong = || {
        let (length, most) = (entropy.len(), MAX_ENTROPY_BYTES);
        format!("entropy must have {MIN_ENTROPY_BYTES} to {most} bytes, not {length}: take 32 random ones")
    };
    parsed.ok_or_else(|| Error::new(Reason::Settings, wrong()))
}

/// Commitments as a table has shown them to a seat that has joined, and the seat's own entropy. Made for
/// [`Client::on_commitments`](crate::Client::on_commitments).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeatCommitments {
    /// Id of the table.
    pub table_id: String,
    /// The seat.
    pub seat: u32,
    /// Commitment of the server to its seed.
    pub server: Vec<u8>,
    /// Commitments of all seats, in order, each empty if there is none. Empty until all seats are filled.
    pub seats: Vec<Vec<u8>>,
    /// Entropy of the seat. Secret until the game begins.
    pub entropy: Vec<u8>,
}

/// Omits the entropy.
impl fmt::Debug for SeatCommitments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeatCommitments")
            .field("table_id", &self.table_id)
            .field("seat", &self.seat)
            .finish_non_exhaustive()
    }
}

type OnCommitments = Box<dyn Fn(&SeatCommitments) + Send + Sync>;

/// Entropy of seats that have joined, by their tokens, until it is revealed.
#[derive(Default)]
pub(crate) struct KeptEntropy {
    seats: Mutex<Kept<SeatPromise>>,
    on_commitments: OnceLock<OnCommitments>,
}

/// Commitments of a seat and its table, as they were when it joined.
#[derive(Clone)]
pub(crate) struct SeatPromise {
    pub(crate) table_id: String,
    pub(crate) seat: u32,
    pub(crate) entropy: Vec<u8>,
    /// Commitment of the server to its seed.
    pub(crate) server_commitment: Vec<u8>,
    /// Commitments of all seats, once they were shown.
    shown: Option<Vec<Vec<u8>>>,
}

impl SeatPromise {
    pub(crate) fn new(joined: &wire::JoinTableResponse, entropy: Vec<u8>) -> Option<SeatPromise> {
        let table = joined.table.as_ref()?;
        Some(SeatPromise {
            table_id: table.table_id.clone(),
            seat: joined.seat,
            entropy,
            server_commitment: table.shuffle.as_ref()?.commitment.clone(),
            shown: None,
        })
    }

    /// True if there is entropy that the table will ask for.
    pub(crate) fn is_due(&self, joined: &wire::JoinTableResponse) -> bool {
        let shuffle = joined.table.as_ref().and_then(|table| table.shuffle.as_ref());
        !self.entropy.is_empty() && shuffle.is_some_and(|shuffle| !shuffle.seed_given)
    }

    /// Reason not to reveal, given what the table shows now: it does not show what it showed before.
    fn objection(&self, shuffle: &wire::FairShuffle) -> Option<&'static str> {
        let commitments: Vec<Vec<u8>> = commitments(shuffle);
        let own = commitments.get(self.seat as usize);
        if shuffle.commitment != self.server_commitment {
            Some("the server's commitment has changed since the seat joined")
        } else if table_commitment(&self.table_id, &self.entropy).ok().as_ref() != own {
            Some("the table does not show the seat's own commitment")
        } else if self.shown.as_ref().is_some_and(|shown| *shown != commitments) {
            Some("the commitments of the seats have changed since they were shown")
        } else {
            None
        }
    }
}

fn commitments(shuffle: &wire::FairShuffle) -> Vec<Vec<u8>> {
    shuffle.entropy.iter().map(|seat| seat.commitment.clone()).collect()
}

impl KeptEntropy {
    fn lock(&self) -> MutexGuard<'_, Kept<SeatPromise>> {
        // Each change is one insertion or removal.
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the function that is told what tables show, unless there is one.
    pub(crate) fn set_on_commitments(&self, on_commitments: OnCommitments) {
        let _ = self.on_commitments.set(on_commitments);
    }

    fn announce(&self, promise: &SeatPromise) {
        if let Some(on_commitments) = self.on_commitments.get() {
            on_commitments(&SeatCommitments {
                table_id: promise.table_id.clone(),
                seat: promise.seat,
                server: promise.server_commitment.clone(),
                seats: promise.shown.clone().unwrap_or_default(),
                entropy: promise.entropy.clone(),
            });
        }
    }

    /// Keeps the entropy of a seat.
    pub(crate) fn insert(&self, token: &str, promise: SeatPromise) {
        self.announce(&promise);
        self.lock().insert(token.to_owned(), promise);
    }

    /// Forgets the entropy of a seat: it is revealed, or it is too late.
    pub(crate) fn remove(&self, token: &str) {
        self.lock().entries.remove(token);
    }

    /// Entropy to reveal for a seat at a table that shows these commitments; `None` if it committed to nothing.
    ///
    /// # Errors
    ///
    /// The table does not show what it showed before, so the entropy must stay secret.
    pub(crate) fn to_reveal(
        &self,
        token: &str,
        shuffle: &wire::FairShuffle,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut kept = self.lock();
        let Some(promise) = kept.entries.get_mut(token) else { return Ok(None) };
        if let Some(why) = promise.objection(shuffle) {
            let SeatPromise { table_id, seat, .. } = promise;
            let message = format!("{why} (table {table_id}, seat {seat}): its entropy is not revealed");
            return Err(Error::new(Reason::CommitmentChanged, message));
        }
        promise.shown = Some(commitments(shuffle));
        let promise = promise.clone();
        drop(kept);
        self.announce(&promise);
        Ok(Some(promise.entropy))
    }
}

/// Entropy of an agent for the tournaments that have asked for it.
#[derive(Default)]
pub(crate) struct TournamentEntropy(Kept<TournamentPromise>);

struct TournamentPromise {
    entropy: Vec<u8>,
    /// Commitment of the server, as it was shown first.
    server_commitment: Vec<u8>,
    /// Commitments of all participants, as they were shown first.
    shown: Option<Vec<Vec<u8>>>,
}

impl TournamentEntropy {
    /// Answer to a request of the server; `None` if the agent must not or cannot answer.
    pub(crate) fn answer(&mut self, asked: &wire::TournamentEntropyAsked) -> Option<wire::TournamentEntropy> {
        use wire::tournament_entropy::Step;
        let id = &asked.tournament_id;
        let step = if asked.entropy_commitments.is_empty() {
            if !self.0.entries.contains_key(id) {
                let server_commitment = asked.commitment.clone();
                let promise = TournamentPromise { entropy: draw().ok()?, server_commitment, shown: None };
                self.0.insert(id.clone(), promise);
            }
            let promise = self.0.entries.get(id).filter(|it| it.server_commitment == asked.commitment)?;
            Step::Commitment(tournament_commitment(id, &promise.entropy).ok()?)
        } else {
            let promise = self.0.entries.get_mut(id)?;
            let own = tournament_commitment(id, &promise.entropy).ok()?;
            let shown = promise.shown.get_or_insert_with(|| asked.entropy_commitments.clone());
            let is_kept = promise.server_commitment == asked.commitment
                && *shown == asked.entropy_commitments
                && shown.contains(&own);
            if !is_kept {
                tracing::error!(tournament = id, "the commitments have changed: entropy is not revealed");
                return None;
            }
            Step::Reveal(promise.entropy.clone())
        };
        Some(wire::TournamentEntropy { tournament_id: id.clone(), step: Some(step) })
    }
}

/// A bounded map that drops its oldest entries.
struct Kept<T> {
    entries: HashMap<String, T>,
    order: VecDeque<String>,
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { entries: HashMap::new(), order: VecDeque::new() }
    }
}

impl<T> Kept<T> {
    fn insert(&mut self, key: String, value: T) {
        if self.entries.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MAX_KEPT {
            // Removed entries leave their place in the order behind.
            if let Some(oldest) = self.order.pop_front() {
                self.entries.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "01hf7yat000w3ge1r70w3ge1r7";

    fn promise(entropy: &[u8]) -> SeatPromise {
        SeatPromise {
            table_id: TABLE.into(),
            seat: 1,
            entropy: entropy.to_vec(),
            server_commitment: vec![9; 32],
            shown: None,
        }
    }

    fn shuffle(commitments: &[Vec<u8>]) -> wire::FairShuffle {
        let entropy = (0..).zip(commitments);
        let entropy = entropy.map(|(seat, commitment)| wire::SeatEntropy {
            seat,
            commitment: commitment.clone(),
            ..Default::default()
        });
        wire::FairShuffle { commitment: vec![9; 32], entropy: entropy.collect(), ..Default::default() }
    }

    #[test]
    fn entropy_is_revealed_only_for_the_commitments_that_were_shown_first() {
        let kept = KeptEntropy::default();
        kept.insert("token", promise(&[7; 32]));
        let own = table_commitment(TABLE, &[7; 32]).unwrap();
        let shown = shuffle(&[vec![1; 32], own.clone()]);
        let changed = |change: &dyn Fn(&mut wire::FairShuffle)| {
            let mut shuffle = shown.clone();
            change(&mut shuffle);
            kept.to_reveal("token", &shuffle).unwrap_err().reason()
        };
        assert_eq!(changed(&|shuffle| shuffle.commitment[0] ^= 1), Reason::CommitmentChanged);
        assert_eq!(changed(&|shuffle| shuffle.entropy[1].commitment[0] ^= 1), Reason::CommitmentChanged);
        assert_eq!(changed(&|shuffle| shuffle.entropy.clear()), Reason::CommitmentChanged);
        for _ in 0..2 {
            assert_eq!(kept.to_reveal("token", &shown).unwrap(), Some(vec![7; 32]));
        }
        // A puppet that commits anew after the first reveal.
        assert_eq!(changed(&|shuffle| shuffle.entropy[0].commitment[0] ^= 1), Reason::CommitmentChanged);
        kept.remove("token");
        assert_eq!(kept.to_reveal("token", &shown).unwrap(), None);
    }

    #[test]
    fn agent_reveals_only_for_the_commitments_that_were_shown_first() {
        use wire::tournament_entropy::Step;
        let mut entropy = TournamentEntropy::default();
        let ask = |commitments: &[Vec<u8>]| wire::TournamentEntropyAsked {
            tournament_id: TABLE.into(),
            commitment: vec![9; 32],
            entropy_commitments: commitments.to_vec(),
        };
        assert!(entropy.answer(&ask(&[vec![1; 32]])).is_none(), "nothing was committed to");
        let first = entropy.answer(&ask(&[])).unwrap();
        let Some(Step::Commitment(own)) = first.step.clone() else { panic!("{first:?}") };
        assert_eq!(entropy.answer(&ask(&[])), Some(first), "the same after a reconnect");
        let revealed = entropy.answer(&ask(&[vec![1; 32], own.clone()])).unwrap();
        let Some(Step::Reveal(bytes)) = revealed.step else { panic!("{revealed:?}") };
        assert_eq!(tournament_commitment(TABLE, &bytes).unwrap(), own);
        assert!(entropy.answer(&ask(&[vec![2; 32], own])).is_none(), "another one's commitment has changed");
    }
}
