//! From the engine to bytes and back, nothing is lost: every option, action, event, view and outcome of random games.

use std::collections::BTreeMap;
use std::fmt::Debug;

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView, GameId, Outcome};
use parlor_proto::convert::{WrongField, card, card_code};
use parlor_proto::v1;
use parlor_proto::write::{Fields, Write};
use prost::Message;

use crate::games::{Watch, play_all, test_rng};

/// A message of the server has so many bytes, or one larger item.
const BATCH: usize = 256 * 1024;

/// Checks everything, and counts it by type and by kind of event.
#[derive(Default)]
struct RoundTrips {
    count: BTreeMap<&'static str, u32>,
    kinds: BTreeMap<String, u32>,
    largest_decision: usize,
}

impl RoundTrips {
    /// Sends the value over the wire, and gives back how it looked there.
    fn check<E, W>(&mut self, what: &'static str, value: E) -> W
    where
        E: Write + Clone + PartialEq + Debug + TryFrom<W, Error = WrongField>,
        W: From<E> + Message + Default + Clone + PartialEq + Debug,
    {
        *self.count.entry(what).or_default() += 1;
        let mut bytes = Vec::new();
        value.write(&mut Fields::of(&mut bytes));
        let wire = W::from(value.clone());
        let decoded = W::decode(&*bytes).expect("bytes that were written");
        assert_eq!(decoded, wire);
        // Each field once, in order, and none that has its default: as the generated code writes it.
        assert_eq!(bytes, wire.encode_to_vec(), "{wire:?}");
        assert_eq!(E::try_from(decoded).as_ref(), Ok(&value), "{wire:?}");
        wire
    }
}

impl Watch for RoundTrips {
    fn options(&mut self, options: AnyOptions) {
        let _: v1::GameOptions = self.check("options", options);
    }

    fn legal(&mut self, actions: &[AnyAction], view: &AnyView) {
        let legal_actions = actions.iter().map(|action| self.check("action", *action)).collect();
        let decision = v1::Decision {
            id: u32::MAX,
            view: Some(Box::new(view.clone().into())),
            legal_actions,
            ..Default::default()
        };
        self.largest_decision = self.largest_decision.max(decision.encoded_len());
    }

    fn event(&mut self, event: AnyEvent) {
        let name = format!("{event:?}");
        let kind = name.split([' ', '{', ')']).next().unwrap_or_default();
        *self.kinds.entry(kind.into()).or_default() += 1;
        let _: v1::GameEvent = self.check("event", event);
    }

    fn view(&mut self, view: AnyView) {
        let _: v1::GameView = self.check("view", view);
    }

    fn outcome(&mut self, outcome: Outcome) {
        let _: v1::Outcome = self.check("outcome", outcome);
    }
}

#[test]
fn whatever_a_game_gives_survives_the_wire() {
    let mut rng = test_rng("whatever_a_game_gives_survives_the_wire");
    let mut trips = RoundTrips::default();
    play_all(3, &mut rng, &mut trips);
    println!("{:?}, {:#?}, largest decision {} bytes", trips.count, trips.kinds, trips.largest_decision);
    for what in ["action", "event", "view"] {
        assert!(trips.count[what] > 5_000, "{what}: only {}", trips.count[what]);
    }
    assert!(
        trips.largest_decision < BATCH / 2,
        "a decision of {} bytes does not fit into a batch with others",
        trips.largest_decision
    );
    // The kinds of events of all four games; with other seeds, the rarest two may not come.
    assert!(trips.kinds.len() >= 15 + 6 + 7 + 16 - 2, "{:#?}", trips.kinds);
}

#[test]
fn viewers_and_languages_survive_the_wire() {
    use parlor_engine::{Lang, Viewer};
    for viewer in Viewer::all(6) {
        let wire = v1::Viewer::from(viewer);
        assert_eq!(Viewer::try_from(wire), Ok(viewer));
    }
    for lang in [Lang::En, Lang::De] {
        assert_eq!(Lang::from(v1::Language::from(lang)), lang);
    }
    assert_eq!(Lang::from(v1::Language::Unspecified), Lang::En);
}

#[test]
fn every_card_has_its_message() {
    for game in GameId::ALL {
        let mut codes = 0;
        for code in 0..=u8::MAX {
            if let Some(card) = card(*game, code) {
                assert_eq!(card_code(card), Ok((*game, code)));
                codes += 1;
            }
        }
        assert!(codes >= 13, "{game:?} has {codes} cards");
    }
    let none = v1::GameCard { game: None };
    assert!(card_code(none).is_err());
}
