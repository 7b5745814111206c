//! Every bot plays every game at every size, by the rules and the same way twice; and no input makes one panic.

use parlor_bots::{BotError, Greedy, HouseBot, Rated, Search, Strategy};
use parlor_engine::{
    AnyAction, AnyGame, AnyView, Chance, Game, GameId, MAX_SEATS, NoEvents, Seat, Viewer, below,
    for_all_games,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The bots that play here; the search has little time, but searches.
const BOTS: [&str; 3] = ["random", "greedy", "search:6"];

/// A generator from PARLOR_TEST_SEED, or from a fixed number; the seed is printed.
fn generator() -> ChaCha8Rng {
    let seed = std::env::var("PARLOR_TEST_SEED").map_or(7, |seed| seed.parse().expect("a number"));
    println!("PARLOR_TEST_SEED={seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

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

/// Plays a game in which every decision is a random bot's, and tells of each: the view and the legal actions.
fn play(mut game: AnyGame, rng: &mut impl Rng, mut asked: impl FnMut(&AnyView, &[AnyAction], usize)) {
    let bots = bots();
    while let Some(seat) = game.to_act().first() {
        let (view, legal) = (game.view(Viewer::Seat(seat)), game.legal_actions(seat));
        let bot = bots[below(bots.len() as u32, rng) as usize];
        let seed = seed(rng);
        let index = bot.decide(&view, &legal, seed).expect("an answer");
        assert_eq!(bot.decide(&view, &legal, seed), Ok(index), "{bot} does not repeat itself");
        asked(&view, &legal, index);
        game.apply(seat, legal[index], &mut NoEvents).expect("a legal action");
    }
    assert!(game.outcome().is_some());
}

#[test]
fn every_bot_plays_every_game_and_repeats_itself() {
    let mut rng = generator();
    for id in GameId::ALL {
        for players in id.info().min_players..=id.info().max_players {
            let game = new_game(*id, players, &mut rng);
            play(game, &mut rng, |_, legal, index| assert!(index < legal.len()));
        }
    }
}

/// Whether windows are held is nothing to whoever is asked: playouts go on past them.
#[test]
fn held_windows_change_no_choice() {
    let mut rng = generator();
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

/// Where several are asked at once, nobody's choice hangs on who was quicker: a server that is started again may ask in
/// another order.
#[test]
fn who_answers_first_changes_no_choice() {
    let mut rng = generator();
    let bots = [HouseBot::by_name("random"), HouseBot::by_name("greedy"), HouseBot::by_name("search:20")];
    let bots = bots.map(|bot| bot.expect("a bot"));
    for id in [GameId::HabeFertig, GameId::NoDice] {
        let mut compared = 0;
        while compared < 60 {
            let mut game = new_game(id, id.info().max_players, &mut rng);
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
    }
}

#[test]
fn the_seed_is_all_that_varies_a_choice() {
    let mut rng = generator();
    let random = HouseBot::by_name("random").expect("a bot");
    for id in GameId::ALL {
        let game = new_game(*id, 2, &mut rng);
        let seat = game.to_act().first().expect("somebody begins");
        let (view, legal) = (game.view(Viewer::Seat(seat)), game.legal_actions(seat));
        let mut chosen: Vec<usize> =
            (0..200).map(|_| random.decide(&view, &legal, seed(&mut rng)).expect("an answer")).collect();
        chosen.sort_unstable();
        chosen.dedup();
        assert!(chosen.len() * 2 > legal.len(), "{id:?}: random chooses all sorts of things");
    }
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    let mut rng = generator();
    for bot in bots() {
        for id in GameId::ALL {
            let game = new_game(*id, 3, &mut rng);
            let seat = game.to_act().first().expect("somebody begins");
            let (view, legal) = (game.view(Viewer::Seat(seat)), game.legal_actions(seat));
            let mut decide = |view: &AnyView, legal: &[AnyAction]| bot.decide(view, legal, seed(&mut rng));
            assert_eq!(decide(&view, &[]), Err(BotError::NothingToChoose));
            assert_eq!(decide(&game.view(Viewer::Spectator), &legal), Err(BotError::NoSeat));
            assert_eq!(
                decide(&view, &legal[1..]),
                Err(if legal.len() > 1 { BotError::OtherActions } else { BotError::NothingToChoose })
            );
            let other = GameId::ALL.iter().find(|other| *other != id).expect("two games");
            let others = new_game(*other, 3, &mut ChaCha8Rng::seed_from_u64(1));
            let asked = others.to_act().first().expect("somebody begins");
            assert_eq!(decide(&view, &others.legal_actions(asked)), Err(BotError::OtherGame));
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

/// The views and actions that one game gave, to be mixed up.
struct Seen<G: Game> {
    views: Vec<G::View>,
    actions: Vec<Vec<G::Action>>,
}

/// Asks with a view that was tampered with, and with actions that do not belong to it.
fn ask_anything<G: Rated>(view: &G::View, legal: &[G::Action], rng: &mut ChaCha8Rng) -> (bool, bool) {
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

#[test]
fn no_view_and_no_list_makes_a_bot_panic() {
    let mut rng = generator();
    macro_rules! each {
        ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {$({
            type G = parlor_engine::$module::$game;
            let mut seen = Seen::<G> { views: Vec::new(), actions: Vec::new() };
            for players in [2, 3, 4] {
                let game = new_game(GameId::$variant, players, &mut rng);
                play(game, &mut rng, |view, legal, _| {
                    if let AnyView::$variant(view) = view {
                        seen.views.push(view.clone());
                    }
                    seen.actions.push(legal.iter().filter_map(|action| match action {
                        AnyAction::$variant(action) => Some(*action),
                        _ => None,
                    }).collect());
                });
            }
            let mut impossible = 0;
            for _ in 0..600 {
                let mut pick = || below(seen.views.len() as u32, &mut rng) as usize;
                let (mut view, legal, other) = (seen.views[pick()].clone(), &seen.actions[pick()], &seen.views[pick()]);
                match below(6, &mut rng) {
                    0 => view.players = below(256, &mut rng) as u8,
                    1 => view.hand_sizes[below(6, &mut rng) as usize] = below(256, &mut rng) as u8,
                    2 => view.hand = other.hand,
                    3 => view.turn = other.turn,
                    4 => view.viewer = other.viewer,
                    _ => {}
                }
                impossible += u32::from(ask_anything::<G>(&view, legal, &mut rng).1);
            }
            assert!(impossible > 50, "some of these views are impossible");
        })*};
    }
    for_all_games!(each);
}
