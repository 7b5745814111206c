//! Players that play tables to the end, the transcripts of what they received, and replays from the revealed
//! seed.

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyOptions, AnyView, Chance, NoEvents, Seat, Seats, Viewer, below,
};
use parlor_proto::v1::{self, stream_item::Item, table_event::Event};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::client::Client;
use crate::streams::{PlayStream, answer_index, answer_item, play_seat, spectate, with_wants};
use crate::table_requests::SeatedTable;
use crate::test_server::TestServer;

/// Chooses the index of a legal action.
pub(crate) trait ChooseAction: Send {
    fn choose(&mut self, decision: &v1::Decision) -> u32;
}

impl<F: FnMut(&v1::Decision) -> u32 + Send> ChooseAction for F {
    fn choose(&mut self, decision: &v1::Decision) -> u32 {
        self(decision)
    }
}

/// Chooses uniformly at random; the same choices for the same seed.
pub(crate) fn random_choice(seed: u64) -> impl ChooseAction {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move |decision: &v1::Decision| below(decision.legal_count, &mut rng)
}

/// All items that a viewer received on its channel, from the first to the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    pub(crate) items: Vec<Item>,
}

impl Transcript {
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
            other => panic!("expected a snapshot first, got {other:?}"),
        }
    }

    /// The table events, in order.
    pub(crate) fn events(&self) -> Vec<Event> {
        let all = self.updates().flat_map(|update| &update.table_events);
        all.map(|event| event.event.clone().expect("a known event")).collect()
    }

    /// The last table event, which must be the end of the table.
    pub(crate) fn over(&self) -> v1::TableOver {
        match self.events().pop() {
            Some(Event::Over(over)) => over,
            other => panic!("expected the end of the table, got {other:?}"),
        }
    }

    /// The view that was sent with the update or the snapshot of this number.
    pub(crate) fn sent_view(&self, number: u32) -> Option<&v1::GameView> {
        let update = self.updates().find(|update| update.number == number);
        match (update, self.snapshot()) {
            (Some(update), _) => update.view.as_deref(),
            (None, snapshot) if snapshot.number == number => snapshot.view.as_deref(),
            (None, _) => None,
        }
    }

    /// The view of a decision, which is not sent again if it was sent with the update before.
    pub(crate) fn view_of<'a>(&'a self, decision: &'a v1::Decision) -> &'a v1::GameView {
        decision.view.as_deref().or_else(|| self.sent_view(decision.after)).expect("a view")
    }

    /// Checks the invariants of the stream: numbers have no gaps, a decision comes after its update and has
    /// the view of that moment unless the update had it, every decision is decided once, and views follow from
    /// the events.
    pub(crate) fn check(&self) {
        let snapshot = self.snapshot();
        let mut number = snapshot.number;
        let mut view = snapshot.view.as_deref().map(engine_view);
        let mut open = None;
        for item in &self.items[1..] {
            match item {
                Item::Update(update) => {
                    number += 1;
                    assert_eq!(update.number, number, "numbers have no gaps");
                    if let Some(decided) = &update.decided {
                        assert_eq!(open.take(), Some(decided.decision_id), "the open decision is decided");
                    }
                    view = follow(view, update);
                }
                Item::Decision(decision) => {
                    assert_eq!(decision.after, number, "a decision comes right after its update");
                    assert_eq!(open.replace(decision.id), None, "one decision at a time");
                    check_decision(decision, self.view_of(decision), view.as_ref());
                }
                Item::Answered(answered) => {
                    assert_eq!(answered.status(), v1::AnswerStatus::Accepted, "{answered:?}");
                }
                Item::Closed(closed) => {
                    assert_eq!((closed.reason(), closed.number), (v1::ErrorReason::Unspecified, number));
                }
                Item::Presence(_) | Item::TimeLeft(_) => {}
                Item::Revealed(_) => panic!("a reveal that was not sent"),
                Item::SeatGiven(_) | Item::EntropyAsked(_) => panic!("an agent's item sent to a player"),
                Item::Snapshot(_) => panic!("a second snapshot"),
            }
        }
        let ids = self.decisions().map(|decision| decision.id);
        assert!(ids.eq(1..=self.decisions().count() as u32), "decisions are counted from 1");
        assert!(matches!(self.items.last(), Some(Item::Closed(_))));
    }
}

/// The view after an update. If the update carries a view, it must equal the one that follows from the
/// events.
fn follow(view: Option<AnyView>, update: &v1::Update) -> Option<AnyView> {
    let sent = update.view.as_deref().map(engine_view);
    let followed = view.map(|mut view| {
        for event in &update.events {
            view.apply_event(&AnyEvent::try_from(event.clone()).expect("a valid event"));
        }
        view
    });
    if let (Some(sent), Some(followed)) = (&sent, &followed) {
        assert_eq!(sent, followed, "a view follows from the events");
    }
    // The first view has no predecessor.
    followed.or(sent)
}

fn check_decision(decision: &v1::Decision, asked: &v1::GameView, view: Option<&AnyView>) {
    assert_eq!(decision.legal_actions.len(), decision.legal_count as usize);
    assert!(decision.default_index < decision.legal_count);
    if let Some(view) = view {
        assert_eq!(engine_view(asked), *view, "the view of a decision is the view after its update");
    }
}

pub(crate) fn engine_view(view: &v1::GameView) -> AnyView {
    AnyView::try_from(view.clone()).expect("a valid view")
}

/// The wants of most bots, plus the view of each update.
pub(crate) const WANT_VIEWS: v1::Wants = v1::Wants {
    events: Some(true),
    update_views: Some(true),
    decision_views: Some(true),
    legal_actions: Some(true),
    rematch: Some(false),
    time_left: Some(false),
    texts: 0,
    board: None,
};

/// Plays one seat to the end over a stream of its own.
pub(crate) async fn play(client: &Client, attach: v1::Attach, choose: impl ChooseAction) -> Transcript {
    let mut stream = PlayStream::open_attached(client, 1, attach).await;
    let first = stream.reader.next_on(1).await;
    play_from(stream, first, choose).await
}

/// Plays on channel 1 from this first item to the end.
async fn play_from(mut stream: PlayStream, first: Item, mut choose: impl ChooseAction) -> Transcript {
    let mut seen = Transcript::default();
    let mut next = Some(first);
    loop {
        let item = match next.take() {
            Some(first) => first,
            None => stream.reader.next_on(1).await,
        };
        if let Item::Decision(decision) = &item {
            let index = choose.choose(decision);
            stream.send(vec![answer_item(1, answer_index(decision.id, index))]).await;
        }
        seen.items.push(item);
        if matches!(seen.items.last(), Some(Item::Closed(_))) {
            return seen;
        }
    }
}

/// The transcripts of a table: the players in the order of the seats, and a spectator.
pub(crate) struct PlayedTable {
    pub(crate) id: String,
    pub(crate) players: Vec<Transcript>,
    pub(crate) spectator: Transcript,
}

impl TestServer {
    /// Creates a public table, and plays it to the end, each viewer over a stream of its own.
    pub(crate) async fn play_to_end(&self, request: v1::CreateTableRequest) -> PlayedTable {
        self.play_to_end_with(WANT_VIEWS, request).await
    }

    /// Like `play_to_end`, with these wants of every viewer.
    pub(crate) async fn play_to_end_with(
        &self,
        wants: v1::Wants,
        request: v1::CreateTableRequest,
    ) -> PlayedTable {
        let owner = self.client();
        let seats = request.seats.len();
        let id = owner.new_table(request).await;
        let mut spectator = PlayStream::open_attached(&owner, 1, with_wants(wants, spectate(&id))).await;
        let first = spectator.reader.next_on(1).await;
        let watching = tokio::spawn(play_from(spectator, first, |_: &v1::Decision| 0));
        let mut tokens = Vec::new();
        for _ in 0..seats {
            tokens.push(owner.join_table(crate::table_requests::join(&id)).await.expect("a seat").seat_token);
        }
        let players = self.play_seats_with(wants, &SeatedTable { id: id.clone(), tokens }).await;
        let spectator = crate::test_server::with_timeout(watching).await.expect("the spectator's task");
        PlayedTable { id, players, spectator }
    }

    /// Plays every seat of the table to the end, each over a stream of its own.
    pub(crate) async fn play_seats(&self, seated: &SeatedTable) -> Vec<Transcript> {
        self.play_seats_with(WANT_VIEWS, seated).await
    }

    async fn play_seats_with(&self, wants: v1::Wants, seated: &SeatedTable) -> Vec<Transcript> {
        let playing: Vec<_> = (0..)
            .zip(&seated.tokens)
            .map(|(seed, token)| {
                let (client, attach) = (self.client(), with_wants(wants, play_seat(token)));
                tokio::spawn(async move { play(&client, attach, random_choice(seed)).await })
            })
            .collect();
        let mut players = Vec::new();
        for player in playing {
            players.push(player.await.expect("the player's task"));
        }
        players
    }
}

/// Replays a finished game from its revealed seed with the decisions of each seat, and checks that the view
/// of each decision is the view in the replay.
pub(crate) fn replay_from_seed(table: &v1::Table, players: &[Transcript]) -> AnyGame {
    let mut game = deal_from_seed(table);
    let mut left: Vec<_> = players.iter().map(Transcript::decided).collect();
    // Seats that decide simultaneously: their views at the decision are not those of this sequential replay.
    let mut simultaneous = Seats::NONE;
    while let Some(asked) = game.to_act().first() {
        if game.to_act().len() > 1 {
            simultaneous = game.to_act();
        }
        let made = left[asked.index()].next().expect("a decision for each that the game asks for");
        if !simultaneous.contains(asked) {
            check_view(&game, asked, &players[asked.index()], made.decision_id);
        }
        simultaneous = simultaneous.without(asked);
        let action = AnyAction::try_from(made.action.clone().expect("an action")).expect("an action");
        game.apply(asked, action, &mut NoEvents).expect("an accepted action is legal");
    }
    assert!(
        left.iter_mut().all(|left| left.next().is_none()),
        "decisions left over after the end of the replay"
    );
    game
}

/// Checks the view of a decision against the replay.
fn check_view(game: &AnyGame, asked: Seat, seen: &Transcript, id: u32) {
    // A transcript that begins after the decision does not have it.
    if let Some(decision) = seen.decisions().find(|decision| decision.id == id) {
        let view = engine_view(seen.view_of(decision));
        assert_eq!(game.view(Viewer::Seat(asked)), view, "seat {asked}, decision {id}");
    }
}

/// The first position, from the seed that a finished table reveals.
pub(crate) fn deal_from_seed(table: &v1::Table) -> AnyGame {
    let options = AnyOptions::try_from(table.options.expect("options")).expect("options");
    let shuffle = table.shuffle.as_ref().expect("a shuffle");
    let seed: [u8; 32] = shuffle.game_seed.as_slice().try_into().expect("32 bytes");
    let players = u8::try_from(table.seats.len()).expect("at most 6 players");
    AnyGame::new(table.rules_version, options, players, Chance::seeded(seed), &mut NoEvents).expect("a game")
}
