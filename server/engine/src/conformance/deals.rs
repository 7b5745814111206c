//! Chance: nothing that is done moves a later deal, and what is on record can be dealt again.

use std::collections::HashSet;

use rand_core::Rng;

use super::{Recorder, Testable, games, legal, random_move, set_ups, test_rng};
use crate::{Chance, Colours, Purpose, Relabelling, Viewer};

pub(super) fn what_is_played_never_moves_a_later_deal<G: Testable>() {
    let mut rng = test_rng("what_is_played_never_moves_a_later_deal");
    for (players, options) in set_ups::<G>() {
        for _ in 0..games(5) {
            let chance = Chance::fresh(&mut rng);
            let [one, other] = [(); 2].map(|()| {
                let mut record = Recorder::new();
                let mut game = G::new(G::INFO.rules_version, options, players, chance.clone(), &mut record)
                    .expect("a table");
                while let Some((seat, action)) = random_move(&game, &mut rng) {
                    game.apply(seat, action, &mut record).expect("an action that is offered applies");
                }
                let deals = record.shuffles.into_iter().filter(|(name, _)| name.purpose == Purpose::Deal);
                deals.collect::<Vec<_>>()
            });
            for (round, (one, other)) in one.iter().zip(&other).enumerate() {
                assert_eq!(one, other, "round {round} was dealt differently after other play");
                assert_eq!(usize::from(one.0.round), round);
            }
        }
    }
}

/// A record holds every order of cards. Played on those alone, with another seed behind them, it is the same game.
pub(super) fn a_recorded_script_replays_the_game<G: Testable>() {
    let mut rng = test_rng("a_recorded_script_replays_the_game");
    for (players, options) in set_ups::<G>() {
        for _ in 0..games(5) {
            let new = |chance, record: &mut _| {
                G::new(G::INFO.rules_version, options, players, chance, record).expect("a table")
            };
            let mut record = Recorder::new();
            let mut game = new(Chance::fresh(&mut rng), &mut record);
            let mut log = Vec::new();
            while let Some((seat, action)) = random_move(&game, &mut rng) {
                game.apply(seat, action, &mut record).expect("an action that is offered applies");
                log.push((seat, action));
            }
            let mut again = Recorder::new();
            let mut replayed = new(Chance::scripted([0xa5; 32], record.shuffles.clone()), &mut again);
            for (seat, action) in log {
                replayed.apply(seat, action, &mut again).expect("what was played can be played again");
            }
            assert_eq!(again.told, record.told);
            assert_eq!(again.shuffles, record.shuffles);
            for viewer in Viewer::all(players) {
                assert_eq!(replayed.view(viewer), game.view(viewer));
            }
        }
    }
}

/// A game with its colours changed about is the same game: with the same choices under their new names, everything that is
/// dealt and scored is the same, and so is what can be chosen at every step. Where a game says that its rules do not treat
/// all colours alike, there is nothing to keep.
pub(super) fn other_colours_are_the_same_game<G: Testable>() {
    let mut rng = test_rng("other_colours_are_the_same_game");
    for (players, options) in set_ups::<G>() {
        let colours = G::colours(players);
        for _ in 0..games(if colours.is_some() { 10 } else { 1 }) {
            let mut key = [0; 32];
            rng.fill_bytes(&mut key);
            let names = Relabelling::draw(colours.unwrap_or(Colours { count: 0, cards: 0 }), key);
            let chance = Chance::fresh(&mut rng);
            let [mut plain_record, mut other_record] = [Recorder::new(), Recorder::new()];
            let mut plain =
                G::new(G::INFO.rules_version, options, players, chance.clone(), &mut plain_record)
                    .expect("a table");
            let mut other =
                G::new(G::INFO.rules_version, options, players, chance.relabelled(names), &mut other_record)
                    .expect("a table");
            while let Some((seat, action)) = random_move(&plain, &mut rng) {
                assert_eq!(other.to_act(), plain.to_act());
                let named: HashSet<G::Action> =
                    legal(&plain, seat).into_iter().map(|action| G::relabelled(action, &names)).collect();
                assert_eq!(named, legal(&other, seat).into_iter().collect(), "{seat:?} in {plain:#?}");
                plain.apply(seat, action, &mut plain_record).expect("an action that is offered applies");
                other
                    .apply(seat, G::relabelled(action, &names), &mut other_record)
                    .expect("so does its like");
            }
            assert_eq!(other.outcome(), plain.outcome());
            assert!(plain.outcome().is_some(), "the game is over");
            let named: Vec<_> = plain_record
                .shuffles
                .into_iter()
                .map(|(name, codes)| {
                    (name, codes.into_iter().map(|code| names.name_of(code)).collect::<Vec<_>>())
                })
                .collect();
            assert_eq!(other_record.shuffles, named, "every order of cards is the same under the new names");
        }
    }
}
