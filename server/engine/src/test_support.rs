//! Helpers shared by the tests of all modules.

use rand_chacha::ChaCha8Rng;

use crate::{Audience, EventSink, Game, Lang, Localise, Seat, ShuffleId, Viewer, below};

pub(crate) use parlor_testkit::{game_count_factor, test_rng};

/// A uniformly chosen item.
pub(crate) fn pick<'a, T>(items: &'a [T], rng: &mut ChaCha8Rng) -> &'a T {
    &items[below(items.len() as u32, rng) as usize]
}

pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat number below 6")
}

pub(crate) fn legal_actions<G: Game>(game: &G, seat: Seat) -> Vec<G::Action> {
    let mut legal = Vec::new();
    game.legal_actions(seat, &mut legal);
    legal
}

/// An event sink that records all events and shuffles.
pub(crate) struct Recorder<E> {
    pub(crate) events: Vec<(Audience, E)>,
    pub(crate) shuffles: Vec<(ShuffleId, Vec<u8>)>,
}

impl<E> Recorder<E> {
    pub(crate) fn new() -> Recorder<E> {
        Recorder { events: Vec::new(), shuffles: Vec::new() }
    }
}

impl<E: Copy> Recorder<E> {
    /// The events this viewer received.
    pub(crate) fn received_by(&self, viewer: Viewer) -> Vec<E> {
        received_by(&self.events, viewer)
    }
}

impl<E> EventSink<E> for Recorder<E> {
    fn emit(&mut self, to: Audience, event: E) {
        self.events.push((to, event));
    }

    fn record_shuffle(&mut self, name: ShuffleId, codes: impl Iterator<Item = u8>) {
        self.shuffles.push((name, codes.collect()));
    }
}

/// The events this viewer received.
pub(crate) fn received_by<E: Copy>(events: &[(Audience, E)], viewer: Viewer) -> Vec<E> {
    events.iter().filter(|(to, _)| to.includes(viewer)).map(|(_, event)| *event).collect()
}

/// Checks for every viewer that the received events turn the view before into the view after.
#[track_caller]
pub(crate) fn assert_events_reproduce_views<G: Game>(
    before: &G,
    after: &G,
    events: &[(Audience, G::Event)],
    context: &str,
) {
    for viewer in Viewer::all(before.players()) {
        let mut view = before.view(viewer);
        for event in received_by(events, viewer) {
            G::apply_event(&mut view, &event);
        }
        assert_eq!(view, after.view(viewer), "{viewer:?}, {context}: {events:#?}");
    }
}

/// The English and the German form.
pub(crate) fn in_both_languages(value: &impl Localise) -> [String; 2] {
    Lang::ALL.map(|lang| value.in_lang(lang).to_string())
}

/// Checks the English and the German form for the player at a seat.
#[track_caller]
pub(crate) fn assert_addressed(value: &impl Localise, reader: Seat, en: &str, de: &str) {
    let texts = Lang::ALL.map(|lang| value.rich_text(lang, Viewer::Seat(reader)).to_string());
    assert_eq!(texts, [en, de]);
}

/// Checks the English and the German form.
#[track_caller]
pub(crate) fn assert_localised(value: &impl Localise, en: &str, de: &str) {
    assert_eq!(in_both_languages(value), [en, de]);
}
