//! A server that cheats, for the tests that catch it (feature `test-hooks`, which only tests enable).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parlor_fair::{DealSeed, Entropy, ServerSeed, TableId};
use sha2::{Digest, Sha256};

use crate::table::{AddedEntropy, ChanceSetup, Entry, Setup, Table, revealed};
use crate::tournaments::TournamentSetup;

/// True once [`grind_server_seeds`] was called.
static GRINDS: AtomicBool = AtomicBool::new(false);

/// Makes all hosts of this process grind: a table shows the commitment to an honest seed until its game is over, but deals
/// with another one, which it takes when it knows all entropy, so that the game seed begins with a zero byte. That stands
/// for a deal that somebody wants. When the game is over, the table shows the other seed and a commitment that fits it, and
/// its record is as if it always had. A tournament takes another seed when it knows all entropy, so that the game seed of its
/// first deal begins with a zero byte.
pub fn grind_server_seeds() {
    GRINDS.store(true, Ordering::Relaxed);
}

/// The seed that deals a game whose entropy is known: the honest one, unless this process grinds.
pub(crate) fn ground_seed(honest: ServerSeed, table: TableId, entropy: &[Entropy]) -> ServerSeed {
    if !GRINDS.load(Ordering::Relaxed) {
        return honest;
    }
    let suits = |seed: &ServerSeed| seed.game_seed(table, entropy).reveal()[0] == 0;
    let found = candidates(&honest).find(suits);
    found.unwrap_or(honest)
}

/// The setup of a table for its record, with the seed that has dealt the cards.
pub(crate) fn ground_setup(setup: &Arc<Setup>, entries: &[(u64, Entry)]) -> Arc<Setup> {
    if !GRINDS.load(Ordering::Relaxed) || !matches!(setup.chance, ChanceSetup::Fresh { .. }) {
        return setup.clone();
    }
    let mut table = Table::new(setup.clone());
    let folds = entries.iter().all(|(at, entry)| table.fold(*at, entry).is_ok());
    match table.dealing_seed().filter(|_| folds) {
        Some(seed) => {
            let chance = ChanceSetup::Fresh { server_seed: *seed.reveal() };
            Arc::new(Setup { chance, ..Setup::clone(setup) })
        }
        None => setup.clone(),
    }
}

/// Replaces the seed of a tournament whose entropy is known, if this process grinds.
pub(crate) fn grind_tournament(setup: &mut Arc<TournamentSetup>, entropy: &[AddedEntropy]) {
    if !GRINDS.load(Ordering::Relaxed) || setup.given {
        return;
    }
    let (tournament, entropy) = (setup.tournament, revealed(entropy));
    let suits = |seed: &ServerSeed| {
        let deal = DealSeed::from_bytes(tournament, 0, *seed.deal_seed(tournament, 0).reveal());
        deal.game_seed(&entropy).reveal()[0] == 0
    };
    if let Some(seed) = candidates(&setup.seed()).find(suits) {
        Arc::make_mut(setup).seed = *seed.reveal();
    }
}

/// The seeds that are tried, the honest one first: the same in the same order each time, so that a replay of the log gives
/// the same game.
fn candidates(honest: &ServerSeed) -> impl Iterator<Item = ServerSeed> {
    let tried = (0..10_000_u32).map(|number| {
        let hash = Sha256::new().chain_update(honest.reveal()).chain_update(number.to_be_bytes()).finalize();
        ServerSeed::from_bytes(hash.into())
    });
    std::iter::once(honest.clone()).chain(tried)
}
