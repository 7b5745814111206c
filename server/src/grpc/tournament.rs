//! TournamentService: creating, controlling, listing and following tournaments.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt, stream};
use parlor_host::HostError;
use parlor_host::TournamentId;
use parlor_host::tournaments::{
    Access, FinishedTournament, LiveOrStored, TournamentCommand, TournamentFollower,
};
use parlor_proto::v1::{self, tournament_service_server::TournamentService};
use parlor_tournament::Entrant;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, async_trait};

use super::layer::trace::trace_tournament;
use super::revocation::until_revoked;
use super::table::{caller, with_scope};
use super::{AppState, Failure, RpcResult};
use crate::grpc::convert;
use crate::grpc::convert::tournament::{standings_message, tournament_message};
use crate::grpc::convert::tournament_table::{parse_table_cursor, table_cursor, tournament_table};
use crate::identity::{ApiKeyError, Scope};

/// Implementation of TournamentService.
#[derive(Clone, Debug)]
pub struct Tournaments(pub Arc<AppState>);

/// Read access of a caller. Callers without a key see the public tournaments.
fn read_access<T>(request: &Request<T>) -> Access {
    let caller = caller(request);
    let admin = caller.as_ref().is_some_and(|caller| caller.has_scope(Scope::Admin));
    Access { caller: caller.map(|caller| caller.owner().clone()), admin }
}

/// Write access of a caller, who needs the scope `tables`.
fn write_access<T>(request: &Request<T>) -> Result<Access, Failure> {
    with_scope(request, Scope::Tables)?;
    Ok(read_access(request))
}

fn tournament_id(text: &str) -> Result<TournamentId, Failure> {
    let id = convert::tournament::tournament_id(text)?;
    trace_tournament(id);
    Ok(id)
}

impl Tournaments {
    /// Carries out a command on a tournament of the caller.
    async fn command<T>(
        &self,
        request: &Request<T>,
        tournament: &str,
        command: TournamentCommand,
    ) -> Result<(TournamentId, Access), Failure> {
        let access = write_access(request)?;
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
        Ok(Some(tournament_message(&tournament, owned)?))
    }

    async fn standings(
        &self,
        tournament: TournamentId,
        access: &Access,
    ) -> Result<Option<v1::Standings>, Failure> {
        let standings = self.0.tournaments.standings(tournament, access, false).await?;
        Ok(Some(standings_message(&standings, false)?))
    }
}

#[async_trait]
impl TournamentService for Tournaments {
    async fn create_tournament(
        &self,
        request: Request<v1::CreateTournamentRequest>,
    ) -> RpcResult<v1::CreateTournamentResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        with_scope(&request, Scope::Agents)?;
        let request = request.into_inner();
        let is_seeded = request.setup.as_ref().is_some_and(|setup| !setup.given_seed.is_empty());
        if is_seeded && !caller.has_scope(Scope::SeededTables) {
            return Err(Failure::Scope(Scope::SeededTables).into());
        }
        let settings = &self.0.settings;
        let new = convert::create_tournament(request, &settings.table, &settings.bots)?;
        self.0.games().check(new.terms.options.game())?;
        let created = self.0.tournaments.create(caller.owner(), new).await.map_err(Failure::from)?;
        Ok(Response::new(v1::CreateTournamentResponse {
            tournament: Some(tournament_message(&created, true)?),
        }))
    }

    async fn start_tournament(
        &self,
        request: Request<v1::StartTournamentRequest>,
    ) -> RpcResult<v1::StartTournamentResponse> {
        let v1::StartTournamentRequest { tournament_id: id, entropy_commitment } = request.get_ref();
        let commitment = convert::entropy_commitment(entropy_commitment, "entropy_commitment");
        let start = TournamentCommand::Start { commitment: commitment.map_err(Failure::from)? };
        let (id, access) = self.command(&request, id, start).await?;
        Ok(Response::new(v1::StartTournamentResponse { tournament: self.get(id, &access).await? }))
    }

    async fn reveal_tournament_entropy(
        &self,
        request: Request<v1::RevealTournamentEntropyRequest>,
    ) -> RpcResult<v1::RevealTournamentEntropyResponse> {
        let v1::RevealTournamentEntropyRequest { tournament_id: id, entropy } = request.get_ref();
        let entropy = convert::revealed_entropy(entropy, "entropy").map_err(Failure::from)?;
        self.command(&request, id, TournamentCommand::Reveal { entropy }).await?;
        Ok(Response::new(v1::RevealTournamentEntropyResponse {}))
    }

    async fn get_tournament(
        &self,
        request: Request<v1::GetTournamentRequest>,
    ) -> RpcResult<v1::GetTournamentResponse> {
        let id = tournament_id(&request.get_ref().tournament_id)?;
        Ok(Response::new(v1::GetTournamentResponse {
            tournament: self.get(id, &read_access(&request)).await?,
        }))
    }

    async fn list_tournaments(
        &self,
        request: Request<v1::ListTournamentsRequest>,
    ) -> RpcResult<v1::ListTournamentsResponse> {
        let access = read_access(&request);
        let v1::ListTournamentsRequest { owned, page_size, page_token } = request.into_inner();
        if owned && access.caller.is_none() {
            return Err(Failure::from(ApiKeyError::Missing).into());
        }
        let size = convert::tournament::page_size(page_size).map_err(Failure::from)?;
        let after = convert::page_token(&page_token).map_err(Failure::from)?;
        let page = self.0.tournaments.list(&access, owned, after, size).await;
        let (page, next) = page.map_err(Failure::from)?;
        let messages = page.iter().map(|(tournament, owned)| tournament_message(tournament, *owned));
        let tournaments = messages.collect::<Result<_, _>>()?;
        let next_page_token = next.map(|next| next.to_string()).unwrap_or_default();
        Ok(Response::new(v1::ListTournamentsResponse { tournaments, next_page_token }))
    }

    async fn get_standings(
        &self,
        request: Request<v1::GetStandingsRequest>,
    ) -> RpcResult<v1::GetStandingsResponse> {
        let access = read_access(&request);
        let v1::GetStandingsRequest { tournament_id: id, history } = request.into_inner();
        let id = tournament_id(&id)?;
        let standings = self.0.tournaments.standings(id, &access, history).await;
        let standings = standings_message(&standings.map_err(Failure::from)?, history)?;
        Ok(Response::new(v1::GetStandingsResponse { standings: Some(standings) }))
    }

    type FollowTournamentStream =
        Pin<Box<dyn Stream<Item = Result<v1::FollowTournamentResponse, Status>> + Send>>;

    async fn follow_tournament(
        &self,
        request: Request<v1::FollowTournamentRequest>,
    ) -> RpcResult<Self::FollowTournamentStream> {
        let access = read_access(&request);
        let id = tournament_id(&request.get_ref().tournament_id)?;
        let (_, owned) = self.0.tournaments.get(id, &access).await.map_err(Failure::from)?;
        let stream = match self.0.tournaments.follow(id, &access).await.map_err(Failure::from)? {
            Ok(follower) => {
                let stream = follow_stream(follower, owned, self.0.host.stopped());
                until_revoked(stream, caller(&request)).boxed()
            }
            Err(FinishedTournament { tournament, standings }) => {
                let last = v1::FollowTournamentResponse {
                    tournament: Some(tournament_message(&LiveOrStored::Stored(tournament), owned)?),
                    standings: Some(standings_message(&LiveOrStored::Stored(standings), false)?),
                };
                stream::iter([Ok(last)]).boxed()
            }
        };
        Ok(Response::new(stream))
    }

    async fn list_tournament_tables(
        &self,
        request: Request<v1::ListTournamentTablesRequest>,
    ) -> RpcResult<v1::ListTournamentTablesResponse> {
        let access = read_access(&request);
        let v1::ListTournamentTablesRequest { tournament_id: id, page_size, page_token } =
            request.into_inner();
        let id = tournament_id(&id)?;
        let size = convert::tournament::page_size(page_size).map_err(Failure::from)?;
        let after = parse_table_cursor(&page_token).map_err(Failure::from)?;
        let page = self.0.tournaments.tables(id, &access, after, size).await;
        let (tables, next) = page.map_err(Failure::from)?;
        Ok(Response::new(v1::ListTournamentTablesResponse {
            tables: tables.into_iter().map(tournament_table).collect(),
            next_page_token: next.map(table_cursor).unwrap_or_default(),
        }))
    }

    async fn pause_tournament(
        &self,
        request: Request<v1::PauseTournamentRequest>,
    ) -> RpcResult<v1::PauseTournamentResponse> {
        let id = &request.get_ref().tournament_id;
        let (id, access) = self.command(&request, id, TournamentCommand::Pause).await?;
        Ok(Response::new(v1::PauseTournamentResponse { tournament: self.get(id, &access).await? }))
    }

    async fn resume_tournament(
        &self,
        request: Request<v1::ResumeTournamentRequest>,
    ) -> RpcResult<v1::ResumeTournamentResponse> {
        let id = &request.get_ref().tournament_id;
        let (id, access) = self.command(&request, id, TournamentCommand::Resume).await?;
        Ok(Response::new(v1::ResumeTournamentResponse { tournament: self.get(id, &access).await? }))
    }

    async fn cancel_tournament(
        &self,
        request: Request<v1::CancelTournamentRequest>,
    ) -> RpcResult<v1::CancelTournamentResponse> {
        let v1::CancelTournamentRequest { tournament_id, reason } = request.get_ref();
        let reason = convert::tournament::reason(reason.clone(), 0).map_err(Failure::from)?;
        let (id, access) =
            self.command(&request, tournament_id, TournamentCommand::Cancel { reason }).await?;
        Ok(Response::new(v1::CancelTournamentResponse { tournament: self.get(id, &access).await? }))
    }

    async fn withdraw_entrant(
        &self,
        request: Request<v1::WithdrawEntrantRequest>,
    ) -> RpcResult<v1::WithdrawEntrantResponse> {
        let v1::WithdrawEntrantRequest { tournament_id, entrant } = request.get_ref();
        // A number above the maximum is an unknown entrant.
        let entrant = Entrant(u16::try_from(*entrant).unwrap_or(u16::MAX));
        let (id, access) =
            self.command(&request, tournament_id, TournamentCommand::Withdraw(entrant)).await?;
        Ok(Response::new(v1::WithdrawEntrantResponse { standings: self.standings(id, &access).await? }))
    }

    async fn void_group(&self, request: Request<v1::VoidGroupRequest>) -> RpcResult<v1::VoidGroupResponse> {
        let v1::VoidGroupRequest { tournament_id, group, reason } = request.get_ref();
        let reason = convert::tournament::reason(reason.clone(), 1).map_err(Failure::from)?;
        let command = TournamentCommand::Void { group: *group, reason };
        let (id, access) = self.command(&request, tournament_id, command).await?;
        Ok(Response::new(v1::VoidGroupResponse { standings: self.standings(id, &access).await? }))
    }
}

/// The response stream of a follower: tournament and standings after each change, until the tournament is
/// over or the server stops.
fn follow_stream(
    follower: TournamentFollower,
    owned: bool,
    stopped: CancellationToken,
) -> impl Stream<Item = Result<v1::FollowTournamentResponse, Status>> + Send {
    stream::unfold(Some((follower, stopped)), move |state| async move {
        let (mut follower, stopped) = state?;
        let broken = follower.failed();
        let (tournament, standings) = tokio::select! {
            update = follower.next() => update?,
            () = stopped.cancelled() => return Some((Err(Failure::from(HostError::Stopping).into()), None)),
            () = broken => {
                let what = "the tournament cannot be continued for now".to_owned();
                return Some((Err(Failure::from(HostError::Fault { reason: what }).into()), None));
            }
        };
        let tournament = tournament.map(|tournament| convert::tournament::tournament(&tournament, owned));
        let standings = Some(convert::standings::standings(&standings));
        let message = v1::FollowTournamentResponse { tournament, standings };
        Some((Ok(message), Some((follower, stopped))))
    })
}
