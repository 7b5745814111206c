//! Builders of TournamentService requests, and helpers that create, start and follow tournaments.

use parlor_engine::GameId;
use parlor_proto::v1::{self, entrant_setup::Entrant, tournament_setup::Format};
use tonic::Streaming;

use crate::client::Client;
use crate::table_requests::{bot, options};
use crate::test_server::with_timeout;

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
    v1::StartTournamentRequest { tournament_id: id.to_owned() }
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
