//! Plays the two games of a pair on two servers, and compares everything that one viewer receives, and what a program or a
//! language model at its seat would get: lines, and results of tools.

use std::fmt::Debug;
use std::time::Duration;

use parlor_cli::line_protocol::TableLines;
use parlor_cli::seat_report::{
    Budget, Conduct, HistoryPage, ReportOptions, SeatLog, SeatReport, TableReport,
};
use parlor_engine::{AnyAction, Lang, Localise, Seat, Seats, Viewer, below};
use parlor_proto::v1;
use parlor_proto::v1::stream_item::Item;
use parlor_sdk::Question;
use prost::Message;
use rand_chacha::ChaCha8Rng;

use crate::game_pair::GamePair;
use crate::model_table::{ModelTable, Operation, setup};
use crate::server::{CHANNEL, ServerFactory, TestServer, ViewerStream};
use crate::table_kind::DECISION_MS;

/// A planted leak: the received items are changed as by a server whose output depends on hidden information.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leak {
    /// Updates have the view of another seat.
    View,
    /// Updates have the text of another seat's view.
    Text,
    /// Updates have the board of another seat.
    Board,
    /// The length of updates depends on the number of legal actions of other seats.
    Size,
    /// Updates are numbered by the length of the table's log instead of per viewer.
    Number,
    /// The viewer's record also has the view of another seat.
    Record,
    /// The time of a turn stands still while others have a hidden decision before it.
    Time,
}

/// One of the two tables: its server, the viewer's stream, and the model of the table.
struct ServedModel {
    server: TestServer,
    stream: ViewerStream,
    model: ModelTable,
    viewer: Viewer,
    /// Items that were received and not yet compared.
    received: Vec<v1::StreamItem>,
    leak: Option<Leak>,
    /// The log from which the tools of a language model would report.
    log: SeatLog,
}

/// Messages that a viewer received: each for error output, and as bytes.
type ViewerOutput = Vec<(Box<dyn Debug>, Vec<u8>)>;

/// A message with its bytes.
fn labelled(message: impl Message + Debug + 'static) -> (Box<dyn Debug>, Vec<u8>) {
    let bytes = message.encode_to_vec();
    (Box::new(message), bytes)
}

/// Further requests of the viewer after a step, the same on both servers.
#[derive(Default)]
struct Probes {
    /// Answers that are refused or repeated.
    answers: Vec<v1::Answer>,
    list: bool,
    /// Resumes a second client after this number.
    resume_after: Option<u32>,
}

impl ServedModel {
    /// Performs an operation on the server, and waits until it is in the log.
    async fn perform(&mut self, operation: &Operation) {
        match operation {
            Operation::Act { seat, index } => {
                let open = self.model.table.seats()[seat.index()].open.expect("an open decision");
                let choice = Some(v1::answer::Choice::Index(*index));
                let answer = v1::Answer { decision_id: open.0 as u32, choice, think_ms: Some(3) };
                self.answer(*seat, answer).await;
            }
            Operation::Resign { seat } => self.server.resign(*seat).await,
            Operation::Wait { ms, .. } => {
                self.server.clock.advance(Duration::from_millis((*ms).into()));
            }
        }
        self.model.apply(operation, self.viewer);
        self.server.wait_for_length(self.model.table.length()).await;
    }

    /// Answers: the viewer over its stream, other seats with Act.
    async fn answer(&mut self, seat: Seat, answer: v1::Answer) {
        let answered = if self.viewer.is(seat) {
            self.stream.send(CHANNEL, v1::play_request_item::Item::Answer(answer)).await;
            let is_answered = |item: &v1::StreamItem| matches!(item.item, Some(Item::Answered(_)));
            let received = self.stream.items_until(is_answered).await;
            let mut last = received.iter().filter_map(|item| match &item.item {
                Some(Item::Answered(answered)) => Some(answered.clone()),
                _ => None,
            });
            let answered = last.next_back().expect("an outcome");
            self.received.extend(received);
            answered
        } else {
            self.server.act(seat, answer).await
        };
        assert_eq!(answered.status(), v1::AnswerStatus::Accepted, "{answered:?}");
    }

    /// Everything that the viewer receives after a step.
    async fn output(&mut self, probes: &Probes) -> ViewerOutput {
        let mut output = vec![labelled(self.server.get_table(self.viewer).await)];
        let mut received = std::mem::take(&mut self.received);
        received.extend(self.stream.items().await);
        for mut item in received {
            self.plant_leak(&mut item);
            let texts = self.program_line(&item).into_iter().chain(self.tool_results(&item));
            output.extend(texts.map(|text| (Box::new(text.clone()) as Box<dyn Debug>, text.into_bytes())));
            output.push(labelled(item));
        }
        if let Viewer::Seat(seat) = self.viewer {
            for answer in &probes.answers {
                output.push(labelled(self.server.act(seat, answer.clone()).await));
            }
        }
        if probes.list {
            output.push(labelled(self.server.list_tables().await));
            if self.model.table.waiting_for() != Seats::NONE {
                output.push(labelled(self.server.turns().await));
            }
            for (head, body) in self.server.pages().await {
                output.push((Box::new(head.clone()), [head.into_bytes(), body].concat()));
            }
        }
        if let Some(after) = probes.resume_after {
            let last = self.model.table.numbers().get(self.viewer) as u32;
            let seat = self.viewer.seat().map(|seat| &self.model.table.seats()[seat.index()]);
            let is_asked = seat.is_some_and(|seat| seat.open.is_some());
            output.extend(
                self.server.follow_again(self.viewer, after, last, is_asked).await.into_iter().map(labelled),
            );
        }
        output
    }

    /// The line that a program at the viewer's seat would get for an item.
    fn program_line(&self, item: &v1::StreamItem) -> Option<String> {
        let lines = TableLines::new("table", self.viewer.seat()?.index() as u32);
        let line = match item.item.as_ref()? {
            Item::Update(update) => lines.events(update),
            Item::Decision(decision) => {
                lines.decision(&Question::from_wire("table", lines.seat(), decision.clone()))
            }
            _ => return None,
        };
        Some(line.encode())
    }

    /// The results of tools that a language model at the viewer's seat would get after an item.
    fn tool_results(&mut self, item: &v1::StreamItem) -> Vec<String> {
        let Viewer::Seat(_) = self.viewer else { return Vec::new() };
        match &item.item {
            Some(Item::Snapshot(snapshot)) => self.log.apply_snapshot(snapshot),
            Some(Item::Update(update)) => self.log.apply_update(update),
            Some(Item::Decision(decision)) => {
                self.log.ask(&Question::from_wire("table", self.log.seat(), decision.clone()));
            }
            _ => return Vec::new(),
        }
        let state = SeatReport::new(&self.log, "seat", ReportOptions::default());
        let history = HistoryPage::new(&self.log, "seat", None, Budget::default());
        let result = TableReport::new(&self.log, "seat", Conduct::default());
        vec![
            state.text(Lang::De),
            history.text(Lang::De),
            result.text(Lang::De),
            serde_json::to_string(&(state, history, result)).expect("reports have keys of text"),
        ]
    }

    /// The viewer's record; a running table is cancelled first.
    async fn record(&mut self) -> v1::GetRecordResponse {
        if self.model.is_playing() {
            self.server.cancel().await;
        }
        let mut response = self.server.record(self.viewer).await;
        if self.leak == Some(Leak::Record) {
            let record = response.record.as_mut().expect("a record");
            record.views.extend(self.server.record(self.other_seat()).await.record.expect("a record").views);
        }
        response
    }

    /// A seat other than the viewer's.
    fn other_seat(&self) -> Viewer {
        let other = Seat::all(self.model.table.players()).find(|seat| !self.viewer.is(*seat));
        Viewer::Seat(other.expect("another seat"))
    }

    /// Changes an item as a leaking server would send it.
    fn plant_leak(&self, item: &mut v1::StreamItem) {
        let (Some(Item::Update(update)), Some(leak)) = (&mut item.item, self.leak) else { return };
        let table = &self.model.table;
        let others = || Seat::all(table.players()).filter(|seat| !self.viewer.is(*seat));
        match leak {
            Leak::View => {
                update.view = table.view(self.other_seat()).map(|view| Box::new(view.into()));
            }
            Leak::Text => {
                let view = table.view(self.other_seat());
                let text = view.map(|view| view.rich_text(Lang::De, self.viewer).into());
                update.texts.as_mut().expect("texts").view = text;
            }
            Leak::Board => {
                let view = table.view(self.other_seat());
                update.board = view.map(|view| (view.board(&[], Lang::De), Lang::De).into());
            }
            Leak::Size => {
                let choices: usize = others().map(|seat| table.legal_actions(seat).len()).sum();
                update.table_events.extend(vec![v1::TableEvent::default(); choices]);
            }
            Leak::Number => update.number = table.length() as u32,
            Leak::Record | Leak::Time => {}
        }
    }

    /// The times and the presence that the viewer is shown now.
    async fn times(&mut self) -> (Option<v1::TimeLeft>, Vec<v1::Presence>) {
        let snapshot = self.server.snapshot(self.viewer).await;
        let (mut time_left, presence) = (snapshot.time_left, snapshot.presence);
        if self.leak == Some(Leak::Time)
            && !self.model.hidden().is_empty()
            && let Some(left) = &mut time_left
        {
            left.seats.iter_mut().for_each(|seat| seat.decision_ms = DECISION_MS);
        }
        (time_left, presence)
    }
}

/// Plays both tables alike: the number of compared steps, or a description of what differs for the viewer.
pub(crate) async fn compare(
    factory: &ServerFactory,
    pair: &GamePair,
    leak: Option<Leak>,
    rng: &mut ChaCha8Rng,
) -> Result<usize, String> {
    let GamePair { kind, viewer, deals, steps, public, actions } = pair;
    let mut sides = Vec::new();
    for deals in deals {
        let mut server = factory.serve(setup(*kind, deals)).await;
        let mut stream = server.open_stream(*viewer).await;
        // After the fence the attachment has reached the table, and after GetTable the table has answered it.
        let received = stream.items().await;
        server.get_table(*viewer).await;
        let model = ModelTable::new(*kind, deals);
        // The ids of the two tables differ.
        let table = v1::Table { table_id: "table".into(), ..Default::default() };
        let log = SeatLog::new(&table, viewer.seat().map_or(0, |seat| seat.index() as u32));
        sides.push(ServedModel { server, stream, model, viewer: *viewer, received, leak, log });
    }
    for seat in Seat::all(kind.players) {
        let mut joined = Vec::new();
        for side in &mut sides {
            side.model.join(seat);
            joined.push(vec![labelled(side.server.join(seat).await)]);
            side.server.wait_for_length(side.model.table.length()).await;
        }
        check_same(&joined[0], &joined[1])?;
    }
    let compares_times = kind.timed && pair.is_cut_off();
    for (operations, public) in steps.iter().zip(public) {
        for (side, operations) in sides.iter_mut().zip(operations) {
            for operation in &operations[..*public] {
                side.perform(operation).await;
            }
        }
        // The seat on turn learns from the wait itself that others were asked before: see `main.rs`.
        let is_on_turn = viewer.seat().is_some_and(|seat| sides[0].model.table.waits_for(seat));
        if compares_times && !is_on_turn {
            let passed = Duration::from_millis((1 + below(3, rng)).into());
            let mut times = Vec::new();
            for side in &mut sides {
                // Answered after the step has been handled, which starts the clocks.
                side.server.get_table(*viewer).await;
                side.server.clock.advance(passed);
                times.push(side.times().await);
            }
            if times[0] != times[1] {
                return Err(format!("{kind:?}, {viewer:?}, in {operations:?}: the times differ: {times:?}"));
            }
        }
        for (side, operations) in sides.iter_mut().zip(operations) {
            for operation in &operations[*public..] {
                side.perform(operation).await;
            }
        }
        let probes = random_probes(&sides[0].model, *viewer, actions, rng);
        let mut outputs = Vec::new();
        for side in &mut sides {
            outputs.push(side.output(&probes).await);
        }
        check_same(&outputs[0], &outputs[1])
            .map_err(|why| format!("{kind:?}, {viewer:?}, after {operations:?}: {why}"))?;
    }
    let mut records = Vec::new();
    for side in &mut sides {
        let mut output = vec![labelled(side.record().await)];
        output.extend(side.server.replay(*viewer).await.into_iter().map(labelled));
        records.push(output);
    }
    check_same(&records[0], &records[1])
        .map_err(|why| format!("{kind:?}, {viewer:?}, in the record or its replay: {why}"))?;
    let mut news = Vec::new();
    for side in &mut sides {
        news.push(side.server.news().await);
    }
    if news[0] != news[1] {
        return Err(format!("{kind:?}: the owner's news differ"));
    }
    Ok(steps.len())
}

/// Random probes: illegal actions, decisions that are not open, a listing, and resuming.
fn random_probes(model: &ModelTable, viewer: Viewer, actions: &[AnyAction], rng: &mut ChaCha8Rng) -> Probes {
    let last = model.table.numbers().get(viewer) as u32;
    let mut probes = Probes {
        answers: Vec::new(),
        list: below(4, rng) == 0,
        resume_after: (below(4, rng) == 0).then(|| below(last + 1, rng)),
    };
    let Viewer::Seat(seat) = viewer else { return probes };
    let legal = model.table.legal_actions(seat);
    let newest = model.table.seats()[seat.index()].asked as u32;
    for _ in 0..2 {
        let action = actions[below(actions.len() as u32, rng) as usize];
        // An open, a decided or a future decision.
        let decision_id = (newest + 2 - below(4, rng).min(newest + 1)).max(1);
        let is_open = model.table.seats()[seat.index()].open.is_some() && decision_id == newest;
        let choice = if is_open && legal.contains(&action) {
            v1::answer::Choice::Index(legal.len() as u32)
        } else {
            v1::answer::Choice::Action(action.into())
        };
        probes.answers.push(v1::Answer { decision_id, choice: Some(choice), think_ms: None });
    }
    probes
}

/// Compares the output of both servers; the error describes the first difference.
fn check_same(one: &ViewerOutput, other: &ViewerOutput) -> Result<(), String> {
    for ((what, bytes), (other_what, other_bytes)) in one.iter().zip(other) {
        if bytes != other_bytes {
            return Err(format!("the viewer receives {what:#?}\nor {other_what:#?}"));
        }
    }
    let (longer, shorter) = if one.len() > other.len() { (one, other) } else { (other, one) };
    match longer.get(shorter.len()) {
        Some((what, _)) => Err(format!("the viewer receives, from one server only, {what:#?}")),
        None => Ok(()),
    }
}
