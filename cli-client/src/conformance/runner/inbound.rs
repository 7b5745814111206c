//! Messages from the agent, and answers that are overdue.

use std::time::Duration;

use parlor_cli::lang::BilingualText;
use parlor_cli::load::now;
use parlor_sdk::wire;
use tokio::time::{Instant, timeout_at};
use wire::play_request_item::Item as RequestItem;
use wire::stream_item::Item;

use super::super::table::{AnswerVerdict, Disruption, RefereedTable};
use super::reconnect::Disconnect;
use super::{AgentGone, CheckRunner};

/// Time to answer again after a refusal.
const REFUSAL_RETRY_TIME: Duration = Duration::from_secs(3);

impl CheckRunner<'_> {
    /// Waits for a message of the agent, or for the deadline of its next answer.
    pub(super) async fn receive(&mut self) -> Result<(), AgentGone> {
        if let Some(other) = self.server.try_next() {
            self.fault(
                "it opened a second stream while connected: keep one stream, and wait for its end before the next",
                "er hat sich ein zweites Mal verbunden, während er verbunden war: Halte einen Stream, und warte sein Ende ab",
            );
            return self.resume(other).await;
        }
        let deadline = self.deadline();
        let Some(connection) = &mut self.connection else { return Err(AgentGone) };
        match timeout_at(deadline, connection.next()).await {
            Ok(Some(request)) => {
                self.handle_request(request);
                Ok(())
            }
            Ok(None) => {
                self.fault(
                    "it ended its stream during a game: stay connected until the server ends the stream",
                    "er hat seinen Stream mitten im Spiel beendet: Bleib verbunden, bis der Server den Stream beendet",
                );
                self.await_reconnect().await
            }
            Err(_) => {
                self.expire_overdue();
                Ok(())
            }
        }
    }

    fn deadline(&self) -> Instant {
        let seats = self.tables.iter().flat_map(|table| table.seats.values());
        let open = seats.filter_map(|seat_state| seat_state.open.as_ref());
        let due = open.filter_map(|open| Some(open.sent_at? + self.answer_time(open.refused)));
        due.min().unwrap_or_else(|| now() + self.patience)
    }

    fn answer_time(&self, refused: bool) -> Duration {
        if refused { REFUSAL_RETRY_TIME.min(self.patience) } else { self.patience }
    }

    /// Handles overdue answers: after a refusal the clock expires; otherwise it is a fault that cancels the
    /// tables.
    fn expire_overdue(&mut self) {
        let (current, mut silent) = (now(), None);
        for table in &mut self.tables {
            let late = |refused: bool, since: Instant| {
                let allowed = if refused { REFUSAL_RETRY_TIME.min(self.patience) } else { self.patience };
                current >= since + allowed
            };
            let open =
                table.seats.iter().filter_map(|(seat, seat_state)| Some((*seat, seat_state.open.as_ref()?)));
            let late: Vec<(u32, bool)> = open
                .filter(|(_, open)| open.sent_at.is_some_and(|since| late(open.refused, since)))
                .map(|(seat, open)| (seat, open.refused))
                .collect();
            for (seat, refused) in late {
                if refused {
                    table.expire_clock(seat);
                    self.notes.push(BilingualText::new(
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
                format!("it did not answer a decision at a table of {game} within {patience}: answer every decision, repeated ones too"),
                format!("er wurde an einem Tisch {game} gefragt und hat nicht in {patience} geantwortet: Beantworte jede Entscheidung, auch eine, die noch einmal kommt"),
            );
            self.queued.clear();
            self.tables.iter_mut().filter(|table| !table.has_ended()).for_each(RefereedTable::cancel);
        }
    }

    fn handle_request(&mut self, request: wire::ConnectRequest) {
        if request.hello.is_some() {
            self.fault(
                "it sent hello twice: send it in the first message only",
                "er hat zweimal hello gesagt: nur in der ersten Nachricht",
            );
        }
        for item in request.items {
            let Some(content) = item.item else {
                self.fault("it sent an item without content", "er hat einen Eintrag ohne Inhalt geschickt");
                continue;
            };
            let answer = match content {
                RequestItem::Answer(answer) => answer,
                RequestItem::Attach(_) => {
                    self.fault(
                        "it attached a channel: channels of agents are opened by the server (seat_given)",
                        "er hat einen Kanal geöffnet: Die Kanäle von Agenten öffnet der Server (seat_given)",
                    );
                    continue;
                }
                RequestItem::TournamentEntropy(_) => {
                    self.fault(
                        "it added entropy to a tournament that had not asked for any (entropy_asked)",
                        "er hat Entropie zu einem Turnier gegeben, das keine verlangt hat (entropy_asked)",
                    );
                    continue;
                }
                RequestItem::Reveal(_) => {
                    self.fault(
                        "it revealed entropy of a seat (reveal): the seats of agents commit to nothing",
                        "er hat Entropie eines Sitzes offengelegt (reveal): Die Sitze von Agenten legen sich auf nichts fest",
                    );
                    continue;
                }
                RequestItem::Detach(_) => {
                    self.fault(
                        "it detached, which resigns the seat: leave channels alone until they are closed",
                        "er hat einen Kanal geschlossen und damit den Sitz aufgegeben: Lass Kanäle, bis sie geschlossen werden",
                    );
                    continue;
                }
            };
            if self.handle_answer(item.channel, &answer) {
                // The connection is cut: the remaining items are lost.
                return;
            }
        }
    }

    /// Handles an answer. Returns `true` if the connection is to be cut, which discards the rest of the
    /// message.
    fn handle_answer(&mut self, channel: u32, answer: &wire::Answer) -> bool {
        let Some((index, seat)) = self.channels.get(&channel).copied() else {
            if channel <= self.last_stale_channel || channel > self.last_channel {
                self.fault(
                    format!("it answered on channel {channel}, which is not open: use the channel of the decision"),
                    format!("er hat auf Kanal {channel} geantwortet, der nicht offen ist: Nimm den Kanal, auf dem die Entscheidung kam"),
                );
            }
            return false;
        };
        let Some(table) = self.tables.get_mut(index) else { return false };
        let open = table.seats.get(&seat).and_then(|seat_state| seat_state.open.as_ref());
        let since = open.filter(|open| open.decision.id == answer.decision_id).and_then(|open| open.sent_at);
        if since.is_some()
            && matches!(table.disruption, Some(Disruption::CutWhenAnswered | Disruption::EndWhenAnswered))
        {
            self.pending_disconnect = Some(if table.disruption == Some(Disruption::CutWhenAnswered) {
                Disconnect::Cut
            } else {
                Disconnect::GracefulEnd
            });
            table.disruption = None;
            return true;
        }
        let cuts = since.is_some() && table.disruption == Some(Disruption::CutWhenDecided);
        let (answered, verdict) = table.answer(seat, answer);
        let (game, id) = (table.game_id(), answer.decision_id);
        match verdict {
            AnswerVerdict::Valid => {
                if let Some(since) = since {
                    let took = now().saturating_duration_since(since);
                    self.times.answers += 1;
                    self.times.sum += took;
                    self.times.longest = self.times.longest.max(took);
                    self.times.reported += u32::from(answer.think_ms.is_some());
                }
                if cuts {
                    table.disruption = None;
                    self.pending_disconnect = Some(Disconnect::Cut);
                    self.ignore_bookmarks = true;
                    return true;
                }
            }
            AnswerVerdict::Illegal => self.fault(
                format!("its answer in {game} was not legal: choose an index below legal_count, or one of legal_actions"),
                format!("seine Antwort in {game} war nicht erlaubt: Nimm einen Index unter legal_count, oder eine der legal_actions"),
            ),
            AnswerVerdict::NeverAsked => self.fault(
                format!("it answered decision {id} in {game}, which is not open: answer with the id of the decision, on its channel"),
                format!("er hat in {game} die Entscheidung {id} beantwortet, nach der er nicht gefragt war: Antworte mit der id der Entscheidung, auf ihrem Kanal"),
            ),
            AnswerVerdict::Duplicate => self.fault(
                format!("it answered decision {id} in {game} twice: answer each decision once"),
                format!("er hat in {game} die Entscheidung {id} zweimal beantwortet: Beantworte jede Entscheidung einmal"),
            ),
            AnswerVerdict::Changed => self.fault(
                format!("it changed its answer to decision {id} in {game}: keep your answer, and send the same one again"),
                format!("er hat in {game} die Entscheidung {id} noch einmal beantwortet, und anders: Merk dir die Antwort, und schick dieselbe noch einmal"),
            ),
            AnswerVerdict::Repeated | AnswerVerdict::Late => {}
        }
        self.replies.push(wire::StreamItem { channel, item: Some(Item::Answered(answered)) });
        false
    }
}
