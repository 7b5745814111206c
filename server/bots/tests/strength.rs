//! The house bots deserve their order: greedy is better than random in every game.

mod duel;

use duel::Duel;
use parlor_bots::HouseBot;
use parlor_engine::GameId;

#[test]
fn greedy_beats_random_in_every_game() {
    for game in GameId::ALL {
        for players in [2, 4] {
            let [a, b] = ["greedy", "random"].map(|name| HouseBot::by_name(name).expect("a bot"));
            let duel = Duel {
                game: *game,
                players,
                a,
                b,
                deals: 150,
                seed: 2,
            };
            let result = duel.run();
            assert!(result.mean > 0.0 && result.p < 0.001, "{duel:?}: {result:?}");
        }
    }
}
