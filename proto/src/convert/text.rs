//! Rich texts and faces of cards.

use parlor_engine::{CardFace, RichText, Suit, TextPart};

use super::seat_number;
use crate::v1;

impl From<RichText> for v1::RichText {
    fn from(text: RichText) -> v1::RichText {
        let RichText { parts } = text;
        v1::RichText { parts: parts.into_iter().map(Into::into).collect() }
    }
}

impl From<TextPart> for v1::TextPart {
    fn from(part: TextPart) -> v1::TextPart {
        use v1::text_part::Subject;
        match part {
            TextPart::Plain(text) => v1::TextPart { text, subject: None },
            TextPart::Seat { seat, text } => {
                v1::TextPart { text, subject: Some(Subject::Seat(seat_number(seat))) }
            }
            TextPart::Card { face, text } => v1::TextPart { text, subject: Some(Subject::Card(face.into())) },
        }
    }
}

impl From<CardFace> for v1::CardFace {
    fn from(face: CardFace) -> v1::CardFace {
        let CardFace { id, short, long, suit } = face;
        v1::CardFace { id, short_label: short, long_label: long, suit: suit.map(Into::into) }
    }
}

impl From<Suit> for v1::CardSuit {
    fn from(suit: Suit) -> v1::CardSuit {
        let Suit { id, name } = suit;
        v1::CardSuit { id: id.to_owned(), name: name.to_owned() }
    }
}
