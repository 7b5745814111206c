//! Setup of a recorded game: options, chance, and the initial views.
//!
//! A record states this redundantly; a tampered one contradicts itself. The interpretation that agrees with
//! most of the record is chosen, so that findings name what was changed, not everything that follows from it.

use parlor_engine::{
    AnyEvent, AnyGame, AnyOptions, Chance, EventSink, GameId, NoEvents, Relabelling, Seat, ShuffleId, Viewer,
};
use parlor_proto::{convert, reflect};
use prost_reflect::{DynamicMessage, Value};

use super::diff::differences;
use super::ranking::SeatRank;
use super::report::{Finding, Problem};
use super::shuffle_check::{self, ShuffleClaims};
use crate::wire;

/// Setup of a game.
pub(super) struct GameSetup {
    pub(super) players: u8,
    pub(super) options: AnyOptions,
    pub(super) clock: wire::ClockSettings,
    /// The expected shuffle.
    pub(super) shuffle: wire::FairShuffle,
    started: bool,
    /// True if the record has the defaults of forfeited seats.
    records_defaults: bool,
    rules_version: u32,
    chance: Chance,
    /// The shuffle of the start and end events, for a tournament's deal, which reveals less.
    revealed: (Option<wire::FairShuffle>, Option<wire::FairShuffle>),
    /// Total think time of each seat, by the result.
    think_times: Vec<u32>,
    /// Total time away of each seat, by the result.
    away_times: Vec<u32>,
    /// Rank of each seat, by the result.
    ranks: Vec<SeatRank>,
}

impl GameSetup {
    /// Reconstructs the setup of a record's game. `None` if that is impossible; the findings then say why.
    pub(super) fn from_record(
        record: &wire::Record,
        started: bool,
        findings: &mut Vec<Finding>,
    ) -> Option<GameSetup> {
        let players = count_players(record, started, findings)?;
        let claims = ShuffleClaims::from_record(record);
        let shuffle = claims.expected(&record.table_id, started).unwrap_or_else(|why| {
            findings.push(Finding::unreadable("shuffle", why));
            claims.header.clone()
        });
        let mut candidates = Vec::new();
        for (options, from_views) in [(record.options, false), (options_of_views(record), true)] {
            match options.map(AnyOptions::try_from) {
                Some(Ok(options)) => candidates.push((options, usize::from(from_views))),
                Some(Err(wrong)) if !from_views => {
                    findings.push(Finding::unreadable("options", wrong));
                }
                None if !from_views => findings.push(Finding::unreadable("options", "missing")),
                _ => {}
            }
        }
        candidates.dedup_by_key(|(options, _)| *options);
        let (first, _) = *candidates.first()?;
        let revealed = shuffle.deal_group.is_some().then(|| (claims.start.cloned(), claims.end.cloned()));
        let results = || record.result.iter().flat_map(|result| &result.seats);
        let mut setup = GameSetup {
            players,
            options: first,
            clock: record.clock.unwrap_or_default(),
            started,
            records_defaults: records_defaults(record),
            rules_version: record.rules_version,
            chance: Chance::seeded([0; 32]),
            revealed: revealed.unwrap_or_default(),
            think_times: results().map(|seat| seat.think_ms).collect(),
            away_times: results().map(|seat| seat.away_ms).collect(),
            ranks: results().map(|seat| (seat.place, seat.finish())).collect(),
            shuffle,
        };
        if !started {
            return Some(setup);
        }
        if let Err(error) = setup.try_deal(&mut NoEvents) {
            findings.push(Finding::unreadable("rules_version", error));
            return None;
        }
        setup.choose_interpretation(record, &claims, &candidates, findings);
        Some(setup)
    }

    /// Chooses the options and the chance that agree best with the initial views.
    fn choose_interpretation(
        &mut self,
        record: &wire::Record,
        claims: &ShuffleClaims<'_>,
        candidates: &[(AnyOptions, usize)],
        findings: &mut Vec<Finding>,
    ) {
        let seeds = [Some(&self.shuffle), Some(&claims.header), claims.end];
        let mut chances: Vec<(Chance, Option<Problem>)> = seeds
            .into_iter()
            .flatten()
            .filter_map(|shuffle| shuffle_check::parse_seed(&shuffle.game_seed, "game_seed").ok())
            .map(|seed| (Chance::seeded(seed), None))
            .collect();
        chances.push((Chance::scripted([0; 32], recorded_shuffles(record)), Some(Problem::NotFromSeed)));
        let mut best: Option<(usize, AnyOptions, Chance, Option<Problem>)> = None;
        for (options, penalty) in candidates {
            for (chance, problem) in &chances {
                self.options = *options;
                self.chance =
                    if problem.is_none() { self.relabelled(chance.clone()) } else { chance.clone() };
                let differences = self.count_view_differences(record) + penalty;
                if best.as_ref().is_none_or(|(fewest, ..)| differences < *fewest) {
                    best = Some((differences, *options, self.chance.clone(), problem.clone()));
                }
            }
        }
        if let Some((_, options, chance, problem)) = best {
            (self.options, self.chance) = (options, chance);
            findings.extend(problem.map(|problem| Finding::new("shuffle.game_seed", problem)));
        }
    }

    /// Applies the deal's colour relabelling, if the table had one.
    fn relabelled(&self, chance: Chance) -> Chance {
        let group = self.shuffle.deal_group.as_ref().filter(|group| group.recoloured);
        let colours = self.options.game().colour_symmetry(self.players);
        let (Some(group), Some(colours)) = (group, colours) else { return chance };
        match (shuffle_check::deal_seed(&self.shuffle, group), u8::try_from(group.rotation())) {
            (Ok(deal), Ok(rotation)) => {
                chance.relabelled(Relabelling::draw(colours, *deal.recolour_seed(rotation).reveal()))
            }
            _ => chance,
        }
    }

    /// Number of differences between the record's initial views and those of this setup.
    fn count_view_differences(&self, record: &wire::Record) -> usize {
        let expected = wire::Record { views: self.views(record.viewer.as_ref()), ..Default::default() };
        let found = wire::Record { views: record.views.clone(), ..Default::default() };
        differences("", &found, &expected).len()
    }

    /// Initial views: of each seat and a spectator, or of this viewer.
    pub(super) fn views(&self, viewer: Option<&wire::Viewer>) -> Vec<wire::GameView> {
        let Ok(game) = self.try_deal(&mut NoEvents) else { return Vec::new() };
        let viewers: Vec<Viewer> = match viewer {
            Some(viewer) => Viewer::try_from(*viewer).into_iter().collect(),
            None => Viewer::all(self.players).collect(),
        };
        let seed_given = self.shuffle.seed_given;
        let view = |viewer| wire::GameView { seed_given, ..game.view(viewer).into() };
        viewers.into_iter().map(view).collect()
    }

    fn try_deal(&self, events: &mut impl EventSink<AnyEvent>) -> Result<AnyGame, parlor_engine::SetupError> {
        let new =
            if self.clock.constant_hidden_windows() { AnyGame::new_with_held_windows } else { AnyGame::new };
        new(self.rules_version, self.options, self.players, self.chance.clone(), events)
    }

    /// Deals the game.
    pub(super) fn deal(&self, events: &mut impl EventSink<AnyEvent>) -> Option<AnyGame> {
        self.try_deal(events).ok()
    }

    /// True if decisions have a time limit.
    pub(super) fn has_limit(&self) -> bool {
        self.clock.decision_ms() > 0
    }

    /// Total think time of a seat, by the result.
    pub(super) fn recorded_think_time(&self, seat: Seat) -> Option<u32> {
        self.think_times.get(seat.index()).copied()
    }

    /// Total time away of a seat, by the result.
    pub(super) fn recorded_away_time(&self, seat: Seat) -> u32 {
        self.away_times.get(seat.index()).copied().unwrap_or_default()
    }

    /// Ranks of the seats, by the result.
    pub(super) fn recorded_ranks(&self) -> &[SeatRank] {
        &self.ranks
    }

    /// True if a seat committed to entropy.
    pub(super) fn has_commitments(&self) -> bool {
        self.shuffle.entropy.iter().any(|seat| !seat.commitment.is_empty())
    }

    /// The shuffle as shown when all seats were filled: without entropy.
    pub(super) fn shuffle_at_filling(&self) -> wire::FairShuffle {
        let mut shuffle = self.shuffle_at_start();
        shuffle.entropy.iter_mut().for_each(|seat| seat.entropy.clear());
        shuffle
    }

    /// The shuffle as shown at the start.
    pub(super) fn shuffle_at_start(&self) -> wire::FairShuffle {
        let shuffle =
            wire::FairShuffle { server_seed: Vec::new(), game_seed: Vec::new(), ..self.shuffle.clone() };
        redact(shuffle, self.revealed.0.as_ref())
    }

    /// The shuffle as shown at the end.
    pub(super) fn shuffle_at_end(&self) -> wire::FairShuffle {
        redact(self.shuffle.clone(), self.revealed.1.as_ref())
    }

    /// True if the record has the defaults that forfeited seats play without being asked.
    pub(super) fn records_defaults(&self) -> bool {
        self.records_defaults
    }

    /// True if the game started.
    pub(super) fn started(&self) -> bool {
        self.started
    }
}

/// True if a full record has the defaults that forfeited seats play without being asked. Those of earlier versions of the
/// server have none of them.
fn records_defaults(record: &wire::Record) -> bool {
    let mut decisions = record.steps.iter().flat_map(|step| &step.decided);
    decisions.any(|decision| decision.by() == wire::DecidedBy::Forfeit && decision.decision_id == 0)
}

/// Removes what was not revealed: a table of a deal keeps its secrets until the last one is over.
fn redact(mut shuffle: wire::FairShuffle, revealed: Option<&wire::FairShuffle>) -> wire::FairShuffle {
    let Some(revealed) = revealed else { return shuffle };
    for (expected, revealed) in [
        (&mut shuffle.commitment, &revealed.commitment),
        (&mut shuffle.server_seed, &revealed.server_seed),
        (&mut shuffle.game_seed, &revealed.game_seed),
    ] {
        if revealed.is_empty() {
            expected.clear();
        }
    }
    match (&mut shuffle.deal_group, &revealed.deal_group) {
        (Some(expected), Some(revealed)) => {
            if revealed.entropy.is_empty() {
                expected.entropy.clear();
                expected.entropy_commitments.clear();
            }
            // A table never has these.
            expected.tournament_commitment.clear();
            expected.tournament_seed.clear();
            if revealed.number.is_none() && revealed.rotation.is_none() {
                (expected.number, expected.rotation) = (None, None);
            }
        }
        (expected, None) => *expected = None,
        (None, Some(_)) => {}
    }
    shuffle
}

/// Number of players: one view each plus a spectator's, and one entry among the seats.
fn count_players(record: &wire::Record, started: bool, findings: &mut Vec<Finding>) -> Option<u8> {
    let is_full = record.viewer.is_none();
    let seats = record.seats.len();
    let players = if started && is_full { record.views.len().saturating_sub(1) } else { seats };
    let in_order = record.seats.iter().zip(0..).all(|(entry, seat)| entry.seat == seat);
    if players != seats || !in_order {
        let count = format!("{seats} entries");
        findings.push(Finding::differs("seats", count, format!("one for each of {players} seats, in order")));
    }
    let fits = u8::try_from(players).ok().filter(|players| (1..=6).contains(players));
    if fits.is_none() {
        findings.push(Finding::unreadable("seats", "must have 1 to 6 entries"));
    }
    fits
}

/// Options shown by the views, if all agree.
fn options_of_views(record: &wire::Record) -> Option<wire::GameOptions> {
    let mut all = record.views.iter().map(|view| {
        let view = reflect::dynamic(view);
        let (game, inner) = view.fields().find(|(_, value)| value.as_message().is_some())?;
        let options = inner.as_message()?.get_field_by_name("options")?.into_owned();
        let mut any = DynamicMessage::new(reflect::descriptor::<wire::GameOptions>());
        any.try_set_field_by_name(game.name(), options).ok()?;
        any.transcode_to::<wire::GameOptions>().ok()
    });
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

/// Card orders of the shuffles, as recorded.
fn recorded_shuffles(record: &wire::Record) -> Vec<(ShuffleId, Vec<u8>)> {
    let one = |shuffle: &wire::RecordShuffle| {
        let purpose = match shuffle.purpose() {
            wire::ShufflePurpose::Rebuild => parlor_engine::ShufflePurpose::Rebuild,
            wire::ShufflePurpose::Deal | wire::ShufflePurpose::Unspecified => {
                parlor_engine::ShufflePurpose::Deal
            }
        };
        let name = ShuffleId {
            round: u16::try_from(shuffle.round).ok()?,
            purpose,
            count: u16::try_from(shuffle.count).ok()?,
        };
        let codes = shuffle.cards.iter().filter_map(|card| convert::card_code(*card).ok());
        Some((name, codes.map(|(_, code)| code).collect()))
    };
    record.shuffles.iter().filter_map(one).collect()
}

/// The outcome that a view shows, if any.
pub(super) fn outcome_of_view(view: &wire::GameView) -> Option<wire::Outcome> {
    let view = reflect::dynamic(view);
    let (_, inner) = view.fields().find(|(_, value)| value.as_message().is_some())?;
    match inner.as_message()?.get_field_by_name("outcome")?.as_ref() {
        Value::Message(outcome) if outcome.fields().next().is_some() => outcome.transcode_to().ok(),
        _ => None,
    }
}

/// Id of the options' game.
pub(super) fn game_id(options: AnyOptions) -> &'static str {
    let game: GameId = options.game();
    game.info().id
}
