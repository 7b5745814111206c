//! Tournaments: what is told while the organiser and the agents reveal their entropy.

use std::sync::Arc;

use parlor_host::TournamentId;
use parlor_host::clock::ManualClock;
use parlor_proto::v1;
use parlor_proto::v1::agent_service_client::AgentServiceClient;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use parlor_proto::v1::stream_item::Item;
use parlor_proto::v1::table_service_client::TableServiceClient;
use parlor_proto::v1::tournament_entropy::Step;
use parlor_proto::v1::tournament_service_client::TournamentServiceClient;
use parlor_proto::v1::{TournamentState, entrant_setup::Entrant};
use parlor_server::transport::RunningServer;
use parlor_store::MemoryLog;
use parlor_testkit::{wait_until, with_timeout};
use tonic::Response;
use tonic::transport::Channel;

use super::{HIDDEN, Hidden, Transcript, assert_same, commitment, wait_for_length};
use crate::deal_tables::{AgentStream, first, told};
use crate::server::{Route, ServerFactory, with_key};

/// Entropy of the second agent.
const KNOWN: Hidden = [6; 32];

/// A tournament of two agents and a house bot whose organiser and first agent add hidden entropy.
struct StartingTournament {
    id: String,
    hidden: [Hidden; 2],
    keys: [String; 2],
    ann: AgentStream,
    bob: AgentStream,
    channel: Channel,
    log: Arc<MemoryLog>,
    transcript: Transcript,
    _server: RunningServer,
}

impl StartingTournament {
    async fn new(factory: &ServerFactory, hidden: [Hidden; 2]) -> StartingTournament {
        let log = Arc::new(MemoryLog::new());
        let (server, channel) = factory.start(log.clone(), &ManualClock::new()).await;
        let keys = [factory.owner_header(), factory.guest_header()];
        let hello =
            |name: &str| v1::AgentHello { name: name.to_owned(), adds_entropy: true, ..Default::default() };
        let ann = AgentStream::connect(&channel, &keys[0], hello("ann")).await;
        let bob = AgentStream::connect(&channel, &keys[1], hello("bob")).await;
        let mut tournaments = TournamentServiceClient::new(channel.clone());
        let created = with_timeout(tournaments.create_tournament(with_key(create(), &keys[0]))).await;
        let created = created.expect("a tournament").into_inner().tournament.expect("a tournament");
        let id = created.tournament_id;
        let shown = created.shuffle.expect("a shuffle").commitment;
        let transcript = Transcript { told: Vec::new(), public: vec![shown] };
        let mut starting =
            StartingTournament { id, hidden, keys, ann, bob, channel, log, transcript, _server: server };
        let asked = v1::StartTournamentRequest {
            tournament_id: starting.id.clone(),
            entropy_commitment: starting.commitment(&hidden[0]),
        };
        with_timeout(tournaments.start_tournament(with_key(asked, &starting.keys[0])))
            .await
            .expect("a start");
        starting
    }

    fn commitment(&mut self, entropy: &[u8]) -> Vec<u8> {
        let id = self.id.parse::<TournamentId>().expect("an id");
        let commitment = commitment("parlor tournament entropy commitment v1", id.as_bytes(), entropy);
        self.transcript.public.push(commitment.clone());
        commitment
    }

    /// Sends a step of an agent, and waits until the server has taken it.
    async fn add_entropy(&mut self, is_bob: bool, step: Step) {
        let id = self.id.clone();
        let agent = if is_bob { &mut self.bob } else { &mut self.ann };
        let entropy = v1::TournamentEntropy { tournament_id: id.clone(), step: Some(step) };
        agent.send(0, v1::play_request_item::Item::TournamentEntropy(entropy)).await;
        // Items are carried out in order.
        let answer =
            v1::Answer { decision_id: 1, choice: Some(v1::answer::Choice::Index(0)), think_ms: None };
        agent.send(99, v1::play_request_item::Item::Answer(answer)).await;
        loop {
            let (channel, item) = agent.next().await;
            let told = told("Connect", &id, Ok(v1::StreamItem { channel, item: Some(item) }));
            self.transcript.told.push(told);
            if channel == 99 {
                return;
            }
        }
    }

    /// Waits until an agent is asked for entropy.
    async fn next_asked(&mut self, is_bob: bool) {
        let agent = if is_bob { &mut self.bob } else { &mut self.ann };
        loop {
            let (channel, item) = agent.next().await;
            let is_asked = matches!(item, Item::EntropyAsked(_));
            let item = v1::StreamItem { channel, item: Some(item) };
            self.transcript.told.push(told("Connect", &self.id, Ok(item)));
            if is_asked {
                return;
            }
        }
    }

    async fn reveal_of_organiser(&mut self, entropy: &[u8]) {
        let mut tournaments = TournamentServiceClient::new(self.channel.clone());
        let tournament_id = self.id.clone();
        let reveal = v1::RevealTournamentEntropyRequest { tournament_id, entropy: entropy.to_vec() };
        let answer =
            with_timeout(tournaments.reveal_tournament_entropy(with_key(reveal, &self.keys[0]))).await;
        self.transcript.told.push(told(
            "RevealTournamentEntropy",
            &self.id,
            answer.map(Response::into_inner),
        ));
    }

    /// Adds everything that the organiser and a stranger are told now.
    async fn observe(&mut self) {
        let mut tournaments = TournamentServiceClient::new(self.channel.clone());
        let mut records = RecordServiceClient::new(self.channel.clone());
        let mut agents = AgentServiceClient::new(self.channel.clone());
        let mut tables = TableServiceClient::new(self.channel.clone());
        let id = self.id.clone();
        for key in &self.keys {
            let tournament_id = id.clone();
            let mut all = Vec::new();
            macro_rules! tell {
                ($client:ident.$call:ident($request:expr)) => {
                    let answer = with_timeout($client.$call(with_key($request, key))).await;
                    all.push(told(stringify!($call), &id, answer.map(Response::into_inner)));
                };
                ($client:ident.stream $call:ident($request:expr)) => {
                    let answer = with_timeout($client.$call(with_key($request, key))).await;
                    all.push(told(stringify!($call), &id, first(answer).await));
                };
            }
            let get = v1::GetTournamentRequest { tournament_id: tournament_id.clone() };
            tell!(tournaments.get_tournament(get));
            tell!(tournaments.list_tournaments(v1::ListTournamentsRequest::default()));
            let tournament_id = tournament_id.clone();
            let standings = v1::GetStandingsRequest { tournament_id: tournament_id.clone(), history: true };
            tell!(tournaments.get_standings(standings));
            let follow = v1::FollowTournamentRequest { tournament_id: tournament_id.clone() };
            tell!(tournaments.stream follow_tournament(follow));
            let list = v1::ListTournamentTablesRequest {
                tournament_id: tournament_id.clone(),
                ..Default::default()
            };
            tell!(tournaments.list_tournament_tables(list));
            let export = v1::ExportRecordsRequest { tournament_id, viewer: None };
            let answer = with_timeout(records.export_records(with_key(export, key))).await;
            // The signature of the manifest is over the id.
            let answer = first(answer).await.map(|message| message.records.len() as u32);
            all.push(told(
                "export_records",
                &id,
                answer.map(|count| v1::Decision { id: count, ..Default::default() }),
            ));
            tell!(agents.list_agents(v1::ListAgentsRequest::default()));
            tell!(tables.list_tables(v1::ListTablesRequest::default()));
            self.transcript.told.extend(all);
        }
        // The same guess at both servers: at one of them it is what the organiser has committed to.
        let mut tournaments = TournamentServiceClient::new(self.channel.clone());
        let reveal =
            v1::RevealTournamentEntropyRequest { tournament_id: id.clone(), entropy: HIDDEN[0].to_vec() };
        let answer =
            with_timeout(tournaments.reveal_tournament_entropy(with_key(reveal, &self.keys[1]))).await;
        self.transcript.told.push(told("RevealTournamentEntropy", &id, answer.map(Response::into_inner)));
    }

    async fn state(&self) -> v1::Tournament {
        let mut tournaments = TournamentServiceClient::new(self.channel.clone());
        let get = v1::GetTournamentRequest { tournament_id: self.id.clone() };
        let answer = with_timeout(tournaments.get_tournament(with_key(get, &self.keys[0]))).await;
        answer.expect("a tournament").into_inner().tournament.expect("a tournament")
    }

    /// Collects the commitments and all reveals but the second agent's, observing each step.
    async fn play_to_last_reveal(&mut self) {
        let hidden = self.hidden;
        for is_bob in [false, true] {
            self.next_asked(is_bob).await;
        }
        let commitment = self.commitment(&hidden[1]);
        self.add_entropy(false, Step::Commitment(commitment)).await;
        self.observe().await;
        let commitment = self.commitment(&KNOWN);
        self.add_entropy(true, Step::Commitment(commitment)).await;
        for is_bob in [false, true] {
            self.next_asked(is_bob).await;
        }
        // Created, starting, committed.
        wait_for_length(&self.log, &self.id, 3).await;
        self.observe().await;
        self.add_entropy(false, Step::Reveal(hidden[1].to_vec())).await;
        wait_for_length(&self.log, &self.id, 4).await;
        self.observe().await;
        self.reveal_of_organiser(&hidden[0]).await;
        wait_for_length(&self.log, &self.id, 5).await;
        self.observe().await;
        // The other agent cannot try the first one's entropy.
        self.add_entropy(true, Step::Reveal(HIDDEN[0].to_vec())).await;
        self.observe().await;
    }
}

/// A tournament of the two agents and a house bot.
fn create() -> v1::CreateTournamentRequest {
    let agent = |name: &str| Entrant::Agent(v1::AgentSeat { name: name.to_owned(), version: String::new() });
    let house = Entrant::HouseBot(v1::HouseBotSeat { name: "random".to_owned() });
    let entrants = [agent("ann"), agent("bob"), house];
    let setup = v1::TournamentSetup {
        name: "cup".to_owned(),
        game: "gap".to_owned(),
        entrants: entrants.map(|entrant| v1::EntrantSetup { entrant: Some(entrant) }).to_vec(),
        format: Some(v1::tournament_setup::Format::RoundRobin(v1::RoundRobinFormat { groups: 1 })),
        clock: Some(v1::ClockSettings { decision_ms: Some(0), ..v1::ClockSettings::default() }),
        ..v1::TournamentSetup::default()
    };
    v1::CreateTournamentRequest { setup: Some(setup), ..v1::CreateTournamentRequest::default() }
}

#[tokio::test]
async fn reveals_in_a_tournament_are_told_to_nobody_before_the_start() {
    let factory = ServerFactory::new(Route::Memory);
    let mut started = Vec::new();
    for hidden in [HIDDEN, [HIDDEN[1], HIDDEN[0]]] {
        let mut tournament = StartingTournament::new(&factory, hidden).await;
        tournament.play_to_last_reveal().await;
        let secrets = [hidden[0], hidden[1], KNOWN];
        assert_eq!(secrets.map(|secret| tournament.transcript.find(&secret)), [None; 3]);
        started.push(tournament);
    }
    assert_same(&started[0].transcript, &started[1].transcript);
    assert!(started[0].transcript.told.len() > 60, "too little for a meaningful test");
    let mut tournament = started.remove(0);
    tournament.add_entropy(true, Step::Reveal(KNOWN.to_vec())).await;
    wait_until("the start", async || tournament.state().await.state() == TournamentState::Running).await;
    tournament.observe().await;
    for secret in [HIDDEN[0], HIDDEN[1], KNOWN] {
        assert!(tournament.transcript.find(&secret).is_some(), "shown by the start");
    }
    // Nobody was told the seed before the tournament is over, and everybody is then.
    let mut tournaments = TournamentServiceClient::new(tournament.channel.clone());
    let cancel = v1::CancelTournamentRequest { tournament_id: tournament.id.clone(), reason: String::new() };
    with_timeout(tournaments.cancel_tournament(with_key(cancel, &tournament.keys[0]))).await.expect("an end");
    let seed = tournament.state().await.shuffle.expect("a shuffle").server_seed;
    assert_eq!((seed.len(), tournament.transcript.find(&seed)), (32, None));
    tournament.observe().await;
    assert!(tournament.transcript.find(&seed).is_some(), "the search finds what is shown");
}
