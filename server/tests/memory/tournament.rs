//! `TestTournament`: a tournament of players with and without a memory; scheduled, dealt and counted as on
//! the server.

use std::collections::BTreeSet;

use parlor_engine::{Audience, Seat, Viewer};
use parlor_fair::Entropy;
use parlor_host::table::{Deal, SeatFinish, SeatResult, TimeControl, Visibility};
use parlor_host::tournaments::{EntrantSetup, FoldedTournament, Terms, TournamentEntry, TournamentSetup};
use parlor_host::{TableId, TournamentId};
use parlor_tournament::plan::{DealMode, Format, PlanVersion};
use parlor_tournament::{Entrant, PlannedTable, Standings};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::games::PublicDeals;
use crate::player::{Player, Recall};

/// The parameters of a tournament.
pub(crate) struct TestTournament {
    pub(crate) players: u8,
    pub(crate) groups: u32,
    pub(crate) deals: DealMode,
    /// Permutes colours when a deal is played again, as the server does; false only in the control.
    pub(crate) recolours: bool,
}

/// The result of a tournament.
pub(crate) struct TournamentOutcome {
    pub(crate) standings: Standings,
    /// By rotation: the number of seats whose player recognised the deal.
    pub(crate) known: Vec<u32>,
}

impl TournamentOutcome {
    /// The row of an entrant in the standings.
    pub(crate) fn row(&self, entrant: u16) -> &parlor_tournament::standings::StandingsRow {
        self.standings.rows.iter().find(|row| row.entrant == Entrant(entrant)).expect("a row")
    }

    /// Entrants whose gain in later rotations is flagged, in ascending order.
    pub(crate) fn flagged(&self) -> Vec<u16> {
        let flagged = self.standings.rows.iter().filter(|row| row.gain.is_some_and(|gain| gain.flagged));
        let mut flagged: Vec<u16> = flagged.map(|row| row.entrant.0).collect();
        flagged.sort_unstable();
        flagged
    }
}

impl TestTournament {
    /// Plays a round robin of entrants with these recalls, and prints the standings.
    pub(crate) fn play<G: PublicDeals>(&self, name: &str, recalls: &[Recall]) -> TournamentOutcome {
        let mut course = self.course::<G>(recalls.len());
        let mut known = vec![0; usize::from(self.players)];
        let none = BTreeSet::new();
        while !course.is_over() {
            let next = course.plan.ready(&none).next().expect("a table to play next");
            let next = course.plan.table(next).expect("a table that is ready");
            let (seats, knew) = self.table::<G>(&course, &next, recalls);
            known[usize::from(next.table.rotation)] += knew;
            let table = TableId::new(u64::from(next.table.group), [next.table.rotation; 10]);
            course
                .fold(0, &TournamentEntry::TableOver { place: next.table, table, seats })
                .expect("a valid result");
        }
        let standings = Standings::from_groups(&course.plan.placings(), None, course.plan.counted());
        println!("{name}: recognised by rotation {known:?}");
        for row in &standings.rows {
            println!("  {:?}: {:.2} {:?} gain {:?}", row.entrant, row.mean, row.interval, row.gain);
        }
        TournamentOutcome { standings, known }
    }

    fn course<G: PublicDeals>(&self, entrants: usize) -> FoldedTournament {
        let seed = u8::try_from(parlor_testkit::test_seed(1)).expect("PARLOR_TEST_SEED below 256");
        let agent = |number| EntrantSetup::Agent { name: format!("agent-{number}"), version: String::new() };
        let terms = Terms {
            name: "a memory".to_owned(),
            options: G::any_options(),
            players: self.players,
            entrants: (0..entrants).map(agent).collect(),
            format: Format::RoundRobin { groups: self.groups },
            deals: self.deals,
            test: None,
            time: TimeControl {
                decision: 0,
                bank: 0,
                grace: 0,
                forfeit_after: 0,
                secret: 0,
                constant_secret: false,
            },
            max_tables: 0,
            visibility: Visibility::Public,
            patience: 0,
        };
        let setup = TournamentSetup {
            tournament: TournamentId::from_bytes([1; 16]),
            owner: "tests".to_owned(),
            terms,
            plan_version: PlanVersion::LATEST,
            seed: [seed; 32],
            given: true,
            entropy: Entropy::NONE,
            created: 0,
            request: None,
        };
        let mut course = FoldedTournament::from_first_entry(&TournamentEntry::Created(Box::new(setup)))
            .expect("a tournament");
        let (versions, entropy) = (vec![String::new(); entrants], vec![Entropy::NONE; entrants]);
        course.fold(0, &TournamentEntry::Started { versions, entropy }).expect("a start");
        course
    }

    /// Plays a table: the results, and the number of players that recognised the deal.
    fn table<G: PublicDeals>(
        &self,
        course: &FoldedTournament,
        next: &PlannedTable,
        recalls: &[Recall],
    ) -> (Vec<SeatResult>, u32) {
        let dealt = course.deal(next.table);
        let dealt = Deal { recolour: dealt.recolour && self.recolours, ..dealt };
        let chance = dealt.chance(G::any_options().game(), self.players);
        let mut events: Vec<(Audience, G::Event)> = Vec::new();
        let mut game = G::new(G::INFO.rules_version, G::options(), self.players, chance, &mut events)
            .expect("a game of this size");
        let mut players: Vec<Player<G>> = Seat::all(self.players)
            .zip(&next.seats)
            .map(|(seat, who)| {
                Player::new(&recalls[who.index()], seat, self.players, &game.view(Viewer::Seat(seat)))
            })
            .collect();
        let known = players.iter().filter(|player| player.knows_deal()).count() as u32;
        let (mut legal, mut decisions) = (Vec::new(), 0);
        loop {
            for (audience, event) in events.drain(..) {
                players.iter_mut().for_each(|player| player.event(audience, &event));
            }
            let Some(seat) = game.to_act().first() else { break };
            game.legal_actions(seat, &mut legal);
            let mut rng =
                ChaCha8Rng::from_seed(*dealt.seed().bot_seed(next.table.rotation, seat, decisions).reveal());
            decisions += 1;
            let index = players[seat.index()].decide(&game.view(Viewer::Seat(seat)), &legal, &mut rng);
            game.apply(seat, legal[index], &mut events).expect("a listed action is legal");
            players.iter_mut().for_each(|player| player.action(seat, legal[index]));
        }
        players.into_iter().for_each(Player::finish);
        let outcome = game.outcome().expect("an outcome");
        let seats = outcome.standings().map(|standing| SeatResult {
            seat: standing.seat,
            points: standing.points,
            place: standing.place,
            finish: SeatFinish::PlayedOut,
            time_outs: 0,
            think_time: 0,
            away_time: 0,
        });
        (seats.collect(), known)
    }
}
