//! Checks that the seeds and commitments of a record follow from each other.

use parlor_fair::{
    DealSeed, Entropy, EntropyCommitment, GIVEN_SEED_ID, InvalidTableId, ServerSeed, TableId, TournamentId,
};

use super::diff::differences;
use super::report::Finding;
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;

/// The shuffle as a record states it: in its header, and in its start and end events.
pub(super) struct ShuffleClaims<'a> {
    pub(super) header: wire::FairShuffle,
    pub(super) start: Option<&'a wire::FairShuffle>,
    pub(super) end: Option<&'a wire::FairShuffle>,
}

impl ShuffleClaims<'_> {
    pub(super) fn from_record(record: &wire::Record) -> ShuffleClaims<'_> {
        let mut claims =
            ShuffleClaims { header: record.shuffle.clone().unwrap_or_default(), start: None, end: None };
        for telling in record.steps.iter().flat_map(|step| &step.told) {
            let Some(Told::Table(table)) = &telling.told else { continue };
            match &table.event {
                Some(Event::Started(started)) => claims.start = claims.start.or(started.shuffle.as_ref()),
                Some(Event::Over(over)) => claims.end = claims.end.or(over.shuffle.as_ref()),
                _ => {}
            }
        }
        claims
    }

    /// The expected shuffle: the header's or, if that is inconsistent and the end event's is not, the end
    /// event's; with everything derived from the secret recomputed.
    pub(super) fn expected(&self, table: &str, started: bool) -> Result<wire::FairShuffle, String> {
        let from_header = derive(&self.header, table, started);
        let is_consistent = |shuffle: &wire::FairShuffle, expected: &Result<wire::FairShuffle, String>| {
            expected.as_ref() == Ok(shuffle)
                && self.start.is_none_or(|start| start.entropy == shuffle.entropy)
        };
        if let Some(end) = self.end
            && !is_consistent(&self.header, &from_header)
        {
            let from_end = derive(end, table, started);
            if is_consistent(end, &from_end) {
                return from_end;
            }
        }
        from_header
    }
}

/// Recomputes what follows from a shuffle's secret and entropy.
///
/// # Errors
///
/// A field is malformed.
fn derive(stated: &wire::FairShuffle, table: &str, started: bool) -> Result<wire::FairShuffle, String> {
    let mut expected = stated.clone();
    let game_seed = match &stated.deal_group {
        None if stated.seed_given => {
            expected.commitment.clear();
            expected.server_seed.clear();
            expected.entropy.clear();
            if started { parse_seed(&stated.game_seed, "game_seed")? } else { [0; 32] }
        }
        None => {
            let table: TableId = table.parse().map_err(|error| format!("table_id: {error}"))?;
            let server = ServerSeed::from_bytes(parse_seed(&stated.server_seed, "server_seed")?);
            expected.commitment = server.commitment(table).as_bytes().to_vec();
            if !started {
                // Reveals are shown by the start.
                expected.entropy.iter_mut().for_each(|seat| seat.entropy.clear());
            }
            let added = entropies(stated.entropy.iter().map(|seat| seat.entropy.as_slice()))?;
            let revealed = added.iter().map(|entropy| (entropy, entropy.commitment(table)));
            for (seat, (entropy, commitment)) in expected.entropy.iter_mut().zip(revealed) {
                correct_commitment(&mut seat.commitment, *entropy, commitment);
            }
            *server.game_seed(table, &added).reveal()
        }
        Some(group) => {
            let deal = deal_seed(stated, group)?;
            if stated.seed_given {
                expected.commitment.clear();
            } else {
                expected.commitment = deal.commitment().as_bytes().to_vec();
            }
            expected.entropy.clear();
            let added = entropies(group.entropy.iter().map(Vec::as_slice))?;
            if let Some(expected) = &mut expected.deal_group {
                correct_deal_commitments(expected, &added, stated.seed_given)?;
            }
            *deal.game_seed(&added).reveal()
        }
    };
    expected.game_seed = if started { game_seed.to_vec() } else { Vec::new() };
    Ok(expected)
}

/// Parses entropy.
fn entropies<'a>(added: impl Iterator<Item = &'a [u8]>) -> Result<Vec<Entropy>, String> {
    added.map(|bytes| Entropy::new(bytes).map_err(|error| error.to_string())).collect()
}

/// Corrects the commitment to revealed entropy. One without a reveal was withheld, and cannot be checked; entropy without
/// a commitment is of a server from before there were commitments.
fn correct_commitment(stated: &mut Vec<u8>, revealed: Entropy, commitment: EntropyCommitment) {
    if !revealed.is_empty() && !stated.is_empty() {
        *stated = commitment.as_bytes().to_vec();
    }
}

/// Corrects the commitments of the participants of a tournament.
fn correct_deal_commitments(
    group: &mut wire::DealGroup,
    added: &[Entropy],
    seed_given: bool,
) -> Result<(), String> {
    if seed_given {
        group.entropy_commitments.clear();
    }
    if !group.entropy_commitments.is_empty() {
        group.entropy_commitments.resize(added.len(), Vec::new());
    }
    let tournament = group.tournament_id.parse::<TournamentId>();
    let tournament = tournament.map_err(|_| format!("deal_group.tournament_id: {InvalidTableId}"))?;
    for (stated, entropy) in group.entropy_commitments.iter_mut().zip(added) {
        correct_commitment(stated, *entropy, entropy.tournament_commitment(tournament));
    }
    Ok(())
}

/// Participants of a shuffle by what they did with entropy: those that withheld what they had committed to, and those
/// that added some without a commitment.
pub(super) fn count_participants(shuffle: &wire::FairShuffle) -> (usize, usize) {
    let seats = shuffle.entropy.iter().map(|seat| (seat.commitment.is_empty(), seat.entropy.is_empty()));
    let group = shuffle.deal_group.iter().flat_map(|group| {
        let is_uncommitted = |index| group.entropy_commitments.get(index).is_none_or(Vec::is_empty);
        group
            .entropy
            .iter()
            .enumerate()
            .map(move |(index, entropy)| (is_uncommitted(index), entropy.is_empty()))
    });
    let all: Vec<(bool, bool)> = seats.chain(group).collect();
    let count = |wanted| all.iter().filter(|participant| **participant == wanted).count();
    (count((false, true)), count((true, false)))
}

/// Seed of a tournament's deal. A given seed is derived with a zero salt instead of the tournament's id, so
/// that it gives the same deals in every tournament.
pub(super) fn deal_seed(stated: &wire::FairShuffle, group: &wire::DealGroup) -> Result<DealSeed, String> {
    // A tournament id has the form of a table id, and the error text of one.
    let tournament = group.tournament_id.parse::<TournamentId>();
    let tournament = tournament.map_err(|_| format!("deal_group.tournament_id: {InvalidTableId}"))?;
    let tournament = if stated.seed_given { GIVEN_SEED_ID } else { tournament };
    let number = group.number.ok_or("deal_group.number must be set")?;
    Ok(DealSeed::from_bytes(tournament, number, parse_seed(&stated.server_seed, "server_seed")?))
}

/// Checks the derivation from the tournament's seed to the deal's seed. No findings if the record does not
/// show the tournament's seed.
pub(super) fn check_deal_seed(stated: &wire::FairShuffle) -> Vec<Finding> {
    let Some(group) = stated.deal_group.as_ref().filter(|group| !group.tournament_seed.is_empty()) else {
        return Vec::new();
    };
    const SEED: &str = "shuffle.deal_group.tournament_seed";
    let server = match parse_seed(&group.tournament_seed, "tournament_seed") {
        Ok(bytes) => ServerSeed::from_bytes(bytes),
        Err(why) => return vec![Finding::unreadable(SEED, why)],
    };
    // Errors in these are reported elsewhere.
    let (Ok(tournament), Some(number)) = (group.tournament_id.parse(), group.number) else {
        return Vec::new();
    };
    let (salt, commitment) = match stated.seed_given {
        true => (GIVEN_SEED_ID, Vec::new()),
        false => (tournament, server.tournament_commitment(tournament).as_bytes().to_vec()),
    };
    let mut expected = stated.clone();
    expected.server_seed = server.deal_seed(salt, number).reveal().to_vec();
    expected.deal_group = Some(wire::DealGroup { tournament_commitment: commitment, ..group.clone() });
    differences("shuffle", stated, &expected)
}

/// Parses a seed of 32 bytes.
pub(super) fn parse_seed(bytes: &[u8], field: &str) -> Result<[u8; 32], String> {
    bytes.try_into().map_err(|_| format!("{field} must have 32 bytes, not {}", bytes.len()))
}
