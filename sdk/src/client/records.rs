//! Records: the calls of the RecordService.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::pin::Pin;

use futures_util::Stream;
use futures_util::stream::{try_unfold, unfold};
use parlor_proto::v1::record_service_client::RecordServiceClient;
use tokio::time::{sleep, timeout};
use tonic::{Request, Streaming};

use super::Client;
use super::call::{Limits, call};
use crate::connect::Transport;
use crate::retry::Backoff;
use crate::{Error, wire};

/// The largest message with records that is taken: what a server keeps of one table is bounded, and this is beyond it.
pub(super) const LARGEST: usize = 64 << 20;

impl Client {
    /// The full record of a table that is over: of a public one, or one that you own.
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

    /// A record, with everything as you say it: a token, and whose record.
    pub async fn record_with(&self, request: wire::GetRecordRequest) -> Result<wire::Record, Error> {
        let reply = call!(self, records.get_record, request)?;
        reply.record.ok_or_else(|| Error::lacks("record"))
    }

    /// Some records, newest first, and where to go on: one page. [`records`](Client::records) turns the pages by itself.
    pub async fn list_records(
        &self,
        request: wire::ListRecordsRequest,
    ) -> Result<wire::ListRecordsResponse, Error> {
        call!(self, records.list_records, request)
    }

    /// What a list says of all records that pass the filters of the request, newest first. Pages are fetched one at a
    /// time, as they are needed.
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
        struct Pages {
            client: Client,
            page: std::vec::IntoIter<wire::RecordSummary>,
            /// The next page; none after the last.
            next: Option<wire::ListRecordsRequest>,
        }
        let first = Pages { client: self.clone(), page: Vec::new().into_iter(), next: Some(filter) };
        try_unfold(first, |mut pages| async move {
            loop {
                if let Some(record) = pages.page.next() {
                    return Ok(Some((record, pages)));
                }
                let Some(request) = pages.next.take() else { return Ok(None) };
                let reply = pages.client.list_records(request.clone()).await?;
                if !reply.next_page_token.is_empty() {
                    let page_token = reply.next_page_token;
                    pages.next = Some(wire::ListRecordsRequest { page_token, ..request });
                }
                pages.page = reply.records.into_iter();
            }
        })
    }

    /// All records of a tournament that can be seen, in the order of the deals and, within a deal, of the rotations: the
    /// full ones, or those of a viewer. Each comes once, through broken connections too.
    ///
    /// Nothing is fetched before it is asked for: at most one message of the server waits here.
    #[must_use]
    pub fn export_records(
        &self,
        tournament_id: impl Into<String>,
        viewer: Option<wire::Viewer>,
    ) -> ExportedRecords {
        ExportedRecords {
            rpc: self.records.clone(),
            limits: self.limits,
            request: wire::ExportRecordsRequest { tournament_id: tournament_id.into(), viewer },
            stream: None,
            waiting: VecDeque::new(),
            given: HashSet::new(),
            backoff: Backoff::default(),
        }
    }
}

/// The records of a tournament, made by [`export_records`](Client::export_records).
pub struct ExportedRecords {
    rpc: RecordServiceClient<Transport>,
    limits: Limits,
    request: wire::ExportRecordsRequest,
    /// The stream that is open, if one is.
    stream: Option<Streaming<wire::ExportRecordsResponse>>,
    /// Records that came in the same message and were not yet given out.
    waiting: VecDeque<wire::Record>,
    /// The tables whose record was received: after a break the server begins anew.
    given: HashSet<String>,
    backoff: Backoff,
}

impl ExportedRecords {
    /// The next record; none after the last. An error is one that waiting does not mend.
    pub async fn next(&mut self) -> Result<Option<wire::Record>, Error> {
        loop {
            if let Some(record) = self.waiting.pop_front() {
                return Ok(Some(record));
            }
            match self.receive().await {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) if error.is_worth_another_stream() => {
                    let wait = self.backoff.wait(error.retry_after());
                    tracing::debug!(%error, ?wait, "the export goes on after a break");
                    sleep(wait).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The same as a stream.
    pub fn into_stream(self) -> Pin<Box<dyn Stream<Item = Result<wire::Record, Error>> + Send>> {
        Box::pin(unfold(Some(self), |exported| async {
            let mut exported = exported?;
            match exported.next().await {
                Ok(record) => record.map(|record| (Ok(record), Some(exported))),
                Err(error) => Some((Err(error), None)),
            }
        }))
    }

    /// Waits for one message, over a new stream if there is none. Gives whether there was one.
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
                let given = &mut self.given;
                let new = message.records.into_iter().filter(|record| given.insert(record.table_id.clone()));
                self.waiting.extend(new);
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

impl fmt::Debug for ExportedRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tournament = &self.request.tournament_id;
        f.debug_struct("ExportedRecords").field("tournament_id", tournament).finish_non_exhaustive()
    }
}
