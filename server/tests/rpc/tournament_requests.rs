//! Builders of TournamentService requests, and helpers that create, start and follow tournaments.

use parlor_engine::GameId;
use parlor_proto::v1::{self, entrant_setup::Entrant, tournament_setup::Format};
use sha2::{Digest, Sha256};
use tonic::Streaming;

use crate::client::Client;
use crate::table_requests::{bot, options};
use crate::test_server::{wait_until, with_timeout};

/// A tournament of these house bots: two players a table, without a clock, and with a fixed seed.
pub(crate) fn setup(game: GameId, bots: &[&str], format: Format) -> v1::TournamentSetup {
    v1::TournamentSetup {
        name: "cup".to_owned(),
        options: Some(options(game)),
        entrants: bots.iter().map(|name| house(name)).collect(),
        format: Some(format),
        clock: Some(v1::ClockSettings { decision_ms: Some(0), ..v1::ClockSettings::default() }),
        given_seed: vec![9; 32],
        ..v1::TournamentSetup::default()
    }
}

pub(crate) fn house(name: &str) -> v1::EntrantSetup {
    v1::EntrantSetup { entrant: Some(Entrant::HouseBot(bot(name))) }
}

pub(crate) fn agent(name: &str) -> v1::EntrantSetup {
    let seat = v1::AgentSeat { name: name.to_owned(), version: String::new() };
    v1::EntrantSetup { entrant: Some(Entrant::Agent(seat)) }
}

/// A tournament of the agent `ann` and these house bots, which advances as fast as ann plays. Deals are
/// independent: a group is one table, so that groups count one after another.
pub(crate) fn agent_paced(bots: &[&str], groups: u32) -> v1::TournamentSetup {
    let mut setup = setup(GameId::Gap, bots, round_robin(groups));
    setup.entrants.insert(0, agent("ann"));
    v1::TournamentSetup { deals: v1::Deals::Independent.into(), ..setup }
}

pub(crate) fn round_robin(groups: u32) -> Format {
    Format::RoundRobin(v1::RoundRobinFormat { groups })
}

pub(crate) fn gauntlet(champion: u32, groups: u32) -> Format {
    Format::Gauntlet(v1::GauntletFormat { champion, groups })
}

pub(crate) fn swiss(rounds: u32, groups: u32) -> Format {
    Format::Swiss(v1::SwissFormat { rounds, groups })
}

pub(crate) fn knockout(groups: u32) -> Format {
    Format::Knockout(v1::KnockoutFormat { groups, tie_groups: Some(1) })
}

pub(crate) fn create(setup: v1::TournamentSetup) -> v1::CreateTournamentRequest {
    v1::CreateTournamentRequest { setup: Some(setup), ..v1::CreateTournamentRequest::default() }
}

pub(crate) fn start(id: &str) -> v1::StartTournamentRequest {
    v1::StartTournamentRequest { tournament_id: id.to_owned(), entropy_commitment: Vec::new() }
}

/// Entropy of the organiser, and the commitment to it, as tournament.proto specifies it.
pub(crate) fn organiser_entropy(id: &str) -> (Vec<u8>, Vec<u8>) {
    let entropy = b"the organiser's dice".to_vec();
    let commitment = entropy_commitment(id, &entropy);
    (entropy, commitment)
}

/// The commitment to entropy for the shuffles of a tournament, as tournament.proto specifies it.
pub(crate) fn entropy_commitment(id: &str, entropy: &[u8]) -> Vec<u8> {
    let tournament = id.parse::<parlor_host::TournamentId>().expect("an id");
    let hash = Sha256::new().chain_update(b"parlor tournament entropy commitment v1");
    hash.chain_update(tournament.as_bytes()).chain_update(entropy).finalize().to_vec()
}

pub(crate) fn reveal(id: &str, entropy: &[u8]) -> v1::RevealTournamentEntropyRequest {
    v1::RevealTournamentEntropyRequest { tournament_id: id.to_owned(), entropy: entropy.to_vec() }
}

pub(crate) fn pause(id: &str) -> v1::PauseTournamentRequest {
    v1::PauseTournamentRequest { tournament_id: id.to_owned() }
}

pub(crate) fn resume(id: &str) -> v1::ResumeTournamentRequest {
    v1::ResumeTournamentRequest { tournament_id: id.to_owned() }
}

pub(crate) fn cancel(id: &str, reason: &str) -> v1::CancelTournamentRequest {
    v1::CancelTournamentRequest { tournament_id: id.to_owned(), reason: reason.to_owned() }
}

pub(crate) fn withdraw(id: &str, entrant: u32) -> v1::WithdrawEntrantRequest {
    v1::WithdrawEntrantRequest { tournament_id: id.to_owned(), entrant }
}

pub(crate) fn void(id: &str, group: u32, reason: &str) -> v1::VoidGroupRequest {
    v1::VoidGroupRequest { tournament_id: id.to_owned(), group, reason: reason.to_owned() }
}

pub(crate) fn get(id: &str) -> v1::GetTournamentRequest {
    v1::GetTournamentRequest { tournament_id: id.to_owned() }
}

impl Client {
    /// Creates a tournament without starting it, and returns its id.
    pub(crate) async fn new_tournament(&self, setup: v1::TournamentSetup) -> String {
        let made = self.create_tournament(create(setup)).await.expect("a tournament");
        made.tournament.expect("a tournament").tournament_id
    }

    /// Creates and starts a tournament, and returns its id.
    pub(crate) async fn start_new_tournament(&self, setup: v1::TournamentSetup) -> String {
        let id = self.new_tournament(setup).await;
        self.start_tournament(start(&id)).await.expect("a start");
        id
    }

    pub(crate) async fn tournament(&self, id: &str) -> v1::Tournament {
        self.get_tournament(get(id)).await.expect("a tournament").tournament.expect("a tournament")
    }

    pub(crate) async fn standings(&self, id: &str) -> v1::Standings {
        let request = v1::GetStandingsRequest { tournament_id: id.to_owned(), history: false };
        self.get_standings(request).await.expect("standings").standings.expect("standings")
    }

    pub(crate) async fn follow_tournament(&self, id: &str) -> Streaming<v1::FollowTournamentResponse> {
        let request = v1::FollowTournamentRequest { tournament_id: id.to_owned() };
        with_timeout(self.tournaments().follow_tournament(request)).await.expect("a stream").into_inner()
    }

    /// Reveals the organiser's entropy as soon as the tournament shows all commitments.
    pub(crate) async fn reveal_tournament(&self, id: &str, entropy: &[u8]) {
        let is_committed = async || {
            let shuffle = self.tournament(id).await.shuffle.expect("a shuffle");
            !shuffle.entropy_commitments.is_empty()
        };
        wait_until("all commitments", is_committed).await;
        self.reveal_tournament_entropy(reveal(id, entropy)).await.expect("a reveal");
    }

    /// Follows a tournament to its end, and returns its last state and standings.
    pub(crate) async fn follow_to_end(&self, id: &str) -> (v1::Tournament, v1::Standings) {
        let mut stream = self.follow_tournament(id).await;
        let (mut tournament, mut standings) = (None, None);
        while let Some(message) = with_timeout(stream.message()).await.expect("an open stream") {
            tournament = message.tournament.or(tournament);
            standings = message.standings;
        }
        (tournament.expect("a tournament"), standings.expect("standings"))
    }

    /// All tables of a tournament, read in pages of 7.
    pub(crate) async fn tournament_tables(&self, id: &str) -> Vec<v1::TournamentTable> {
        let (mut tables, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = v1::ListTournamentTablesRequest {
                tournament_id: id.to_owned(),
                page_size: 7,
                page_token: page_token.clone(),
            };
            let page = self.list_tournament_tables(request).await.expect("a page");
            assert!(page.tables.len() <= 7);
            tables.extend(page.tables);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return tables;
            }
        }
    }
}
