//! A host with a store on disk, and what is played on it.

use std::path::PathBuf;
use std::sync::Arc;

use parlor_engine::GameId;
use parlor_fair::{TableId, TournamentId};
use parlor_host::agents::AgentProfile;
use parlor_host::clock::SystemClock;
use parlor_host::identity::{Generation, Owner, VerifiedSeatToken};
use parlor_host::limits::StreamAllowance;
use parlor_host::table::{Answer, DecisionAnswer, DecisionId};
use parlor_host::tournaments::{Access, LiveOrStored, TournamentCommand, Tournaments};
use parlor_host::{Actor, AnswerOutcome, Codecs, Host, HostSettings, ViewerCredential};
use parlor_proto::v1;
use parlor_server::config::Settings;
use parlor_server::grpc::convert::{self, ApiCodec, ApiItemEncoder};
use parlor_server::identity::{ApiKeys, KeySet};
use parlor_store::{Log, LogFilter, LogKind, PageRequest, SqliteLog, SqliteOptions};
use parlor_testkit::wait_until;
use tempfile::TempDir;

/// Open tables that the owner may have.
const MAX_TABLES: u32 = 1000;
/// Decisions of the player before a table is cancelled or resigned.
const DECISIONS: u64 = 3;

/// A finished table.
pub(crate) struct PlayedTable {
    pub(crate) id: TableId,
    /// Name for files: the game and how it ended.
    pub(crate) name: String,
    pub(crate) game: GameId,
    pub(crate) record: v1::Record,
}

pub(crate) struct Club {
    pub(crate) settings: Settings,
    pub(crate) log: Arc<SqliteLog>,
    host: Host,
    tournaments: Tournaments,
    folder: TempDir,
}

impl Club {
    pub(crate) async fn open() -> Club {
        let folder = tempfile::tempdir().expect("a folder");
        let log = SqliteLog::open(&folder.path().join("store.db"), SqliteOptions::default());
        let log = Arc::new(log.expect("a store"));
        let settings = Settings::default();
        let codecs = Codecs { items: &ApiItemEncoder, payloads: &ApiCodec };
        let clock = Arc::new(SystemClock::new());
        let host = Host::start(log.clone(), clock.clone(), &HostSettings::from(&settings), codecs).await;
        let host = host.expect("a host");
        let tournaments = Tournaments::start(host.clone(), log.clone(), clock, MAX_TABLES).await;
        Club { settings, log, host, tournaments, folder }
    }

    /// The file of the store.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    pub(crate) async fn close(self) {
        self.host.stop().await;
        self.log.close().await;
    }

    /// A game of each kind that ends early, and one that is cancelled; whole games of the shortest ones.
    pub(crate) async fn play_games(&self) -> Vec<PlayedTable> {
        let mut tables = Vec::new();
        for game in GameId::ALL.iter().copied() {
            tables.push(self.play(game, "resigned").await);
            tables.push(self.play(game, "cancelled").await);
        }
        tables.push(self.play(GameId::HighCard, "whole").await);
        tables.push(self.play(GameId::Gap, "whole").await);
        tables
    }

    async fn play(&self, game: GameId, ending: &str) -> PlayedTable {
        let owner = Owner::local();
        let request_id = format!("{ending} {}", game.info().id);
        let request = v1::CreateTableRequest { request_id, ..new_table(game) };
        let new = convert::create_table(request, &self.settings.table, &self.settings.bots, false);
        let new = new.unwrap_or_else(|failure| panic!("{}", failure.message()));
        let created = self.host.create(&owner, MAX_TABLES, new).await.expect("a new table");
        let id = created.setup.table;
        let caller = ApiKeys::new(KeySet::default()).identify(None).expect("a server without keys");
        let join = v1::JoinTableRequest {
            table_id: id.to_string(),
            display_name: "Ada".to_owned(),
            ..Default::default()
        };
        let key = parlor_server::identity::ServerKey::from_bytes([7; 32]);
        let (_, mut join) = convert::join_table(join, &key, Some(&caller)).expect("a valid request");
        join.by_owner = true;
        let joined = self.host.join(id, join).await.expect("a seat");
        let token = VerifiedSeatToken::new(id, joined.seat, joined.generation);
        let decisions = if ending == "whole" { u64::MAX } else { DECISIONS };
        self.answer(token, decisions).await;
        let actor = Actor::Owner(owner);
        match ending {
            "cancelled" => drop(self.host.cancel(id, actor, "enough".to_owned()).await),
            "resigned" => {
                // A short game may be over by now.
                drop(self.host.resign(id, Actor::Seat(token), joined.seat).await);
                drop(self.host.cancel(id, actor, String::new()).await);
            }
            _ => {}
        }
        wait_until("the end of a table", async || {
            self.host.summary(id).await.is_ok_and(|summary| summary.ending.is_some())
        })
        .await;
        let credential = ViewerCredential::NoToken { table: id, caller: Some(Owner::local()), admin: false };
        let (record, viewer) = self.host.record(&credential, None).await.expect("a record");
        let name = format!("{}_{ending}", game.info().id);
        PlayedTable { id, name, game, record: convert::record(&record, viewer, None) }
    }

    /// Answers decisions with the first action, until the table is over.
    async fn answer(&self, token: VerifiedSeatToken, count: u64) {
        let mut answered = 0;
        wait_until("the answers of a player", async || {
            let answer = DecisionAnswer {
                decision: DecisionId(answered + 1),
                answer: Answer::Index(0),
                reported: None,
            };
            if let Ok(reply) = self.host.act(token, answer).await
                && matches!(reply.outcome, AnswerOutcome::Accepted(_))
            {
                answered += 1;
            }
            let is_over = self.host.summary(token.table()).await.is_ok_and(|table| table.ending.is_some());
            is_over || answered == count
        })
        .await;
    }

    /// A round robin of house bots.
    pub(crate) async fn play_tournament(&self) -> TournamentId {
        let request = v1::CreateTournamentRequest { setup: Some(tournament()), ..Default::default() };
        let new = convert::create_tournament(request, &self.settings.table, &self.settings.bots);
        let new = new.unwrap_or_else(|failure| panic!("{}", failure.message()));
        let created = self.tournaments.create(&Owner::local(), new).await.expect("a tournament");
        let LiveOrStored::Live(created) = created else { panic!("a tournament that is over already") };
        let id = created.setup.tournament;
        let access = Access { caller: Some(Owner::local()), admin: false };
        self.tournaments
            .command(id, &access, TournamentCommand::Start { commitment: None })
            .await
            .expect("a start");
        wait_until("the end of the tournament", async || {
            !self.finished(LogKind::Tournament).await.is_empty()
        })
        .await;
        id
    }

    /// The finished logs of a kind.
    async fn finished(&self, kind: LogKind) -> Vec<TableId> {
        let filter = LogFilter { kind, finished: Some(true), ..LogFilter::default() };
        self.list(filter).await
    }

    /// The logs that pass a filter.
    pub(crate) async fn list(&self, filter: LogFilter) -> Vec<TableId> {
        let page = self.log.list_tables(filter, PageRequest { after: None, size: 100 }).await;
        page.expect("a page").tables.into_iter().map(|row| row.id).collect()
    }

    /// An agent that says hello and goes.
    pub(crate) async fn connect_agent(&self) {
        let caller = ApiKeys::new(KeySet::default()).identify(None).expect("a server without keys");
        let (arrival, _) = convert::hello(hello(), &caller).expect("a valid hello");
        let AgentProfile { max_tables, .. } = arrival.profile;
        let (agent, _) =
            self.host.connect(arrival, StreamAllowance::default()).await.expect("a connected agent");
        assert_eq!(agent.max_tables, max_tables);
    }
}

/// A table with an open seat; the others have house bots.
pub(crate) fn new_table(game: GameId) -> v1::CreateTableRequest {
    use v1::seat_setup::Occupant;
    let info = game.info();
    let bot = v1::HouseBotSeat { name: "random".to_owned() };
    let occupants = std::iter::once(Occupant::Open(v1::OpenSeat {}))
        .chain(std::iter::repeat_n(Occupant::HouseBot(bot), usize::from(info.min_players) - 1));
    v1::CreateTableRequest {
        request_id: format!("create {}", info.id),
        options: Some(options(game)),
        seats: occupants.map(|occupant| v1::SeatSetup { occupant: Some(occupant) }).collect(),
        chance: Some(v1::create_table_request::Chance::GivenSeed(v1::GivenSeed { seed: vec![5; 32] })),
        metadata: [("site".to_owned(), "example".to_owned())].into(),
        ..Default::default()
    }
}

/// Options of a game that ends early.
pub(crate) fn options(game: GameId) -> v1::GameOptions {
    match game {
        GameId::Gap => parlor_engine::AnyOptions::from(parlor_engine::gap::Options {
            length: parlor_engine::gap::Length::Rounds(1),
        })
        .into(),
        other => other.default_options().into(),
    }
}

/// A short tournament.
pub(crate) fn tournament() -> v1::TournamentSetup {
    use v1::entrant_setup::Entrant;
    let bots = ["random", "greedy"].map(|name| v1::HouseBotSeat { name: name.to_owned() });
    v1::TournamentSetup {
        name: "Autumn cup".to_owned(),
        options: Some(options(GameId::Gap)),
        players: 2,
        entrants: bots.map(|bot| v1::EntrantSetup { entrant: Some(Entrant::HouseBot(bot)) }).into(),
        format: Some(v1::tournament_setup::Format::RoundRobin(v1::RoundRobinFormat { groups: 2 })),
        ..Default::default()
    }
}

/// The first message of an agent.
pub(crate) fn hello() -> v1::ConnectRequest {
    v1::ConnectRequest {
        hello: Some(v1::AgentHello {
            name: "ada.1".to_owned(),
            version: "1.2".to_owned(),
            agent_key: vec![9; 32],
            games: vec!["gap".to_owned(), "no_dice".to_owned()],
            max_tables: 8,
            ..Default::default()
        }),
        items: Vec::new(),
    }
}

/// A token of the first generation.
pub(crate) const FIRST: Generation = Generation(0);
