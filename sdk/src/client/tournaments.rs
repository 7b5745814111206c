//! Tournaments: the calls of the TournamentService.

use std::fmt;

use futures_util::Stream;
use parlor_proto::v1::tournament_service_client::TournamentServiceClient;
use tokio::time::{sleep, timeout};
use tonic::{Request, Streaming};

use super::Client;
use super::call::{Limits, call};
use super::pages::pages;
use crate::connect::Transport;
use crate::random::{fresh_bytes, request_id};
use crate::retry::Backoff;
use crate::{Error, wire};

/// The tournament of a reply, which must have one.
fn tournament(tournament: Option<wire::Tournament>) -> Result<wire::Tournament, Error> {
    tournament.ok_or_else(|| Error::lacks("tournament"))
}

/// The standings of a reply, which must have them.
fn standings(standings: Option<wire::Standings>) -> Result<wire::Standings, Error> {
    standings.ok_or_else(|| Error::lacks("standings"))
}

impl Client {
    /// Makes a tournament, and adds fresh bytes to its shuffles. It waits to be started.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use parlor_sdk::{options, wire};
    ///
    /// let house_bot = |name: &str| wire::EntrantSetup {
    ///     entrant: Some(wire::entrant_setup::Entrant::HouseBot(wire::HouseBotSeat { name: name.into() })),
    /// };
    /// let format = wire::tournament_setup::Format::RoundRobin(wire::RoundRobinFormat { groups: 50 });
    /// let setup = wire::TournamentSetup {
    ///     name: "greedy against random".into(),
    ///     options: Some(options::usual("gap")?),
    ///     entrants: vec![house_bot("greedy"), house_bot("random")],
    ///     format: Some(format),
    ///     ..Default::default()
    /// };
    /// let made = client.create_tournament(setup).await?;
    /// client.start_tournament(&made.tournament_id).await?;
    /// let mut followed = client.follow_tournament(&made.tournament_id);
    /// while let Some(news) = followed.next().await? {
    ///     println!("{:?}", news.standings);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_tournament(&self, setup: wire::TournamentSetup) -> Result<wire::Tournament, Error> {
        let request = wire::CreateTournamentRequest {
            request_id: request_id()?,
            setup: Some(setup),
            entropy: fresh_bytes::<32>()?.to_vec(),
        };
        self.create_tournament_with(request).await
    }

    /// Makes a tournament, with everything as you say it: your own request id makes a repeat after a crash harmless.
    pub async fn create_tournament_with(
        &self,
        mut request: wire::CreateTournamentRequest,
    ) -> Result<wire::Tournament, Error> {
        if request.request_id.is_empty() {
            request.request_id = request_id()?;
        }
        tournament(call!(self, tournaments.create_tournament, request)?.tournament)
    }

    /// Starts a tournament. Doing it twice is harmless.
    pub async fn start_tournament(
        &self,
        tournament_id: impl Into<String>,
    ) -> Result<wire::Tournament, Error> {
        let request = wire::StartTournamentRequest { tournament_id: tournament_id.into() };
        tournament(call!(self, tournaments.start_tournament, request)?.tournament)
    }

    /// A tournament as it is now.
    pub async fn tournament(&self, tournament_id: impl Into<String>) -> Result<wire::Tournament, Error> {
        let request = wire::GetTournamentRequest { tournament_id: tournament_id.into() };
        tournament(call!(self, tournaments.get_tournament, request)?.tournament)
    }

    /// Some tournaments, newest first, and where to go on: one page.
    pub async fn list_tournaments(
        &self,
        request: wire::ListTournamentsRequest,
    ) -> Result<wire::ListTournamentsResponse, Error> {
        call!(self, tournaments.list_tournaments, request)
    }

    /// How things stand in a tournament; with the ratings after parts of the groups, if you want a curve.
    pub async fn standings(
        &self,
        tournament_id: impl Into<String>,
        history: bool,
    ) -> Result<wire::Standings, Error> {
        let request = wire::GetStandingsRequest { tournament_id: tournament_id.into(), history };
        standings(call!(self, tournaments.get_standings, request)?.standings)
    }

    /// Follows a tournament to its end, through broken connections.
    #[must_use]
    pub fn follow_tournament(&self, tournament_id: impl Into<String>) -> FollowedTournament {
        FollowedTournament {
            rpc: self.tournaments.clone(),
            limits: self.limits,
            tournament_id: tournament_id.into(),
            stream: None,
            backoff: Backoff::default(),
            over: false,
        }
    }

    /// All tables of a tournament that were begun, in the order of the deals. Pages are fetched one at a time, as they
    /// are needed.
    pub fn tournament_tables<I: Into<String>>(
        &self,
        tournament_id: I,
    ) -> impl Stream<Item = Result<wire::TournamentTable, Error>> + Send + use<I> {
        let request = wire::ListTournamentTablesRequest {
            tournament_id: tournament_id.into(),
            page_size: 1000,
            page_token: String::new(),
        };
        let client = self.clone();
        pages(request, move |request: wire::ListTournamentTablesRequest, page_token| {
            let client = client.clone();
            async move {
                let request = wire::ListTournamentTablesRequest { page_token, ..request };
                let reply = client.list_tournament_tables(request).await?;
                Ok((reply.tables, reply.next_page_token))
            }
        })
    }

    /// Some tables of a tournament, and where to go on: one page.
    pub async fn list_tournament_tables(
        &self,
        request: wire::ListTournamentTablesRequest,
    ) -> Result<wire::ListTournamentTablesResponse, Error> {
        call!(self, tournaments.list_tournament_tables, request)
    }

    /// Begins no new tables until the tournament is resumed. For the organiser. Doing it twice is harmless.
    pub async fn pause_tournament(
        &self,
        tournament_id: impl Into<String>,
    ) -> Result<wire::Tournament, Error> {
        let request = wire::PauseTournamentRequest { tournament_id: tournament_id.into() };
        tournament(call!(self, tournaments.pause_tournament, request)?.tournament)
    }

    /// Goes on after a pause. For the organiser. Doing it twice is harmless.
    pub async fn resume_tournament(
        &self,
        tournament_id: impl Into<String>,
    ) -> Result<wire::Tournament, Error> {
        let request = wire::ResumeTournamentRequest { tournament_id: tournament_id.into() };
        tournament(call!(self, tournaments.resume_tournament, request)?.tournament)
    }

    /// Ends a tournament before its time; what was counted stays. For the organiser. Doing it twice is harmless.
    pub async fn cancel_tournament(
        &self,
        tournament_id: impl Into<String>,
        reason: impl Into<String>,
    ) -> Result<wire::Tournament, Error> {
        let request =
            wire::CancelTournamentRequest { tournament_id: tournament_id.into(), reason: reason.into() };
        tournament(call!(self, tournaments.cancel_tournament, request)?.tournament)
    }

    /// Takes an entrant out of a tournament. For the organiser. Doing it twice is harmless.
    pub async fn withdraw_entrant(
        &self,
        tournament_id: impl Into<String>,
        entrant: u32,
    ) -> Result<wire::Standings, Error> {
        let request = wire::WithdrawEntrantRequest { tournament_id: tournament_id.into(), entrant };
        standings(call!(self, tournaments.withdraw_entrant, request)?.standings)
    }

    /// Voids a group of a tournament, which a fresh deal replaces. For the organiser. Doing it twice is harmless.
    pub async fn void_group(
        &self,
        tournament_id: impl Into<String>,
        group: u32,
        reason: impl Into<String>,
    ) -> Result<wire::Standings, Error> {
        let request =
            wire::VoidGroupRequest { tournament_id: tournament_id.into(), group, reason: reason.into() };
        standings(call!(self, tournaments.void_group, request)?.standings)
    }
}

/// A tournament that is being followed, made by [`follow_tournament`](Client::follow_tournament).
///
/// Each message is whole, so a broken connection or a restart of the server is a gap in time and nothing else.
pub struct FollowedTournament {
    rpc: TournamentServiceClient<Transport>,
    limits: Limits,
    tournament_id: String,
    /// The stream that is open, if one is.
    stream: Option<Streaming<wire::FollowTournamentResponse>>,
    backoff: Backoff,
    over: bool,
}

impl FollowedTournament {
    /// How things stand: now, and whenever they have changed. `None` after the tournament is over. Waits for as long as
    /// it takes; an error is one that waiting does not mend.
    pub async fn next(&mut self) -> Result<Option<wire::FollowTournamentResponse>, Error> {
        while !self.over {
            match self.receive().await {
                Ok(message) => {
                    self.over = message.standings.as_ref().is_some_and(is_over);
                    return Ok(Some(message));
                }
                Err(error) if error.is_worth_another_stream() => {
                    let wait = self.backoff.wait(error.retry_after());
                    tracing::debug!(%error, ?wait, "following the tournament goes on after a break");
                    sleep(wait).await;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Waits for one message, over a new stream if there is none.
    async fn receive(&mut self) -> Result<wire::FollowTournamentResponse, Error> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let tournament_id = self.tournament_id.clone();
                let request = Request::new(wire::FollowTournamentRequest { tournament_id });
                let opening = timeout(self.limits.attempt, self.rpc.follow_tournament(request));
                let opened = opening.await.map_err(|_| Error::deadline(self.limits.attempt))?;
                self.stream.insert(opened.map_err(|status| Error::from_status(&status))?.into_inner())
            }
        };
        let received = match stream.message().await {
            Ok(Some(message)) => Ok(message),
            Ok(None) => Err(Error::closed(wire::ErrorReason::ServerStopping, "the server ended the stream")),
            Err(status) => Err(Error::from_status(&status)),
        };
        match received {
            Ok(_) => self.backoff.reset(),
            Err(_) => self.stream = None,
        }
        received
    }
}

/// Whether nothing more will be played.
fn is_over(standings: &wire::Standings) -> bool {
    use wire::TournamentState::{Cancelled, Created, Finished, Paused, Running, Unspecified};
    match standings.state() {
        Finished | Cancelled => true,
        Unspecified | Created | Running | Paused => false,
    }
}

impl fmt::Debug for FollowedTournament {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowedTournament")
            .field("tournament_id", &self.tournament_id)
            .finish_non_exhaustive()
    }
}
