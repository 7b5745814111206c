//! Set-up: values out of range are rejected.

use super::Testable;
use crate::{Chance, NoEvents};

/// Rules versions and player counts out of range are rejected with an error that names the range.
pub(super) fn setup_rejects_values_out_of_range<G: Testable>() {
    let info = G::INFO;
    let set_up = |version, players| {
        let game = G::new(version, G::Options::default(), players, Chance::seeded([0; 32]), &mut NoEvents);
        game.map(|_| ()).map_err(|error| error.to_string())
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
