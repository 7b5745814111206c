//! What the agent says, and what it does not say in time.

use std::time::Duration;

use parlor_cli::load::now;
use parlor_sdk::wire;
use tokio::time::{Instant, timeout_at};
use wire::play_request_item::Item as Say;
use wire::stream_item::Item;

use super::super::report::Said;
use super::super::table::{Judged, Table, Twist};
use super::breaks::Break;
use super::{Arena, Gone};

/// How long an agent has to answer again after a refusal.
const AFTER_REFUSAL: Duration = Duration::from_secs(3);

impl Arena<'_> {
    /// Waits for what the agent says, or for what it does not say.
    pub(super) async fn listen(&mut self) -> Result<(), Gone> {
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
}
