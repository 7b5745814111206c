//! Two servers with a table each, played alike, and all that reaches one viewer compared.

use std::fmt::Debug;

use parlor_engine::{AnyAction, Seat, Viewer, below};
use parlor_proto::v1;
use parlor_proto::v1::stream_item::Item;
use prost::Message;
use rand_chacha::ChaCha8Rng;

use crate::game_pair::Twins;
use crate::model_table::{Deed, World, setup};
use crate::server::{CHANNEL, House, Served, Watching};

/// A fault of a server, made here: what it sends depends on what the viewer cannot know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leak {
    /// Updates show what somebody else sees.
    View,
    /// Updates are as long as others have something to choose from.
    Size,
    /// Updates are numbered by the table's log, and not for the viewer.
    Number,
    /// The viewer's record has the view of somebody else, too.
    Record,
}

/// One of the two tables, and one viewer of it.
struct Side {
    served: Served,
    watching: Watching,
    world: World,
    viewer: Viewer,
    /// What was heard and not compared yet.
    heard: Vec<v1::StreamItem>,
    leak: Option<Leak>,
}

/// What a viewer gets: what it is, for people, and its bytes.
type Output = Vec<(Box<dyn Debug>, Vec<u8>)>;

fn said(message: impl Message + Debug + 'static) -> (Box<dyn Debug>, Vec<u8>) {
    let bytes = message.encode_to_vec();
    (Box::new(message), bytes)
}

/// What the viewer asks for by itself after a step, the same on both sides.
#[derive(Default)]
struct Curiosity {
    /// Answers that will be refused, or have been given before.
    answers: Vec<v1::Answer>,
    list: bool,
    /// To be told again what came after this number.
    again: Option<u32>,
}

impl Side {
    /// Does something at the table, and waits until it is done.
    async fn carry_out(&mut self, deed: &Deed) {
        match deed {
            Deed::Act { seat, index } => {
                let open = self.world.table.seats()[seat.index()].open.expect("a seat that is asked");
                let choice = Some(v1::answer::Choice::Index(*index));
                let answer = v1::Answer { decision_id: open.0 as u32, choice, think_ms: Some(3) };
                self.answer(*seat, answer).await;
            }
            Deed::Resign { seat } => self.served.resign(*seat).await,
            Deed::Wait { ms, .. } => {
                self.served.clock.advance(std::time::Duration::from_millis((*ms).into()));
            }
        }
        self.world.apply(deed, self.viewer);
        self.served.wait_for(self.world.table.length()).await;
    }

    /// The viewer answers over its stream, and others without one.
    async fn answer(&mut self, seat: Seat, answer: v1::Answer) {
        let answered = if self.viewer.is(seat) {
            self.watching.say(CHANNEL, v1::play_request_item::Item::Answer(answer)).await;
            let is_answered = |item: &v1::StreamItem| matches!(item.item, Some(Item::Answered(_)));
            let heard = self.watching.heard_until(is_answered).await;
            let mut last = heard.iter().filter_map(|item| match &item.item {
                Some(Item::Answered(answered)) => Some(answered.clone()),
                _ => None,
            });
            let answered = last.next_back().expect("what became of it");
            self.heard.extend(heard);
            answered
        } else {
            self.served.act(seat, answer).await
        };
        assert_eq!(answered.status(), v1::AnswerStatus::Accepted, "{answered:?}");
    }

    /// All that the viewer gets after a step.
    async fn output(&mut self, curious: &Curiosity) -> Output {
        let mut output = vec![said(self.served.look(self.viewer).await)];
        let mut heard = std::mem::take(&mut self.heard);
        heard.extend(self.watching.heard().await);
        for mut item in heard {
            self.spoil(&mut item);
            output.push(said(item));
        }
        if let Viewer::Seat(seat) = self.viewer {
            for answer in &curious.answers {
                output.push(said(self.served.act(seat, answer.clone()).await));
            }
        }
        if curious.list {
            output.push(said(self.served.list().await));
        }
        if let Some(after) = curious.again {
            let last = self.world.table.numbers().of(self.viewer) as u32;
            let seat = self.viewer.seat().map(|seat| &self.world.table.seats()[seat.index()]);
            let is_asked = seat.is_some_and(|seat| seat.open.is_some());
            output.extend(
                self.served.told_again(self.viewer, after, last, is_asked).await.into_iter().map(said),
            );
        }
        output
    }

    /// The viewer's record, after the owner has called the table off, if that was needed.
    async fn record(&mut self) -> v1::GetRecordResponse {
        if self.world.is_playing() {
            self.served.cancel().await;
        }
        let mut response = self.served.record(self.viewer).await;
        if self.leak == Some(Leak::Record) {
            let record = response.record.as_mut().expect("a record");
            record.views.extend(self.served.record(self.other()).await.record.expect("a record").views);
        }
        response
    }

    /// Another viewer, who sees something else.
    fn other(&self) -> Viewer {
        let other = Seat::all(self.world.table.players()).find(|seat| !self.viewer.is(*seat));
        Viewer::Seat(other.expect("somebody else"))
    }

    /// Sends it as a server with a leak would.
    fn spoil(&self, item: &mut v1::StreamItem) {
        let (Some(Item::Update(update)), Some(leak)) = (&mut item.item, self.leak) else { return };
        let table = &self.world.table;
        let others = || Seat::all(table.players()).filter(|seat| !self.viewer.is(*seat));
        match leak {
            Leak::View => {
                update.view = table.view(self.other()).map(|view| Box::new(view.into()));
            }
            Leak::Size => {
                let choices: usize = others().map(|seat| table.legal_actions(seat).len()).sum();
                update.table_events.extend(vec![v1::TableEvent::default(); choices]);
            }
            Leak::Number => update.number = table.length() as u32,
            Leak::Record => {}
        }
    }
}

/// Plays both tables alike, and says what differs for the viewer, or how many steps were compared.
pub(crate) async fn compare(
    house: &House,
    twins: &Twins,
    leak: Option<Leak>,
    rng: &mut ChaCha8Rng,
) -> Result<usize, String> {
    let Twins { kind, viewer, deals, steps, actions } = twins;
    let mut sides = Vec::new();
    for deals in deals {
        let mut served = house.serve(setup(*kind, deals)).await;
        let mut watching = served.watch(*viewer).await;
        // When this is answered the table has been asked, and when it has been looked at, it has answered.
        let heard = watching.heard().await;
        served.look(*viewer).await;
        let world = World::new(*kind, deals);
        sides.push(Side { served, watching, world, viewer: *viewer, heard, leak });
    }
    for seat in Seat::all(kind.players) {
        let mut joined = Vec::new();
        for side in &mut sides {
            side.world.join(seat);
            joined.push(vec![said(side.served.join(seat).await)]);
            side.served.wait_for(side.world.table.length()).await;
        }
        same(&joined[0], &joined[1])?;
    }
    for deeds in steps {
        for (side, deeds) in sides.iter_mut().zip(deeds) {
            for deed in deeds {
                side.carry_out(deed).await;
            }
        }
        let curious = curiosity(&sides[0].world, *viewer, actions, rng);
        let mut outputs = Vec::new();
        for side in &mut sides {
            outputs.push(side.output(&curious).await);
        }
        same(&outputs[0], &outputs[1])
            .map_err(|why| format!("{kind:?}, {viewer:?}, after {deeds:?}: {why}"))?;
    }
    let mut records = Vec::new();
    for side in &mut sides {
        records.push(vec![said(side.record().await)]);
    }
    same(&records[0], &records[1]).map_err(|why| format!("{kind:?}, {viewer:?}, on record: {why}"))?;
    let mut news = Vec::new();
    for side in &mut sides {
        news.push(side.served.news().await);
    }
    if news[0] != news[1] {
        return Err(format!("{kind:?}: the owner is told something else"));
    }
    Ok(steps.len())
}

/// What the viewer tries by itself: actions that it is not offered, decisions that are not open, and looking again.
fn curiosity(world: &World, viewer: Viewer, actions: &[AnyAction], rng: &mut ChaCha8Rng) -> Curiosity {
    let last = world.table.numbers().of(viewer) as u32;
    let mut curious = Curiosity {
        answers: Vec::new(),
        list: below(4, rng) == 0,
        again: (below(4, rng) == 0).then(|| below(last + 1, rng)),
    };
    let Viewer::Seat(seat) = viewer else { return curious };
    let legal = world.table.legal_actions(seat);
    let newest = world.table.seats()[seat.index()].asked as u32;
    for _ in 0..2 {
        let action = actions[below(actions.len() as u32, rng) as usize];
        // The open decision, one that was decided, or one that has not come up.
        let decision_id = (newest + 2 - below(4, rng).min(newest + 1)).max(1);
        let is_open = world.table.seats()[seat.index()].open.is_some() && decision_id == newest;
        let choice = if is_open && legal.contains(&action) {
            v1::answer::Choice::Index(legal.len() as u32)
        } else {
            v1::answer::Choice::Action(action.into())
        };
        curious.answers.push(v1::Answer { decision_id, choice: Some(choice), think_ms: None });
    }
    curious
}

/// Whether the viewer gets the same on both sides, and if not, what differs.
fn same(one: &Output, other: &Output) -> Result<(), String> {
    for ((what, bytes), (other_what, other_bytes)) in one.iter().zip(other) {
        if bytes != other_bytes {
            return Err(format!("the viewer gets {what:#?}\nor {other_what:#?}"));
        }
    }
    let (longer, shorter) = if one.len() > other.len() { (one, other) } else { (other, one) };
    match longer.get(shorter.len()) {
        Some((what, _)) => Err(format!("the viewer gets, on one side only, {what:#?}")),
        None => Ok(()),
    }
}
