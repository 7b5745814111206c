//! Choice of a move: from a list, by a card and then by its place on the table.

use crossterm::event::KeyCode;
use parlor_engine::{AnyAction, AnyView, Lang};

use super::picker::{Picker, match_query};
use super::renderer::{PlaceStep, ViewRenderer, card_of};
use crate::table::SeatNames;

/// The moves of a decision, and the one that is chosen.
#[derive(Clone, Debug, Default)]
pub(super) struct MoveChoice {
    picker: Picker,
    /// The listed moves, as indices of the legal actions.
    order: Vec<usize>,
    /// The card of each listed move, if it has one.
    cards: Vec<Option<String>>,
    /// The card that the list is narrowed to.
    card: Option<String>,
    /// The action that is moved over the table. It need not be legal.
    placing: Option<AnyAction>,
}

impl MoveChoice {
    pub(super) fn new(view: &AnyView, legal: &[AnyAction], lang: Lang, names: &SeatNames) -> MoveChoice {
        let order = ViewRenderer(view).order(legal);
        let labels = ViewRenderer(view).action_labels(legal, lang, names);
        let listed = order.iter().filter_map(|index| labels.get(*index).cloned()).collect();
        let cards = order.iter().map(|index| card_of(legal.get(*index)?, lang)).collect();
        MoveChoice { picker: Picker::new(listed), order, cards, card: None, placing: None }
    }

    /// The list.
    pub(super) fn picker(&self) -> &Picker {
        &self.picker
    }

    /// Number of moves.
    pub(super) fn len(&self) -> usize {
        self.picker.len()
    }

    /// The search query.
    pub(super) fn query(&self) -> &str {
        self.picker.query()
    }

    /// The card that the list is narrowed to.
    pub(super) fn card(&self) -> Option<&str> {
        self.card.as_deref()
    }

    /// Reports whether the moves have cards to choose from.
    pub(super) fn has_cards(&self) -> bool {
        self.cards.iter().any(Option::is_some)
    }

    /// Reports whether the chosen card can be moved over the table.
    pub(super) fn can_place(&self, view: Option<&AnyView>, legal: &[AnyAction]) -> bool {
        let chosen = self.selected_action(legal);
        let turned = |action| ViewRenderer(view?).replaced(action, PlaceStep::Turn);
        chosen.is_some_and(|action| turned(action).is_some())
    }

    /// Reports whether a card is moved over the table.
    pub(super) fn is_placing(&self) -> bool {
        self.placing.is_some()
    }

    /// The action that is shown on the table, legal or not.
    pub(super) fn selected_action<'a>(&'a self, legal: &'a [AnyAction]) -> Option<&'a AnyAction> {
        match &self.placing {
            Some(action) => Some(action),
            None => legal.get(*self.order.get(self.picker.selected()?)?),
        }
    }

    /// Index of the chosen action; `None` without one, and if it is not legal.
    pub(super) fn selected_index(&self, legal: &[AnyAction]) -> Option<usize> {
        match &self.placing {
            Some(action) => legal.iter().position(|known| known == action),
            None => self.order.get(self.picker.selected()?).copied(),
        }
    }

    /// Narrows the list to the next or the previous card, or to none.
    pub(super) fn next_card(&mut self, forwards: bool) {
        let mut cards: Vec<&String> = Vec::new();
        for card in self.cards.iter().flatten() {
            if !cards.contains(&card) {
                cards.push(card);
            }
        }
        // The order of the hand.
        cards.sort_by_key(|card| natural_order(card));
        let now = self.card.as_ref().and_then(|card| cards.iter().position(|known| *known == card));
        let next = match (now, forwards) {
            (None, true) => cards.first(),
            (None, false) => cards.last(),
            (Some(at), true) => cards.get(at + 1),
            (Some(at), false) => at.checked_sub(1).and_then(|at| cards.get(at)),
        };
        self.set_card(next.map(|card| (*card).clone()));
    }

    fn set_card(&mut self, card: Option<String>) {
        self.card = card;
        let is_shown = |known: &Option<String>| self.card.is_none() || *known == self.card;
        self.picker.restrict(self.cards.iter().map(is_shown).collect());
    }

    /// Handles a key of the list; Space takes the chosen card to the table, and Esc puts it back.
    pub(super) fn handle_key(
        &mut self,
        key: KeyCode,
        rows: usize,
        view: Option<&AnyView>,
        legal: &[AnyAction],
    ) {
        match key {
            KeyCode::Char(' ') if self.query().is_empty() => {
                if self.can_place(view, legal) {
                    self.placing = self.selected_action(legal).copied();
                }
            }
            KeyCode::Esc if self.is_placing() => self.placing = None,
            KeyCode::Esc if self.query().is_empty() => self.set_card(None),
            KeyCode::PageDown | KeyCode::PageUp if self.is_placing() => {
                self.next_place(key == KeyCode::PageDown, legal);
            }
            key => {
                if self.picker.handle_key(key, rows) {
                    self.placing = None;
                }
            }
        }
    }

    /// Moves or turns the card on the table.
    pub(super) fn place(&mut self, view: &AnyView, step: PlaceStep) {
        if let Some(action) = &self.placing
            && let Some(placed) = ViewRenderer(view).replaced(action, step)
        {
            self.placing = Some(placed);
        }
    }

    /// Moves the card to the next of its places that are legal, in the order of the list.
    fn next_place(&mut self, forwards: bool, legal: &[AnyAction]) {
        let Some(placing) = &self.placing else { return };
        let card = card_of(placing, Lang::En);
        let listed = self.order.iter().filter_map(|index| legal.get(*index));
        let places: Vec<&AnyAction> = listed.filter(|action| card_of(action, Lang::En) == card).collect();
        let now = places.iter().position(|known| *known == placing);
        let last = places.len().saturating_sub(1);
        let next = match (now, forwards) {
            (None, _) => 0,
            (Some(at), true) => {
                if at == last {
                    0
                } else {
                    at + 1
                }
            }
            (Some(at), false) => at.checked_sub(1).unwrap_or(last),
        };
        self.placing = places.get(next).map(|action| **action).or(self.placing);
    }

    /// Explains why what is chosen or searched for is not legal: the move, and the rule that it breaks.
    pub(super) fn why_not(
        &self,
        view: &AnyView,
        legal: &[AnyAction],
        lang: Lang,
        names: &SeatNames,
    ) -> Option<String> {
        if let Some(action) = &self.placing {
            let label = self.placing_label(view, lang, names)?;
            let rule = ViewRenderer(view).refusal(action).filter(|_| !legal.contains(action))?;
            return Some(format!("{label}: {}", rule.text.get(lang)));
        }
        if self.query().is_empty() || self.picker.matching() > 0 {
            return None;
        }
        explain(self.query(), view, legal, lang, names)
    }

    /// Label of the card on the table, with its points.
    pub(super) fn placing_label(&self, view: &AnyView, lang: Lang, names: &SeatNames) -> Option<String> {
        let action = self.placing?;
        ViewRenderer(view).action_labels(&[action], lang, names).pop()
    }
}

/// Explains why a move that is searched for is not legal: the move, and the rule that it breaks.
pub(crate) fn explain(
    query: &str,
    view: &AnyView,
    legal: &[AnyAction],
    lang: Lang,
    names: &SeatNames,
) -> Option<String> {
    let renderer = ViewRenderer(view);
    let candidates = renderer.candidates();
    let labels = renderer.action_labels(&candidates, lang, names);
    let matching = candidates.iter().zip(&labels).filter(|(action, _)| !legal.contains(action));
    let ranked = matching.filter_map(|(action, label)| Some((match_query(query, label)?, action, label)));
    // The first of the best.
    let (_, action, label) = ranked.min_by_key(|(quality, ..)| *quality)?;
    Some(format!("{label}: {}", renderer.refusal(action)?.text.get(lang)))
}

/// Sort key of a card's name, with its numbers by their value. Cards that have nothing but a name, such as X2, are last.
fn natural_order(card: &str) -> (Vec<u32>, String) {
    let numbers = card.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let numbers: Vec<u32> = numbers.collect();
    let has_value = card.contains([' ', '|']) && !numbers.is_empty();
    (if has_value { numbers } else { vec![u32::MAX] }, card.to_owned())
}
