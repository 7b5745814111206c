//! Records made by the server's tables, with random players, timeouts, resignations and replacements.

use parlor_engine::{AnyOptions, GameId, Lang, Seat, Viewer, below};
use parlor_fair::{Entropy, GIVEN_SEED_ID, ServerSeed, TableId, TournamentId};
use parlor_host::table::{
    AddedEntropy, ChanceSetup, Deal, Entry, Record, SeatSetup, Setup, Table, TimeControl, Visibility,
};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::wire;

/// Creation time of all tables, in milliseconds since the epoch.
const CREATED: u64 = 1_700_000_000_000;

/// Specification of a table to play.
#[derive(Clone)]
pub(super) struct TableSpec {
    pub(super) options: AnyOptions,
    pub(super) players: u8,
    pub(super) seed: u8,
    pub(super) chance: ChanceSetup,
    /// True if clocks run out, and players resign, are replaced and disconnect.
    pub(super) disruptions: bool,
    /// True if decisions have a time limit.
    pub(super) has_clock: bool,
    /// True if hidden windows have a constant length.
    pub(super) constant_windows: bool,
    /// True if the owner cancels it midway.
    pub(super) cancelled: bool,
}

/// A table with short options.
pub(super) fn table(game: GameId, players: u8, seed: u8) -> TableSpec {
    TableSpec {
        options: short_options(game),
        players,
        seed,
        chance: ChanceSetup::Fresh { server_seed: [seed; 32] },
        disruptions: false,
        has_clock: true,
        constant_windows: false,
        cancelled: false,
    }
}

/// Options that end a game early.
fn short_options(game: GameId) -> AnyOptions {
    match game {
        GameId::Gap => parlor_engine::gap::Options { length: parlor_engine::gap::Length::Rounds(2) }.into(),
        other => other.default_options(),
    }
}

/// A deal of a tournament with this seed byte.
pub(super) fn deal(seed: u8, recolour: bool, given: bool) -> ChanceSetup {
    let tournament = TournamentId::new(CREATED - 1, [seed; 10]);
    let salt = if given { GIVEN_SEED_ID } else { tournament };
    let committed = |bytes: &[u8]| {
        let entropy = Entropy::new(bytes).unwrap();
        AddedEntropy { commitment: Some(entropy.tournament_commitment(tournament)), entropy }
    };
    let entropy = vec![committed(b"of the organiser"), AddedEntropy::default(), committed(&[7; 64])];
    ChanceSetup::Deal(Box::new(Deal {
        tournament,
        number: 3,
        rotation: 1,
        server_seed: *ServerSeed::from_bytes([seed; 32]).deal_seed(salt, 3).reveal(),
        entropy: if given { Vec::new() } else { entropy },
        recolour,
        given,
    }))
}

impl TableSpec {
    fn setup(&self) -> Setup {
        let seats = (0..self.players).map(|seat| match (seat, &self.chance) {
            (1, _) => SeatSetup::House { bot: "greedy".into() },
            (2, _) | (_, ChanceSetup::Deal(_)) => {
                SeatSetup::Agent { name: "magpie".into(), version: "1.2".into() }
            }
            _ => SeatSetup::Open,
        });
        Setup {
            table: TableId::new(CREATED, [self.seed; 10]),
            owner: "owner".into(),
            options: self.options,
            rules_version: self.options.game().info().rules_version,
            seats: seats.collect(),
            time: TimeControl {
                decision: if self.has_clock { 1000 } else { 0 },
                bank: 3000,
                grace: 5000,
                forfeit_after: 3,
                secret: 300,
                constant_secret: self.constant_windows,
            },
            visibility: Visibility::Public,
            chance: self.chance.clone(),
            metadata: Default::default(),
            created: CREATED,
            fill: 60_000,
            rematch_of: None,
            request: None,
        }
    }

    /// Entropy that the player of a seat commits to, if it does.
    fn entropy(&self, seat: Seat) -> Option<Entropy> {
        let is_fresh = matches!(self.chance, ChanceSetup::Fresh { .. });
        let is_player = self.setup().seats[seat.index()] == SeatSetup::Open;
        let entropy = Entropy::new(&[seat.index() as u8; 20]).unwrap();
        (is_fresh && is_player && seat.index() != 3).then_some(entropy)
    }

    /// Plays the table to its end.
    pub(super) fn play(&self) -> Record {
        let mut rng = ChaCha8Rng::from_seed([self.seed; 32]);
        let mut at = CREATED;
        let first = Entry::Created(Box::new(self.setup()));
        let mut table = Table::from_first_entry(&first).unwrap();
        let mut entries = vec![(at, first)];
        let mut append = |table: &mut Table, at: u64, entry: Entry| {
            table.fold(at, &entry).unwrap();
            entries.push((at, entry));
        };
        for seat in Seat::all(self.players).filter(|seat| self.setup().seats[seat.index()] == SeatSetup::Open)
        {
            at += 7;
            let name = format!("Anna \"{seat}\" \u{202e}Ä");
            let commitment = self.entropy(seat).map(|entropy| entropy.commitment(table.setup().table));
            let (user, entropy) = (Some("u".into()), Entropy::NONE);
            let joined = Entry::Joined { seat, user, name, entropy, commitment, request: None, invite: None };
            append(&mut table, at, joined);
        }
        if Seat::all(self.players).any(|seat| table.seats()[seat.index()].entropy.commitment.is_some()) {
            append(&mut table, at, Entry::Filled);
            // The last one withholds its entropy.
            for seat in Seat::all(self.players.min(4)) {
                if let Some(entropy) = self.entropy(seat) {
                    at += 3;
                    append(&mut table, at, Entry::Revealed { seat, entropy });
                }
            }
        }
        append(&mut table, at, Entry::Started);
        let mut moves = 0;
        while table.ending().is_none() {
            at += u64::from(below(900, &mut rng));
            moves += 1;
            let game = table.game().unwrap();
            let asked: Vec<Seat> = game.to_act().iter().collect();
            let dice = below(60, &mut rng);
            if self.cancelled && moves == 9 {
                append(&mut table, at, Entry::Cancelled { note: "rain".into() });
                continue;
            }
            if table.window_is_held() && (asked.is_empty() || dice < 20) {
                append(&mut table, at, Entry::WindowClosed);
                continue;
            }
            let seat = asked[below(asked.len() as u32, &mut rng) as usize];
            let is_player = matches!(self.setup().seats[seat.index()], SeatSetup::Open);
            let state = &table.seats()[seat.index()];
            let allowed = if table.is_secret(seat) { 300 } else { 1000 + state.bank };
            let entry = match dice {
                50 if self.disruptions => Entry::WasAway { seat, used: 5 },
                51 if self.disruptions
                    && is_player
                    && !state.finish.is_forfeit()
                    && table.resign(seat).is_ok() =>
                {
                    Entry::Resigned { seat }
                }
                52 if self.disruptions && table.replace(seat, "random", None).is_ok() => {
                    Entry::Replaced { seat, bot: "random".into(), request: None }
                }
                53..56
                    if self.disruptions
                        && (self.has_clock || table.is_secret(seat))
                        && !self.constant_windows =>
                {
                    Entry::TimedOut { seat, used: allowed + dice, away: dice == 54 }
                }
                _ => {
                    let legal = table.legal_actions(seat).len() as u32;
                    let reported = (dice % 2 == 0).then_some(dice);
                    let used = below(1200.min(allowed), &mut rng);
                    Entry::Acted { seat, index: below(legal, &mut rng), used, reported }
                }
            };
            append(&mut table, at, entry);
        }
        let mut record = Record::from_log(&entries).unwrap();
        record.summary.reveal_deal();
        record
    }

    /// The record: full, or of a viewer.
    pub(super) fn record(&self, viewer: Option<Viewer>) -> wire::Record {
        parlor_server::grpc::convert::record(&self.play(), viewer, None)
    }

    /// The same record, with texts.
    pub(super) fn record_with_texts(&self, viewer: Option<Viewer>) -> wire::Record {
        parlor_server::grpc::convert::record(&self.play(), viewer, Some(Lang::De))
    }

    /// Full record of a deal's table after its tournament, which had this seed byte.
    pub(super) fn record_with_proof(&self, seed: u8) -> wire::Record {
        let mut record = self.record(None);
        let deal = self.chance.deal().unwrap();
        let commitment = ServerSeed::from_bytes([seed; 32]).tournament_commitment(deal.tournament);
        let proof = wire::TournamentShuffle {
            commitment: if deal.given { Vec::new() } else { commitment.as_bytes().to_vec() },
            server_seed: vec![seed; 32],
            ..Default::default()
        };
        parlor_server::grpc::convert::prove_deal(&mut record, Some(&proof));
        record
    }
}

/// Tables of every game and player count, and of every kind. A cancelled one needs a game that is long enough.
pub(super) fn all_table_specs() -> Vec<TableSpec> {
    let mut tables = Vec::new();
    for &game in GameId::ALL {
        let info = game.info();
        for players in info.min_players..=info.max_players {
            let plain = table(game, players, players * 10 + 1);
            tables.push(TableSpec { disruptions: true, ..plain.clone() });
            tables.push(plain);
        }
        let chances = [
            ChanceSetup::Given { seed: [5; 32] },
            deal(7, true, false),
            deal(8, false, true),
            deal(9, true, false),
        ];
        for (chance, seed) in chances.into_iter().zip(90..) {
            tables.push(TableSpec { chance, ..table(game, 3, seed) });
        }
        if !info.test_only {
            tables.push(TableSpec { cancelled: true, ..table(game, 2, 100) });
        }
        tables.push(TableSpec { has_clock: false, ..table(game, 2, 101) });
        tables.push(TableSpec { constant_windows: true, ..table(game, 3, 102) });
        tables.push(TableSpec { constant_windows: true, disruptions: true, ..table(game, 4, 103) });
    }
    tables
}
