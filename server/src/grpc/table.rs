//! TableService: making tables, taking seats, finding and following tables, ending them.

use std::sync::Arc;

use futures_util::Stream;
use parlor_proto::v1::{self, table_service_server::TableService};
use tonic::{Request, Response, Status, async_trait};

use super::layer::trace::{note_seat, note_table};
use super::{AppState, Failure};
use crate::identity::{ApiKeyError, Caller, Quota, Scope, VerifiedSeatToken};
use parlor_host::TableId;
use parlor_host::table::{TableSummary, Visibility};
use parlor_host::{Actor, HostError, JoinRequest, OwnerFeed};

use crate::grpc::convert;

/// Tables.
#[derive(Clone, Debug)]
pub struct Tables(pub Arc<AppState>);

type Answer<T> = Result<Response<T>, Status>;

/// ViewerCredential calls, if that is known.
pub(super) fn caller<T>(request: &Request<T>) -> Option<Caller> {
    request.extensions().get::<Caller>().cloned()
}

/// ViewerCredential calls, and may do this.
pub(super) fn with_scope<T>(request: &Request<T>, scope: Scope) -> Result<Caller, Failure> {
    let caller = caller(request).ok_or(ApiKeyError::Missing)?;
    if caller.has_scope(scope) { Ok(caller) } else { Err(Failure::Scope(scope)) }
}

/// On whose behalf the caller changes tables.
fn behalf(caller: &Caller) -> Actor {
    if caller.has_scope(Scope::Admin) { Actor::Admin } else { Actor::Owner(caller.owner().clone()) }
}

/// On whose behalf something is done: the holder's of a token or, without one, the owner's.
fn behalf_of<T>(pass: Option<VerifiedSeatToken>, request: &Request<T>) -> Result<Actor, Failure> {
    match pass {
        Some(pass) => Ok(Actor::Seat(pass)),
        None => with_scope(request, Scope::Tables).map(|caller| behalf(&caller)),
    }
}

fn owns(caller: Option<&Caller>, look: &TableSummary) -> bool {
    caller.is_some_and(|caller| caller.owner().as_str() == look.setup.owner)
}

impl Tables {
    fn shown(caller: Option<&Caller>, look: &TableSummary) -> Option<v1::Table> {
        Some(convert::table(look, owns(caller, look)))
    }

    /// How many tables the caller may have open.
    fn quota(&self, caller: &Caller) -> u32 {
        caller.tables().map_or(self.0.settings.limits.tables_per_key.get(), Quota::get)
    }

    /// Whether the caller hands out the seats of the table. Whoever may not see it does not learn that it is there.
    async fn hands_out(
        &self,
        caller: Option<&Caller>,
        table: TableId,
        join: &JoinRequest,
    ) -> Result<bool, Failure> {
        let look = self.0.host.summary(table).await?;
        let runs_it = |caller: &Caller| {
            caller.has_scope(Scope::Admin) || (caller.has_scope(Scope::Tables) && owns(Some(caller), &look))
        };
        let by_owner = caller.is_some_and(runs_it);
        let is_hidden = look.setup.visibility == Visibility::Private && join.previous.is_none();
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
    ) -> Answer<v1::CreateTableResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let settings = &self.0.settings;
        let asked = request.into_inner();
        if matches!(asked.chance, Some(v1::create_table_request::Chance::GivenSeed(_)))
            && !caller.has_scope(Scope::SeededTables)
        {
            return Err(Failure::Scope(Scope::SeededTables).into());
        }
        let new = convert::create_table(asked, &settings.table, &settings.bots)?;
        let made = self.0.host.create(caller.owner(), self.quota(&caller), new).await;
        let look = made.map_err(Failure::from)?;
        note_table(look.setup.table);
        Ok(Response::new(v1::CreateTableResponse { table: Tables::shown(Some(&caller), &look) }))
    }

    async fn join_table(&self, request: Request<v1::JoinTableRequest>) -> Answer<v1::JoinTableResponse> {
        let caller = caller(&request);
        let (table, mut join) = convert::join_table(request.into_inner(), &self.0.server_key)?;
        note_table(table);
        // Before the table is looked at: nobody learns without a key which tables there are.
        if caller.is_none() && join.previous.is_none() {
            return Err(Failure::from(ApiKeyError::Missing).into());
        }
        join.by_owner = self.hands_out(caller.as_ref(), table, &join).await?;
        let may_play =
            join.previous.is_some() || caller.as_ref().is_some_and(|caller| caller.has_scope(Scope::Play));
        if !join.by_owner && !may_play {
            return Err(Failure::Scope(Scope::Play).into());
        }
        let joined = self.0.host.join(table, join).await.map_err(Failure::from)?;
        note_seat(joined.seat);
        let token = self.0.server_key.seat_token(table, joined.seat, joined.generation);
        Ok(Response::new(v1::JoinTableResponse {
            seat: joined.seat.index() as u32,
            seat_token: token.reveal().clone(),
            table: Tables::shown(caller.as_ref(), &joined.summary),
        }))
    }

    async fn get_table(&self, request: Request<v1::GetTableRequest>) -> Answer<v1::GetTableResponse> {
        let caller = caller(&request);
        let who = convert::get_table(request.get_ref(), &self.0.server_key, caller.as_ref())?;
        note_table(who.table());
        let (look, _) = self.0.host.admit(&who).await.map_err(Failure::from)?;
        Ok(Response::new(v1::GetTableResponse { table: Tables::shown(caller.as_ref(), &look) }))
    }

    async fn list_tables(&self, request: Request<v1::ListTablesRequest>) -> Answer<v1::ListTablesResponse> {
        let caller = caller(&request);
        let convert::Listing { filter, after, size } =
            convert::list_tables(request.into_inner(), caller.as_ref())?;
        let (looks, next) = self.0.host.list_tables(filter, after, size).await.map_err(Failure::from)?;
        Ok(Response::new(v1::ListTablesResponse {
            tables: looks.iter().filter_map(|look| Tables::shown(caller.as_ref(), look)).collect(),
            next_page_token: next.map(|table| table.to_string()).unwrap_or_default(),
        }))
    }

    type FollowTablesStream =
        std::pin::Pin<Box<dyn Stream<Item = Result<v1::FollowTablesResponse, Status>> + Send>>;

    async fn follow_tables(
        &self,
        request: Request<v1::FollowTablesRequest>,
    ) -> Answer<Self::FollowTablesStream> {
        let caller = with_scope(&request, Scope::Tables)?;
        let after = request.into_inner().after;
        let news = self.0.host.owner_feed(caller.owner(), after).await.map_err(Failure::from)?;
        Ok(Response::new(Box::pin(told(news))))
    }

    async fn replace_seat(
        &self,
        request: Request<v1::ReplaceSeatRequest>,
    ) -> Answer<v1::ReplaceSeatResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let convert::Replacing { table, seat, bot, request } =
            convert::replace_seat(request.into_inner(), &self.0.settings.bots)?;
        note_table(table);
        note_seat(seat);
        let replaced = self.0.host.replace(table, behalf(&caller), seat, bot, request).await;
        let look = replaced.map_err(Failure::from)?;
        Ok(Response::new(v1::ReplaceSeatResponse { table: Tables::shown(Some(&caller), &look) }))
    }

    async fn rematch(&self, request: Request<v1::RematchRequest>) -> Answer<v1::RematchResponse> {
        let convert::Rematching { table, pass, rotate } =
            convert::rematch(request.get_ref(), &self.0.server_key)?;
        note_table(table);
        let caller = caller(&request);
        let behalf = behalf_of(pass, &request)?;
        // A player makes it on the owner's account, within what any owner may have.
        let own = caller.as_ref().filter(|_| pass.is_none());
        let quota = own.map_or(self.0.settings.limits.tables_per_key.get(), |own| self.quota(own));
        let look = self.0.host.rematch(table, behalf, quota, rotate).await.map_err(Failure::from)?;
        Ok(Response::new(v1::RematchResponse { table: Tables::shown(caller.as_ref(), &look) }))
    }

    async fn resign_seat(&self, request: Request<v1::ResignSeatRequest>) -> Answer<v1::ResignSeatResponse> {
        let (metadata, extensions, asked) = request.into_parts();
        let convert::Resigning { table, seat, pass } = convert::resign_seat(asked, &self.0.server_key)?;
        note_table(table);
        note_seat(seat);
        let behalf = behalf_of(pass, &Request::from_parts(metadata, extensions, ()))?;
        self.0.host.resign(table, behalf, seat).await.map_err(Failure::from)?;
        Ok(Response::new(v1::ResignSeatResponse {}))
    }

    async fn cancel_table(
        &self,
        request: Request<v1::CancelTableRequest>,
    ) -> Answer<v1::CancelTableResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let (table, note) = convert::cancel_table(request.into_inner()).map_err(Failure::from)?;
        note_table(table);
        let look = self.0.host.cancel(table, behalf(&caller), note).await.map_err(Failure::from)?;
        Ok(Response::new(v1::CancelTableResponse { table: Tables::shown(Some(&caller), &look) }))
    }

    async fn delete_table(
        &self,
        request: Request<v1::DeleteTableRequest>,
    ) -> Answer<v1::DeleteTableResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let table = convert::delete_table(request.get_ref()).map_err(Failure::from)?;
        note_table(table);
        self.0.host.delete(table, behalf(&caller)).await.map_err(Failure::from)?;
        Ok(Response::new(v1::DeleteTableResponse {}))
    }

    async fn create_spectator_token(
        &self,
        request: Request<v1::CreateSpectatorTokenRequest>,
    ) -> Answer<v1::CreateSpectatorTokenResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let (table, revoke) = convert::create_spectator_token(request.get_ref()).map_err(Failure::from)?;
        note_table(table);
        let generation = self.0.host.spectator_generation(table, behalf(&caller), revoke).await;
        let token = self.0.server_key.spectator_token(table, generation.map_err(Failure::from)?);
        Ok(Response::new(v1::CreateSpectatorTokenResponse { spectator_token: token.reveal().clone() }))
    }

    async fn reissue_seat_token(
        &self,
        request: Request<v1::ReissueSeatTokenRequest>,
    ) -> Answer<v1::ReissueSeatTokenResponse> {
        let caller = with_scope(&request, Scope::Tables)?;
        let convert::Reissuing { table, seat, request } =
            convert::reissue_seat_token(request.get_ref()).map_err(Failure::from)?;
        note_table(table);
        note_seat(seat);
        let generation = self.0.host.reissue_token(table, behalf(&caller), seat, request).await;
        let token = self.0.server_key.seat_token(table, seat, generation.map_err(Failure::from)?);
        Ok(Response::new(v1::ReissueSeatTokenResponse { seat_token: token.reveal().clone() }))
    }
}

/// The news as messages. The first one comes at once, and says where the client is.
fn told(news: OwnerFeed) -> impl Stream<Item = Result<v1::FollowTablesResponse, Status>> + Send {
    let here = v1::FollowTablesResponse { news: Vec::new(), number: news.number() };
    let rest = futures_util::stream::unfold(Some(news), |news| async move {
        let mut news = news?;
        match news.next().await {
            Ok(items) => {
                let items = items.iter().map(convert::news).collect();
                let message = v1::FollowTablesResponse { news: items, number: news.number() };
                Some((Ok(message), Some(news)))
            }
            Err(error) => Some((Err(Failure::from(error).into()), None)),
        }
    });
    futures_util::StreamExt::chain(futures_util::stream::iter([Ok(here)]), rest)
}
