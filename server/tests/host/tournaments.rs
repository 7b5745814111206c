//! House bots that fail at tables of a tournament.

use std::sync::Arc;
use std::time::Duration;

use parlor_engine::{GameId, Seat};
use parlor_host::TournamentId;
use parlor_host::table::{DecisionId, TimeControl, Visibility};
use parlor_host::tournaments::{
    Access, EntrantSetup, LiveOrStored, NewTournament, Terms, TournamentCommand, TournamentTableRow,
    Tournaments,
};
use parlor_proto::v1;
use parlor_tournament::plan::{DealMode, Format};
use prost::Message;

use super::{Scene, TIME};

/// A tournament of two house bots that has started.
struct HouseTournament {
    tournaments: Tournaments,
    tournament: TournamentId,
    access: Access,
}

impl HouseTournament {
    async fn start(scene: &Scene, bots: [&str; 2]) -> HouseTournament {
        let (log, clock) = (scene.log.clone(), Arc::new(scene.clock.clone()));
        let tournaments = Tournaments::start(scene.host.clone(), log, clock, 100).await;
        let terms = Terms {
            name: "cup".to_owned(),
            options: GameId::Gap.default_options(),
            players: 2,
            entrants: bots.map(|bot| EntrantSetup::House { bot: bot.to_owned() }).to_vec(),
            format: Format::RoundRobin { groups: 1 },
            deals: DealMode::Duplicate,
            test: None,
            time: TimeControl { decision: 0, ..TIME },
            max_tables: 0,
            visibility: Visibility::Public,
            patience: 0,
        };
        let new = NewTournament { terms, given_seed: Some([3; 32]), request: None };
        let made = tournaments.create(&scene.owner, new).await.expect("a tournament");
        let LiveOrStored::Live(made) = made else { panic!("{made:?}") };
        let tournament = made.setup.tournament;
        let access = Access { caller: Some(scene.owner.clone()), admin: false };
        let start = TournamentCommand::Start { commitment: None };
        tournaments.command(tournament, &access, start).await.expect("a start");
        HouseTournament { tournaments, tournament, access }
    }

    async fn tables(&self) -> Vec<TournamentTableRow> {
        self.tournaments.tables(self.tournament, &self.access, None, 1000).await.expect("tables").0
    }
}

/// A table with a house bot that fails has no result: its group is void, and a fresh deal replaces it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_house_bot_that_fails_voids_a_deal() {
    let scene = Scene::new().await;
    // They think for a while, so that the failure comes first.
    let cup = HouseTournament::start(&scene, ["search:99999", "search:100000"]).await;
    // Waits until a table of this group runs.
    let begun = async |group: u32| {
        for _ in 0..60_000 {
            let rows = cup.tables().await;
            if let Some(row) = rows.iter().find(|row| row.place.group == group && row.played.is_none()) {
                return (row.table, rows);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("no table of group {group} is begun");
    };
    let (table, _) = begun(0).await;
    scene.host.fail_house_bot(table, Seat::FIRST, DecisionId(1)).await;
    let (fresh, rows) = begun(1).await;
    assert_ne!(fresh, table);
    let void = rows.iter().find(|row| row.table == table).expect("it is listed");
    let bot = void.void_reason.strip_prefix("a fault of the server: the house bot search:");
    assert!(bot.is_some_and(|rest| rest.ends_with(" failed")), "{void:?}");
    assert_eq!(void.played.as_ref().map(|played| played.seats.len()), Some(0), "nobody scored");
    let cancel = TournamentCommand::Cancel { reason: "enough".to_owned() };
    cup.tournaments.command(cup.tournament, &cup.access, cancel).await.expect("an end");
}

/// A house bot that fails at every table would be dealt to for ever: it ends the tournament, which says why.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_house_bot_that_always_fails_ends_the_tournament() {
    let scene = Scene::new().await;
    scene.host.fail_house_bots(true);
    let cup = HouseTournament::start(&scene, ["greedy", "random"]).await;
    let stored = loop {
        let (found, _) = cup.tournaments.get(cup.tournament, &cup.access).await.expect("a tournament");
        if let LiveOrStored::Stored(stored) = found {
            break v1::Tournament::decode(stored.as_slice()).expect("a tournament");
        }
        assert!(cup.tables().await.len() < 100, "it is dealt again for ever");
        scene.clock.advance(Duration::from_secs(1));
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    assert_eq!(stored.state(), v1::TournamentState::Cancelled);
    let begins = "ended by the server: the last 20 tables of ";
    assert!(stored.note.starts_with(begins) && stored.note.contains("the house bot "), "{}", stored.note);
    assert_eq!(cup.tables().await.len(), 20);
}
