//! Where the cards came from: whether the seeds of a record follow from each other.

use parlor_fair::{DealSeed, Entropy, GIVEN, ServerSeed, TableId};

use super::diff::differences;
use super::finding::Finding;
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;

/// All that a record shows of its shuffle: at its head, and in what was told at the start and at the end.
pub(super) struct Shown<'a> {
    pub(super) head: wire::FairShuffle,
    pub(super) start: Option<&'a wire::FairShuffle>,
    pub(super) end: Option<&'a wire::FairShuffle>,
}

impl Shown<'_> {
    pub(super) fn of(record: &wire::Record) -> Shown<'_> {
        let mut shown = Shown { head: record.shuffle.clone().unwrap_or_default(), start: None, end: None };
        for telling in record.steps.iter().flat_map(|step| &step.told) {
            let Some(Told::Table(table)) = &telling.told else { continue };
            match &table.event {
                Some(Event::Started(started)) => shown.start = shown.start.or(started.shuffle.as_ref()),
                Some(Event::Over(over)) => shown.end = shown.end.or(over.shuffle.as_ref()),
                _ => {}
            }
        }
        shown
    }

    /// The shuffle as it must be: what the head says or, if that contradicts itself and what was told at the end does
    /// not, what was told then; with all that follows from the secret.
    pub(super) fn right(&self, table: &str, began: bool) -> Result<wire::FairShuffle, String> {
        let of_head = follow(&self.head, table, began);
        let is_sound = |shuffle: &wire::FairShuffle, right: &Result<wire::FairShuffle, String>| {
            right.as_ref() == Ok(shuffle) && self.start.is_none_or(|start| start.entropy == shuffle.entropy)
        };
        if let Some(end) = self.end
            && !is_sound(&self.head, &of_head)
        {
            let of_end = follow(end, table, began);
            if is_sound(end, &of_end) {
                return of_end;
            }
        }
        of_head
    }
}

/// The same shuffle with what must follow from its secret and from what was added to it. An error if it cannot be told.
fn follow(shown: &wire::FairShuffle, table: &str, began: bool) -> Result<wire::FairShuffle, String> {
    let mut right = shown.clone();
    let game_seed = match &shown.deal_group {
        None if shown.seed_given => {
            right.commitment.clear();
            right.server_seed.clear();
            right.entropy.clear();
            if began { seed(&shown.game_seed, "game_seed")? } else { [0; 32] }
        }
        None => {
            let table: TableId = table.parse().map_err(|error| format!("table_id: {error}"))?;
            let server = ServerSeed::from_bytes(seed(&shown.server_seed, "server_seed")?);
            right.commitment = server.commitment(table).as_bytes().to_vec();
            if !began {
                right.entropy.clear();
            }
            let added = shown.entropy.iter().map(|seat| Entropy::new(&seat.entropy));
            let added = added.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
            *server.game_seed(table, &added).reveal()
        }
        Some(group) => {
            let deal = deal_seed(shown, group)?;
            if shown.seed_given {
                right.commitment.clear();
            } else {
                right.commitment = deal.commitment().as_bytes().to_vec();
            }
            right.entropy.clear();
            let added = group.entropy.iter().map(|entropy| Entropy::new(entropy));
            let added = added.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
            *deal.game_seed(&added).reveal()
        }
    };
    right.game_seed = if began { game_seed.to_vec() } else { Vec::new() };
    Ok(right)
}

/// The seed of a deal of a tournament. What somebody gave is derived from zeros instead of the id, so that it gives the same
/// deals again.
pub(super) fn deal_seed(shown: &wire::FairShuffle, group: &wire::DealGroup) -> Result<DealSeed, String> {
    let tournament = group.tournament_id.parse();
    let tournament = tournament.map_err(|error| format!("deal_group.tournament_id: {error}"))?;
    let tournament = if shown.seed_given { GIVEN } else { tournament };
    let number = group.number.ok_or("deal_group.number must be set")?;
    Ok(DealSeed::from_bytes(tournament, number, seed(&shown.server_seed, "server_seed")?))
}

/// What is wrong with the way from the seed of the tournament to that of the deal. Nothing, if the record does not show it.
pub(super) fn wrong_deal(shown: &wire::FairShuffle) -> Vec<Finding> {
    let Some(group) = shown.deal_group.as_ref().filter(|group| !group.tournament_seed.is_empty()) else {
        return Vec::new();
    };
    const SEED: &str = "shuffle.deal_group.tournament_seed";
    let server = match seed(&group.tournament_seed, "tournament_seed") {
        Ok(bytes) => ServerSeed::from_bytes(bytes),
        Err(why) => return vec![Finding::unreadable(SEED, why)],
    };
    // What is wrong with these is said elsewhere.
    let (Ok(tournament), Some(number)) = (group.tournament_id.parse(), group.number) else {
        return Vec::new();
    };
    let (salt, commitment) = match shown.seed_given {
        true => (GIVEN, Vec::new()),
        false => (tournament, server.tournament_commitment(tournament).as_bytes().to_vec()),
    };
    let mut right = shown.clone();
    right.server_seed = server.deal(salt, number).reveal().to_vec();
    right.deal_group = Some(wire::DealGroup { tournament_commitment: commitment, ..group.clone() });
    differences("shuffle", shown, &right)
}

/// A seed, which has 32 bytes.
pub(super) fn seed(bytes: &[u8], field: &str) -> Result<[u8; 32], String> {
    bytes.try_into().map_err(|_| format!("{field} must have 32 bytes, not {}", bytes.len()))
}
