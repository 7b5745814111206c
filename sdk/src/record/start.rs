//! How a game began: the options, the chance, and what everyone saw.
//!
//! A record says this more than once, and if it was doctored, not always the same. Of all that it can mean, the reading is
//! taken that most of it agrees with, so that what was changed is named, and not everything that follows from it.

use parlor_engine::{
    AnyEvent, AnyGame, AnyOptions, Chance, Events, GameId, NoEvents, Relabelling, Seat, Shuffle, Viewer,
};
use parlor_proto::{convert, reflect};
use prost_reflect::{DynamicMessage, Value};

use super::diff::differences;
use super::fair::{self, Shown};
use super::finding::{Finding, Problem};
use crate::wire;

/// How a game began.
pub(super) struct Start {
    pub(super) players: u8,
    pub(super) options: AnyOptions,
    pub(super) clock: wire::ClockSettings,
    /// What is right about the shuffle.
    pub(super) shuffle: wire::FairShuffle,
    began: bool,
    rules_version: u32,
    chance: Chance,
    /// What was told of the shuffle at the start and at the end, for a deal of a tournament: there, less is shown.
    told: (Option<wire::FairShuffle>, Option<wire::FairShuffle>),
    /// How long each seat thought in all, by the result.
    thought: Vec<u64>,
}

impl Start {
    /// How the game of a record began. Nothing if that cannot be made out; the findings then say why.
    pub(super) fn of(record: &wire::Record, began: bool, findings: &mut Vec<Finding>) -> Option<Start> {
        let players = players(record, began, findings)?;
        let shown = Shown::of(record);
        let shuffle = shown.right(&record.table_id, began).unwrap_or_else(|why| {
            findings.push(Finding::unreadable("shuffle", why));
            shown.head.clone()
        });
        let mut readings = Vec::new();
        for (options, is_of_views) in [(record.options, false), (options_of_views(record), true)] {
            match options.map(AnyOptions::try_from) {
                Some(Ok(options)) => readings.push((options, usize::from(is_of_views))),
                Some(Err(wrong)) if !is_of_views => {
                    findings.push(Finding::unreadable("options", wrong));
                }
                None if !is_of_views => findings.push(Finding::unreadable("options", "there are none")),
                _ => {}
            }
        }
        readings.dedup_by_key(|(options, _)| *options);
        let (first, _) = *readings.first()?;
        let told = shuffle.deal_group.is_some().then(|| (shown.start.cloned(), shown.end.cloned()));
        let mut start = Start {
            players,
            options: first,
            clock: record.clock.unwrap_or_default(),
            began,
            rules_version: record.rules_version,
            chance: Chance::seeded([0; 32]),
            told: told.unwrap_or_default(),
            thought: record
                .result
                .iter()
                .flat_map(|result| result.seats.iter().map(|seat| seat.think_ms))
                .collect(),
            shuffle,
        };
        if !began {
            return Some(start);
        }
        if let Err(error) = start.try_deal(&mut NoEvents) {
            findings.push(Finding::unreadable("rules_version", error));
            return None;
        }
        start.find_reading(record, &shown, &readings, findings);
        Some(start)
    }

    /// Takes the options and the chance that agree best with what was seen when the game began.
    fn find_reading(
        &mut self,
        record: &wire::Record,
        shown: &Shown<'_>,
        readings: &[(AnyOptions, usize)],
        findings: &mut Vec<Finding>,
    ) {
        let seeds = [Some(&self.shuffle), Some(&shown.head), shown.end];
        let mut chances: Vec<(Chance, Option<Problem>)> = seeds
            .into_iter()
            .flatten()
            .filter_map(|shuffle| fair::seed(&shuffle.game_seed, "game_seed").ok())
            .map(|seed| (Chance::seeded(seed), None))
            .collect();
        chances.push((Chance::scripted([0; 32], script(record)), Some(Problem::NotFromSeed)));
        let mut best: Option<(usize, AnyOptions, Chance, Option<Problem>)> = None;
        for (options, penalty) in readings {
            for (chance, problem) in &chances {
                self.options = *options;
                self.chance =
                    if problem.is_none() { self.relabelled(chance.clone()) } else { chance.clone() };
                let wrong = self.wrong_views(record) + penalty;
                if best.as_ref().is_none_or(|(fewest, ..)| wrong < *fewest) {
                    best = Some((wrong, *options, self.chance.clone(), problem.clone()));
                }
            }
        }
        if let Some((_, options, chance, problem)) = best {
            (self.options, self.chance) = (options, chance);
            findings.extend(problem.map(|problem| Finding::new("shuffle.game_seed", problem)));
        }
    }

    /// The chance with its colours changed about, if those of the table were.
    fn relabelled(&self, chance: Chance) -> Chance {
        let group = self.shuffle.deal_group.as_ref().filter(|group| group.recoloured);
        let colours = self.options.game().colours(self.players);
        let (Some(group), Some(colours)) = (group, colours) else { return chance };
        match (fair::deal_seed(&self.shuffle, group), u8::try_from(group.rotation())) {
            (Ok(deal), Ok(rotation)) => {
                chance.relabelled(Relabelling::draw(colours, *deal.recolouring(rotation).reveal()))
            }
            _ => chance,
        }
    }

    /// How much of what was seen when the game began is not what this beginning shows.
    fn wrong_views(&self, record: &wire::Record) -> usize {
        let right = wire::Record { views: self.views(record.viewer.as_ref()), ..Default::default() };
        let found = wire::Record { views: record.views.clone(), ..Default::default() };
        differences("", &found, &right).len()
    }

    /// What was seen when the game began: by each seat and a spectator, or by this viewer.
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

    fn try_deal(&self, events: &mut impl Events<AnyEvent>) -> Result<AnyGame, parlor_engine::SetupError> {
        let new = if self.clock.constant_hidden_windows() { AnyGame::new_held } else { AnyGame::new };
        new(self.rules_version, self.options, self.players, self.chance.clone(), events)
    }

    /// Deals.
    pub(super) fn deal(&self, events: &mut impl Events<AnyEvent>) -> Option<AnyGame> {
        self.try_deal(events).ok()
    }

    /// Whether decisions have a limit of time.
    pub(super) fn has_limit(&self) -> bool {
        self.clock.decision_ms() > 0
    }

    /// How long a seat thought in all, by the result.
    pub(super) fn said_to_have_thought(&self, seat: Seat) -> Option<u64> {
        self.thought.get(seat.index()).copied()
    }

    /// What is shown of the shuffle when the game begins.
    pub(super) fn shuffle_at_start(&self) -> wire::FairShuffle {
        let shuffle =
            wire::FairShuffle { server_seed: Vec::new(), game_seed: Vec::new(), ..self.shuffle.clone() };
        as_told(shuffle, self.told.0.as_ref())
    }

    /// What is shown of the shuffle when the table is over.
    pub(super) fn shuffle_at_end(&self) -> wire::FairShuffle {
        as_told(self.shuffle.clone(), self.told.1.as_ref())
    }

    /// Whether the game ever began.
    pub(super) fn began(&self) -> bool {
        self.began
    }
}

/// The shuffle without what was not told: a table of a deal keeps its secrets until the last one is over.
fn as_told(mut shuffle: wire::FairShuffle, told: Option<&wire::FairShuffle>) -> wire::FairShuffle {
    let Some(told) = told else { return shuffle };
    for (right, told) in [
        (&mut shuffle.commitment, &told.commitment),
        (&mut shuffle.server_seed, &told.server_seed),
        (&mut shuffle.game_seed, &told.game_seed),
    ] {
        if told.is_empty() {
            right.clear();
        }
    }
    match (&mut shuffle.deal_group, &told.deal_group) {
        (Some(right), Some(told)) => {
            if told.entropy.is_empty() {
                right.entropy.clear();
            }
            // A table never knows them.
            right.tournament_commitment.clear();
            right.tournament_seed.clear();
            if told.number.is_none() && told.rotation.is_none() {
                (right.number, right.rotation) = (None, None);
            }
        }
        (right, None) => *right = None,
        (None, Some(_)) => {}
    }
    shuffle
}

/// How many played: one view each and one for a spectator, and one entry among the seats.
fn players(record: &wire::Record, began: bool, findings: &mut Vec<Finding>) -> Option<u8> {
    let is_full = record.viewer.is_none();
    let seats = record.seats.len();
    let players = if began && is_full { record.views.len().saturating_sub(1) } else { seats };
    let in_order = record.seats.iter().zip(0..).all(|(entry, seat)| entry.seat == seat);
    if players != seats || !in_order {
        let count = format!("{seats} entries");
        findings.push(Finding::differs("seats", count, format!("one for each of {players} seats, in order")));
    }
    let fits = u8::try_from(players).ok().filter(|players| (1..=6).contains(players));
    if fits.is_none() {
        findings.push(Finding::unreadable("seats", "there must be 1 to 6"));
    }
    fits
}

/// The options that the views show, if all show the same.
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

/// The orders of the shuffles, as the record has them.
fn script(record: &wire::Record) -> Vec<(Shuffle, Vec<u8>)> {
    let one = |shuffle: &wire::RecordShuffle| {
        let purpose = match shuffle.purpose() {
            wire::ShufflePurpose::Rebuild => parlor_engine::Purpose::Rebuild,
            wire::ShufflePurpose::Deal | wire::ShufflePurpose::Unspecified => parlor_engine::Purpose::Deal,
        };
        let name = Shuffle {
            round: u16::try_from(shuffle.round).ok()?,
            purpose,
            count: u16::try_from(shuffle.count).ok()?,
        };
        let codes = shuffle.cards.iter().filter_map(|card| convert::card_code(*card).ok());
        Some((name, codes.map(|(_, code)| code).collect()))
    };
    record.shuffles.iter().filter_map(one).collect()
}

/// The result that the last view of a game shows, if it shows one.
pub(super) fn outcome(view: &wire::GameView) -> Option<wire::Outcome> {
    let view = reflect::dynamic(view);
    let (_, inner) = view.fields().find(|(_, value)| value.as_message().is_some())?;
    match inner.as_message()?.get_field_by_name("outcome")?.as_ref() {
        Value::Message(outcome) if outcome.fields().next().is_some() => outcome.transcode_to().ok(),
        _ => None,
    }
}

/// The game whose id this is, as the options say.
pub(super) fn game_id(options: AnyOptions) -> &'static str {
    let game: GameId = options.game();
    game.info().id
}
