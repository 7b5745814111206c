//! TableService: creating, joining, listing, following and ending tables.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::Stream;
use parlor_engine::Viewer;
use parlor_host::TableId;
use parlor_host::table::{TableSummary, Visibility};
use parlor_host::{Actor, HostError, JoinRequest, ViewerCredential};
use parlor_proto::v1::{self, table_service_server::TableService};
use tonic::{Request, Response, Status, async_trait};

use super::convert::TableCredential;
use super::follow_tables::feed_stream;
use super::guests::{guest_owner, limit_table};
use super::layer::trace::{trace_seat, trace_table};
use super::revocation::until_revoked;
use super::{AppState, Failure, RpcResult, convert};
use crate::identity::{
    ApiKeyError, Caller, Owner, Quota, Scope, TableOwner, VerifiedSeatToken, is_guest_owner,
};

/// Implementation of TableService.
#[derive(Clone, Debug)]
pub struct Tables(pub Arc<AppState>);

/// The caller, if authenticated.
pub(super) fn caller<T>(request: &Request<T>) -> Option<Caller> {
    request.extensions().get::<Caller>().cloned()
}

/// The caller, if authenticated and with this scope.
pub(super) fn with_scope<T>(request: &Request<T>, scope: Scope) -> Result<Caller, Failure> {
    let caller = caller(request).ok_or(ApiKeyError::Missing)?;
    if caller.has_scope(scope) { Ok(caller) } else { Err(Failure::Scope(scope)) }
}

/// The actor for a caller who changes tables.
fn caller_actor(caller: &Caller) -> Actor {
    if caller.has_scope(Scope::Admin) { Actor::Admin } else { Actor::Owner(caller.owner().clone()) }
}

/// The table whose owner token a request was made with.
fn owned_table<T>(request: &Request<T>) -> Option<TableId> {
    request.extensions().get::<TableOwner>().map(|TableOwner(table)| *table)
}

/// The actor of an owner's request: the holder of an owner token, or the caller, who is returned, too.
pub(super) fn owner_of_table<T>(request: &Request<T>) -> Result<(Actor, Option<Caller>), Failure> {
    match owned_table(request) {
        Some(table) => Ok((Actor::TableOwner(table), None)),
        None => {
            let caller = with_scope(request, Scope::Tables)?;
            Ok((caller_actor(&caller), Some(caller)))
        }
    }
}

/// The actor of a request: the holder of a seat token or, without one, the owner.
fn token_or_owner<T>(token: Option<VerifiedSeatToken>, request: &Request<T>) -> Result<Actor, Failure> {
    match token {
        Some(token) => Ok(Actor::Seat(token)),
        None => owner_of_table(request).map(|(actor, _)| actor),
    }
}

fn owns(caller: Option<&Caller>, table: &TableSummary) -> bool {
    caller.is_some_and(|caller| caller.owner().as_str() == table.setup.owner)
}

/// The maker of a new table.
enum Creator {
    Caller(Caller),
    Guest(Owner),
}

/// The requester of a table, by whom it depends whether the answer has what only its owner sees.
struct Requester {
    caller: Option<Caller>,
    /// The table whose owner token was sent.
    owned: Option<TableId>,
}

impl Requester {
    fn of<T>(request: &Request<T>) -> Requester {
        Requester { caller: caller(request), owned: owned_table(request) }
    }

    fn message(&self, table: &TableSummary) -> Option<v1::Table> {
        let is_owned = self.owned == Some(table.setup.table) || owns(self.caller.as_ref(), table);
        Some(convert::table(table, is_owned))
    }
}

impl Tables {
    /// The maker of a new table. A caller without a key is a guest, if the server lets guests in.
    fn creator<T>(&self, request: &Request<T>) -> Result<Creator, Failure> {
        if caller(request).is_some() {
            return with_scope(request, Scope::Tables).map(Creator::Caller);
        }
        self.0.guests.admit()?;
        self.0.guests.take_table(request)?;
        Ok(Creator::Guest(guest_owner(request, &self.0.server_key)))
    }

    /// Maximum open tables of the caller.
    fn table_quota(&self, caller: &Caller) -> u32 {
        caller.tables().map_or(self.0.settings.limits.tables_per_key.get(), Quota::get)
    }

    /// Maximum open tables of the owner of a table for its rematch, which counts against them. For a player, who may be
    /// anybody, the owner's own quota is not known: it is that of every key, or of guests.
    async fn rematch_quota<T>(
        &self,
        request: &Request<T>,
        requester: &Requester,
        table: TableId,
        by_player: bool,
    ) -> Result<u32, Failure> {
        if is_guest_owner(&self.0.host.summary(table).await?.setup.owner) {
            self.0.guests.take_table(request)?;
            return Ok(self.0.guests.max_tables());
        }
        let owner = requester.caller.as_ref().filter(|_| !by_player);
        let default_quota = self.0.settings.limits.tables_per_key.get();
        Ok(owner.map_or(default_quota, |owner| self.table_quota(owner)))
    }

    /// Authorises joining a table; returns true if the caller is its owner or an admin. A private table is
    /// NOT_FOUND for callers who may not see it.
    async fn authorise_join(
        &self,
        requester: &Requester,
        table: TableId,
        join: &JoinRequest,
    ) -> Result<bool, Failure> {
        let Requester { caller, owned } = requester;
        let summary = self.0.host.summary(table).await?;
        let is_owner = |caller: &Caller| {
            caller.has_scope(Scope::Admin)
                || (caller.has_scope(Scope::Tables) && owns(Some(caller), &summary))
        };
        let by_owner = *owned == Some(table) || caller.as_ref().is_some_and(is_owner);
        let has_ticket = join.previous.is_some() || join.invite.is_some();
        let is_hidden = summary.setup.visibility == Visibility::Private && !has_ticket;
        if !by_owner && is_hidden {
            return Err(HostError::NotFound { table }.into());
        }
        if !by_owner && join.seat_request.user.is_some() {
            return Err(HostError::NotOwner { table }.into());
        }
        let is_guests = self.0.guests.are_admitted() && is_guest_owner(&summary.setup.owner);
        match caller {
            _ if by_owner || has_ticket => Ok(by_owner),
            Some(caller) if !caller.has_scope(Scope::Play) => Err(Failure::Scope(Scope::Play)),
            None if !is_guests => Err(ApiKeyError::Missing.into()),
            Some(_) | None => Ok(false),
        }
    }
}

#[async_trait]
impl TableService for Tables {
    async fn create_table(
        &self,
        request: Request<v1::CreateTableRequest>,
    ) -> RpcResult<v1::CreateTableResponse> {
        let creator = self.creator(&request)?;
        let settings = &self.0.settings;
        let request = request.into_inner();
        let may_seed = matches!(&creator, Creator::Caller(caller) if caller.has_scope(Scope::SeededTables));
        if matches!(request.chance, Some(v1::create_table_request::Chance::GivenSeed(_))) && !may_seed {
            return Err(Failure::Scope(Scope::SeededTables).into());
        }
        let by_guest = matches!(creator, Creator::Guest(_));
        let mut new = convert::create_table(request, &settings.table, &settings.bots, by_guest)?;
        self.0.games().check(new.options.game())?;
        let (owner, quota) = match &creator {
            Creator::Caller(caller) => (caller.owner(), self.table_quota(caller)),
            Creator::Guest(owner) => {
                limit_table(&mut new)?;
                (owner, self.0.guests.max_tables())
            }
        };
        let summary = self.0.host.create(owner, quota, new).await.map_err(Failure::from)?;
        let table = summary.setup.table;
        trace_table(table);
        let owner_token = by_guest.then(|| self.0.server_key.owner_token(table).reveal().clone());
        Ok(Response::new(v1::CreateTableResponse {
            table: Some(convert::table(&summary, true)),
            owner_token: owner_token.unwrap_or_default(),
        }))
    }

    async fn join_table(&self, request: Request<v1::JoinTableRequest>) -> RpcResult<v1::JoinTableResponse> {
        let requester = Requester::of(&request);
        let v1::JoinTableRequest { previous_token, invite, .. } = request.get_ref();
        // Checked before the lookup: callers without a key must not learn which tables exist.
        let has_ticket = !previous_token.is_empty() || !invite.is_empty();
        if requester.caller.is_none() && requester.owned.is_none() && !has_ticket {
            self.0.guests.admit()?;
        }
        let (table, mut join) =
            convert::join_table(request.into_inner(), &self.0.server_key, requester.caller.as_ref())?;
        trace_table(table);
        join.by_owner = self.authorise_join(&requester, table, &join).await?;
        let joined = self.0.host.join(table, join).await.map_err(Failure::from)?;
        trace_seat(joined.seat);
        let token = self.0.server_key.seat_token(table, joined.seat, joined.generation);
        Ok(Response::new(v1::JoinTableResponse {
            seat: joined.seat.index() as u32,
            seat_token: token.reveal().clone(),
            table: requester.message(&joined.summary),
        }))
    }

    async fn get_table(&self, request: Request<v1::GetTableRequest>) -> RpcResult<v1::GetTableResponse> {
        let requester = Requester::of(&request);
        let (key, caller) = (&self.0.server_key, requester.caller.as_ref());
        let (credential, texts) = convert::get_table(request.get_ref(), key, caller)?;
        let (summary, viewer) = match credential {
            TableCredential::Invite(invite) => {
                trace_table(invite.table());
                let summary = self.0.host.invited_summary(invite).await.map_err(Failure::from)?;
                (summary, Viewer::Spectator)
            }
            TableCredential::Viewer(mut credential) => {
                trace_table(credential.table());
                if let ViewerCredential::NoToken { table, admin, .. } = &mut credential {
                    *admin |= requester.owned == Some(*table);
                }
                self.0.host.admit(&credential).await.map_err(Failure::from)?
            }
        };
        let result_texts = summary
            .ending
            .as_ref()
            .zip(texts)
            .map(|(ending, lang)| convert::texts::result_texts(ending, lang, viewer));
        Ok(Response::new(v1::GetTableResponse { table: requester.message(&summary), result_texts }))
    }

    async fn list_tables(
        &self,
        request: Request<v1::ListTablesRequest>,
    ) -> RpcResult<v1::ListTablesResponse> {
        let requester = Requester::of(&request);
        let caller = requester.caller.as_ref();
        let convert::TablePage { filter, after, size } = convert::list_tables(request.into_inner(), caller)?;
        filter.game.map_or(Ok(()), |game| self.0.games().check(game))?;
        let (summaries, next) = self.0.host.list_tables(filter, after, size).await.map_err(Failure::from)?;
        Ok(Response::new(v1::ListTablesResponse {
            tables: summaries.iter().filter_map(|table| requester.message(table)).collect(),
            next_page_token: next.map(|table| table.to_string()).unwrap_or_default(),
        }))
    }

    type FollowTablesStream = Pin<Box<dyn Stream<Item = Result<v1::FollowTablesResponse, Status>> + Send>>;

    async fn follow_tables(
        &self,
        request: Request<v1::FollowTablesRequest>,
    ) -> RpcResult<Self::FollowTablesStream> {
        let caller = with_scope(&request, Scope::Tables)?;
        let v1::FollowTablesRequest { after, turns } = request.into_inner();
        let feed = self.0.host.owner_feed(caller.owner(), after).await.map_err(Failure::from)?;
        let turns =
            turns.then(|| self.0.host.turn_feed(caller.owner())).transpose().map_err(Failure::from)?;
        Ok(Response::new(Box::pin(until_revoked(feed_stream(feed, turns), Some(caller)))))
    }

    async fn replace_seat(
        &self,
        request: Request<v1::ReplaceSeatRequest>,
    ) -> RpcResult<v1::ReplaceSeatResponse> {
        let requester = Requester::of(&request);
        let (actor, caller) = owner_of_table(&request)?;
        let convert::ReplaceSeatParams { table, seat, bot, request } =
            convert::replace_seat(request.into_inner(), &self.0.settings.bots, caller.as_ref())?;
        trace_table(table);
        trace_seat(seat);
        let replaced = self.0.host.replace(table, actor, seat, bot, request).await;
        let summary = replaced.map_err(Failure::from)?;
        Ok(Response::new(v1::ReplaceSeatResponse { table: requester.message(&summary) }))
    }

    async fn rematch(&self, request: Request<v1::RematchRequest>) -> RpcResult<v1::RematchResponse> {
        let convert::RematchParams { table, token, rotate } =
            convert::rematch(request.get_ref(), &self.0.server_key)?;
        trace_table(table);
        let requester = Requester::of(&request);
        let actor = token_or_owner(token, &request)?;
        let by_table_owner = matches!(actor, Actor::TableOwner(_));
        let quota = self.rematch_quota(&request, &requester, table, token.is_some()).await?;
        let summary = self.0.host.rematch(table, actor, quota, rotate).await.map_err(Failure::from)?;
        let owner_token =
            by_table_owner.then(|| self.0.server_key.owner_token(summary.setup.table).reveal().clone());
        let owned = owner_token.is_some().then_some(summary.setup.table);
        Ok(Response::new(v1::RematchResponse {
            table: Requester { owned, ..requester }.message(&summary),
            owner_token: owner_token.unwrap_or_default(),
        }))
    }

    async fn resign_seat(
        &self,
        request: Request<v1::ResignSeatRequest>,
    ) -> RpcResult<v1::ResignSeatResponse> {
        let (metadata, extensions, message) = request.into_parts();
        let convert::ResignSeatParams { table, seat, token } =
            convert::resign_seat(message, &self.0.server_key)?;
        trace_table(table);
        trace_seat(seat);
        let actor = token_or_owner(token, &Request::from_parts(metadata, extensions, ()))?;
        self.0.host.resign(table, actor, seat).await.map_err(Failure::from)?;
        Ok(Response::new(v1::ResignSeatResponse {}))
    }

    async fn cancel_table(
        &self,
        request: Request<v1::CancelTableRequest>,
    ) -> RpcResult<v1::CancelTableResponse> {
        let requester = Requester::of(&request);
        let (actor, _) = owner_of_table(&request)?;
        let (table, note) = convert::cancel_table(request.into_inner()).map_err(Failure::from)?;
        trace_table(table);
        let summary = self.0.host.cancel(table, actor, note).await.map_err(Failure::from)?;
        Ok(Response::new(v1::CancelTableResponse { table: requester.message(&summary) }))
    }

    async fn delete_table(
        &self,
        request: Request<v1::DeleteTableRequest>,
    ) -> RpcResult<v1::DeleteTableResponse> {
        let (actor, _) = owner_of_table(&request)?;
        let table = convert::delete_table(request.get_ref()).map_err(Failure::from)?;
        trace_table(table);
        self.0.host.delete(table, actor).await.map_err(Failure::from)?;
        Ok(Response::new(v1::DeleteTableResponse {}))
    }

    async fn create_spectator_token(
        &self,
        request: Request<v1::CreateSpectatorTokenRequest>,
    ) -> RpcResult<v1::CreateSpectatorTokenResponse> {
        let (actor, _) = owner_of_table(&request)?;
        let (table, revoke) = convert::create_spectator_token(request.get_ref()).map_err(Failure::from)?;
        trace_table(table);
        let generation = self.0.host.spectator_generation(table, actor, revoke).await;
        let token = self.0.server_key.spectator_token(table, generation.map_err(Failure::from)?);
        Ok(Response::new(v1::CreateSpectatorTokenResponse { spectator_token: token.reveal().clone() }))
    }

    async fn reissue_seat_token(
        &self,
        request: Request<v1::ReissueSeatTokenRequest>,
    ) -> RpcResult<v1::ReissueSeatTokenResponse> {
        let (actor, caller) = owner_of_table(&request)?;
        let convert::ReissueSeatTokenParams { table, seat, request } =
            convert::reissue_seat_token(request.get_ref(), caller.as_ref()).map_err(Failure::from)?;
        trace_table(table);
        trace_seat(seat);
        let generation = self.0.host.reissue_token(table, actor, seat, request).await;
        let token = self.0.server_key.seat_token(table, seat, generation.map_err(Failure::from)?);
        Ok(Response::new(v1::ReissueSeatTokenResponse { seat_token: token.reveal().clone() }))
    }

    async fn create_invite(
        &self,
        request: Request<v1::CreateInviteRequest>,
    ) -> RpcResult<v1::CreateInviteResponse> {
        self.invite(request).await
    }

    async fn list_invites(
        &self,
        request: Request<v1::ListInvitesRequest>,
    ) -> RpcResult<v1::ListInvitesResponse> {
        self.invites(request).await
    }

    async fn revoke_invite(
        &self,
        request: Request<v1::RevokeInviteRequest>,
    ) -> RpcResult<v1::RevokeInviteResponse> {
        self.revoke(request).await
    }
}
