//! Origins: the draw piles that cards came from, which narrow down where unseen cards can be.

use super::{Card, HabeFertig};
use crate::{CardSet, MAX_SEATS, Seat};

/// The cards in hands, hidden or in the draw pile that came from the same draw pile, the original or a
/// rebuilt one.
///
/// Everyone sees which cards a draw pile is built from, who takes cards from it, and which of them are played
/// again. Origins are therefore common knowledge, and for a viewer all distributions of `cards`, minus those
/// the viewer holds, over these places are equally likely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The number of the rebuild the cards came from; 0 is the deal.
    pub rebuild: u16,
    /// The cards, including the viewer's own.
    pub cards: CardSet<Card>,
    /// The number in each hand.
    pub in_hands: [u8; MAX_SEATS],
    /// The number of hidden ones. Only cards of the deal can be hidden.
    pub hidden: u8,
    /// The number in the draw pile. Only cards of the latest rebuild can be there.
    pub draw: u8,
}

impl Origin {
    pub(super) const fn empty(rebuild: u16) -> Origin {
        Origin { rebuild, cards: CardSet::EMPTY, in_hands: [0; MAX_SEATS], hidden: 0, draw: 0 }
    }

    /// The origin of this rebuild, inserted if missing.
    fn entry(origins: &mut Vec<Origin>, rebuild: u16) -> &mut Origin {
        let place = origins.partition_point(|origin| origin.rebuild < rebuild);
        if origins.get(place).is_none_or(|origin| origin.rebuild != rebuild) {
            origins.insert(place, Origin::empty(rebuild));
        }
        &mut origins[place]
    }

    /// All origins of a game, oldest first.
    pub(super) fn all(game: &HabeFertig) -> Vec<Origin> {
        let mut origins = Vec::new();
        let mut count = |cards: CardSet<Card>, place: &dyn Fn(&mut Origin) -> &mut u8| {
            for card in cards {
                let origin = Origin::entry(&mut origins, game.origin[card.index()]);
                origin.cards = origin.cards.with(card);
                *place(origin) += 1;
            }
        };
        for seat in Seat::all(game.players) {
            count(game.hands[seat.index()], &|origin| &mut origin.in_hands[seat.index()]);
            count(game.hidden[seat.index()], &|origin| &mut origin.hidden);
        }
        count(game.draw.iter().copied().collect(), &|origin| &mut origin.draw);
        origins
    }
}
