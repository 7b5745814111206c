//! Records through breaks: the fake RecordService, and what clients make of it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard};

use futures_util::{Stream, TryStreamExt, stream};
use parlor_proto::v1::record_service_server::RecordService;
use parlor_sdk::{Reason, wire};
use tonic::{Code, Request, Response, Status};

use super::calls::reasoned;
use super::tables::Fake;
use super::within;

/// The records: only what the tests need of them.
#[derive(Default)]
pub(crate) struct Records(Mutex<State>);

#[derive(Default)]
pub(crate) struct State {
    /// How many records there are.
    count: u32,
    /// For each export, how many messages it gives before it breaks off, and how.
    breaks: VecDeque<(usize, Status)>,
    exports: Vec<wire::ExportRecordsRequest>,
    asked: Vec<wire::GetRecordRequest>,
}

impl Records {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

fn record(number: u32) -> wire::Record {
    wire::Record { table_id: number.to_string(), ..Default::default() }
}

#[tonic::async_trait]
impl RecordService for Records {
    async fn get_record(
        &self,
        request: Request<wire::GetRecordRequest>,
    ) -> Result<Response<wire::GetRecordResponse>, Status> {
        let asked = request.into_inner();
        let record = (asked.table_id != "none").then(|| record(0));
        self.state().asked.push(asked);
        Ok(Response::new(wire::GetRecordResponse { record }))
    }

    async fn list_records(
        &self,
        request: Request<wire::ListRecordsRequest>,
    ) -> Result<Response<wire::ListRecordsResponse>, Status> {
        let asked = request.into_inner();
        assert_eq!(asked.game, "gap", "every page has the filters");
        let first: u32 = asked.page_token.parse().unwrap_or(0);
        let end = (first + asked.page_size).min(self.state().count);
        let summary =
            |number: u32| wire::RecordSummary { table_id: number.to_string(), ..Default::default() };
        let more = end < self.state().count;
        let next_page_token = if more { end.to_string() } else { String::new() };
        Ok(Response::new(wire::ListRecordsResponse {
            records: (first..end).map(summary).collect(),
            next_page_token,
        }))
    }

    type ExportRecordsStream =
        Pin<Box<dyn Stream<Item = Result<wire::ExportRecordsResponse, Status>> + Send>>;

    async fn export_records(
        &self,
        request: Request<wire::ExportRecordsRequest>,
    ) -> Result<Response<Self::ExportRecordsStream>, Status> {
        let mut state = self.state();
        state.exports.push(request.into_inner());
        let numbers: Vec<u32> = (0..state.count).collect();
        let message = |numbers: &[u32]| wire::ExportRecordsResponse {
            records: numbers.iter().copied().map(record).collect(),
        };
        let mut messages: Vec<Result<_, Status>> = numbers.chunks(3).map(message).map(Ok).collect();
        if let Some((after, status)) = state.breaks.pop_front() {
            messages.truncate(after);
            messages.push(Err(status));
        }
        Ok(Response::new(Box::pin(stream::iter(messages))))
    }
}

#[tokio::test]
async fn each_record_comes_once_and_in_order_through_breaks() {
    let fake = Fake::start().await;
    {
        let mut state = fake.records.state();
        state.count = 20;
        let broken = || Status::unavailable("not now");
        state.breaks.extend([(0, broken()), (2, broken()), (1, broken()), (5, broken())]);
    }
    let viewer = Some(wire::Viewer { viewer: Some(wire::viewer::Viewer::Seat(1)) });
    let exported = fake.client().await.export_records("cup", viewer).into_stream();
    let ids: Vec<String> = within(exported.map_ok(|record| record.table_id).try_collect()).await.unwrap();
    assert_eq!(ids, (0..20).map(|number| number.to_string()).collect::<Vec<_>>());
    let asked = wire::ExportRecordsRequest { tournament_id: "cup".into(), viewer };
    assert_eq!(fake.records.state().exports, vec![asked; 5]);
}

#[tokio::test]
async fn what_waiting_does_not_mend_ends_an_export() {
    let fake = Fake::start().await;
    {
        let mut state = fake.records.state();
        state.count = 20;
        state.breaks.push_back((1, reasoned(Code::NotFound, "TOURNAMENT_NOT_FOUND")));
    }
    let mut exported = fake.client().await.export_records("cup", None);
    for number in 0..3 {
        assert_eq!(within(exported.next()).await.unwrap().unwrap().table_id, number.to_string());
    }
    let error = within(exported.next()).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TournamentNotFound);
}

#[tokio::test]
async fn pages_of_records_are_turned_to_the_end() {
    let fake = Fake::start().await;
    let client = fake.client().await;
    for (count, page_size) in [(0, 3), (3, 3), (10, 3), (7, 100)] {
        fake.records.state().count = count;
        let filter = wire::ListRecordsRequest { game: "gap".into(), page_size, ..Default::default() };
        let ids: Vec<String> =
            within(client.records(filter).map_ok(|record| record.table_id).try_collect()).await.unwrap();
        assert_eq!(ids, (0..count).map(|number| number.to_string()).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_record_is_asked_for_as_it_was_said() {
    let fake = Fake::start().await;
    let client = fake.client().await;
    assert_eq!(within(client.record("t")).await.unwrap().table_id, "0");
    let viewer = Some(wire::Viewer { viewer: Some(wire::viewer::Viewer::Seat(1)) });
    let request = wire::GetRecordRequest { table_id: "t".into(), token: "swordfish".into(), viewer };
    within(client.record_with(request.clone())).await.unwrap();
    let plain = wire::GetRecordRequest { table_id: "t".into(), ..Default::default() };
    assert_eq!(fake.records.state().asked, [plain, request]);
    // A server that gives no record gives no answer that makes sense.
    assert!(within(client.record("none")).await.is_err());
}
