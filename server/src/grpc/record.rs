//! RecordService: the records of tables that are over.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, stream};
use parlor_engine::Viewer;
use parlor_proto::v1::{self, record_service_server::RecordService};
use prost::Message;
use tonic::{Request, Response, Status, async_trait};

use super::layer::trace::note_table;
use super::table::caller;
use super::{AppState, Failure};
use crate::identity::{Caller, Scope};
use parlor_host::tournaments::{Access, TournamentError};
use parlor_host::{Host, HostError};
use parlor_host::{TableId, TournamentId};

use crate::grpc::convert::{self, tournament::shown_tournament};

/// The most bytes of the records of one message of an export, unless one record alone has more.
const BATCH: usize = 256 << 10;

/// Records.
#[derive(Clone, Debug)]
pub struct Records(pub Arc<AppState>);

type Answer<T> = Result<Response<T>, Status>;

impl Records {
    /// The shuffle of a tournament with its seed, whoever asks; `None` while it is not over.
    async fn shown_seed(&self, tournament: TournamentId) -> Result<Option<v1::TournamentShuffle>, Failure> {
        let access = Access { caller: None, admin: true };
        let shuffle = match self.0.tournaments.get(tournament, &access).await {
            Ok((shown, _)) => shown_tournament(&shown, false)?.shuffle,
            // The record of a table is valid without it.
            Err(TournamentError::NotFound { .. } | TournamentError::Damaged { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(shuffle.filter(|shuffle| !shuffle.server_seed.is_empty()))
    }
}

#[async_trait]
impl RecordService for Records {
    async fn get_record(&self, request: Request<v1::GetRecordRequest>) -> Answer<v1::GetRecordResponse> {
        let caller = caller(&request);
        let (who, asked) = convert::get_record(request.into_inner(), &self.0.server_key, caller.as_ref())?;
        note_table(who.table());
        let (record, viewer) = self.0.host.record(&who, asked).await.map_err(Failure::from)?;
        let mut shown = convert::record(&record, viewer);
        if let Some(deal) = record.summary.setup.chance.deal() {
            let proof = self.shown_seed(deal.tournament).await?;
            convert::prove_deal(&mut shown, proof.as_ref());
        }
        Ok(Response::new(v1::GetRecordResponse { record: Some(shown) }))
    }

    async fn list_records(
        &self,
        request: Request<v1::ListRecordsRequest>,
    ) -> Answer<v1::ListRecordsResponse> {
        let caller = caller(&request);
        let convert::Listing { filter, after, size } =
            convert::list_records(request.into_inner(), caller.as_ref())?;
        let (looks, next) = self.0.host.list_tables(filter, after, size).await.map_err(Failure::from)?;
        let deals = self.0.host.deals();
        let shown = looks.iter().filter(|look| deals.check(look.setup.chance.deal()).is_ok());
        Ok(Response::new(v1::ListRecordsResponse {
            records: shown.map(convert::record_summary).collect(),
            next_page_token: next.map(|table| table.to_string()).unwrap_or_default(),
        }))
    }

    type ExportRecordsStream = Pin<Box<dyn Stream<Item = Result<v1::ExportRecordsResponse, Status>> + Send>>;

    async fn export_records(
        &self,
        request: Request<v1::ExportRecordsRequest>,
    ) -> Answer<Self::ExportRecordsStream> {
        let caller = caller(&request);
        let (tournament, viewer) = convert::export_records(request.into_inner()).map_err(Failure::from)?;
        let admin = caller.as_ref().is_some_and(|caller| caller.has_scope(Scope::Admin));
        let owner = caller.as_ref().map(Caller::owner);
        let tables = self.0.host.tournament_tables(tournament, owner, admin).await.map_err(Failure::from)?;
        let proof = self.shown_seed(tournament).await?;
        let (host, tables) = (self.0.host.clone(), tables.into_iter());
        let export = Export { host, tables, viewer, proof, next: None };
        Ok(Response::new(Box::pin(exported(export))))
    }
}

/// Records on their way out. Each is read when there is room for it: whoever reads slowly costs no more than whoever
/// reads fast.
struct Export {
    host: Host,
    tables: std::vec::IntoIter<TableId>,
    viewer: Option<Viewer>,
    /// The seed of the tournament, if it is over.
    proof: Option<v1::TournamentShuffle>,
    /// A record that did not fit into the message before.
    next: Option<v1::Record>,
}

impl Export {
    /// The next record, if there is one that may be seen.
    async fn record(&mut self) -> Result<Option<v1::Record>, Failure> {
        if self.next.is_some() {
            return Ok(self.next.take());
        }
        for table in self.tables.by_ref() {
            match self.host.load_record(table, self.viewer).await {
                Ok(record) => {
                    let mut shown = convert::record(&record, self.viewer);
                    convert::prove_deal(&mut shown, self.proof.as_ref());
                    return Ok(Some(shown));
                }
                // Its deal is still being played, or it was deleted a moment ago.
                Err(HostError::DealNotOver { .. } | HostError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// The next message; none after the last.
    async fn message(&mut self) -> Result<Option<v1::ExportRecordsResponse>, Failure> {
        let (mut records, mut bytes) = (Vec::new(), 0);
        while let Some(record) = self.record().await? {
            bytes += record.encoded_len();
            if bytes > BATCH && !records.is_empty() {
                self.next = Some(record);
                break;
            }
            records.push(record);
        }
        Ok(Some(v1::ExportRecordsResponse { records }).filter(|message| !message.records.is_empty()))
    }
}

/// The messages of an export.
fn exported(export: Export) -> impl Stream<Item = Result<v1::ExportRecordsResponse, Status>> + Send {
    stream::unfold(Some(export), |export| async move {
        let mut export = export?;
        match export.message().await {
            Ok(message) => message.map(|message| (Ok(message), Some(export))),
            Err(failure) => Some((Err(failure.into()), None)),
        }
    })
}
