//! Random logs of whole tables: every game, with every kind of entry.

use std::collections::BTreeMap;

use parlor_engine::{AnyOptions, GameId, Seat, ShuffleId, ShufflePurpose, below};
use parlor_fair::{Entropy, EntropyCommitment};
use parlor_host::TableId;
use parlor_host::table::{
    AddedEntropy, Answer, AnswerEffect, ChanceSetup, Deal, Ending, Entry, Holder, IdempotencyKey,
    SeatRequest, SeatSetup, Setup, State, Table, TimeControl, Visibility,
};
use parlor_proto::v1::{self, game_options::Game, gap_options::Length};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

/// Creation time of the tables, in milliseconds since 1970.
pub(crate) const NOW: u64 = 1_700_000_000_000;

/// After this many entries, a game is played to its end with default actions.
const RANDOM_ENTRIES: usize = 250;

/// A finished table: its log, each entry with its time, and its final state.
pub(crate) struct Played {
    pub(crate) log: Vec<(u64, Entry)>,
    pub(crate) table: Table,
}

/// Plays tables of every game at every number of players, with several options.
pub(crate) fn play_all(rng: &mut ChaCha8Rng, mut visit: impl FnMut(Played)) {
    let gap = |length| Game::Gap(v1::GapOptions { length });
    let variants =
        [gap(Some(Length::Rounds(1))), Game::FiveThreeFive(v1::FiveThreeFiveOptions { beginner: true })];
    let variants = variants.map(|game| v1::GameOptions { game: Some(game) });
    let variants = variants.map(|wire| AnyOptions::try_from(wire).expect("valid options"));
    for options in GameId::ALL.iter().map(|game| game.default_options()).chain(variants) {
        let info = options.game().info();
        for players in info.min_players..=info.max_players {
            visit(play(options, players, rng));
        }
    }
}

/// Plays a table until it is over: played out, cancelled, or faulted.
pub(crate) fn play(options: AnyOptions, players: u8, rng: &mut ChaCha8Rng) -> Played {
    let first = Entry::Created(Box::new(setup(options, players, rng)));
    let table = Table::from_first_entry(&first).expect("a first entry");
    let mut played = Played { log: vec![(NOW, first)], table };
    for seat in Seat::all(players) {
        if played.table.seats()[seat.index()].holder == Holder::Vacant {
            played.join(seat, rng);
        }
    }
    if played.table.state() == State::Starting {
        for seat in Seat::all(players) {
            if below(3, rng) == 0 {
                continue;
            }
            let entries = played.table.reveal(seat, entropy()).unwrap_or_default();
            played.fold(rng, entries);
        }
        let started = played.table.end_reveals();
        played.fold(rng, started);
    }
    while played.table.ending().is_none() {
        played.append_random(rng);
    }
    played
}

/// The entropy of every player that commits to some.
fn entropy() -> Entropy {
    Entropy::new(&[5; 32]).expect("32 bytes")
}

/// Part of an entrant in the shuffles of a tournament.
fn added_entropy(rng: &mut ChaCha8Rng) -> AddedEntropy {
    let entropy = Entropy::new(&random_bytes::<32>(rng)).expect("at most 64 bytes");
    let commitment = EntropyCommitment::from_bytes(random_bytes(rng));
    AddedEntropy { commitment: (below(2, rng) == 0).then_some(commitment), entropy }
}

/// Plays tables until one is played to its end.
pub(crate) fn play_out(options: AnyOptions, players: u8, rng: &mut ChaCha8Rng) -> Played {
    loop {
        let played = play(options, players, rng);
        if matches!(played.table.ending(), Some(Ending::Finished(_))) {
            return played;
        }
    }
}

fn random_bytes<const N: usize>(rng: &mut ChaCha8Rng) -> [u8; N] {
    let mut bytes = [0; N];
    rng.fill_bytes(&mut bytes);
    bytes
}

fn request(rng: &mut ChaCha8Rng) -> Option<IdempotencyKey> {
    let id = format!("request {}", below(1_000_000, rng));
    (below(2, rng) == 0).then(|| IdempotencyKey { id: id.into(), digest: random_bytes(rng) })
}

fn setup(options: AnyOptions, players: u8, rng: &mut ChaCha8Rng) -> Setup {
    let seats = Seat::all(players).map(|seat| match below(5, rng) {
        0 => SeatSetup::House { bot: "search:12".to_owned() },
        1 => SeatSetup::Reserved {
            user: Some(format!("user {seat}")),
            name: "Änne".to_owned(),
            previous: Some(seat.left(players)).filter(|_| below(2, rng) == 0),
        },
        2 => SeatSetup::Agent { name: "deep.thought".to_owned(), version: "4.2".to_owned() },
        _ => SeatSetup::Open,
    });
    let seats: Vec<SeatSetup> = seats.collect();
    // At least one seat must be joined for the game to start.
    let seats =
        if seats.iter().all(SeatSetup::is_filled) { vec![SeatSetup::Open; seats.len()] } else { seats };
    Setup {
        table: TableId::from_bytes(random_bytes(rng)),
        owner: "club".to_owned(),
        options,
        rules_version: options.game().info().rules_version,
        seats,
        time: TimeControl {
            decision: 1000 * below(3, rng),
            bank: below(100_000, rng),
            grace: below(100_000, rng),
            forfeit_after: below(5, rng),
            secret: 400,
            constant_secret: below(2, rng) == 0,
        },
        visibility: [Visibility::Public, Visibility::Private][below(2, rng) as usize],
        chance: match below(5, rng) {
            4 => ChanceSetup::Deal(Box::new(Deal {
                tournament: parlor_host::TournamentId::from_bytes(random_bytes(rng)),
                number: below(1 << 20, rng),
                rotation: below(6, rng) as u8,
                server_seed: random_bytes(rng),
                entropy: vec![AddedEntropy::default(), added_entropy(rng)],
                recolour: below(2, rng) == 0,
                given: below(2, rng) == 0,
            })),
            0 => ChanceSetup::Given { seed: random_bytes(rng) },
            1 => {
                let rebuild = ShuffleId { round: 1, purpose: ShufflePurpose::Rebuild, count: 2 };
                let orders =
                    [ShuffleId::deal(0), rebuild].map(|name| (name, random_bytes::<9>(rng).to_vec()));
                ChanceSetup::Scripted { seed: random_bytes(rng), orders: orders.to_vec() }
            }
            _ => ChanceSetup::Fresh { server_seed: random_bytes(rng) },
        },
        metadata: BTreeMap::from([("league".to_owned(), "1".to_owned()), ("x".to_owned(), String::new())]),
        created: NOW,
        fill: 60_000,
        rematch_of: (below(2, rng) == 0).then(|| TableId::from_bytes(random_bytes(rng))),
        request: request(rng),
    }
}

impl Played {
    fn fold(&mut self, rng: &mut ChaCha8Rng, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            let last = self.log.last().map_or(NOW, |(at, _)| *at);
            let at = last + u64::from(below(20_000, rng));
            self.table.fold(at, &entry).expect("an entry of a command");
            self.log.push((at, entry));
        }
    }

    fn join(&mut self, seat: Seat, rng: &mut ChaCha8Rng) {
        let reserved = &self.table.setup().seats[seat.index()];
        let user = match reserved {
            SeatSetup::Reserved { user, .. } => user.clone(),
            SeatSetup::Open | SeatSetup::House { .. } | SeatSetup::Agent { .. } => None,
        };
        let commitment = (below(2, rng) == 0).then(|| entropy().commitment(self.table.setup().table));
        let joining = SeatRequest {
            seat: Some(seat),
            user,
            name: ["", "Ben", "Zoë"][below(3, rng) as usize].to_owned(),
            commitment,
            request: request(rng),
            ..SeatRequest::default()
        };
        let (_, entries) = self.table.join(joining).expect("a free seat");
        self.fold(rng, entries);
    }

    /// Appends random entries: mostly an action.
    fn append_random(&mut self, rng: &mut ChaCha8Rng) {
        let players = self.table.players();
        let random_seat = Seat::FIRST.left_by(below(players.into(), rng) as u8, players);
        let is_random = self.log.len() < RANDOM_ENTRIES;
        if self.table.window_is_held() && (self.seats_to_decide().is_empty() || below(3, rng) == 0) {
            return self.fold(rng, [Entry::WindowClosed]);
        }
        let entries = match below(400, rng) {
            0 if is_random => vec![Entry::WasAway { seat: random_seat, used: below(50_000, rng) }],
            1 if is_random => self.table.reissue(random_seat, request(rng)).unwrap_or_default(),
            2 if is_random => self.table.revoke_spectators().expect("a table in play"),
            3 if is_random => self.table.resign(random_seat).unwrap_or_default(),
            4 if is_random => self.table.replace(random_seat, "greedy", request(rng)).unwrap_or_default(),
            5..12 if is_random => self.act(rng, |seat, table, rng| {
                let decision = table.seats()[seat.index()].open.expect("a seat with an open decision");
                table.time_out(seat, decision, below(5_000, rng), below(2, rng) == 0)
            }),
            14 if is_random => self.table.set_aside(random_seat).unwrap_or_default(),
            12 if is_random && below(6, rng) == 0 => self.table.cancel("too late").expect("not over"),
            13 if is_random && below(6, rng) == 0 => vec![Entry::Faulted { reason: "a fault".to_owned() }],
            _ => self.act(rng, |seat, table, rng| {
                let state = &table.seats()[seat.index()];
                let legal = table.legal_actions(seat);
                let index = if is_random {
                    below(legal.len() as u32, rng)
                } else {
                    let default = table.game().and_then(|game| game.default_action(seat));
                    legal.iter().position(|action| Some(*action) == default).expect("a default") as u32
                };
                let reported = (below(2, rng) == 0).then(|| below(9_000, rng));
                let decision = state.open.expect("a seat with an open decision");
                match table.answer(seat, decision, Answer::Index(index), below(9_000, rng), reported) {
                    Ok(AnswerEffect::Play(entry)) => Some(entry),
                    other => panic!("{other:?}"),
                }
            }),
        };
        self.fold(rng, entries);
    }

    fn seats_to_decide(&self) -> Vec<Seat> {
        let has_decision = |seat: &Seat| self.table.seats()[seat.index()].open.is_some();
        Seat::all(self.table.players()).filter(has_decision).collect()
    }

    /// An entry of a random seat with an open decision.
    fn act(
        &self,
        rng: &mut ChaCha8Rng,
        make_entry: impl FnOnce(Seat, &Table, &mut ChaCha8Rng) -> Option<Entry>,
    ) -> Vec<Entry> {
        let seats = self.seats_to_decide();
        let seat = seats[below(seats.len() as u32, rng) as usize];
        make_entry(seat, &self.table, rng).into_iter().collect()
    }
}
