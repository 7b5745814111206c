//! The fake RecordService, and its tests: records through reconnects.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard};

use futures_util::{Stream, TryStreamExt, stream};
use parlor_proto::v1::record_service_server::RecordService;
use parlor_sdk::{Reason, wire};
use parlor_testkit::with_timeout;
use tonic::{Code, Request, Response, Status};

use super::calls::status_with_reason;
use super::fake_server::FakeServer;

/// FakeServer records: only what the tests need.
#[derive(Default)]
pub(crate) struct FakeRecords(Mutex<RecordsState>);

#[derive(Default)]
pub(crate) struct RecordsState {
    /// Number of records, and of the steps of a replay.
    count: u32,
    /// Per export or replay: number of messages before it fails, and the status.
    breaks: VecDeque<(usize, Status)>,
    exports: Vec<wire::ExportRecordsRequest>,
    replays: Vec<wire::ReplayRequest>,
    asked: Vec<wire::GetRecordRequest>,
}

impl FakeRecords {
    pub(crate) fn state(&self) -> MutexGuard<'_, RecordsState> {
        self.0.lock().unwrap()
    }
}

fn record(number: u32) -> wire::Record {
    wire::Record { table_id: number.to_string(), ..Default::default() }
}

#[tonic::async_trait]
impl RecordService for FakeRecords {
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

    type ReplayStream = Pin<Box<dyn Stream<Item = Result<wire::ReplayResponse, Status>> + Send>>;

    async fn replay(
        &self,
        request: Request<wire::ReplayRequest>,
    ) -> Result<Response<Self::ReplayStream>, Status> {
        let asked = request.into_inner();
        let mut state = self.state();
        let step = |number: u32| wire::ReplayStep { number, ..Default::default() };
        let numbers: Vec<u32> = (asked.first_step..state.count).collect();
        let step_count = state.count;
        let message = |numbers: &[u32]| wire::ReplayResponse {
            steps: numbers.iter().copied().map(step).collect(),
            step_count,
        };
        state.replays.push(asked);
        let mut messages: Vec<Result<_, Status>> = numbers.chunks(3).map(message).map(Ok).collect();
        if let Some((after, status)) = state.breaks.pop_front() {
            messages.truncate(after);
            messages.push(Err(status));
        }
        Ok(Response::new(Box::pin(stream::iter(messages))))
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
            manifest: None,
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
async fn replay_delivers_each_step_once_through_reconnects() {
    let fake = FakeServer::start().await;
    {
        let mut state = fake.records.state();
        state.count = 20;
        let broken = || Status::unavailable("not now");
        state.breaks.extend([(0, broken()), (2, broken()), (1, broken())]);
    }
    let asked = wire::ReplayRequest { table_id: "t".into(), language: 2, ..Default::default() };
    let replay = fake.client().await.replay(asked.clone()).into_stream();
    let numbers: Vec<u32> = with_timeout(replay.map_ok(|step| step.number).try_collect()).await.unwrap();
    assert!(numbers.into_iter().eq(0..20));
    let from = |first_step| wire::ReplayRequest { first_step, ..asked.clone() };
    assert_eq!(fake.records.state().replays, [from(0), from(0), from(6), from(9)]);
    let mut rest = fake.client().await.replay(from(18));
    assert_eq!(rest.step_count(), None);
    for number in [Some(18), Some(19), None] {
        assert_eq!(with_timeout(rest.next()).await.unwrap().map(|step| step.number), number);
    }
    assert_eq!(rest.step_count(), Some(20));
}

#[tokio::test]
async fn permanent_error_ends_a_replay() {
    let fake = FakeServer::start().await;
    fake.records.state().breaks.push_back((0, status_with_reason(Code::FailedPrecondition, "DEAL_NOT_OVER")));
    let mut replay = fake.client().await.replay(wire::ReplayRequest::default());
    assert_eq!(with_timeout(replay.next()).await.unwrap_err().reason(), Reason::DealNotOver);
}

#[tokio::test]
async fn export_delivers_each_record_once_through_reconnects() {
    let fake = FakeServer::start().await;
    {
        let mut state = fake.records.state();
        state.count = 20;
        let broken = || Status::unavailable("not now");
        state.breaks.extend([(0, broken()), (2, broken()), (1, broken()), (5, broken())]);
    }
    let viewer = Some(wire::Viewer { viewer: Some(wire::viewer::Viewer::Seat(1)) });
    let exported = fake.client().await.export_records("cup", viewer).into_stream();
    let ids: Vec<String> =
        with_timeout(exported.map_ok(|record| record.table_id).try_collect()).await.unwrap();
    assert_eq!(ids, (0..20).map(|number| number.to_string()).collect::<Vec<_>>());
    let asked = wire::ExportRecordsRequest { tournament_id: "cup".into(), viewer };
    assert_eq!(fake.records.state().exports, vec![asked; 5]);
}

#[tokio::test]
async fn permanent_error_ends_an_export() {
    let fake = FakeServer::start().await;
    {
        let mut state = fake.records.state();
        state.count = 20;
        state.breaks.push_back((1, status_with_reason(Code::NotFound, "TOURNAMENT_NOT_FOUND")));
    }
    let mut exported = fake.client().await.export_records("cup", None);
    for number in 0..3 {
        assert_eq!(with_timeout(exported.next()).await.unwrap().unwrap().table_id, number.to_string());
    }
    let error = with_timeout(exported.next()).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TournamentNotFound);
}

#[tokio::test]
async fn record_listing_fetches_all_pages() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    for (count, page_size) in [(0, 3), (3, 3), (10, 3), (7, 100)] {
        fake.records.state().count = count;
        let filter = wire::ListRecordsRequest { game: "gap".into(), page_size, ..Default::default() };
        let ids: Vec<String> =
            with_timeout(client.records(filter).map_ok(|record| record.table_id).try_collect())
                .await
                .unwrap();
        assert_eq!(ids, (0..count).map(|number| number.to_string()).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn record_requests_are_sent_as_given() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    assert_eq!(with_timeout(client.record("t")).await.unwrap().table_id, "0");
    let viewer = Some(wire::Viewer { viewer: Some(wire::viewer::Viewer::Seat(1)) });
    let request =
        wire::GetRecordRequest { table_id: "t".into(), token: "swordfish".into(), viewer, texts: 0 };
    with_timeout(client.record_with(request.clone())).await.unwrap();
    let plain = wire::GetRecordRequest { table_id: "t".into(), ..Default::default() };
    assert_eq!(fake.records.state().asked, [plain, request]);
    // A reply without a record is an error.
    assert!(with_timeout(client.record("none")).await.is_err());
}
