//! A seat that a program plays, as a bot of the SDK.

use std::sync::Arc;

use parlor_engine::Lang;
use parlor_sdk::{AsyncBot, BotError, Choice, GameEnd, GameStart, Question, Update, async_trait, wire};
use tokio::sync::{mpsc, oneshot};

use super::open_decisions::{Prompt, SeatKey};
use super::supervisor::SeatMessage;
use super::table_lines::TableLines;

/// Parts of messages that programs are sent: everything that the lines contain.
#[must_use]
pub fn wants(lang: Lang) -> wire::Wants {
    wire::Wants {
        events: Some(true),
        decision_views: Some(true),
        legal_actions: Some(true),
        texts: wire::Language::from(lang).into(),
        board: Some(true),
        ..Default::default()
    }
}

/// One seat of a program, made by [`Programs::bot`](super::Programs::bot).
#[derive(Debug)]
pub struct ProgramBot {
    program: mpsc::Sender<SeatMessage>,
    lang: Lang,
    lines: TableLines,
    result_texts: Option<wire::ResultTexts>,
    /// Set from the start of the seat to its end.
    playing: bool,
}

impl ProgramBot {
    pub(super) fn new(program: mpsc::Sender<SeatMessage>, lang: Lang) -> ProgramBot {
        let lines = TableLines::new("", 0);
        ProgramBot { program, lang, lines, result_texts: None, playing: false }
    }

    fn key(&self) -> SeatKey {
        SeatKey { table: self.lines.table().into(), seat: self.lines.seat() }
    }

    /// Sends a line that needs no answer.
    pub(super) async fn tell(&self, line: Arc<str>) {
        self.send(SeatMessage::Tell(line)).await;
    }

    /// Sends a message to the supervisor, which runs as long as its senders.
    async fn send(&self, message: SeatMessage) {
        let _ = self.program.send(message).await;
    }
}

#[async_trait]
impl AsyncBot for ProgramBot {
    async fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        let line = Arc::from(self.lines.decision(question).encode());
        let (reply, answer) = oneshot::channel();
        let prompt = Prompt { question: question.clone(), line, reply };
        self.send(SeatMessage::Ask(self.key(), Box::new(prompt))).await;
        let index = answer.await.map_err(|_| "the program is no longer running")?;
        Ok(Choice::Index(index))
    }

    async fn start(&mut self, start: &GameStart<'_>) {
        self.lines = TableLines::new(start.table_id, start.seat);
        self.playing = true;
        let line = self.lines.start(start.table.unwrap_or(&wire::Table::default())).encode();
        self.send(SeatMessage::Start(self.key(), line.into())).await;
    }

    async fn observe(&mut self, update: &Update) {
        if let Some(result) = update.texts().and_then(|texts| texts.result.as_ref()) {
            self.result_texts = Some(result.clone());
        }
        self.tell(self.lines.events(update.wire()).encode().into()).await;
    }

    async fn end(&mut self, end: &GameEnd<'_>) {
        self.playing = false;
        let line = self.lines.end(end.result, self.result_texts.as_ref()).encode();
        self.send(SeatMessage::End(self.key(), line.into())).await;
    }

    fn wants(&self) -> wire::Wants {
        wants(self.lang)
    }
}

impl Drop for ProgramBot {
    /// Leaves a seat that has not ended.
    fn drop(&mut self) {
        if !self.playing {
            return;
        }
        let message = SeatMessage::Leave(self.key());
        if let Err(mpsc::error::TrySendError::Full(message)) = self.program.try_send(message) {
            let program = self.program.clone();
            tokio::spawn(async move { program.send(message).await });
        }
    }
}
