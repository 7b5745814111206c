//! RecordService: records of finished tables. `replay.rs` has the stream of Replay.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, stream};
use parlor_engine::Viewer;
use parlor_host::table::Replay;
use parlor_host::tournaments::{Access, TournamentError};
use parlor_host::{Host, HostError};
use parlor_host::{TableId, TournamentId};
use parlor_proto::v1::{self, record_service_server::RecordService};
use prost::Message;
use tonic::{Request, Response, Status, async_trait};

use super::layer::trace::trace_table;
use super::replay::replay_stream;
use super::table::caller;
use super::{AppState, Failure, RpcResult};
use crate::grpc::convert::{self, tournament::tournament_message};
use crate::identity::{Caller, Scope, SigningKeys};

/// Maximum bytes of the records or steps in one message of a stream. A single larger one is sent alone.
pub(super) const MAX_BATCH_BYTES: usize = 256 << 10;

/// Implementation of RecordService.
#[derive(Clone, Debug)]
pub struct Records(pub Arc<AppState>);

impl Records {
    /// The shuffle of a tournament with its seed, for any caller; `None` until the tournament is over.
    async fn revealed_shuffle(
        &self,
        tournament: TournamentId,
    ) -> Result<Option<v1::TournamentShuffle>, Failure> {
        let access = Access { caller: None, admin: true };
        let shuffle = match self.0.tournaments.get(tournament, &access).await {
            Ok((tournament, _)) => tournament_message(&tournament, false)?.shuffle,
            // The record of a table is valid without the proof.
            Err(TournamentError::NotFound { .. } | TournamentError::Damaged { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(shuffle.filter(|shuffle| !shuffle.server_seed.is_empty()))
    }
}

#[async_trait]
impl RecordService for Records {
    async fn get_record(&self, request: Request<v1::GetRecordRequest>) -> RpcResult<v1::GetRecordResponse> {
        let caller = caller(&request);
        let convert::GetRecordParams { credential, viewer, texts } =
            convert::get_record(request.into_inner(), &self.0.server_key, caller.as_ref())?;
        trace_table(credential.table());
        let (record, viewer) = self.0.host.record(&credential, viewer).await.map_err(Failure::from)?;
        let mut message = convert::record(&record, viewer, texts);
        if let Some(deal) = record.summary.setup.chance.deal() {
            let proof = self.revealed_shuffle(deal.tournament).await?;
            convert::prove_deal(&mut message, proof.as_ref());
        }
        convert::sign_record(&mut message, &self.0.signing_keys);
        Ok(Response::new(v1::GetRecordResponse { record: Some(message) }))
    }

    async fn list_records(
        &self,
        request: Request<v1::ListRecordsRequest>,
    ) -> RpcResult<v1::ListRecordsResponse> {
        let caller = caller(&request);
        let convert::TablePage { filter, after, size } =
            convert::list_records(request.into_inner(), caller.as_ref())?;
        filter.game.map_or(Ok(()), |game| self.0.games().check(game))?;
        let (summaries, next) = self.0.host.list_tables(filter, after, size).await.map_err(Failure::from)?;
        let deals = self.0.host.deals();
        let visible = summaries.iter().filter(|table| deals.check(table.setup.chance.deal()).is_ok());
        Ok(Response::new(v1::ListRecordsResponse {
            records: visible.map(convert::record_summary).collect(),
            next_page_token: next.map(|table| table.to_string()).unwrap_or_default(),
        }))
    }

    type ReplayStream = Pin<Box<dyn Stream<Item = Result<v1::ReplayResponse, Status>> + Send>>;

    async fn replay(&self, request: Request<v1::ReplayRequest>) -> RpcResult<Self::ReplayStream> {
        let caller = caller(&request);
        let convert::ReplayParams { credential, viewer, lang, first_step } =
            convert::replay(request.into_inner(), &self.0.server_key, caller.as_ref())?;
        trace_table(credential.table());
        let (record, viewer) = self.0.host.record(&credential, viewer).await.map_err(Failure::from)?;
        let stream = replay_stream(Replay::new(record, viewer), lang, first_step)?;
        Ok(Response::new(Box::pin(stream)))
    }

    type ExportRecordsStream = Pin<Box<dyn Stream<Item = Result<v1::ExportRecordsResponse, Status>> + Send>>;

    async fn export_records(
        &self,
        request: Request<v1::ExportRecordsRequest>,
    ) -> RpcResult<Self::ExportRecordsStream> {
        let caller = caller(&request);
        let (tournament, viewer) = convert::export_records(request.into_inner()).map_err(Failure::from)?;
        let admin = caller.as_ref().is_some_and(|caller| caller.has_scope(Scope::Admin));
        let owner = caller.as_ref().map(Caller::owner);
        let tables = self.0.host.tournament_tables(tournament, owner, admin).await.map_err(Failure::from)?;
        let proof = self.revealed_shuffle(tournament).await?;
        let (host, tables) = (self.0.host.clone(), tables.into_iter());
        let manifest = Some(convert::ManifestBuilder::new(tournament, viewer, proof.is_some()));
        let keys = self.0.signing_keys.clone();
        let export = RecordExport { host, tables, viewer, proof, keys, manifest, next: None };
        Ok(Response::new(Box::pin(export_stream(export))))
    }
}

/// State of an export. Records are read one at a time as the client reads, so a slow client needs no more
/// memory.
struct RecordExport {
    host: Host,
    tables: std::vec::IntoIter<TableId>,
    viewer: Option<Viewer>,
    /// The shuffle of the tournament with its seed, if it is over.
    proof: Option<v1::TournamentShuffle>,
    /// Sign the records and the manifest.
    keys: Arc<SigningKeys>,
    /// The manifest of the records so far; `None` once it was sent.
    manifest: Option<convert::ManifestBuilder>,
    /// A record that did not fit into the previous message.
    next: Option<v1::Record>,
}

impl RecordExport {
    /// The next visible record; `None` after the last.
    async fn next_record(&mut self) -> Result<Option<v1::Record>, Failure> {
        if self.next.is_some() {
            return Ok(self.next.take());
        }
        for table in self.tables.by_ref() {
            match self.host.load_record(table, self.viewer).await {
                Ok(record) => {
                    let mut message = convert::record(&record, self.viewer, None);
                    convert::prove_deal(&mut message, self.proof.as_ref());
                    convert::sign_record(&mut message, &self.keys);
                    return Ok(Some(message));
                }
                // Other tables of the deal are still playing, or the table was just deleted.
                Err(HostError::DealNotOver { .. } | HostError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// The next message; `None` after the last.
    async fn next_message(&mut self) -> Result<Option<v1::ExportRecordsResponse>, Failure> {
        let (mut records, mut bytes) = (Vec::new(), 0);
        while let Some(record) = self.next_record().await? {
            bytes += record.encoded_len();
            if bytes > MAX_BATCH_BYTES && !records.is_empty() {
                self.next = Some(record);
                return Ok(Some(v1::ExportRecordsResponse { records, manifest: None }));
            }
            if let Some(manifest) = &mut self.manifest {
                manifest.add(&record);
            }
            records.push(record);
        }
        let manifest = self.manifest.take().map(|manifest| manifest.sign(&self.keys));
        Ok(manifest.map(|manifest| v1::ExportRecordsResponse { records, manifest: Some(manifest) }))
    }
}

/// The response stream of an export.
fn export_stream(
    export: RecordExport,
) -> impl Stream<Item = Result<v1::ExportRecordsResponse, Status>> + Send {
    stream::unfold(Some(export), |export| async move {
        let mut export = export?;
        match export.next_message().await {
            Ok(message) => message.map(|message| (Ok(message), Some(export))),
            Err(failure) => Some((Err(failure.into()), None)),
        }
    })
}
