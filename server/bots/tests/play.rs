//! Every bot plays every game at every size, legally and deterministically; no input makes a bot panic.

use parlor_bots::{BotError, Greedy, Heuristic, HouseBot, Search, Strategy};
use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyView, Audience, Chance, Game, GameId, MAX_SEATS, NoEvents, Seat, Viewer,
    below, for_all_games,
};
use parlor_testkit::rng_with_default_seed;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Bots under test; the search has few iterations.
const BOTS: [&str; 3] = ["random", "greedy", "search:6"];

fn seed(rng: &mut impl Rng) -> [u8; 32] {
    let mut seed = [0; 32];
    rng.fill_bytes(&mut seed);
    seed
}

fn bots() -> Vec<HouseBot> {
    BOTS.map(|name| HouseBot::by_name(name).expect("a bot")).to_vec()
}

fn new_game(id: GameId, players: u8, rng: &mut impl Rng) -> AnyGame {
    let chance = Chance::fresh(rng);
    AnyGame::new(id.info().rules_version, id.default_options(), players, chance, &mut NoEvents)
        .expect("a size of the game")
}

/// Plays a game with a random bot for each decision, and calls `asked` with the view, the legal actions and
/// the choice.
fn play(mut game: AnyGame, rng: &mut impl Rng, mut asked: impl FnMut(&AnyView, &[AnyAction], usize)) {
    let bots = bots();
    while let Some(seat) = game.to_act().first() {
        let (view, legal) = (game.view(Viewer::Seat(seat)), game.legal_actions(seat));
        let bot = bots[below(bots.len() as u32, rng) as usize];
        let seed = seed(rng);
        let index = bot.decide(&view, &legal, seed).expect("an answer");
        assert_eq!(bot.decide(&view, &legal, seed), Ok(index), "{bot} is not deterministic");
        asked(&view, &legal, index);
        game.apply(seat, legal[index], &mut NoEvents).expect("a legal action");
    }
    assert!(game.outcome().is_some());
}

#[test]
fn every_bot_plays_every_game_deterministically() {
    let mut rng = rng_with_default_seed(7);
    for id in GameId::ALL {
        for players in id.info().min_players..=id.info().max_players {
            let game = new_game(*id, players, &mut rng);
            play(game, &mut rng, |_, legal, index| assert!(index < legal.len()));
        }
    }
}

/// Playouts continue past held windows, so these do not influence a choice.
#[test]
fn held_windows_do_not_change_a_choice() {
    let mut rng = rng_with_default_seed(7);
    let bots = [HouseBot::by_name("greedy"), HouseBot::by_name("search:20")].map(|bot| bot.expect("a bot"));
    let mut compared = 0;
    for players in [2, 4] {
        let mut choices = Vec::new();
        let game = new_game(GameId::NoDice, players, &mut rng);
        play(game, &mut rng, |view, legal, _| choices.push((view.clone(), legal.to_vec())));
        for (view, legal) in choices.into_iter().step_by(4) {
            let mut held = view.clone();
            let AnyView::NoDice(view_of_held) = &mut held else { panic!("a game of No Dice") };
            view_of_held.windows_held = true;
            for bot in bots {
                let seed = seed(&mut rng);
                assert_eq!(bot.decide(&held, &legal, seed), bot.decide(&view, &legal, seed), "{bot}: {held}");
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "only {compared} choices were compared");
}

/// Where several seats decide at once, no choice depends on the order of answers: a restarted server may ask
/// in another order.
#[test]
fn order_of_simultaneous_answers_does_not_change_a_choice() {
    let mut rng = rng_with_default_seed(7);
    let bots = [HouseBot::by_name("random"), HouseBot::by_name("greedy"), HouseBot::by_name("search:20")];
    let bots = bots.map(|bot| bot.expect("a bot"));
    let mut simultaneous_games = 0;
    for id in GameId::ALL {
        let (mut compared, mut played) = (0, 0);
        // A game with simultaneous decisions has some within its first 20 games.
        while compared < 60 && (compared > 0 || played < 20) {
            played += 1;
            let mut game = new_game(*id, id.info().max_players, &mut rng);
            while let Some(first) = game.to_act().first() {
                let asked = game.to_act();
                for last in asked.without(first).iter() {
                    let mut later = game.clone();
                    for quicker in asked.without(last).iter() {
                        let legal = later.legal_actions(quicker);
                        let index = below(legal.len() as u32, &mut rng) as usize;
                        later.apply(quicker, legal[index], &mut NoEvents).expect("a legal action");
                    }
                    let views = [&game, &later].map(|game| game.view(Viewer::Seat(last)));
                    let legal = game.legal_actions(last);
                    let seed = seed(&mut rng);
                    for bot in bots {
                        let [before, after] = views.each_ref().map(|view| bot.decide(view, &legal, seed));
                        assert_eq!(before, after, "{bot}: {}", views[1]);
                        compared += 1;
                    }
                }
                let legal = game.legal_actions(first);
                let index = below(legal.len() as u32, &mut rng) as usize;
                game.apply(first, legal[index], &mut NoEvents).expect("a legal action");
            }
        }
        simultaneous_games += usize::from(compared > 0);
    }
    assert!(simultaneous_games >= 2, "Habe fertig and No Dice have simultaneous decisions");
}

#[test]
fn random_choices_vary_with_the_seed() {
    let mut rng = rng_with_default_seed(7);
    let random = HouseBot::by_name("random").expect("a bot");
    for id in GameId::ALL {
        let game = new_game(*id, 2, &mut rng);
        let seat = game.to_act().first().expect("somebody begins");
        let (view, legal) = (game.view(Viewer::Seat(seat)), game.legal_actions(seat));
        let mut chosen: Vec<usize> =
            (0..200).map(|_| random.decide(&view, &legal, seed(&mut rng)).expect("an answer")).collect();
        chosen.sort_unstable();
        chosen.dedup();
        assert!(chosen.len() * 2 > legal.len(), "{id:?}: random chooses most of the actions");
    }
}

#[test]
fn invalid_questions_and_names_are_errors() {
    let mut rng = rng_with_default_seed(7);
    for bot in bots() {
        for id in GameId::ALL {
            let game = new_game(*id, 3, &mut rng);
            let seat = game.to_act().first().expect("somebody begins");
            let (view, legal) = (game.view(Viewer::Seat(seat)), game.legal_actions(seat));
            let mut decide = |view: &AnyView, legal: &[AnyAction]| bot.decide(view, legal, seed(&mut rng));
            assert_eq!(decide(&view, &[]), Err(BotError::NoLegalActions));
            assert_eq!(decide(&game.view(Viewer::Spectator), &legal), Err(BotError::SpectatorView));
            assert_eq!(
                decide(&view, &legal[1..]),
                Err(if legal.len() > 1 { BotError::ActionsMismatch } else { BotError::NoLegalActions })
            );
            let other = GameId::ALL.iter().find(|other| *other != id).expect("two games");
            let others = new_game(*other, 3, &mut ChaCha8Rng::seed_from_u64(1));
            let asked = others.to_act().first().expect("somebody begins");
            assert_eq!(decide(&view, &others.legal_actions(asked)), Err(BotError::GameMismatch));
        }
    }
    for name in ["", "Random", "search:", "search:0", "search:-1", "search:+1", "search:100001", "search:9e9"]
    {
        let error = HouseBot::by_name(name).expect_err("no bot has this name");
        assert!(error.to_string().contains("choose random, greedy"), "{error}");
    }
    for name in HouseBot::names() {
        assert!(HouseBot::by_name(name).is_ok());
    }
}

/// Views and actions recorded from games, to be recombined.
struct Recorded<G: Game> {
    views: Vec<G::View>,
    actions: Vec<Vec<G::Action>>,
}

/// Calls greedy and search with any view and any actions. Returns whether the search answered, and whether it
/// found the view impossible.
fn choose_from_any<G: Heuristic>(view: &G::View, legal: &[G::Action], rng: &mut ChaCha8Rng) -> (bool, bool) {
    let seat = Seat::new(below(MAX_SEATS as u32, rng) as u8).expect("a seat");
    let greedy = Strategy::<G>::choose(&Greedy, view, seat, legal, rng);
    assert_eq!(greedy.is_err(), legal.is_empty());
    assert!(greedy.is_err() || greedy.is_ok_and(|index| index < legal.len()));
    let search = Search::new(3).expect("a search");
    let found = Strategy::<G>::choose(&search, view, seat, legal, rng);
    if let Ok(index) = found {
        assert!(index < legal.len());
    }
    (found.is_ok(), matches!(found, Err(BotError::ImpossibleView(_))))
}

/// Events of a random game of three.
fn random_events(id: GameId, rng: &mut ChaCha8Rng) -> Vec<(Audience, AnyEvent)> {
    let mut events = Vec::new();
    let (version, options) = (id.info().rules_version, id.default_options());
    let game = AnyGame::new(version, options, 3, Chance::seeded(seed(rng)), &mut events);
    let mut game = game.expect("a valid set-up");
    while let Some(seat) = game.to_act().first() {
        let legal = game.legal_actions(seat);
        let index = below(legal.len() as u32, rng) as usize;
        game.apply(seat, legal[index], &mut events).expect("a legal action");
    }
    events
}

#[test]
fn bots_do_not_panic_on_any_view_or_list() {
    let mut rng = rng_with_default_seed(7);
    macro_rules! each {
        ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$({
            type G = parlor_engine::$module::$game;
            let mut recorded = Recorded::<G> { views: Vec::new(), actions: Vec::new() };
            for players in [2, 3, 4] {
                let game = new_game(GameId::$variant, players, &mut rng);
                play(game, &mut rng, |view, legal, _| {
                    if let AnyView::$variant(view) = view {
                        recorded.views.push(view.clone());
                    }
                    recorded.actions.push(legal.iter().filter_map(|action| match action {
                        AnyAction::$variant(action) => Some(*action),
                        _ => None,
                    }).collect());
                });
            }
            let events = random_events(GameId::$variant, &mut rng);
            let mut impossible = 0;
            for _ in 0..600 {
                let mut pick = || below(recorded.views.len() as u32, &mut rng) as usize;
                let (mut view, legal) = (recorded.views[pick()].clone(), &recorded.actions[pick()]);
                let other = &recorded.views[pick()];
                match below(6, &mut rng) {
                    0 => view.players = below(256, &mut rng) as u8,
                    1 => view.hand = other.hand,
                    2 => view.viewer = other.viewer,
                    // Any event, at any time.
                    3 | 4 => {
                        let event = &events[below(events.len() as u32, &mut rng) as usize].1;
                        if let AnyEvent::$variant(event) = event {
                            G::apply_event(&mut view, event);
                        }
                    }
                    _ => {}
                }
                impossible += u32::from(choose_from_any::<G>(&view, legal, &mut rng).1);
            }
            assert!(impossible > 50, "some of these views are impossible");
        })*};
    }
    for_all_games!(each);
}
