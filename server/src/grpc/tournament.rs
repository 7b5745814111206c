//! TournamentService: making tournaments, running them, and how things stand in them.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use parlor_proto::convert::InvalidField;
use parlor_proto::v1::{self, tournament_service_server::TournamentService};
use parlor_tournament::plan::TableKey as Place;
use parlor_tournament::{Entrant, InvalidEntry};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, async_trait};

use super::layer::trace::note_tournament;
use super::table::{caller, with_scope};
use super::{AppState, Failure};
use crate::identity::{ApiKeyError, Scope};
use parlor_host::HostError;
use parlor_host::TournamentId;
use parlor_host::tournaments::{
    Access, FinishedTournament, LiveOrStored, TournamentCommand, TournamentError, TournamentFollower,
    TournamentTableRow,
};

use crate::grpc::convert::tournament::{shown_standings, shown_tournament};
use crate::grpc::convert::{self, ToMessage};

/// Tournaments.
#[derive(Clone, Debug)]
pub struct Tournaments(pub Arc<AppState>);

type Answer<T> = Result<Response<T>, Status>;

/// ViewerCredential looks at tournaments. Whoever has no key sees the public ones.
fn looking<T>(request: &Request<T>) -> Access {
    let caller = caller(request);
    let admin = caller.as_ref().is_some_and(|caller| caller.has_scope(Scope::Admin));
    Access { caller: caller.map(|caller| caller.owner().clone()), admin }
}

/// ViewerCredential changes tournaments.
fn organising<T>(request: &Request<T>) -> Result<Access, Failure> {
    with_scope(request, Scope::Tables)?;
    Ok(looking(request))
}

fn tournament_id(text: &str) -> Result<TournamentId, Failure> {
    let id = convert::tournament::tournament_id(text)?;
    note_tournament(id);
    Ok(id)
}

impl Tournaments {
    /// Does something to a tournament of the caller's.
    async fn command<T>(
        &self,
        request: &Request<T>,
        tournament: &str,
        command: TournamentCommand,
    ) -> Result<(TournamentId, Access), Failure> {
        let access = organising(request)?;
        let tournament = tournament_id(tournament)?;
        self.0.tournaments.command(tournament, &access, command).await?;
        Ok((tournament, access))
    }

    async fn get(
        &self,
        tournament: TournamentId,
        access: &Access,
    ) -> Result<Option<v1::Tournament>, Failure> {
        let (tournament, owned) = self.0.tournaments.get(tournament, access).await?;
        Ok(Some(shown_tournament(&tournament, owned)?))
    }

    async fn standings(
        &self,
        tournament: TournamentId,
        access: &Access,
    ) -> Result<Option<v1::Standings>, Failure> {
        let standings = self.0.tournaments.standings(tournament, access, false).await?;
        Ok(Some(shown_standings(&standings, false)?))
    }
}

#[async_trait]
impl TournamentService for Tournaments {
    async fn create_tournament(
        &self,
        request: Request<v1::CreateTournamentRequest>,
    ) -> Answer<v1::CreateTournamentResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        with_scope(&request, Scope::Agents)?;
        let asked = request.into_inner();
        let is_seeded = asked.setup.as_ref().is_some_and(|setup| !setup.given_seed.is_empty());
        if is_seeded && !caller.has_scope(Scope::SeededTables) {
            return Err(Failure::Scope(Scope::SeededTables).into());
        }
        let settings = &self.0.settings;
        let new = convert::create_tournament(asked, &settings.table, &settings.bots)?;
        let made = self.0.tournaments.create(caller.owner(), new).await.map_err(Failure::from)?;
        Ok(Response::new(v1::CreateTournamentResponse { tournament: Some(shown_tournament(&made, true)?) }))
    }

    async fn start_tournament(
        &self,
        request: Request<v1::StartTournamentRequest>,
    ) -> Answer<v1::StartTournamentResponse> {
        let id = &request.get_ref().tournament_id;
        let (id, access) = self.command(&request, id, TournamentCommand::Start).await?;
        Ok(Response::new(v1::StartTournamentResponse { tournament: self.get(id, &access).await? }))
    }

    async fn get_tournament(
        &self,
        request: Request<v1::GetTournamentRequest>,
    ) -> Answer<v1::GetTournamentResponse> {
        let id = tournament_id(&request.get_ref().tournament_id)?;
        Ok(Response::new(v1::GetTournamentResponse { tournament: self.get(id, &looking(&request)).await? }))
    }

    async fn list_tournaments(
        &self,
        request: Request<v1::ListTournamentsRequest>,
    ) -> Answer<v1::ListTournamentsResponse> {
        let (access, asked) = (looking(&request), request.get_ref());
        if asked.owned && access.caller.is_none() {
            return Err(Failure::from(ApiKeyError::Missing).into());
        }
        let size = convert::tournament::page_size(asked.page_size).map_err(Failure::from)?;
        let after = match asked.page_token.as_str() {
            "" => None,
            token => Some(token.parse().map_err(|_| bad_page_token())?),
        };
        let listed = self.0.tournaments.list(&access, asked.owned, after, size).await;
        let (listed, next) = listed.map_err(Failure::from)?;
        let shown = listed.iter().map(|(tournament, owned)| shown_tournament(tournament, *owned));
        let tournaments = shown.collect::<Result<_, _>>()?;
        let next_page_token = next.map(|next| next.to_string()).unwrap_or_default();
        Ok(Response::new(v1::ListTournamentsResponse { tournaments, next_page_token }))
    }

    async fn get_standings(
        &self,
        request: Request<v1::GetStandingsRequest>,
    ) -> Answer<v1::GetStandingsResponse> {
        let (access, asked) = (looking(&request), request.get_ref());
        let id = tournament_id(&asked.tournament_id)?;
        let standings = self.0.tournaments.standings(id, &access, asked.history).await;
        let standings = shown_standings(&standings.map_err(Failure::from)?, asked.history)?;
        let standings = Some(standings);
        Ok(Response::new(v1::GetStandingsResponse { standings }))
    }

    type FollowTournamentStream =
        Pin<Box<dyn Stream<Item = Result<v1::FollowTournamentResponse, Status>> + Send>>;

    async fn follow_tournament(
        &self,
        request: Request<v1::FollowTournamentRequest>,
    ) -> Answer<Self::FollowTournamentStream> {
        let access = looking(&request);
        let id = tournament_id(&request.get_ref().tournament_id)?;
        let (_, owned) = self.0.tournaments.get(id, &access).await.map_err(Failure::from)?;
        let stream = match self.0.tournaments.follow(id, &access).await.map_err(Failure::from)? {
            Ok(follow) => told(follow, owned, self.0.host.stopped()).boxed(),
            Err(FinishedTournament { tournament, standings }) => {
                let last = v1::FollowTournamentResponse {
                    tournament: Some(shown_tournament(&LiveOrStored::Stored(tournament), owned)?),
                    standings: Some(shown_standings(&LiveOrStored::Stored(standings), false)?),
                };
                futures_util::stream::iter([Ok(last)]).boxed()
            }
        };
        Ok(Response::new(stream))
    }

    async fn list_tournament_tables(
        &self,
        request: Request<v1::ListTournamentTablesRequest>,
    ) -> Answer<v1::ListTournamentTablesResponse> {
        let (access, asked) = (looking(&request), request.get_ref());
        let id = tournament_id(&asked.tournament_id)?;
        let size = convert::tournament::page_size(asked.page_size).map_err(Failure::from)?;
        let after = place(&asked.page_token)?;
        let listed = self.0.tournaments.tables(id, &access, after, size).await;
        let (tables, next) = listed.map_err(Failure::from)?;
        Ok(Response::new(v1::ListTournamentTablesResponse {
            tables: tables.into_iter().map(table).collect(),
            next_page_token: next.map(|next| format!("{}.{}", next.group, next.rotation)).unwrap_or_default(),
        }))
    }

    async fn pause_tournament(
        &self,
        request: Request<v1::PauseTournamentRequest>,
    ) -> Answer<v1::PauseTournamentResponse> {
        let id = &request.get_ref().tournament_id;
        let (id, access) = self.command(&request, id, TournamentCommand::Pause).await?;
        Ok(Response::new(v1::PauseTournamentResponse { tournament: self.get(id, &access).await? }))
    }

    async fn resume_tournament(
        &self,
        request: Request<v1::ResumeTournamentRequest>,
    ) -> Answer<v1::ResumeTournamentResponse> {
        let id = &request.get_ref().tournament_id;
        let (id, access) = self.command(&request, id, TournamentCommand::Resume).await?;
        Ok(Response::new(v1::ResumeTournamentResponse { tournament: self.get(id, &access).await? }))
    }

    async fn cancel_tournament(
        &self,
        request: Request<v1::CancelTournamentRequest>,
    ) -> Answer<v1::CancelTournamentResponse> {
        let asked = request.get_ref();
        let reason = convert::tournament::reason(asked.reason.clone(), 0).map_err(Failure::from)?;
        let (id, access) =
            self.command(&request, &asked.tournament_id, TournamentCommand::Cancel { reason }).await?;
        Ok(Response::new(v1::CancelTournamentResponse { tournament: self.get(id, &access).await? }))
    }

    async fn withdraw_entrant(
        &self,
        request: Request<v1::WithdrawEntrantRequest>,
    ) -> Answer<v1::WithdrawEntrantResponse> {
        let asked = request.get_ref();
        // A number that none can have is that of nobody.
        let entrant = Entrant(u16::try_from(asked.entrant).unwrap_or(u16::MAX));
        let (id, access) =
            self.command(&request, &asked.tournament_id, TournamentCommand::Withdraw(entrant)).await?;
        Ok(Response::new(v1::WithdrawEntrantResponse { standings: self.standings(id, &access).await? }))
    }

    async fn void_group(&self, request: Request<v1::VoidGroupRequest>) -> Answer<v1::VoidGroupResponse> {
        let asked = request.get_ref();
        let reason = convert::tournament::reason(asked.reason.clone(), 1).map_err(Failure::from)?;
        let command = TournamentCommand::Void { group: asked.group, reason };
        let (id, access) = self.command(&request, &asked.tournament_id, command).await?;
        Ok(Response::new(v1::VoidGroupResponse { standings: self.standings(id, &access).await? }))
    }
}

fn bad_page_token() -> Failure {
    InvalidField::at("page_token", "must be next_page_token of the page before").into()
}

/// The table that a page ended with.
fn place(token: &str) -> Result<Option<Place>, Failure> {
    if token.is_empty() {
        return Ok(None);
    }
    let parts = token.split_once('.').and_then(|(group, rotation)| {
        Some(Place { group: group.parse().ok()?, rotation: rotation.parse().ok()? })
    });
    parts.map(Some).ok_or_else(bad_page_token)
}

fn table(row: TournamentTableRow) -> v1::TournamentTable {
    let results = row.played.as_ref().map(|played| played.seats.clone()).unwrap_or_default();
    v1::TournamentTable {
        group: row.place.group,
        rotation: row.place.rotation.into(),
        table_id: row.table.to_string(),
        entrants: row.entrants.iter().map(|entrant| entrant.0.into()).collect(),
        round: row.round,
        over: row.played.is_some(),
        has_record: row.is_deal_over && row.played.is_some(),
        results: results.iter().map(ToMessage::to_message).collect(),
        void_reason: row.void_reason,
    }
}

/// How things stand, as messages, until it is over or the server stops.
fn told(
    follow: TournamentFollower,
    owned: bool,
    stopped: CancellationToken,
) -> impl Stream<Item = Result<v1::FollowTournamentResponse, Status>> + Send {
    futures_util::stream::unfold(Some((follow, stopped)), move |following| async move {
        let (mut follow, stopped) = following?;
        let broken = follow.failed();
        let (tournament, standings) = tokio::select! {
            told = follow.next() => told?,
            () = stopped.cancelled() => return Some((Err(Failure::from(HostError::Stopping).into()), None)),
            () = broken => {
                let what = "the tournament cannot be gone on with for now".to_owned();
                return Some((Err(Failure::from(HostError::Fault { reason: what }).into()), None));
            }
        };
        let tournament = tournament.map(|tournament| convert::tournament::tournament(&tournament, owned));
        let standings = Some(convert::standings::standings(&standings));
        let message = v1::FollowTournamentResponse { tournament, standings };
        Some((Ok(message), Some((follow, stopped))))
    })
}

impl From<TournamentError> for Failure {
    fn from(error: TournamentError) -> Failure {
        match error {
            TournamentError::Host(error) => error.into(),
            error => Failure::Tournament(error),
        }
    }
}

/// The reason for programs why a tournament refuses something.
pub(super) fn reason(invalid: &InvalidEntry) -> v1::ErrorReason {
    match invalid {
        InvalidEntry::UnknownEntrant(..) => v1::ErrorReason::EntrantNotFound,
        InvalidEntry::UnknownGroup(..) | InvalidEntry::UnknownTable(..) => v1::ErrorReason::GroupNotFound,
        InvalidEntry::NotStarted
        | InvalidEntry::Over
        | InvalidEntry::TooFewEntrants { .. }
        | InvalidEntry::RoundDecided(_)
        | InvalidEntry::WrongSeats { .. }
        | InvalidEntry::WrongPlace(..)
        | InvalidEntry::ConflictingResult(..)
        | InvalidEntry::NoEffect => v1::ErrorReason::TournamentState,
    }
}
