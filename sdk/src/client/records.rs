//! Records of finished games: the calls of the RecordService.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::pin::Pin;

use futures_util::Stream;
use futures_util::stream::unfold;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use tokio::time::{sleep, timeout};
use tonic::{Request, Streaming};

use super::Client;
use super::call::{CallLimits, call};
use super::pages::pages;
use crate::connect::Transport;
use crate::retry::Backoff;
use crate::{Error, wire};

/// Maximum size of a message with records. Above the server's bound for the record of one table.
pub(super) const MAX_MESSAGE_BYTES: usize = 64 << 20;

impl Client {
    /// Full record of a finished table: a public one, or one that you own.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// let record = client.record("01hf7yat000w3ge1r70w3ge1r7").await?;
    /// println!("{} steps, {} shuffles", record.steps.len(), record.shuffles.len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn record(&self, table_id: impl Into<String>) -> Result<wire::Record, Error> {
        self.record_with(wire::GetRecordRequest { table_id: table_id.into(), ..Default::default() }).await
    }

    /// A record by its full request: with a token, or as one viewer saw the game.
    pub async fn record_with(&self, request: wire::GetRecordRequest) -> Result<wire::Record, Error> {
        let reply = call!(self, records.get_record, request)?;
        reply.record.ok_or_else(|| Error::missing_field("record"))
    }

    /// One page of records, newest first, with the token of the next page. [`records`](Client::records) pages
    /// automatically.
    pub async fn list_records(
        &self,
        request: wire::ListRecordsRequest,
    ) -> Result<wire::ListRecordsResponse, Error> {
        call!(self, records.list_records, request)
    }

    /// Summaries of all records that match the request's filters, newest first. Pages are fetched on demand.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use futures_util::TryStreamExt;
    /// use parlor_sdk::wire;
    ///
    /// let filter = wire::ListRecordsRequest { game: "gap".into(), ..Default::default() };
    /// let mut records = std::pin::pin!(client.records(filter));
    /// while let Some(record) = records.try_next().await? {
    ///     println!("{}: {:?}", record.table_id, record.result);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn records(
        &self,
        filter: wire::ListRecordsRequest,
    ) -> impl Stream<Item = Result<wire::RecordSummary, Error>> + Send + use<> {
        let client = self.clone();
        pages(filter, move |request: wire::ListRecordsRequest, page_token| {
            let client = client.clone();
            async move {
                let reply = client.list_records(wire::ListRecordsRequest { page_token, ..request }).await?;
                Ok((reply.records, reply.next_page_token))
            }
        })
    }

    /// All visible records of a tournament, ordered by deal and rotation: full, or as one viewer saw the
    /// games. Each arrives once, through reconnects.
    ///
    /// Nothing is fetched ahead: at most one message of the server is buffered.
    #[must_use]
    pub fn export_records(
        &self,
        tournament_id: impl Into<String>,
        viewer: Option<wire::Viewer>,
    ) -> RecordExport {
        RecordExport {
            rpc: self.records.clone(),
            limits: self.limits,
            request: wire::ExportRecordsRequest { tournament_id: tournament_id.into(), viewer },
            stream: None,
            buffered: VecDeque::new(),
            manifest: None,
            received: HashSet::new(),
            backoff: Backoff::default(),
        }
    }
}

/// Export of a tournament's records, made by [`export_records`](Client::export_records).
pub struct RecordExport {
    rpc: RecordServiceClient<Transport>,
    limits: CallLimits,
    request: wire::ExportRecordsRequest,
    /// The open stream, if any.
    stream: Option<Streaming<wire::ExportRecordsResponse>>,
    /// Records of the last message not yet returned.
    buffered: VecDeque<wire::Record>,
    /// Manifest of the export, which comes last.
    manifest: Option<wire::ExportManifest>,
    /// Ids of tables whose record was received: after a break the server starts over.
    received: HashSet<String>,
    backoff: Backoff,
}

impl RecordExport {
    /// Waits for the next record, through reconnects; `None` after the last. An error is permanent.
    pub async fn next(&mut self) -> Result<Option<wire::Record>, Error> {
        loop {
            if let Some(record) = self.buffered.pop_front() {
                return Ok(Some(record));
            }
            match self.receive().await {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) if error.should_reopen_stream() => {
                    let wait = self.backoff.wait(error.retry_after());
                    tracing::debug!(%error, ?wait, "reopening the export of records");
                    sleep(wait).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Manifest of the export, signed by the server: what the whole export holds. Set after the last record, unless the
    /// server is of a version without signatures.
    #[must_use]
    pub fn manifest(&self) -> Option<&wire::ExportManifest> {
        self.manifest.as_ref()
    }

    /// Converts into a `Stream`.
    pub fn into_stream(self) -> Pin<Box<dyn Stream<Item = Result<wire::Record, Error>> + Send>> {
        Box::pin(unfold(Some(self), |exported| async {
            let mut exported = exported?;
            match exported.next().await {
                Ok(record) => record.map(|record| (Ok(record), Some(exported))),
                Err(error) => Some((Err(error), None)),
            }
        }))
    }

    /// Waits for one message, over a new stream if none is open. False at the end of the stream.
    async fn receive(&mut self) -> Result<bool, Error> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let opening =
                    timeout(self.limits.attempt, self.rpc.export_records(Request::new(self.request.clone())));
                let opened = opening.await.map_err(|_| Error::deadline(self.limits.attempt))?;
                self.stream.insert(opened.map_err(|status| Error::from_status(&status))?.into_inner())
            }
        };
        match stream.message().await {
            Ok(Some(message)) => {
                self.backoff.reset();
                self.manifest = message.manifest.or(self.manifest.take());
                let received = &mut self.received;
                let new =
                    message.records.into_iter().filter(|record| received.insert(record.table_id.clone()));
                self.buffered.extend(new);
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(status) => {
                self.stream = None;
                Err(Error::from_status(&status))
            }
        }
    }
}

impl fmt::Debug for RecordExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tournament = &self.request.tournament_id;
        f.debug_struct("RecordExport").field("tournament_id", tournament).finish_non_exhaustive()
    }
}
