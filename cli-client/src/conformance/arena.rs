//! The tables of one check over the agent's connection, and what the agent does wrong there.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use parlor_cli::load::now;
use parlor_sdk::wire;
use tokio::time::{Instant, timeout_at};
use wire::play_request_item::Item as Say;
use wire::stream_item::Item;

use super::line::{Connection, Line};
use super::report::Said;
use super::table::{Judged, Table, Twist, has_seen_the_end};

/// How many times longer than for an answer an agent has to come back.
const COME_BACK: u32 = 3;
/// How long an agent has to answer again after a refusal.
const AFTER_REFUSAL: Duration = Duration::from_secs(3);
/// When the agent is to come back after the server ended the stream.
const RETRY_MS: u32 = 300;
/// The most faults of a check that are told.
const MOST_SAID: usize = 5;
/// The most items of a message: far below the 256 KiB that it may have.
const MOST_ITEMS: usize = 64;

/// The agent is gone, and no check can go on.
#[derive(Debug)]
pub(super) struct Gone;

/// How the line is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Break {
    Cut,
    End,
}

/// How fast the agent answers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) answers: u32,
    pub(super) sum: Duration,
    pub(super) longest: Duration,
    pub(super) reported: u32,
}

pub(super) struct Arena<'a> {
    line: &'a mut Line,
    connection: Option<Connection>,
    /// What it said first.
    pub(super) who: wire::AgentHello,
    tables: Vec<Table>,
    waiting: VecDeque<Table>,
    at_once: usize,
    channels: BTreeMap<u32, (usize, u32)>,
    last_channel: u32,
    /// Channels up to here belong to other streams.
    floor: u32,
    replies: Vec<wire::StreamItem>,
    due: Option<Break>,
    /// Whether the next snapshot comes in spite of a bookmark.
    forgetful: bool,
    patience: Duration,
    pub(super) faults: Vec<Said>,
    pub(super) notes: Vec<Said>,
    pub(super) times: Times,
    made: u64,
}

impl<'a> Arena<'a> {
    pub(super) fn new(line: &'a mut Line, connection: Connection, patience: Duration) -> Arena<'a> {
        let who = connection.first.hello.clone().unwrap_or_default();
        Arena {
            line,
            connection: Some(connection),
            who,
            tables: Vec::new(),
            waiting: VecDeque::new(),
            at_once: 1,
            channels: BTreeMap::new(),
            last_channel: 0,
            floor: 0,
            replies: Vec::new(),
            due: None,
            forgetful: false,
            patience,
            faults: Vec::new(),
            notes: Vec::new(),
            times: Times::default(),
            made: 0,
        }
    }

    pub(super) fn fault(&mut self, en: impl Into<String>, de: impl Into<String>) {
        let said = Said::new(en, de);
        if self.faults.len() < MOST_SAID && !self.faults.contains(&said) {
            self.faults.push(said);
        }
    }

    pub(super) fn note(&mut self, en: impl Into<String>, de: impl Into<String>) {
        let said = Said::new(en, de);
        if self.notes.len() < MOST_SAID && !self.notes.contains(&said) {
            self.notes.push(said);
        }
    }

    /// Welcomes the agent, which has no seats yet.
    pub(super) async fn welcome(&mut self) {
        self.greet(0).await;
    }

    async fn greet(&mut self, seats: u32) {
        let welcome = Some(wire::AgentWelcome { max_tables: self.who.max_tables, seats, set_aside: None });
        self.send(wire::ConnectResponse { welcome, ..Default::default() }).await;
    }

    async fn send(&self, response: wire::ConnectResponse) {
        if let Some(connection) = &self.connection {
            connection.send(response).await;
        }
    }

    /// The number of the next table.
    pub(super) fn next_number(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// Plays tables to their end, so many of them at once.
    pub(super) async fn play(&mut self, tables: Vec<Table>, at_once: usize) -> Result<(), Gone> {
        self.at_once = at_once.max(1);
        self.waiting = tables.into();
        self.tables.clear();
        self.channels.clear();
        self.floor = self.last_channel;
        loop {
            self.seat_more();
            let items = self.collect();
            for items in items.chunks(MOST_ITEMS) {
                self.send(wire::ConnectResponse { items: items.to_vec(), ..Default::default() }).await;
            }
            if let Some(kind) = self.due.take() {
                self.break_off(kind).await?;
                continue;
            }
            if self.waiting.is_empty() && self.tables.iter().all(Table::is_over) {
                return Ok(());
            }
            self.listen().await?;
        }
    }

    fn seat_more(&mut self) {
        while self.tables.iter().filter(|table| !table.is_over()).count() < self.at_once {
            let Some(table) = self.waiting.pop_front() else { return };
            self.tables.push(table);
        }
    }

    /// All that is to be sent now.
    fn collect(&mut self) -> Vec<wire::StreamItem> {
        let mut items = std::mem::take(&mut self.replies);
        let wants = self.who.wants.unwrap_or(wire::Wants {
            events: true,
            decision_views: true,
            legal_actions: true,
            ..Default::default()
        });
        for index in 0..self.tables.len() {
            let Some(table) = self.tables.get_mut(index) else { continue };
            let seats: Vec<u32> =
                table.places.iter().filter(|(_, place)| !place.closed).map(|(seat, _)| *seat).collect();
            for seat in seats {
                let known =
                    self.channels.iter().find(|(_, at)| **at == (index, seat)).map(|(channel, _)| *channel);
                let channel = known.unwrap_or_else(|| {
                    self.last_channel += 1;
                    self.channels.insert(self.last_channel, (index, seat));
                    let (table_id, game) = (table.id.clone(), table.game_id().to_owned());
                    let given = wire::SeatGiven { table_id, seat, game, tournament_id: String::new() };
                    items.push(wire::StreamItem {
                        channel: self.last_channel,
                        item: Some(Item::SeatGiven(given)),
                    });
                    self.last_channel
                });
                let mut say = |item| items.push(wire::StreamItem { channel, item });
                catch_up(table, seat, wants, &mut self.due, &mut say);
                // The clock may just have decided, which is told in the same message.
                catch_up(table, seat, wants, &mut self.due, &mut say);
            }
        }
        items
    }

    /// Waits for what the agent says, or for what it does not say.
    async fn listen(&mut self) -> Result<(), Gone> {
        if let Some(other) = self.line.waiting() {
            self.fault(
                "it connected a second time while it was connected: keep one stream, and wait for its end before the next",
                "er hat sich ein zweites Mal verbunden, während er verbunden war: Halte einen Stream, und warte sein Ende ab",
            );
            return self.resume(other).await;
        }
        let deadline = self.deadline();
        let Some(connection) = &mut self.connection else { return Err(Gone) };
        match timeout_at(deadline, connection.next()).await {
            Ok(Some(request)) => {
                self.hear(request);
                Ok(())
            }
            Ok(None) => {
                self.fault(
                    "it ended its stream in the middle of a game: stay connected until the server ends the stream",
                    "er hat seinen Stream mitten im Spiel beendet: Bleib verbunden, bis der Server den Stream beendet",
                );
                self.come_back().await
            }
            Err(_) => {
                self.run_out();
                Ok(())
            }
        }
    }

    fn deadline(&self) -> Instant {
        let places = self.tables.iter().flat_map(|table| table.places.values());
        let open = places.filter_map(|place| place.open.as_ref());
        let due = open.filter_map(|open| Some(open.since? + self.allowed(open.refused)));
        due.min().unwrap_or_else(|| now() + self.patience)
    }

    fn allowed(&self, refused: bool) -> Duration {
        if refused { AFTER_REFUSAL.min(self.patience) } else { self.patience }
    }

    /// Somebody did not answer in time.
    fn run_out(&mut self) {
        let (moment, mut silent) = (now(), None);
        for table in &mut self.tables {
            let late = |refused: bool, since: Instant| {
                let allowed = if refused { AFTER_REFUSAL.min(self.patience) } else { self.patience };
                moment >= since + allowed
            };
            let open = table.places.iter().filter_map(|(seat, place)| Some((*seat, place.open.as_ref()?)));
            let late: Vec<(u32, bool)> = open
                .filter(|(_, open)| open.since.is_some_and(|since| late(open.refused, since)))
                .map(|(seat, open)| (seat, open.refused))
                .collect();
            for (seat, refused) in late {
                if refused {
                    table.run_out(seat);
                    self.notes.push(Said::new(
                        "it did not answer again after a refusal, so its clock ran out: answer with default_index then",
                        "er hat nach einer Ablehnung nicht noch einmal geantwortet, seine Uhr lief ab: Antworte dann mit default_index",
                    ));
                } else {
                    silent = Some(table.game_id());
                }
            }
        }
        if let Some(game) = silent {
            let patience = humantime::format_duration(self.patience);
            self.fault(
                format!("it was asked at a table of {game} and did not answer within {patience}: answer every decision, also one that comes again"),
                format!("er wurde an einem Tisch {game} gefragt und hat nicht in {patience} geantwortet: Beantworte jede Entscheidung, auch eine, die noch einmal kommt"),
            );
            self.waiting.clear();
            self.tables.iter_mut().filter(|table| !table.has_ended()).for_each(Table::cancel);
        }
    }

    fn hear(&mut self, request: wire::ConnectRequest) {
        if request.hello.is_some() {
            self.fault(
                "it said hello twice: say it in the first message only",
                "er hat zweimal hello gesagt: nur in der ersten Nachricht",
            );
        }
        for item in request.items {
            let Some(said) = item.item else {
                self.fault("it sent an item without content", "er hat einen Eintrag ohne Inhalt geschickt");
                continue;
            };
            let answer = match said {
                Say::Answer(answer) => answer,
                Say::Attach(_) => {
                    self.fault(
                        "it attached a channel: channels of agents are opened by the server (seat_given)",
                        "er hat einen Kanal geöffnet: Die Kanäle von Agenten öffnet der Server (seat_given)",
                    );
                    continue;
                }
                Say::Detach(_) => {
                    self.fault(
                        "it detached, which resigns the seat: leave channels alone until they are closed",
                        "er hat einen Kanal geschlossen und damit den Sitz aufgegeben: Lass Kanäle, bis sie geschlossen werden",
                    );
                    continue;
                }
            };
            if self.answer(item.channel, &answer) {
                // The line breaks: what came with it is lost.
                return;
            }
        }
    }

    /// Takes an answer. Whether the line breaks with it.
    fn answer(&mut self, channel: u32, answer: &wire::Answer) -> bool {
        let Some((index, seat)) = self.channels.get(&channel).copied() else {
            if channel <= self.floor || channel > self.last_channel {
                self.fault(
                    format!("it answered on channel {channel}, which is not open: use the channel on which the decision came"),
                    format!("er hat auf Kanal {channel} geantwortet, der nicht offen ist: Nimm den Kanal, auf dem die Entscheidung kam"),
                );
            }
            return false;
        };
        let Some(table) = self.tables.get_mut(index) else { return false };
        let open = table.places.get(&seat).and_then(|place| place.open.as_ref());
        let since = open.filter(|open| open.decision.id == answer.decision_id).and_then(|open| open.since);
        if since.is_some() && matches!(table.twist, Some(Twist::CutWhenAnswered | Twist::EndWhenAnswered)) {
            self.due =
                Some(if table.twist == Some(Twist::CutWhenAnswered) { Break::Cut } else { Break::End });
            table.twist = None;
            return true;
        }
        let cuts = since.is_some() && table.twist == Some(Twist::CutWhenDecided);
        let (answered, judged) = table.answer(seat, answer);
        let (game, id) = (table.game_id(), answer.decision_id);
        match judged {
            Judged::Good => {
                if let Some(since) = since {
                    let took = now().saturating_duration_since(since);
                    self.times.answers += 1;
                    self.times.sum += took;
                    self.times.longest = self.times.longest.max(took);
                    self.times.reported += u32::from(answer.think_ms.is_some());
                }
                if cuts {
                    table.twist = None;
                    self.due = Some(Break::Cut);
                    self.forgetful = true;
                    return true;
                }
            }
            Judged::Illegal => self.fault(
                format!("its answer in {game} was not legal: choose an index below legal_count, or one of legal_actions"),
                format!("seine Antwort in {game} war nicht erlaubt: Nimm einen Index unter legal_count, oder eine der legal_actions"),
            ),
            Judged::NeverAsked => self.fault(
                format!("it answered decision {id} in {game}, which it was not asked: answer with the id of the decision, on its channel"),
                format!("er hat in {game} die Entscheidung {id} beantwortet, nach der er nicht gefragt war: Antworte mit der id der Entscheidung, auf ihrem Kanal"),
            ),
            Judged::Again => self.fault(
                format!("it answered decision {id} in {game} twice: answer each decision once"),
                format!("er hat in {game} die Entscheidung {id} zweimal beantwortet: Beantworte jede Entscheidung einmal"),
            ),
            Judged::Otherwise => self.fault(
                format!("it answered decision {id} in {game} again, and otherwise: keep your answer, and send the same one again"),
                format!("er hat in {game} die Entscheidung {id} noch einmal beantwortet, und anders: Merk dir die Antwort, und schick dieselbe noch einmal"),
            ),
            Judged::Repeated | Judged::Late => {}
        }
        self.replies.push(wire::StreamItem { channel, item: Some(Item::Answered(answered)) });
        false
    }

    async fn break_off(&mut self, kind: Break) -> Result<(), Gone> {
        self.replies.clear();
        let begun = now();
        match kind {
            Break::Cut => self.line.cut(),
            Break::End => {
                let reason = wire::ErrorReason::ServerStopping.into();
                let message = String::from("the check ends this stream: come back");
                let ending = Some(wire::StreamEnding { reason, message, retry_ms: RETRY_MS });
                self.send(wire::ConnectResponse { ending, ..Default::default() }).await;
            }
        }
        self.come_back().await?;
        let away = now().saturating_duration_since(begun);
        if kind == Break::End && away < Duration::from_millis(RETRY_MS.into()) {
            self.note(
                format!(
                    "it came back after {away:?}, sooner than the {RETRY_MS} ms of retry_ms: wait that long"
                ),
                format!(
                    "er kam nach {away:?} wieder, früher als die {RETRY_MS} ms von retry_ms: Warte so lange"
                ),
            );
        }
        Ok(())
    }

    async fn come_back(&mut self) -> Result<(), Gone> {
        self.connection = None;
        let limit = self.patience * COME_BACK;
        let Some(connection) = self.line.next(limit).await else {
            let limit = humantime::format_duration(limit);
            self.fault(
                format!("it did not come back within {limit}: open Connect again whenever the stream ends, with waits that grow"),
                format!("er kam in {limit} nicht wieder: Öffne Connect neu, wann immer der Stream endet, mit wachsenden Pausen"),
            );
            return Err(Gone);
        };
        self.resume(connection).await
    }

    /// Goes on over another connection.
    async fn resume(&mut self, connection: Connection) -> Result<(), Gone> {
        let hello = connection.first.hello.clone().unwrap_or_default();
        self.connection = Some(connection);
        if (&hello.name, &hello.version) != (&self.who.name, &self.who.version) {
            self.fault(
                "it came back under another name or version: both belong to the program, not to the connection",
                "er kam unter anderem Namen oder mit anderer Version wieder: Beides gehört zum Programm, nicht zur Verbindung",
            );
        }
        self.channels.clear();
        self.floor = self.last_channel;
        let forgetful = std::mem::take(&mut self.forgetful);
        let (mut seats, mut without, mut ahead) = (0, false, false);
        for table in &mut self.tables {
            for (seat, place) in table.places.iter_mut().filter(|(_, place)| !place.closed) {
                seats += 1;
                let found =
                    hello.bookmarks.iter().find(|mark| mark.table_id == table.id && mark.seat == *seat);
                let after = found.map(|mark| mark.after);
                without |= after.is_none() && place.sent.is_some();
                ahead |= after.is_some_and(|after| after as usize > place.updates.len());
                let after = after.filter(|after| *after as usize <= place.updates.len() && !forgetful);
                place.start_over(after);
            }
        }
        if without {
            self.note(
                "it came back without a bookmark, and so gets a snapshot in place of the updates that it missed",
                "er kam ohne Lesezeichen wieder und bekommt daher einen Schnappschuss statt der verpassten Updates",
            );
        }
        if ahead {
            self.fault(
                "its bookmark names an update that it never got: after is the number of the last update that came",
                "sein Lesezeichen nennt ein Update, das er nie bekam: after ist die Nummer des letzten Updates, das kam",
            );
        }
        self.greet(seats).await;
        Ok(())
    }

    /// Tells the agent that another one has its name, and sees whether it comes back.
    pub(super) async fn replace(&mut self, watch: Duration) -> bool {
        let reason = wire::ErrorReason::AgentReplaced.into();
        let message = String::from("another connection has taken the name (a check)");
        let ending = Some(wire::StreamEnding { reason, message, retry_ms: 0 });
        self.send(wire::ConnectResponse { ending, ..Default::default() }).await;
        self.connection = None;
        self.line.next(watch).await.is_none()
    }
}

/// Says what a seat has not been told yet.
fn catch_up(
    table: &mut Table,
    seat: u32,
    wants: wire::Wants,
    due: &mut Option<Break>,
    say: &mut impl FnMut(Option<Item>),
) {
    let snapshot = table.snapshot(seat);
    let Some(place) = table.places.get_mut(&seat).filter(|place| !place.closed) else { return };
    match place.sent {
        None => say(Some(Item::Snapshot(Box::new(snapshot)))),
        Some(sent) => {
            for update in place.updates.iter().skip(sent as usize) {
                let mut update = update.clone();
                if !wants.events {
                    update.events.clear();
                }
                say(Some(Item::Update(update)));
            }
        }
    }
    // A snapshot holds no result: whoever gets one is told of the end by the last update.
    let told = place.updates.len() as u32;
    if place.sent.is_none() && has_seen_the_end(place) {
        say(place.updates.last().cloned().map(Item::Update));
    }
    place.sent = Some(told);
    if has_seen_the_end(place) {
        say(Some(Item::Closed(wire::ChannelClosed { number: told, ..Default::default() })));
        place.closed = true;
        return;
    }
    let Some(open) = place.open.as_mut().filter(|_| !place.asked) else { return };
    place.asked = true;
    open.since = Some(now());
    let mut decision = open.decision.clone();
    if !wants.decision_views {
        decision.view = None;
    }
    if !wants.legal_actions {
        decision.legal_actions.clear();
    }
    let mut times = 1;
    match table.twist {
        Some(Twist::AskTwice) => {
            times = 2;
            table.twist = None;
        }
        Some(Twist::Unknown) => {
            say(None);
            table.twist = None;
        }
        Some(Twist::CutWhenAsked) => {
            *due = Some(Break::Cut);
            table.twist = None;
        }
        _ => {}
    }
    *place.times_sent.entry(decision.id).or_default() += times;
    for _ in 0..times {
        say(Some(Item::Decision(decision.clone())));
    }
    if table.twist == Some(Twist::RunOut) {
        table.twist = None;
        table.run_out(seat);
    }
}
