//! Random games to the end: every promise of the trait, at every step.

use std::collections::HashSet;
use std::hash::Hash;

use rand_chacha::ChaCha8Rng;

use super::{Recorder, Testable, games, legal, pick, play_on, random_move, set_ups, table, test_rng};
use crate::{
    AnyAction, AnyGame, AnyOptions, AnyView, Chance, Game, GameId, Lang, MAX_SEATS, NoEvents, Say, Seat,
    Viewer, below,
};

/// A game with the views that its viewers have made for themselves out of nothing but events.
pub(super) struct Followed<G: Game> {
    pub(super) game: G,
    views: Vec<(Viewer, G::View)>,
}

impl<G: Game> Followed<G> {
    pub(super) fn new(game: G) -> Followed<G> {
        let views = Viewer::all(game.players()).map(|viewer| (viewer, game.view(viewer))).collect();
        Followed { game, views }
    }

    pub(super) fn apply(&mut self, seat: Seat, action: G::Action) {
        let mut events = Recorder::new();
        let applied = self.game.apply(seat, action, &mut events);
        assert_eq!(
            applied,
            Ok(()),
            "an action that is offered applies: {seat:?} {action:?} in {:#?}",
            self.game
        );
        self.follow(&events, &format!("{action:?} by {seat:?}"));
    }

    pub(super) fn close_window(&mut self) {
        let mut events = Recorder::new();
        self.game.close_window(&mut events);
        self.follow(&events, "the end of a window");
    }

    fn follow(&mut self, events: &Recorder<G::Event>, what: &str) {
        for (viewer, view) in &mut self.views {
            for event in events.told_to(*viewer) {
                G::follow(view, &event);
            }
            let seen = self.game.view(*viewer);
            assert_eq!(*view, seen, "{viewer:?} follows {what}: {:#?}", events.told);
        }
    }
}

pub(super) fn random_games_keep_every_promise<G: Testable>() {
    let mut rng = test_rng("random_games_keep_every_promise");
    for (players, options) in set_ups::<G>() {
        for _ in 0..games(1000 / set_ups::<G>().count() as u32) {
            let start: G = table(players, options, &mut rng);
            let mut followed = Followed::new(start.clone());
            let deck = sorted_census(&start);
            let mut log = Vec::new();
            while let Some((seat, action)) = random_move(&followed.game, &mut rng) {
                assert!(
                    log.len() < G::MAX_ACTIONS,
                    "the game goes on beyond its bound: {:#?}",
                    followed.game
                );
                assert_eq!(sorted_census(&followed.game), deck, "cards are conserved: {:#?}", followed.game);
                check_offers(&followed.game);
                check_not_held(&followed.game);
                followed.apply(seat, action);
                log.push((seat, action));
            }
            check_end(&followed.game);
            let mut replayed = start.clone();
            for (seat, action) in log {
                replayed.apply(seat, action, &mut NoEvents).expect("what was played can be played again");
            }
            assert_eq!(replayed, followed.game, "the same actions give the same game");
            assert_eq!(replayed.clone(), replayed);
        }
    }
}

pub(super) fn sorted_census<G: Testable>(game: &G) -> Vec<u8> {
    let mut cards = game.census();
    cards.sort_unstable();
    cards
}

/// Who is asked has actions, each once, and a default among them; who is not asked has neither.
pub(super) fn check_offers<G: Game>(game: &G) {
    assert_eq!(game.outcome(), None, "the game waits for somebody, so it is not over");
    for seat in Seat::all(MAX_SEATS as u8) {
        let offered = legal(game, seat);
        assert_eq!(!offered.is_empty(), game.to_act().contains(seat), "{seat:?} in {game:#?}");
        assert_eq!(offered.iter().collect::<HashSet<_>>().len(), offered.len(), "a repeat in {offered:?}");
        match game.default_action(seat) {
            Some(action) => {
                assert!(offered.contains(&action), "the default {action:?} is not in {offered:?}");
            }
            None => assert!(offered.is_empty(), "no default for {seat:?} in {game:#?}"),
        }
        assert!(game.to_act().contains(seat) || !game.is_secret(seat), "a secret without a decision");
    }
    assert!(game.to_act().fits(game.players()));
}

/// No window is held, and there is nothing to close.
pub(super) fn check_not_held<G: Game>(game: &G) {
    assert!(!game.window_is_held());
    let (mut same, mut events) = (game.clone(), Recorder::new());
    same.close_window(&mut events);
    assert!(events.told.is_empty() && same == *game, "a window was closed that is not held: {game:#?}");
}

/// A game that waits for nobody is over, and its places are those of a ranking.
pub(super) fn check_end<G: Game>(game: &G) {
    let outcome = game.outcome().expect("a game that waits for nobody is over");
    assert_eq!(outcome.standings().count(), usize::from(game.players()));
    for standing in outcome.standings() {
        let better = outcome.standings().filter(|other| other.place < standing.place).count();
        assert_eq!(usize::from(standing.place), better + 1, "{outcome:?}");
        assert!(
            outcome.standings().all(|other| other.place >= standing.place || other.points >= standing.points)
        );
    }
    for seat in Seat::all(MAX_SEATS as u8) {
        assert!(legal(game, seat).is_empty() && game.default_action(seat).is_none() && !game.is_secret(seat));
    }
}

pub(super) fn what_is_not_offered_is_refused_and_changes_nothing<G: Testable>() {
    let mut rng = test_rng("what_is_not_offered_is_refused_and_changes_nothing");
    let mut refused = 0;
    for (players, options) in set_ups::<G>() {
        for _ in 0..games(6) {
            let mut game: G = table(players, options, &mut rng);
            let mut seen: Vec<G::Action> = Vec::new();
            loop {
                for _ in 0..8 {
                    let seat = Seat::new(below(MAX_SEATS as u32, &mut rng) as u8).expect("a seat");
                    let action = match below(3, &mut rng) {
                        0 if !seen.is_empty() => *pick(&seen, &mut rng),
                        _ => G::any_action(&mut rng),
                    };
                    refused += usize::from(refuses(&game, seat, action));
                }
                let Some((seat, action)) = random_move(&game, &mut rng) else {
                    break;
                };
                for other in Seat::all(MAX_SEATS as u8).filter(|other| *other != seat) {
                    refused += usize::from(refuses(&game, other, action));
                }
                seen.push(action);
                game.apply(seat, action, &mut NoEvents).expect("an action that is offered applies");
            }
        }
    }
    assert!(refused > 1000, "only {refused} actions were refused: the test tests nothing");
}

/// Whether the action was not offered, and so was refused.
fn refuses<G: Game>(game: &G, seat: Seat, action: G::Action) -> bool {
    let offered = legal(game, seat).contains(&action);
    let mut after = game.clone();
    let mut events = Recorder::new();
    let applied = after.apply(seat, action, &mut events);
    assert_eq!(applied.is_ok(), offered, "{seat:?} {action:?}: {applied:?} in {game:#?}");
    if offered {
        return false;
    }
    assert_eq!(after, *game, "a refused action changes nothing");
    assert!(events.told.is_empty() && events.shuffles.is_empty(), "a refused action tells nothing");
    true
}

pub(super) fn every_offered_action_applies<G: Testable>() {
    let mut rng = test_rng("every_offered_action_applies");
    for (players, options) in set_ups::<G>() {
        for _ in 0..games(3) {
            let mut game: G = table(players, options, &mut rng);
            while let Some((seat, action)) = random_move(&game, &mut rng) {
                for offered in legal(&game, seat) {
                    let mut after = game.clone();
                    assert_eq!(after.apply(seat, offered, &mut NoEvents), Ok(()), "{offered:?} in {game:#?}");
                    assert_ne!(after, game, "{offered:?} did nothing");
                }
                game.apply(seat, action, &mut NoEvents).expect("an action that is offered applies");
            }
        }
    }
}

pub(super) fn defaults_alone_reach_the_end<G: Testable>() {
    let mut rng = test_rng("defaults_alone_reach_the_end");
    for (players, options) in set_ups::<G>() {
        for _ in 0..games(3) {
            let mut game: G = table(players, options, &mut rng);
            let mut played = 0;
            while let Some(seat) = game.to_act().first() {
                assert!(played < G::MAX_ACTIONS, "defaults go on beyond the bound");
                let action = game.default_action(seat).expect("a seat that is asked has a default");
                game.apply(seat, action, &mut NoEvents).expect("a default applies");
                played += 1;
            }
            check_end(&game);
        }
    }
}

pub(super) fn set_ups_out_of_range_name_the_range<G: Testable>() {
    let info = G::INFO;
    let set_up = |version, players| {
        let made = G::new(version, G::Options::default(), players, Chance::seeded([0; 32]), &mut NoEvents);
        made.map(|_| ()).map_err(|error| error.to_string())
    };
    for players in 0..=u8::MAX {
        let (id, min, max) = (info.id, info.min_players, info.max_players);
        let expected = if (min..=max).contains(&players) {
            Ok(())
        } else {
            Err(format!("{id} is for {min} to {max} players, not {players}"))
        };
        assert_eq!(set_up(info.rules_version, players), expected);
    }
    for version in [0, info.rules_version + 1, u32::MAX] {
        let expected =
            format!("{} is played by rules version {}, not {version}", info.id, info.rules_version);
        assert_eq!(set_up(version, info.min_players), Err(expected));
    }
}

/// Every text is there in both languages, and differs where it has words.
pub(super) fn every_language_has_its_words<G: Testable>() {
    let info = G::INFO;
    for text in [info.name, info.summary, info.rules] {
        assert!(!text.en.is_empty() && !text.de.is_empty(), "{}", info.id);
    }
    assert_ne!(info.rules.en, info.rules.de);
    assert_ne!(info.summary.en, info.summary.de);
    fn both(what: &impl Say) -> (String, String) {
        let [en, de] = [Lang::En, Lang::De].map(|lang| what.in_lang(lang).to_string());
        assert!(!en.trim().is_empty() && !de.trim().is_empty(), "{en:?} {de:?}");
        (en, de)
    }
    let mut rng = test_rng("every_language_has_its_words");
    for (players, options) in set_ups::<G>() {
        let mut game: G = table(players, options, &mut rng);
        both(&options);
        let mut events = Recorder::new();
        while let Some((seat, action)) = random_move(&game, &mut rng) {
            both(&action);
            game.apply(seat, action, &mut events).expect("an action that is offered applies");
        }
        for (_, event) in events.told {
            let (en, de) = both(&event);
            assert_ne!(en, de, "an event is a sentence in its language");
            assert_eq!(en, event.to_string());
        }
        for viewer in Viewer::all(players) {
            let (en, de) = both(&game.view(viewer));
            assert_ne!(en, de);
        }
    }
}

/// The type-erased game is the game: the same seats, actions, views and result, and nothing of another game.
pub(super) fn any_game_plays_like_the_game_itself<G: Testable>(
    id: GameId,
    any_action: fn(G::Action) -> AnyAction,
    any_view: fn(G::View) -> AnyView,
    any_options: fn(G::Options) -> AnyOptions,
) {
    let mut rng = test_rng("any_game_plays_like_the_game_itself");
    assert_eq!((GameId::from_id(G::INFO.id), id.info().id), (Some(id), G::INFO.id));
    assert_eq!(id.default_options(), any_options(G::Options::default()));
    for (players, options) in set_ups::<G>() {
        let chance = Chance::fresh(&mut rng);
        let (mut events, mut any_events) = (Recorder::new(), Recorder::new());
        let mut game =
            G::new(G::INFO.rules_version, options, players, chance.clone(), &mut events).expect("a table");
        let mut any =
            AnyGame::new(G::INFO.rules_version, any_options(options), players, chance, &mut any_events)
                .expect("a table");
        let mut followed = any.view(Viewer::Spectator);
        assert_eq!((any.id(), any.players(), any_options(options).game()), (id, players, id));
        loop {
            assert_eq!((any.to_act(), any.outcome()), (game.to_act(), game.outcome()));
            for viewer in Viewer::all(players) {
                let view = any.view(viewer);
                assert_eq!(view, any_view(game.view(viewer)));
                let world = AnyGame::sample(&view, &mut rng).expect("a view of a game is possible");
                assert_eq!((world.view(viewer), view.game()), (view, id));
            }
            for seat in Seat::all(MAX_SEATS as u8) {
                let offered: Vec<AnyAction> = legal(&game, seat).into_iter().map(any_action).collect();
                assert_eq!(any.legal_actions(seat), offered);
                assert_eq!(any.default_action(seat), game.default_action(seat).map(any_action));
                assert_eq!(any.is_secret(seat), game.is_secret(seat));
            }
            assert_eq!(any.window_is_held(), game.window_is_held());
            let before = any_events.told.len();
            let Some((seat, action)) = random_move(&game, &mut rng) else {
                break;
            };
            assert_eq!(any_action(action).to_string(), action.to_string());
            game.apply(seat, action, &mut events).expect("an action that is offered applies");
            any.apply(seat, any_action(action), &mut any_events).expect("the same action applies");
            for (_, event) in
                any_events.told[before..].iter().filter(|(to, _)| to.includes(Viewer::Spectator))
            {
                assert_eq!(event.game(), id);
                followed.follow(event);
            }
            assert_eq!(followed, any.view(Viewer::Spectator));
        }
        assert_eq!(any_events.shuffles, events.shuffles);
        let said = |(to, event): &(_, _)| (*to, ToString::to_string(event));
        assert_eq!(any_events.told.len(), events.told.len());
        assert!(
            any_events
                .told
                .iter()
                .zip(&events.told)
                .all(|(any, one)| said(any) == (one.0, one.1.to_string()))
        );
    }
}

/// Actions and views are hashed and compared by value.
const _: fn() = || {
    fn is_value<T: Hash + Eq + Copy>() {}
    is_value::<AnyAction>();
};

/// Actions of one game are refused by another, and its events leave another's view alone.
#[test]
fn games_keep_to_themselves() {
    let mut rng = test_rng("games_keep_to_themselves");
    let tables: Vec<AnyGame> = GameId::ALL
        .iter()
        .map(|id| {
            let info = id.info();
            let chance = Chance::fresh(&mut rng);
            AnyGame::new(info.rules_version, id.default_options(), 2, chance, &mut NoEvents).expect("a table")
        })
        .collect();
    for one in &tables {
        let seat = one.to_act().first().expect("somebody is asked");
        let action = one.legal_actions(seat)[0];
        let mut events = Recorder::new();
        one.clone().apply(seat, action, &mut events).expect("an action that is offered applies");
        for other in tables.iter().filter(|other| other.id() != one.id()) {
            let mut after = other.clone();
            let refused = after.apply(seat, action, &mut NoEvents).expect_err("another game's action");
            assert_eq!((refused.code, &after), ("other_game", other));
            let mut view = other.view(Viewer::Spectator);
            events.told.iter().for_each(|(_, event)| view.follow(event));
            assert_eq!(view, other.view(Viewer::Spectator));
        }
    }
}

/// The suite must be able to play: a game ends, and `play_on` says after how many actions.
#[test]
fn play_on_counts() {
    let mut rng = test_rng("play_on_counts");
    let mut game: crate::gap::Gap = table(2, Default::default(), &mut rng);
    assert_eq!(play_on(&mut game, 5, &mut rng), 5);
    let rest = play_on(&mut game, usize::MAX, &mut rng);
    assert!(rest > 5 && game.outcome().is_some());
    assert_eq!(play_on(&mut game, 5, &mut rng), 0);
    let _: ChaCha8Rng = rng;
}
