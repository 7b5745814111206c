//! TableService: creating, joining, listing, following and ending tables.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt, stream};
use parlor_host::TableId;
use parlor_host::table::{TableSummary, Visibility};
use parlor_host::{Actor, HostError, JoinRequest, OwnerFeed};
use parlor_proto::v1::{self, table_service_server::TableService};
use tonic::{Request, Response, Status, async_trait};

use super::layer::trace::{trace_seat, trace_table};
use super::revocation::until_revoked;
use super::{AppState, Failure, RpcResult, convert};
use crate::identity::{ApiKeyError, Caller, Quota, Scope, VerifiedSeatToken};

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

/// The actor of a request: the holder of a seat token or, without one, the calling owner.
fn token_or_caller_actor<T>(
    token: Option<VerifiedSeatToken>,
    request: &Request<T>,
) -> Result<Actor, Failure> {
    match token {
        Some(token) => Ok(Actor::Seat(token)),
        None => with_scope(request, Scope::Tables).map(|caller| caller_actor(&caller)),
    }
}

fn owns(caller: Option<&Caller>, table: &TableSummary) -> bool {
    caller.is_some_and(|caller| caller.owner().as_str() == table.setup.owner)
}

impl Tables {
    fn message(caller: Option<&Caller>, table: &TableSummary) -> Option<v1::Table> {
        Some(convert::table(table, owns(caller, table)))
    }

    /// Maximum open tables of the caller.
    fn table_quota(&self, caller: &Caller) -> u32 {
        caller.tables().map_or(self.0.settings.limits.tables_per_key.get(), Quota::get)
    }

    /// Authorises joining a table; returns true if the caller is its owner or an admin. A private table is
    /// NOT_FOUND for callers who may not see it.
    async fn authorise_join(
        &self,
        caller: Option<&Caller>,
        table: TableId,
        join: &JoinRequest,
    ) -> Result<bool, Failure> {
        let summary = self.0.host.summary(table).await?;
        let is_owner = |caller: &Caller| {
            caller.has_scope(Scope::Admin)
                || (caller.has_scope(Scope::Tables) && owns(Some(caller), &summary))
        };
        let by_owner = caller.is_some_and(is_owner);
        let is_hidden = summary.setup.visibility == Visibility::Private && join.previous.is_none();
        if !by_owner && is_hidden {
            return Err(HostError::NotFound { table }.into());
        }
        if !by_owner && join.seat_request.user.is_some() {
            return Err(HostError::NotOwner { table }.into());
        }
        Ok(by_owner)
    }
}

#[async_trait]
impl TableService for Tables {
    async fn create_table(
        &self,
        request: Request<v1::CreateTableRequest>,
    ) -> RpcResult<v1::CreateTableResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let settings = &self.0.settings;
        let request = request.into_inner();
        if matches!(request.chance, Some(v1::create_table_request::Chance::GivenSeed(_)))
            && !caller.has_scope(Scope::SeededTables)
        {
            return Err(Failure::Scope(Scope::SeededTables).into());
        }
        let new = convert::create_table(request, &settings.table, &settings.bots)?;
        self.0.games().check(new.options.game())?;
        let created = self.0.host.create(caller.owner(), self.table_quota(&caller), new).await;
        let summary = created.map_err(Failure::from)?;
        trace_table(summary.setup.table);
        Ok(Response::new(v1::CreateTableResponse { table: Tables::message(Some(&caller), &summary) }))
    }

    async fn join_table(&self, request: Request<v1::JoinTableRequest>) -> RpcResult<v1::JoinTableResponse> {
        let caller = caller(&request);
        let (table, mut join) =
            convert::join_table(request.into_inner(), &self.0.server_key, caller.as_ref())?;
        trace_table(table);
        // Checked before the lookup: callers without a key must not learn which tables exist.
        if caller.is_none() && join.previous.is_none() {
            return Err(Failure::from(ApiKeyError::Missing).into());
        }
        join.by_owner = self.authorise_join(caller.as_ref(), table, &join).await?;
        let may_play =
            join.previous.is_some() || caller.as_ref().is_some_and(|caller| caller.has_scope(Scope::Play));
        if !join.by_owner && !may_play {
            return Err(Failure::Scope(Scope::Play).into());
        }
        let joined = self.0.host.join(table, join).await.map_err(Failure::from)?;
        trace_seat(joined.seat);
        let token = self.0.server_key.seat_token(table, joined.seat, joined.generation);
        Ok(Response::new(v1::JoinTableResponse {
            seat: joined.seat.index() as u32,
            seat_token: token.reveal().clone(),
            table: Tables::message(caller.as_ref(), &joined.summary),
        }))
    }

    async fn get_table(&self, request: Request<v1::GetTableRequest>) -> RpcResult<v1::GetTableResponse> {
        let caller = caller(&request);
        let (credential, texts) = convert::get_table(request.get_ref(), &self.0.server_key, caller.as_ref())?;
        trace_table(credential.table());
        let (summary, viewer) = self.0.host.admit(&credential).await.map_err(Failure::from)?;
        let result_texts = summary
            .ending
            .as_ref()
            .zip(texts)
            .map(|(ending, lang)| convert::texts::result_texts(ending, lang, viewer));
        Ok(Response::new(v1::GetTableResponse {
            table: Tables::message(caller.as_ref(), &summary),
            result_texts,
        }))
    }

    async fn list_tables(
        &self,
        request: Request<v1::ListTablesRequest>,
    ) -> RpcResult<v1::ListTablesResponse> {
        let caller = caller(&request);
        let convert::TablePage { filter, after, size } =
            convert::list_tables(request.into_inner(), caller.as_ref())?;
        filter.game.map_or(Ok(()), |game| self.0.games().check(game))?;
        let (summaries, next) = self.0.host.list_tables(filter, after, size).await.map_err(Failure::from)?;
        Ok(Response::new(v1::ListTablesResponse {
            tables: summaries.iter().filter_map(|table| Tables::message(caller.as_ref(), table)).collect(),
            next_page_token: next.map(|table| table.to_string()).unwrap_or_default(),
        }))
    }

    type FollowTablesStream = Pin<Box<dyn Stream<Item = Result<v1::FollowTablesResponse, Status>> + Send>>;

    async fn follow_tables(
        &self,
        request: Request<v1::FollowTablesRequest>,
    ) -> RpcResult<Self::FollowTablesStream> {
        let caller = with_scope(&request, Scope::Tables)?;
        let v1::FollowTablesRequest { after } = request.into_inner();
        let feed = self.0.host.owner_feed(caller.owner(), after).await.map_err(Failure::from)?;
        Ok(Response::new(Box::pin(until_revoked(feed_stream(feed), Some(caller)))))
    }

    async fn replace_seat(
        &self,
        request: Request<v1::ReplaceSeatRequest>,
    ) -> RpcResult<v1::ReplaceSeatResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let convert::ReplaceSeatParams { table, seat, bot, request } =
            convert::replace_seat(request.into_inner(), &self.0.settings.bots, &caller)?;
        trace_table(table);
        trace_seat(seat);
        let replaced = self.0.host.replace(table, caller_actor(&caller), seat, bot, request).await;
        let summary = replaced.map_err(Failure::from)?;
        Ok(Response::new(v1::ReplaceSeatResponse { table: Tables::message(Some(&caller), &summary) }))
    }

    async fn rematch(&self, request: Request<v1::RematchRequest>) -> RpcResult<v1::RematchResponse> {
        let convert::RematchParams { table, token, rotate } =
            convert::rematch(request.get_ref(), &self.0.server_key)?;
        trace_table(table);
        let caller = caller(&request);
        let actor = token_or_caller_actor(token, &request)?;
        // The rematch of a player counts against the owner's tables, with the default quota.
        let owner = caller.as_ref().filter(|_| token.is_none());
        let default_quota = self.0.settings.limits.tables_per_key.get();
        let quota = owner.map_or(default_quota, |owner| self.table_quota(owner));
        let summary = self.0.host.rematch(table, actor, quota, rotate).await.map_err(Failure::from)?;
        Ok(Response::new(v1::RematchResponse { table: Tables::message(caller.as_ref(), &summary) }))
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
        let actor = token_or_caller_actor(token, &Request::from_parts(metadata, extensions, ()))?;
        self.0.host.resign(table, actor, seat).await.map_err(Failure::from)?;
        Ok(Response::new(v1::ResignSeatResponse {}))
    }

    async fn cancel_table(
        &self,
        request: Request<v1::CancelTableRequest>,
    ) -> RpcResult<v1::CancelTableResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let (table, note) = convert::cancel_table(request.into_inner()).map_err(Failure::from)?;
        trace_table(table);
        let summary = self.0.host.cancel(table, caller_actor(&caller), note).await.map_err(Failure::from)?;
        Ok(Response::new(v1::CancelTableResponse { table: Tables::message(Some(&caller), &summary) }))
    }

    async fn delete_table(
        &self,
        request: Request<v1::DeleteTableRequest>,
    ) -> RpcResult<v1::DeleteTableResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let table = convert::delete_table(request.get_ref()).map_err(Failure::from)?;
        trace_table(table);
        self.0.host.delete(table, caller_actor(&caller)).await.map_err(Failure::from)?;
        Ok(Response::new(v1::DeleteTableResponse {}))
    }

    async fn create_spectator_token(
        &self,
        request: Request<v1::CreateSpectatorTokenRequest>,
    ) -> RpcResult<v1::CreateSpectatorTokenResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let (table, revoke) = convert::create_spectator_token(request.get_ref()).map_err(Failure::from)?;
        trace_table(table);
        let generation = self.0.host.spectator_generation(table, caller_actor(&caller), revoke).await;
        let token = self.0.server_key.spectator_token(table, generation.map_err(Failure::from)?);
        Ok(Response::new(v1::CreateSpectatorTokenResponse { spectator_token: token.reveal().clone() }))
    }

    async fn reissue_seat_token(
        &self,
        request: Request<v1::ReissueSeatTokenRequest>,
    ) -> RpcResult<v1::ReissueSeatTokenResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let convert::ReissueSeatTokenParams { table, seat, request } =
            convert::reissue_seat_token(request.get_ref(), &caller).map_err(Failure::from)?;
        trace_table(table);
        trace_seat(seat);
        let generation = self.0.host.reissue_token(table, caller_actor(&caller), seat, request).await;
        let token = self.0.server_key.seat_token(table, seat, generation.map_err(Failure::from)?);
        Ok(Response::new(v1::ReissueSeatTokenResponse { seat_token: token.reveal().clone() }))
    }
}

/// The response stream of a feed. The first message comes at once, with the cursor and no items.
fn feed_stream(feed: OwnerFeed) -> impl Stream<Item = Result<v1::FollowTablesResponse, Status>> + Send {
    let first = v1::FollowTablesResponse { news: Vec::new(), number: feed.number() };
    let rest = stream::unfold(Some(feed), |feed| async move {
        let mut feed = feed?;
        match feed.next().await {
            Ok(items) => {
                let news = items.iter().map(convert::table_news).collect();
                let message = v1::FollowTablesResponse { news, number: feed.number() };
                Some((Ok(message), Some(feed)))
            }
            Err(error) => Some((Err(Failure::from(error).into()), None)),
        }
    });
    stream::iter([Ok(first)]).chain(rest)
}
