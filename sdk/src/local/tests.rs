//! Games in this process: every game to its end, with updates as a server sends them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use parlor_engine::{AnyView, GameId, Seat, Viewer};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::*;
use crate::{Question, Update, async_trait};

/// Folds the view from events alone, and checks that it equals the view of each question.
struct Follower {
    view: Option<AnyView>,
    /// View after each update, from the first question on.
    known: HashMap<u32, AnyView>,
    number: u32,
    asked: u32,
    own: Arc<Mutex<Vec<(u32, u32)>>>,
}

impl Follower {
    fn new() -> Follower {
        Follower { view: None, known: HashMap::new(), number: 0, asked: 0, own: Arc::default() }
    }
}

impl Bot for Follower {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        assert_eq!(question.id(), self.asked + 1);
        self.asked = question.id();
        let view = question.engine_view()?;
        match self.known.get(&question.after()) {
            Some(known) => assert_eq!(known, view, "the view folded from updates equals the question's view"),
            // The first question may go to several seats at once: later views are then unknown.
            None => self.view = (question.after() == self.number).then(|| view.clone()),
        }
        // Wire and engine forms are equal.
        assert_eq!(question.view().cloned(), Some(view.clone().into()));
        let actions = question.engine_actions()?;
        assert_eq!(question.legal_actions().len(), actions.len());
        assert_eq!(question.legal_count(), actions.len());
        let index = (self.asked as usize * 7) % actions.len();
        self.own.lock().unwrap().push((question.id(), index as u32));
        // Answers alternate between action and index.
        Ok(if self.asked.is_multiple_of(2) { actions[index].into() } else { index.into() })
    }

    fn observe(&mut self, update: &Update) {
        assert_eq!(update.number(), self.number + 1);
        self.number = update.number();
        if let Some(decided) = update.decided() {
            let last = self.own.lock().unwrap().last().copied();
            assert_eq!(last, Some((decided.decision_id, decided.index)));
        }
        let events = update.engine_events().unwrap();
        assert_eq!(events.len(), update.events().len());
        if let Some(view) = &mut self.view {
            events.iter().for_each(|event| view.apply_event(event));
            self.known.insert(self.number, view.clone());
        }
    }
}

#[test]
fn every_game_is_played_out_with_consistent_updates() {
    for game in GameId::ALL {
        let info = game.info();
        let min_updates = if info.test_only { 0 } else { 10 };
        for players in [info.min_players, info.max_players] {
            let mut bots: Vec<Follower> = (0..players).map(|_| Follower::new()).collect();
            let mut seats: Vec<&mut dyn Bot> = bots.iter_mut().map(|bot| bot as &mut dyn Bot).collect();
            let over = LocalGame::new(info.id).unwrap().seed([3; 32]).play(&mut seats).unwrap();
            assert_eq!(over.result.seats.len(), usize::from(players));
            let followed = bots.iter().filter(|bot| bot.known.len() > min_updates).count();
            assert!(
                followed > usize::from(players) / 2,
                "{}: only {followed} bots could fold the view",
                info.id
            );
            let decided: usize = bots.iter().map(|bot| bot.own.lock().unwrap().len()).sum();
            assert_eq!(over.decisions, decided as u64);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let play = |seed: Option<[u8; 32]>| {
        let (mut one, mut other) = (|_: &Question| Choice::Index(0), |_: &Question| Choice::Index(0));
        let game = LocalGame::new("no_dice").unwrap();
        let game = seed.map_or(game, |seed| game.seed(seed));
        game.play(&mut [&mut one, &mut other]).unwrap()
    };
    assert_eq!(play(Some([1; 32])), play(Some([1; 32])));
    assert_ne!(play(Some([1; 32])), play(Some([2; 32])));
    play(None);
}

#[test]
fn errors_name_the_seat() {
    let mut fine = |_: &Question| Choice::Index(0);
    let play = |choice: Choice, fine: &mut dyn Bot| {
        let mut wrong = move |_: &Question| choice.clone();
        LocalGame::new("gap").unwrap().seed([1; 32]).play(&mut [fine, &mut wrong]).unwrap_err()
    };
    let error = play(Choice::Index(99), &mut fine);
    assert_eq!(error.reason(), Reason::IllegalAction);
    assert!(error.to_string().starts_with("seat 1: "), "{error}");

    let other_game = parlor_engine::AnyGame::new(
        1,
        GameId::FiveThreeFive.default_options(),
        2,
        parlor_engine::Chance::seeded([0; 32]),
        &mut parlor_engine::NoEvents,
    )
    .unwrap();
    let action = other_game.legal_actions(other_game.to_act().first().unwrap())[0];
    let error = play(action.into(), &mut fine);
    assert_eq!((error.reason(), error.rule()), (Reason::IllegalAction, Some("other_game")));

    let error = play(wire::GameAction::default().into(), &mut fine);
    assert_eq!(error.reason(), Reason::InvalidField);

    struct FailingBot;
    impl Bot for FailingBot {
        fn decide(&mut self, _: &Question) -> Result<Choice, BotError> {
            Err("out of memory".into())
        }
    }
    let error = LocalGame::new("gap").unwrap().play(&mut [&mut FailingBot, &mut fine]).unwrap_err();
    assert_eq!(
        (error.reason(), error.to_string()),
        (Reason::Bot, "seat 0: the bot failed: out of memory".into())
    );

    let error = LocalGame::new("gap").unwrap().play(&mut [&mut fine]).unwrap_err();
    assert_eq!(error.reason(), Reason::Settings);
    assert_eq!(LocalGame::new("chess").unwrap_err().reason(), Reason::GameNotFound);
}

#[tokio::test]
async fn async_bots_play_the_same_game_as_sync_bots() {
    struct YieldingBot;
    #[async_trait]
    impl AsyncBot for YieldingBot {
        async fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
            tokio::task::yield_now().await;
            Ok(question.default_index().into())
        }
    }
    let game = LocalGame::new("five_three_five").unwrap().seed([5; 32]);
    let waiting =
        game.play_async(&mut [&mut YieldingBot, &mut YieldingBot, &mut Follower::new()]).await.unwrap();
    let mut default = |question: &Question| Choice::Index(question.default_index());
    let mut again = default;
    let plain = game.play(&mut [&mut default, &mut again, &mut Follower::new()]).unwrap();
    assert_eq!(waiting, plain);
}

#[test]
fn default_index_is_the_default_action_of_the_game() {
    let mut default = |question: &Question| {
        let action = question.engine_actions().unwrap()[question.default_index()];
        let seat = question.engine_seat().unwrap();
        let world = question.sample(&mut ChaCha8Rng::seed_from_u64(1)).unwrap();
        assert_eq!(world.view(Viewer::Seat(seat)), *question.engine_view().unwrap());
        assert_eq!(world.default_action(seat), Some(action));
        Choice::Index(question.default_index())
    };
    let mut again = default;
    LocalGame::new("habe_fertig").unwrap().seed([9; 32]).play(&mut [&mut default, &mut again]).unwrap();
}

#[test]
fn sampled_worlds_can_be_played_out_from_any_action() {
    let mut searcher = |question: &Question| {
        let mut rng = ChaCha8Rng::seed_from_u64(question.id().into());
        let world = question.sample(&mut rng).unwrap();
        let outcome = question.playout_action(world.clone(), 0, &mut rng).unwrap();
        assert!(outcome.points(Seat::FIRST).is_some());
        let beyond = question.playout_action(world, question.legal_count(), &mut rng).unwrap_err();
        assert_eq!(beyond.reason(), Reason::IllegalAction);
        Choice::Index(0)
    };
    let mut again = searcher;
    LocalGame::new("no_dice").unwrap().seed([9; 32]).play(&mut [&mut searcher, &mut again]).unwrap();
}
