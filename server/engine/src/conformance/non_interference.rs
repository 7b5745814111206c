//! Non-interference: if hidden cards are redealt, everything a viewer receives stays the same.

use rand_chacha::ChaCha8Rng;

use super::texts::action_text;
use super::{
    NewGame, Reveals, Testable, fresh_game, fresh_held_game, game_count, play_random_actions, random_move,
    set_ups,
};
use crate::test_support::{Recorder, legal_actions, pick, test_rng};
use crate::{
    Board, Game, Lang, Localise as _, NoEvents, Refusal, RichText, Seat, Seats, TextBuilder, Viewer, below,
};

/// Everything a viewer can observe in one position.
#[derive(Debug)]
struct Observation<G: Game> {
    view: G::View,
    public_to_act: Seats,
    legal: Vec<G::Action>,
    default: Option<G::Action>,
    /// The results of some attempted actions.
    refusals: Vec<Option<Refusal>>,
    /// Boards and texts, in the observations that include them.
    display: Option<Display>,
    /// Additional output of a planted leak; empty for the game itself.
    leak: String,
}

/// The board and all texts of a position, in every language.
#[derive(PartialEq, Debug)]
struct Display {
    boards: Vec<Board>,
    texts: Vec<RichText>,
}

impl Display {
    fn new<G: Game>(view: &G::View, viewer: Viewer, legal: &[G::Action]) -> Display {
        let mut texts = Vec::new();
        for lang in Lang::ALL {
            let mut question = TextBuilder::new(lang, viewer);
            G::write_question(view, &mut question);
            texts.extend([question.finish(), view.rich_text(lang, viewer)]);
            texts.extend(legal.iter().map(|action| action_text::<G>(view, viewer, action, lang)));
        }
        Display { boards: Lang::ALL.map(|lang| G::board(view, legal, lang)).into(), texts }
    }
}

impl<G: Game> Observation<G> {
    fn new(game: &G, viewer: Viewer, attempts: &[G::Action]) -> Observation<G> {
        let seat = viewer.seat();
        let refusal = |seat: Seat, action: &G::Action| game.clone().apply(seat, *action, &mut NoEvents).err();
        Observation {
            view: game.view(viewer),
            public_to_act: game.public_to_act(),
            legal: seat.map_or_else(Vec::new, |seat| legal_actions(game, seat)),
            default: seat.and_then(|seat| game.default_action(seat)),
            refusals: seat
                .map_or_else(Vec::new, |seat| attempts.iter().map(|action| refusal(seat, action)).collect()),
            display: None,
            leak: String::new(),
        }
    }

    /// An observation that includes the board and all texts.
    fn with_display(game: &G, viewer: Viewer, attempts: &[G::Action]) -> Observation<G> {
        let observation = Observation::new(game, viewer, attempts);
        let display = Display::new::<G>(&observation.view, viewer, &observation.legal);
        Observation { display: Some(display), ..observation }
    }
}

impl<G: Game> PartialEq for Observation<G> {
    fn eq(&self, other: &Observation<G>) -> bool {
        self.view == other.view
            && self.public_to_act == other.public_to_act
            && self.legal == other.legal
            && self.default == other.default
            && self.refusals == other.refusals
            && self.display == other.display
            && self.leak == other.leak
    }
}

/// Observes a position as this viewer, with some attempted actions.
type Observe<G> = fn(&G, Viewer, &[<G as Game>::Action]) -> Observation<G>;

/// Two games that a viewer cannot distinguish until an event reveals more than `max_reveals`.
struct TwinGames<'a, G: Game> {
    games: [G; 2],
    viewer: Viewer,
    max_reveals: Reveals,
    observe: Observe<G>,
    rng: &'a mut ChaCha8Rng,
}

impl<G: Testable> TwinGames<'_, G> {
    /// Plays both games in parallel. Returns the number of compared actions, or the first difference.
    fn compare(&mut self, max_actions: usize) -> Result<usize, String> {
        let mut received = [Vec::new(), Vec::new()];
        for step in 0..=max_actions {
            let attempts: Vec<G::Action> = (0..4).map(|_| G::random_action(self.rng)).collect();
            let before = self.games.clone();
            let answered = self.answer_secret_decisions();
            // A viewer who receives events of secret answers was waiting for them, possibly in one game only.
            let waited = answered.iter().any(|events| !events.is_empty());
            let held = self.games.each_ref().map(G::window_is_held);
            if waited && held.contains(&true) {
                let viewer = self.viewer;
                return Err(format!("{viewer:?} learns of answers in a held window: {answered:#?}"));
            }
            for (received, events) in received.iter_mut().zip(answered) {
                received.extend(events);
            }
            if held[0] != held[1] {
                // The viewer does not see the window, and must not see it close either.
                for (received, events) in received.iter_mut().zip(self.close_windows()) {
                    received.extend(events);
                }
            }
            let revealed = received.iter().flatten().map(G::reveals).max();
            if revealed > Some(self.max_reveals) {
                return Ok(step);
            }
            if received[0] != received[1] {
                return Err(format!("{:?} receives {received:#?}", self.viewer));
            }
            let compared = if waited { &self.games } else { &before };
            let [one, other] = compared.each_ref().map(|game| (self.observe)(game, self.viewer, &attempts));
            if one != other {
                return Err(format!("{:?} observes {one:#?}\nor {other:#?}", self.viewer));
            }
            let both_held = held == [true; 2];
            received = match self.common_move() {
                Some(moves) if !both_held || below(4, self.rng) > 0 => [0, 1].map(|i| {
                    let (seat, action) = moves[i];
                    let mut recorder = Recorder::new();
                    self.games[i].apply(seat, action, &mut recorder).expect("a legal action applies");
                    recorder.received_by(self.viewer)
                }),
                _ if both_held => self.close_windows(),
                _ => return Ok(step),
            };
        }
        Ok(max_actions)
    }

    /// Closes held windows in both games, and returns the events the viewer receives.
    fn close_windows(&mut self) -> [Vec<G::Event>; 2] {
        let viewer = self.viewer;
        self.games.each_mut().map(|game| {
            let mut recorder = Recorder::new();
            game.close_window(&mut recorder);
            recorder.received_by(viewer)
        })
    }

    /// Plays the defaults of the other seats' secret decisions, which need not exist in both games, and
    /// returns the events the viewer receives. That the viewer had to wait is visible by timing only.
    fn answer_secret_decisions(&mut self) -> [Vec<G::Event>; 2] {
        let viewer = self.viewer;
        self.games.each_mut().map(|game| {
            let mut recorder = Recorder::new();
            while let Some(seat) =
                game.to_act().iter().find(|seat| game.has_secret_decision(*seat) && !viewer.is(*seat))
            {
                let default = game.default_action(seat).expect("a seat to act has a default");
                game.apply(seat, default, &mut recorder).expect("a default applies");
            }
            recorder.received_by(viewer)
        })
    }

    /// The same action in both games, or one in each whose content stays hidden from the viewer.
    fn common_move(&mut self) -> Option<[(Seat, G::Action); 2]> {
        let [one, other] = &self.games;
        let seats: Vec<Seat> = one.to_act().iter().filter(|seat| other.to_act().contains(*seat)).collect();
        if seats.is_empty() {
            return None;
        }
        let seat = *pick(&seats, self.rng);
        let [one, other] = [legal_actions(one, seat), legal_actions(other, seat)];
        if !self.viewer.is(seat) && one.iter().chain(&other).all(G::is_private) {
            return Some([(seat, *pick(&one, self.rng)), (seat, *pick(&other, self.rng))]);
        }
        let common: Vec<G::Action> = one.into_iter().filter(|action| other.contains(action)).collect();
        (!common.is_empty()).then(|| [(seat, *pick(&common, self.rng)); 2])
    }
}

/// Plays at least `min_actions` random actions, up to a position without pending secret answers, which a twin
/// could not know.
fn play_to_comparable_position<G: Game>(game: &mut G, min_actions: usize, rng: &mut ChaCha8Rng) {
    let mut answer_is_pending = false;
    let mut played = 0;
    while answer_is_pending || played < min_actions {
        let Some((seat, action)) = random_move(game, rng) else {
            if !game.window_is_held() {
                return;
            }
            game.close_window(&mut NoEvents);
            answer_is_pending = false;
            continue;
        };
        let has_secret_decision = game.has_secret_decision(seat);
        game.apply(seat, action, &mut NoEvents).expect("a legal action applies");
        let is_open =
            game.window_is_held() || game.to_act().iter().any(|seat| game.has_secret_decision(seat));
        answer_is_pending = has_secret_decision && is_open;
        played += 1;
    }
}

/// Compares twins from random positions of random games. Returns the number of compared actions, or the first
/// difference.
fn compare_twins<G: Testable>(
    test: &str,
    games: u32,
    new_game: NewGame<G>,
    observe: Observe<G>,
) -> Result<usize, String> {
    let mut rng = test_rng(test);
    let mut compared = 0;
    for (players, options) in set_ups::<G>() {
        let mut finished = new_game(players, options, &mut rng);
        let length = play_random_actions(&mut finished, G::MAX_ACTIONS, &mut rng);
        for _ in 0..games {
            let mut game = new_game(players, options, &mut rng);
            let min_actions = below(length as u32, &mut rng) as usize;
            play_to_comparable_position(&mut game, min_actions, &mut rng);
            for viewer in Viewer::all(players) {
                let sampled = G::sample(&game.view(viewer), &mut rng).map_err(|error| error.to_string())?;
                let mut redealt = game.clone();
                redealt.redeal(viewer, &mut rng);
                for (twin, max_reveals) in [(sampled, Reveals::Nothing), (redealt, Reveals::Pile)] {
                    let games = [game.clone(), twin];
                    let mut twins = TwinGames { games, viewer, max_reveals, observe, rng: &mut rng };
                    compared += twins.compare(60)?;
                }
            }
        }
    }
    Ok(compared)
}

/// Hidden cards change nothing that a viewer receives.
pub(super) fn non_interference<G: Testable>() {
    let compared = compare_twins::<G>("non_interference", game_count(150), fresh_game, Observation::new)
        .unwrap_or_else(|difference| panic!("{difference}"));
    assert!(compared > 1000, "only {compared} actions were compared: too few for a meaningful test");
}

/// With held windows, even seats that wait for a secret answer cannot tell whether there is one.
pub(super) fn non_interference_with_held_windows<G: Testable>() {
    let test = "non_interference_with_held_windows";
    let compared = compare_twins::<G>(test, game_count(15), fresh_held_game, Observation::new)
        .unwrap_or_else(|difference| panic!("{difference}"));
    assert!(compared > 100, "only {compared} actions were compared: too few for a meaningful test");
}

/// Boards and texts depend on nothing that their viewer does not know.
pub(super) fn non_interference_of_texts_and_boards<G: Testable>() {
    let test = "non_interference_of_texts_and_boards";
    let compared = compare_twins::<G>(test, game_count(5), fresh_game, Observation::with_display)
        .unwrap_or_else(|difference| panic!("{difference}"));
    assert!(compared > 100, "only {compared} actions were compared: too few for a meaningful test");
}

/// The check detects a view that shows hidden cards, a number that depends on hidden cards, and a board with
/// the hand of another seat.
pub(super) fn planted_leaks_are_detected<G: Testable>() {
    fn size_of_other_action_lists<G: Testable>(game: &G, viewer: Viewer) -> usize {
        let others =
            Seat::all(game.players()).filter(|seat| !viewer.is(*seat) && !game.has_secret_decision(*seat));
        let actions = others.flat_map(|seat| legal_actions(game, seat));
        actions.map(|action| format!("{action:?}").len()).sum()
    }
    let leaking_view: Observe<G> = |game, viewer, attempts| Observation {
        leak: format!("{:?}", game.card_codes()),
        ..Observation::new(game, viewer, attempts)
    };
    let leaking_number: Observe<G> = |game, viewer, attempts| Observation {
        leak: size_of_other_action_lists(game, viewer).to_string(),
        ..Observation::new(game, viewer, attempts)
    };
    let leaking_board: Observe<G> = |game, viewer, attempts| {
        let mut observation = Observation::with_display(game, viewer, attempts);
        let others = Seat::all(game.players()).filter(|seat| !viewer.is(*seat)).map(Viewer::Seat);
        let boards = others.map(|other| G::board(&game.view(other), &[], Lang::En));
        observation.display.iter_mut().for_each(|display| display.boards.extend(boards.clone()));
        observation
    };
    for leak in [leaking_view, leaking_number, leaking_board] {
        let result = compare_twins::<G>("planted_leaks_are_detected", game_count(3), fresh_game, leak);
        assert!(result.is_err(), "a leak was not detected in {result:?} actions");
    }
}
