//! Players that play to the end, and what they saw.

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyOptions, AnyView, Chance, NoEvents, Seat, Seats, Viewer, below,
};
use parlor_proto::v1::{self, stream_item::Item, table_event::Event};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::client::Caller;
use crate::streams::{Line, answering, index, rail, seat, wanting};
use crate::table_requests::Seated;
use crate::test_server::Scene;

/// Chooses among so many legal actions.
pub(crate) trait Choose: Send {
    fn choose(&mut self, decision: &v1::Decision) -> u32;
}

impl<F: FnMut(&v1::Decision) -> u32 + Send> Choose for F {
    fn choose(&mut self, decision: &v1::Decision) -> u32 {
        self(decision)
    }
}

/// Somebody who plays anything, the same every time.
pub(crate) fn whim(seed: u64) -> impl Choose {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move |decision: &v1::Decision| below(decision.legal_count, &mut rng)
}

/// What a viewer saw from the beginning to the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) items: Vec<Item>,
}

impl Seen {
    pub(crate) fn updates(&self) -> impl DoubleEndedIterator<Item = &v1::Update> {
        self.items.iter().filter_map(|item| if let Item::Update(update) = item { Some(update) } else { None })
    }

    pub(crate) fn decisions(&self) -> impl Iterator<Item = &v1::Decision> {
        self.items.iter().filter_map(|item| match item {
            Item::Decision(decision) => Some(decision),
            _ => None,
        })
    }

    pub(crate) fn decided(&self) -> impl Iterator<Item = &v1::Decided> {
        self.updates().filter_map(|update| update.decided.as_ref())
    }

    pub(crate) fn snapshot(&self) -> &v1::Snapshot {
        match self.items.first() {
            Some(Item::Snapshot(snapshot)) => snapshot,
            other => panic!("first comes a snapshot, not {other:?}"),
        }
    }

    /// What happened at the table, in order.
    pub(crate) fn events(&self) -> Vec<Event> {
        let all = self.updates().flat_map(|update| &update.table_events);
        all.map(|event| event.event.clone().expect("a known event")).collect()
    }

    /// The end of the table, which is the last thing that happened.
    pub(crate) fn over(&self) -> v1::TableOver {
        match self.events().pop() {
            Some(Event::Over(over)) => over,
            other => panic!("the last event is the end, not {other:?}"),
        }
    }

    /// Holds what was seen against the promises of the stream: numbers without holes, decisions after their update and
    /// about the view of that moment, one decided for each that was asked, and views that follow from the events.
    pub(crate) fn check(&self) {
        let snapshot = self.snapshot();
        let mut number = snapshot.number;
        let mut view = snapshot.view.as_deref().map(engine_view);
        let mut open = None;
        for item in &self.items[1..] {
            match item {
                Item::Update(update) => {
                    number += 1;
                    assert_eq!(update.number, number, "numbers have no holes");
                    if let Some(decided) = &update.decided {
                        assert_eq!(open.take(), Some(decided.decision_id), "what was asked is decided");
                    }
                    view = follow(view, update);
                }
                Item::Decision(decision) => {
                    assert_eq!(decision.after, number, "a decision comes after its update");
                    assert_eq!(open.replace(decision.id), None, "one decision at a time");
                    check_decision(decision, view.as_ref());
                }
                Item::Answered(answered) => {
                    assert_eq!(answered.status(), v1::AnswerStatus::Accepted, "{answered:?}");
                }
                Item::Closed(closed) => {
                    assert_eq!((closed.reason(), closed.number), (v1::ErrorReason::Unspecified, number));
                }
                Item::Presence(_) | Item::TimeLeft(_) => {}
                Item::SeatGiven(_) => panic!("a seat was given to a player"),
                Item::Snapshot(_) => panic!("a second snapshot"),
            }
        }
        let ids = self.decisions().map(|decision| decision.id);
        assert!(ids.eq(1..=self.decisions().count() as u32), "decisions are counted from 1");
        assert!(matches!(self.items.last(), Some(Item::Closed(_))));
    }
}

/// The view after an update: the one that came with it, which is the one that follows from the events.
fn follow(view: Option<AnyView>, update: &v1::Update) -> Option<AnyView> {
    let sent = update.view.as_deref().map(engine_view);
    let followed = view.map(|mut view| {
        for event in &update.events {
            view.follow(&AnyEvent::try_from(event.clone()).expect("an event"));
        }
        view
    });
    if let (Some(sent), Some(followed)) = (&sent, &followed) {
        assert_eq!(sent, followed, "a view follows from the events");
    }
    // The first one cannot follow from anything: the game begins with it.
    followed.or(sent)
}

fn check_decision(decision: &v1::Decision, view: Option<&AnyView>) {
    assert_eq!(decision.legal_actions.len(), decision.legal_count as usize);
    assert!(decision.default_index < decision.legal_count);
    let asked = decision.view.as_deref().map(engine_view).expect("a view");
    if let Some(view) = view {
        assert_eq!(asked, *view, "a decision is about the game after its update");
    }
}

pub(crate) fn engine_view(view: &v1::GameView) -> AnyView {
    AnyView::try_from(view.clone()).expect("a view")
}

/// What most bots want, and the view with each update.
pub(crate) const VIEWS: v1::Wants = v1::Wants {
    events: true,
    update_views: true,
    decision_views: true,
    legal_actions: true,
    rematch: false,
    time_left: false,
};

/// Plays one seat, over a stream of its own, to the end.
pub(crate) async fn play(caller: &Caller, attach: v1::Attach, choose: impl Choose) -> Seen {
    let mut line = Line::attached(caller, 1, attach).await;
    let first = line.heard.on(1).await;
    play_on(line, first, choose).await
}

/// Plays on, on channel 1, from the first item to the end.
async fn play_on(mut line: Line, first: Item, mut choose: impl Choose) -> Seen {
    let mut seen = Seen::default();
    let mut next = Some(first);
    loop {
        let item = match next.take() {
            Some(first) => first,
            None => line.heard.on(1).await,
        };
        if let Item::Decision(decision) = &item {
            let chosen = choose.choose(decision);
            line.say(vec![answering(1, index(decision.id, chosen))]).await;
        }
        seen.items.push(item);
        if matches!(seen.items.last(), Some(Item::Closed(_))) {
            return seen;
        }
    }
}

/// What everyone at a table saw: the players in order, and a spectator.
pub(crate) struct Game {
    pub(crate) id: String,
    pub(crate) players: Vec<Seen>,
    pub(crate) spectator: Seen,
}

impl Scene {
    /// Makes a public table, and plays it to the end, everyone over a stream of their own.
    pub(crate) async fn play_out(&self, request: v1::CreateTableRequest) -> Game {
        let owner = self.anyone();
        let seats = request.seats.len();
        let id = owner.make(request).await;
        let mut guest = Line::attached(&owner, 1, wanting(VIEWS, rail(&id))).await;
        let first = guest.heard.on(1).await;
        let watching = tokio::spawn(play_on(guest, first, |_: &v1::Decision| 0));
        let mut tokens = Vec::new();
        for _ in 0..seats {
            tokens.push(owner.join_table(crate::table_requests::join(&id)).await.expect("a seat").seat_token);
        }
        let players = self.play_seats(&Seated { id: id.clone(), tokens }).await;
        let spectator = crate::test_server::soon(watching).await.expect("a spectator");
        Game { id, players, spectator }
    }

    /// Plays the seats of these tokens to the end, each over a stream of its own.
    pub(crate) async fn play_seats(&self, seated: &Seated) -> Vec<Seen> {
        let playing: Vec<_> = (0..)
            .zip(&seated.tokens)
            .map(|(seed, token)| {
                let (caller, attach) = (self.anyone(), wanting(VIEWS, seat(token)));
                tokio::spawn(async move { play(&caller, attach, whim(seed)).await })
            })
            .collect();
        let mut players = Vec::new();
        for player in playing {
            players.push(player.await.expect("a player"));
        }
        players
    }
}

/// The game dealt again from its seed, with the decisions that each seat made. Whoever was asked saw what is seen in it.
pub(crate) fn dealt_again(table: &v1::Table, players: &[Seen]) -> AnyGame {
    let mut game = deal(table);
    let mut left: Vec<_> = players.iter().map(Seen::decided).collect();
    // The seats that were asked together with others. What they saw then is not what they see when it is their turn in
    // this order.
    let mut together = Seats::NONE;
    while let Some(asked) = game.to_act().first() {
        if game.to_act().len() > 1 {
            together = game.to_act();
        }
        let made = left[asked.index()].next().expect("as many decisions as the game asks for");
        if !together.contains(asked) {
            check_view(&game, asked, &players[asked.index()], made.decision_id);
        }
        together = together.without(asked);
        let action = AnyAction::try_from(made.action.clone().expect("an action")).expect("an action");
        game.apply(asked, action, &mut NoEvents).expect("what was accepted is legal");
    }
    assert!(left.iter_mut().all(|left| left.next().is_none()), "every decision is in the game");
    game
}

/// What the seat saw when it was asked is what it sees in this game.
fn check_view(game: &AnyGame, asked: Seat, seen: &Seen, id: u32) {
    // Whoever came afterwards was not asked.
    if let Some(decision) = seen.decisions().find(|decision| decision.id == id) {
        let view = decision.view.as_deref().map(engine_view).expect("a view");
        assert_eq!(game.view(Viewer::Seat(asked)), view, "seat {asked}, decision {id}");
    }
}

/// The game as it began, from the seed that the table shows when it is over.
pub(crate) fn deal(table: &v1::Table) -> AnyGame {
    let options = AnyOptions::try_from(table.options.expect("options")).expect("options");
    let shuffle = table.shuffle.as_ref().expect("a shuffle");
    let seed: [u8; 32] = shuffle.game_seed.as_slice().try_into().expect("32 bytes");
    let players = u8::try_from(table.seats.len()).expect("a few");
    AnyGame::new(table.rules_version, options, players, Chance::seeded(seed), &mut NoEvents).expect("a game")
}
