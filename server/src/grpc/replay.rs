//! The response stream of RecordService.Replay.

use futures_util::{Stream, stream};
use parlor_engine::Lang;
use parlor_host::table::Replay;
use parlor_proto::{convert::InvalidField, v1};
use prost::Message;
use tonic::Status;

use super::Failure;
use super::convert;
use super::record::MAX_BATCH_BYTES;

/// The messages of a replay from the first wanted step on. Each is made as the client reads it, so a slow client needs no
/// more memory than the record.
pub(super) fn replay_stream(
    replay: Replay,
    lang: Lang,
    first_step: u32,
) -> Result<impl Stream<Item = Result<v1::ReplayResponse, Status>> + Send, Failure> {
    let last = replay.length() - 1;
    if first_step > last {
        let why = format!("must be 0 to {last}, the last step, not {first_step}");
        return Err(InvalidField::at("first_step", why).into());
    }
    let state = ReplayMessages { replay: replay.starting_at(first_step), lang, next: None };
    Ok(stream::unfold(state, |mut state| async move {
        let message = state.next_message()?;
        Some((Ok(message), state))
    }))
}

/// State of a response stream.
struct ReplayMessages {
    replay: Replay,
    lang: Lang,
    /// A step that did not fit into the previous message.
    next: Option<v1::ReplayStep>,
}

impl ReplayMessages {
    fn next_step(&mut self) -> Option<v1::ReplayStep> {
        if let Some(step) = self.next.take() {
            return Some(step);
        }
        let step = self.replay.next()?;
        Some(convert::replay_step(step, self.replay.record(), self.replay.viewer(), self.lang))
    }

    /// The next message; `None` after the last.
    fn next_message(&mut self) -> Option<v1::ReplayResponse> {
        let (mut steps, mut bytes) = (Vec::new(), 0);
        while let Some(step) = self.next_step() {
            bytes += step.encoded_len();
            if bytes > MAX_BATCH_BYTES && !steps.is_empty() {
                self.next = Some(step);
                break;
            }
            steps.push(step);
        }
        let step_count = self.replay.length();
        (!steps.is_empty()).then_some(v1::ReplayResponse { steps, step_count })
    }
}
