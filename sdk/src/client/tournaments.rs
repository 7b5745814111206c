//! Tournaments: the calls of the TournamentService.

use std::fmt;
use std::time::Duration;

use futures_util::Stream;
use parlor_proto::v1::tournament_service_client::TournamentServiceClient;
use tokio::time::{sleep, timeout};
use tonic::{Request, Streaming};

use super::Client;
use super::call::{CallLimits, call};
use super::pages::pages;
use crate::connect::Transport;
use crate::entropy;
use crate::error::Reason;
use crate::random::request_id;
use crate::retry::Backoff;
use crate::{Error, wire};

/// The mandatory tournament of a reply.
fn tournament(tournament: Option<wire::Tournament>) -> Result<wire::Tournament, Error> {
    tournament.ok_or_else(|| Error::missing_field("tournament"))
}

/// The shuffle of a tournament.
fn shuffle(tournament: &wire::Tournament) -> wire::TournamentShuffle {
    tournament.shuffle.clone().unwrap_or_default()
}

/// Interval at which a tournament that is starting is asked for the commitments.
const COMMITMENTS_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The mandatory standings of a reply.
fn standings(standings: Option<wire::Standings>) -> Result<wire::Standings, Error> {
    standings.ok_or_else(|| Error::missing_field("standings"))
}

impl Client {
    /// Creates a tournament. Start it with [`start_tournament`](Client::start_tournament).
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use parlor_sdk::wire;
    ///
    /// let house_bot = |name: &str| wire::EntrantSetup {
    ///     entrant: Some(wire::entrant_setup::Entrant::HouseBot(wire::HouseBotSeat { name: name.into() })),
    /// };
    /// let format = wire::tournament_setup::Format::RoundRobin(wire::RoundRobinFormat { groups: 50 });
    /// let setup = wire::TournamentSetup {
    ///     name: "greedy against random".into(),
    ///     game: "gap".into(),
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
        let request = wire::CreateTournamentRequest { request_id: request_id()?, setup: Some(setup) };
        self.create_tournament_with(request).await
    }

    /// Creates a tournament from its full request. A request id of your own makes a repeat after a crash
    /// harmless.
    pub async fn create_tournament_with(
        &self,
        mut request: wire::CreateTournamentRequest,
    ) -> Result<wire::Tournament, Error> {
        if request.request_id.is_empty() {
            request.request_id = request_id()?;
        }
        tournament(call!(self, tournaments.create_tournament, request)?.tournament)
    }

    /// Starts a tournament, contributing 32 random bytes to its shuffles: the start commits to them, and they are revealed
    /// when all agents have committed to theirs. Returns after that, so usually at once, and within the server's time to
    /// reveal. Idempotent; the commitment of the first call counts.
    ///
    /// # Errors
    ///
    /// [`Reason::CommitmentChanged`](crate::Reason::CommitmentChanged) if the tournament shows other commitments than
    /// before.
    pub async fn start_tournament(
        &self,
        tournament_id: impl Into<String>,
    ) -> Result<wire::Tournament, Error> {
        let tournament_id = tournament_id.into();
        let entropy = entropy::draw()?;
        let commitment = entropy::tournament_commitment(&tournament_id, &entropy)?;
        let request = wire::StartTournamentRequest {
            tournament_id: tournament_id.clone(),
            entropy_commitment: commitment.clone(),
        };
        let started = self.start_tournament_with(request).await?;
        let server_commitment = shuffle(&started).commitment;
        let mut current = started;
        // The server bounds the time in which it collects commitments.
        while current.state() == wire::TournamentState::Starting {
            let shown = shuffle(&current);
            if shown.commitment != server_commitment {
                let message = "the server's commitment has changed since the start: entropy is not revealed";
                return Err(Error::new(Reason::CommitmentChanged, message));
            }
            match shown.entropy_commitments.first() {
                Some(own) if *own == commitment => {
                    let (tournament_id, entropy) = (tournament_id.clone(), entropy.clone());
                    let reveal = wire::RevealTournamentEntropyRequest { tournament_id, entropy };
                    call!(self, tournaments.reveal_tournament_entropy, reveal)?;
                    break;
                }
                // An earlier start has committed to something else.
                Some(_) => break,
                None => sleep(COMMITMENTS_POLL_INTERVAL).await,
            }
            current = self.tournament(&tournament_id).await?;
        }
        self.tournament(tournament_id).await
    }

    /// Starts a tournament from its full request. The caller reveals what it commits to, with
    /// [`reveal_tournament_entropy`](Client::reveal_tournament_entropy), once the tournament shows all commitments.
    pub async fn start_tournament_with(
        &self,
        request: wire::StartTournamentRequest,
    ) -> Result<wire::Tournament, Error> {
        tournament(call!(self, tournaments.start_tournament, request)?.tournament)
    }

    /// Reveals the entropy that the organiser committed to with the start. Idempotent.
    pub async fn reveal_tournament_entropy(
        &self,
        tournament_id: impl Into<String>,
        entropy: impl Into<Vec<u8>>,
    ) -> Result<(), Error> {
        let (tournament_id, entropy) = (tournament_id.into(), entropy.into());
        let request = wire::RevealTournamentEntropyRequest { tournament_id, entropy };
        call!(self, tournaments.reveal_tournament_entropy, request).map(|_| ())
    }

    /// Current state of a tournament.
    pub async fn tournament(&self, tournament_id: impl Into<String>) -> Result<wire::Tournament, Error> {
        let request = wire::GetTournamentRequest { tournament_id: tournament_id.into() };
        tournament(call!(self, tournaments.get_tournament, request)?.tournament)
    }

    /// One page of tournaments, newest first, with the token of the next page.
    pub async fn list_tournaments(
        &self,
        request: wire::ListTournamentsRequest,
    ) -> Result<wire::ListTournamentsResponse, Error> {
        call!(self, tournaments.list_tournaments, request)
    }

    /// Standings of a tournament; with `history`, also the ratings after each part of the groups.
    pub async fn standings(
        &self,
        tournament_id: impl Into<String>,
        history: bool,
    ) -> Result<wire::Standings, Error> {
        let request = wire::GetStandingsRequest { tournament_id: tournament_id.into(), history };
        standings(call!(self, tournaments.get_standings, request)?.standings)
    }

    /// Follows a tournament to its end, through reconnects.
    #[must_use]
    pub fn follow_tournament(&self, tournament_id: impl Into<String>) -> TournamentFeed {
        TournamentFeed {
            rpc: self.tournaments.clone(),
            limits: self.limits,
            tournament_id: tournament_id.into(),
            stream: None,
            backoff: Backoff::default(),
            over: false,
        }
    }

    /// All started tables of a tournament, ordered by deal. Pages are fetched on demand.
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

    /// One page of a tournament's tables, with the token of the next page.
    pub async fn list_tournament_tables(
        &self,
        request: wire::ListTournamentTablesRequest,
    ) -> Result<wire::ListTournamentTablesResponse, Error> {
        call!(self, tournaments.list_tournament_tables, request)
    }

    /// Pauses a tournament: no new tables start until it is resumed. For the organiser. Idempotent.
    pub async fn pause_tournament(
        &self,
        tournament_id: impl Into<String>,
    ) -> Result<wire::Tournament, Error> {
        let request = wire::PauseTournamentRequest { tournament_id: tournament_id.into() };
        tournament(call!(self, tournaments.pause_tournament, request)?.tournament)
    }

    /// Resumes a paused tournament. For the organiser. Idempotent.
    pub async fn resume_tournament(
        &self,
        tournament_id: impl Into<String>,
    ) -> Result<wire::Tournament, Error> {
        let request = wire::ResumeTournamentRequest { tournament_id: tournament_id.into() };
        tournament(call!(self, tournaments.resume_tournament, request)?.tournament)
    }

    /// Cancels a tournament; counted groups stay counted. For the organiser. Idempotent.
    pub async fn cancel_tournament(
        &self,
        tournament_id: impl Into<String>,
        reason: impl Into<String>,
    ) -> Result<wire::Tournament, Error> {
        let request =
            wire::CancelTournamentRequest { tournament_id: tournament_id.into(), reason: reason.into() };
        tournament(call!(self, tournaments.cancel_tournament, request)?.tournament)
    }

    /// Withdraws an entrant. For the organiser. Idempotent.
    pub async fn withdraw_entrant(
        &self,
        tournament_id: impl Into<String>,
        entrant: u32,
    ) -> Result<wire::Standings, Error> {
        let request = wire::WithdrawEntrantRequest { tournament_id: tournament_id.into(), entrant };
        standings(call!(self, tournaments.withdraw_entrant, request)?.standings)
    }

    /// Voids a group, which a fresh deal replaces. For the organiser. Idempotent.
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

/// Live standings of a tournament, made by [`follow_tournament`](Client::follow_tournament).
///
/// Each message is complete, so a broken connection or a server restart only causes a delay.
pub struct TournamentFeed {
    rpc: TournamentServiceClient<Transport>,
    limits: CallLimits,
    tournament_id: String,
    /// The open stream, if any.
    stream: Option<Streaming<wire::FollowTournamentResponse>>,
    backoff: Backoff,
    over: bool,
}

impl TournamentFeed {
    /// Waits for the standings: the current ones first, then each change. `None` after the tournament is
    /// over. An error is permanent.
    pub async fn next(&mut self) -> Result<Option<wire::FollowTournamentResponse>, Error> {
        while !self.over {
            match self.receive().await {
                Ok(message) => {
                    self.over = message.standings.as_ref().is_some_and(is_over);
                    return Ok(Some(message));
                }
                Err(error) if error.should_reopen_stream() => {
                    let wait = self.backoff.wait(error.retry_after());
                    tracing::debug!(%error, ?wait, "reopening the stream of standings");
                    sleep(wait).await;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Waits for one message, over a new stream if none is open.
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
            Ok(None) => {
                Err(Error::from_close(wire::ErrorReason::ServerStopping, "the server ended the stream"))
            }
            Err(status) => Err(Error::from_status(&status)),
        };
        match received {
            Ok(_) => self.backoff.reset(),
            Err(_) => self.stream = None,
        }
        received
    }
}

/// True if no more tables will be played.
fn is_over(standings: &wire::Standings) -> bool {
    use wire::TournamentState::{Cancelled, Created, Finished, Paused, Running, Starting, Unspecified};
    match standings.state() {
        Finished | Cancelled => true,
        Unspecified | Created | Starting | Running | Paused => false,
    }
}

impl fmt::Debug for TournamentFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TournamentFeed").field("tournament_id", &self.tournament_id).finish_non_exhaustive()
    }
}
