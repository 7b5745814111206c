//! Chance: nothing that is done moves a later deal, and what is on record can be dealt again.

use super::{Recorder, Testable, games, random_move, set_ups, test_rng};
use crate::{Chance, Purpose, Viewer};

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
