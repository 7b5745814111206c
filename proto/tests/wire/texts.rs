//! Texts and boards: the messages hold what the engine's values hold, in order.

use parlor_engine::{
    ActionTargets, AnyAction, AnyEvent, AnyOptions, AnyView, Board, BoardCard, BoardSeat, CardFace,
    CardTarget, Cell, Lang, Localise, Outcome, RichText, Seat, Suit, Text, TextPart, Zone, ZoneKind,
};
use parlor_proto::v1;
use parlor_testkit::test_rng;
use v1::text_part::Subject;

use crate::games::{GameObserver, play_all};

const LANGUAGES: [Lang; 2] = [Lang::En, Lang::De];

fn blue_7() -> CardFace {
    CardFace {
        id: "blue-7".to_owned(),
        short: "b7".to_owned(),
        long: "blaue 7".to_owned(),
        suit: Some(Suit { id: "blue", name: "blau" }),
    }
}

fn wire_blue_7() -> v1::CardFace {
    v1::CardFace {
        id: "blue-7".to_owned(),
        short_label: "b7".to_owned(),
        long_label: "blaue 7".to_owned(),
        suit: Some(v1::CardSuit { id: "blue".to_owned(), name: "blau".to_owned() }),
    }
}

#[test]
fn rich_text_keeps_parts_and_their_subjects() {
    let seat = Seat::FIRST.left(2);
    let text = RichText {
        parts: vec![
            TextPart::Seat { seat, text: "Sitz 1".to_owned() },
            TextPart::Plain(" spielt die ".to_owned()),
            TextPart::Card { face: blue_7(), text: "blaue 7".to_owned() },
        ],
    };
    let part = |text: &str, subject| v1::TextPart { text: text.to_owned(), subject };
    let parts = vec![
        part("Sitz 1", Some(Subject::Seat(1))),
        part(" spielt die ", None),
        part("blaue 7", Some(Subject::Card(wire_blue_7()))),
    ];
    assert_eq!(v1::RichText::from(text), v1::RichText { parts });
    assert_eq!(v1::RichText::from(RichText::default()), v1::RichText::default());
}

#[test]
fn board_keeps_zones_seats_and_targets() {
    let label = Text { en: "Hand", de: "Blatt" };
    let cell = Cell { x: -2, y: 4, size: 2, label: "7".to_owned() };
    let hand = Zone {
        cards: vec![BoardCard { face: blue_7(), cells: vec![cell.clone()] }],
        ..Zone::owned("hand", Seat::FIRST, ZoneKind::Hand, label)
    };
    let rest = Zone::common("rest", ZoneKind::Stock, label).with_unknown(9_u32);
    let seat = BoardSeat { seat: Seat::FIRST, points: -3, to_act: true, marks: vec![label] };
    let target = CardTarget { zone: "hand-0".to_owned(), card: "blue-7".to_owned() };
    let targets = ActionTargets { cards: vec![target], zones: vec!["rest".to_owned()], cells: vec![cell] };
    let board = Board { zones: vec![hand, rest], seats: vec![seat], targets: vec![targets] };

    let cell = v1::BoardCell { x: -2, y: 4, size: 2, label: "7".to_owned() };
    let expected = |label: &str| v1::Board {
        zones: vec![
            v1::Zone {
                zone_id: "hand-0".to_owned(),
                kind: v1::ZoneKind::Hand.into(),
                label: label.to_owned(),
                owner: Some(0),
                cards: vec![v1::BoardCard { face: Some(wire_blue_7()), cells: vec![cell.clone()] }],
                unknown_cards: 0,
            },
            v1::Zone {
                zone_id: "rest".to_owned(),
                kind: v1::ZoneKind::Stock.into(),
                label: label.to_owned(),
                owner: None,
                cards: Vec::new(),
                unknown_cards: 9,
            },
        ],
        seats: vec![v1::BoardSeat { seat: 0, points: -3, to_act: true, marks: vec![label.to_owned()] }],
        targets: vec![v1::ActionTargets {
            cards: vec![v1::CardTarget { zone_id: "hand-0".to_owned(), card_id: "blue-7".to_owned() }],
            zone_ids: vec!["rest".to_owned()],
            cells: vec![cell.clone()],
        }],
    };
    assert_eq!(v1::Board::from((board.clone(), Lang::En)), expected("Hand"));
    assert_eq!(v1::Board::from((board, Lang::De)), expected("Blatt"));
}

/// Compares the texts and boards of real games with those of the engine.
#[derive(Default)]
struct Comparison {
    views: usize,
}

/// The message has the sentence, and names a seat or a card where the engine does.
fn check_text(value: &impl Localise, view: Option<&AnyView>) {
    let reader = view.map_or(parlor_engine::Viewer::Spectator, AnyView::viewer);
    for lang in LANGUAGES {
        let text = value.rich_text(lang, reader);
        let wire = v1::RichText::from(text.clone());
        let joined: String = wire.parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(joined, text.to_string());
        for (part, wire) in text.parts.iter().zip(&wire.parts) {
            match (part, &wire.subject) {
                (TextPart::Plain(_), None) => {}
                (TextPart::Seat { seat, .. }, Some(Subject::Seat(number))) => {
                    assert_eq!(seat.index() as u32, *number);
                }
                (TextPart::Card { face, .. }, Some(Subject::Card(card))) => assert_eq!(face.id, card.id),
                (part, subject) => panic!("{part:?} became {subject:?}"),
            }
        }
    }
}

impl GameObserver for Comparison {
    fn options(&mut self, options: AnyOptions) {
        check_text(&options, None);
    }

    fn legal(&mut self, actions: &[AnyAction], view: &AnyView) {
        for action in actions.iter().step_by(1 + actions.len() / 4) {
            check_text(action, Some(view));
        }
        let board = v1::Board::from((view.board(actions, Lang::En), Lang::En));
        assert_eq!(board.targets.len(), actions.len());
    }

    fn event(&mut self, event: AnyEvent) {
        check_text(&event, None);
    }

    fn view(&mut self, view: AnyView) {
        // One of seven: consecutive views differ little.
        self.views += 1;
        if !self.views.is_multiple_of(7) {
            return;
        }
        for lang in LANGUAGES {
            let board = view.board(&[], lang);
            let wire = v1::Board::from((board.clone(), lang));
            assert_eq!(wire.zones.len(), board.zones.len());
            for (zone, wire) in board.zones.iter().zip(wire.zones) {
                let ids = zone.cards.iter().map(|card| card.face.id.as_str());
                assert!(
                    ids.eq(wire.cards.iter().map(|card| card.face.as_ref().expect("a face").id.as_str()))
                );
                assert_eq!((zone.unknown, zone.label.get(lang)), (wire.unknown_cards, wire.label.as_str()));
            }
        }
        check_text(&view, Some(&view));
    }

    fn outcome(&mut self, outcome: Outcome) {
        check_text(&outcome, None);
    }
}

#[test]
fn texts_and_boards_of_games_equal_those_of_the_engine() {
    let mut rng = test_rng("texts_and_boards_of_games_equal_those_of_the_engine");
    play_all(1, &mut rng, &mut Comparison::default());
}
