//! Rich text: a sentence as parts, so that a client can put in the names of players and draw cards.

use std::fmt;

use super::{Lang, Localise};
use crate::{CardCode, CardSet, Seat, Viewer};

/// The face of a card in one language.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CardFace {
    /// Identifies the face within its game, such as `blue-7`. Equal cards have equal ids, so an id tracks no copy.
    pub id: String,
    /// Label for small spaces, such as `b7`.
    pub short: String,
    /// Full label, such as "blue 7".
    pub long: String,
    /// The colour or suit, for games that have one.
    pub suit: Option<Suit>,
}

/// A colour or suit of cards, in one language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Suit {
    /// Stable id, such as `blue`.
    pub id: &'static str,
    /// Name, such as "blue".
    pub name: &'static str,
}

/// A card that can be shown to people. Its [`Localise`] text is a part of its own in a [`RichText`].
pub trait CardLabel {
    /// The face in one language.
    fn face(&self, lang: Lang) -> CardFace;
}

/// A part of a rich text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TextPart {
    /// Plain text.
    Plain(String),
    /// A seat. A client may put the name of its player in the place of the text.
    Seat {
        /// The seat.
        seat: Seat,
        /// The seat by its number, such as "seat 2".
        text: String,
    },
    /// A card.
    Card {
        /// The face.
        face: CardFace,
        /// The card as the sentence names it, inflected if the grammar asks for it.
        text: String,
    },
}

impl TextPart {
    /// The part as plain text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            TextPart::Plain(text) | TextPart::Seat { text, .. } | TextPart::Card { text, .. } => text,
        }
    }
}

/// A text as parts. Its `Display` form is the concatenation of their texts.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct RichText {
    /// The parts, in order. No two plain parts are neighbours.
    pub parts: Vec<TextPart>,
}

impl RichText {
    /// Returns true if there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The text with the names of players in the place of seats. Seats without a name keep their number.
    ///
    /// ```
    /// use parlor_engine::{Lang, Localise, Seat, TextBuilder, Viewer};
    /// let mut text = TextBuilder::new(Lang::En, Viewer::Spectator);
    /// text.subject(Seat::FIRST, "passes", "pass");
    /// let text = text.finish();
    /// assert_eq!(text.to_string(), "Seat 0 passes");
    /// assert_eq!(text.with_names(|_| Some("Ada".to_owned())), "Ada passes");
    /// ```
    #[must_use]
    pub fn with_names(&self, name: impl Fn(Seat) -> Option<String>) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                TextPart::Seat { seat, .. } => match name(*seat) {
                    Some(name) => text.push_str(&name),
                    None => text.push_str(part.text()),
                },
                TextPart::Plain(_) | TextPart::Card { .. } => text.push_str(part.text()),
            }
        }
        text
    }
}

impl fmt::Display for RichText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| f.write_str(part.text()))
    }
}

/// Grammatical role of a seat in a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// "you", "du".
    Subject,
    /// "you", "dich".
    Object,
    /// "you", "dir": after "with" or "for" in German sentences that need the dative.
    Indirect,
}

/// Builds a [`RichText`] in one language for one reader, who is addressed in the second person.
#[derive(Clone, Debug)]
pub struct TextBuilder {
    lang: Lang,
    reader: Viewer,
    text: RichText,
}

impl TextBuilder {
    /// An empty text in this language. A reader who is a spectator is never addressed.
    #[must_use]
    pub const fn new(lang: Lang, reader: Viewer) -> TextBuilder {
        TextBuilder { lang, reader, text: RichText { parts: Vec::new() } }
    }

    /// The language.
    #[must_use]
    pub const fn lang(&self) -> Lang {
        self.lang
    }

    /// Returns true if the reader has this seat.
    #[must_use]
    pub fn is_reader(&self, seat: Seat) -> bool {
        self.reader.is(seat)
    }

    /// Sets the reader of what follows.
    pub fn set_reader(&mut self, reader: Viewer) {
        self.reader = reader;
    }

    /// Appends plain text.
    pub fn plain(&mut self, text: &str) {
        match self.text.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(TextPart::Plain(last)) => last.push_str(text),
            _ => self.text.parts.push(TextPart::Plain(text.to_owned())),
        }
    }

    /// Appends formatted plain text, for `write!`.
    pub fn write_fmt(&mut self, text: fmt::Arguments<'_>) {
        match text.as_str() {
            Some(text) => self.plain(text),
            None => self.plain(&text.to_string()),
        }
    }

    /// Appends a seat by its number, whoever the reader is: "seat 2", or "Seat 2" at the start of a sentence.
    pub fn seat(&mut self, seat: Seat) {
        let word = match self.lang {
            Lang::En if self.is_at_sentence_start() => "Seat",
            Lang::En => "seat",
            Lang::De => "Sitz",
        };
        self.seat_as(seat, format!("{word} {seat}"));
    }

    /// Appends a seat as the sentence names it, by the name of its player for example.
    pub fn seat_as(&mut self, seat: Seat, text: impl Into<String>) {
        self.text.parts.push(TextPart::Seat { seat, text: text.into() });
    }

    /// Appends a seat, or the pronoun if the reader has it: "you", "dich".
    pub fn seat_or_you(&mut self, seat: Seat, role: Role) {
        if !self.is_reader(seat) {
            return self.seat(seat);
        }
        let [capital, small] = match (self.lang, role) {
            (Lang::En, _) => ["You", "you"],
            (Lang::De, Role::Subject) => ["Du", "du"],
            (Lang::De, Role::Object) => ["Dich", "dich"],
            (Lang::De, Role::Indirect) => ["Dir", "dir"],
        };
        let pronoun = if self.is_at_sentence_start() { capital } else { small };
        self.plain(pronoun);
    }

    /// Appends a seat as the subject with its verb: "seat 2 plays", or "you play" if the reader has it.
    pub fn subject(&mut self, seat: Seat, third_person: &str, second_person: &str) {
        self.seat_or_you(seat, Role::Subject);
        self.plain(" ");
        self.plain(if self.is_reader(seat) { second_person } else { third_person });
    }

    /// Appends a card by its full label.
    pub fn card(&mut self, card: &impl CardLabel) {
        let face = card.face(self.lang);
        let text = face.long.clone();
        self.text.parts.push(TextPart::Card { face, text });
    }

    /// Appends a card as the sentence names it, inflected for example.
    pub fn card_as(&mut self, card: &impl CardLabel, text: impl Into<String>) {
        let face = card.face(self.lang);
        self.text.parts.push(TextPart::Card { face, text: text.into() });
    }

    /// The text.
    #[must_use]
    pub fn finish(self) -> RichText {
        self.text
    }

    fn is_at_sentence_start(&self) -> bool {
        let last = self.text.parts.last().map_or("", TextPart::text);
        last.is_empty() || [". ", "! ", "? ", "\n"].iter().any(|end| last.ends_with(end))
    }
}

/// Appends values to a [`TextBuilder`], each as its [`Localise`] text: `phrase!(out, "Round ", number, ".")`.
macro_rules! phrase {
    ($out:expr, $($part:expr),+ $(,)?) => {{
        let out: &mut $crate::TextBuilder = $out;
        $($crate::Localise::write_text(&$part, out);)+
    }};
}
pub(crate) use phrase;

/// Subject and verb of a sentence, for [`phrase!`]: `phrase!(out, Subject(seat, "plays", "play"), " ", card)`.
pub(crate) struct Subject<'a>(pub(crate) Seat, pub(crate) &'a str, pub(crate) &'a str);

impl Localise for Subject<'_> {
    fn write_text(&self, out: &mut TextBuilder) {
        out.subject(self.0, self.1, self.2);
    }
}

/// A seat as the object of a sentence, for [`phrase!`]: "seat 2", or "you" and "dich" if the reader has it.
pub(crate) struct Object(pub(crate) Seat);

impl Localise for Object {
    fn write_text(&self, out: &mut TextBuilder) {
        out.seat_or_you(self.0, Role::Object);
    }
}

/// A seat after a preposition, for [`phrase!`]: "seat 2", or "you" and "dir" if the reader has it.
pub(crate) struct Indirect(pub(crate) Seat);

impl Localise for Indirect {
    fn write_text(&self, out: &mut TextBuilder) {
        out.seat_or_you(self.0, Role::Indirect);
    }
}

/// A card in a sentence, for [`phrase!`]: "blue 7", "die blaue 7".
pub(crate) struct TheCard<C>(pub(crate) C);

impl<C: Localise> Localise for TheCard<C> {
    fn write_text(&self, out: &mut TextBuilder) {
        match out.lang() {
            Lang::En => self.0.write_text(out),
            Lang::De => phrase!(out, "die ", self.0),
        }
    }
}

/// Cards in a sentence, for [`phrase!`]: "blue 1, blue 2 and green 3", "die blaue 1, die blaue 2 und die grüne 3".
pub(crate) struct TheCards<C: CardCode>(pub(crate) CardSet<C>);

impl<C: CardCode + Localise> Localise for TheCards<C> {
    fn write_text(&self, out: &mut TextBuilder) {
        let and = match out.lang() {
            Lang::En => " and ",
            Lang::De => " und ",
        };
        let last = self.0.len().saturating_sub(1);
        for (place, card) in (0..).zip(self.0) {
            let separator = match place {
                0 => "",
                place if place < last => ", ",
                _ => and,
            };
            phrase!(out, separator, TheCard(card));
        }
    }
}

/// A number with its noun, for [`phrase!`]: "1 card", "2 cards".
pub(crate) struct Count<'a, N>(pub(crate) N, pub(crate) &'a str, pub(crate) &'a str);

impl<N: Copy + Into<i64>> Localise for Count<'_, N> {
    fn write_text(&self, out: &mut TextBuilder) {
        let number: i64 = self.0.into();
        write!(out, "{number} {}", if number.abs() == 1 { self.1 } else { self.2 });
    }
}

/// "1 card", "3 Karten".
pub(crate) struct Cards(pub(crate) u8);

impl Localise for Cards {
    fn write_text(&self, out: &mut TextBuilder) {
        match out.lang() {
            Lang::En => Count(self.0, "card", "cards"),
            Lang::De => Count(self.0, "Karte", "Karten"),
        }
        .write_text(out);
    }
}

/// "1 point", "-3 Punkte".
pub(crate) struct PointCount(pub(crate) i32);

impl Localise for PointCount {
    fn write_text(&self, out: &mut TextBuilder) {
        match out.lang() {
            Lang::En => Count(self.0, "point", "points"),
            Lang::De => Count(self.0, "Punkt", "Punkte"),
        }
        .write_text(out);
    }
}

macro_rules! plain_text {
    ($($name:ty),+) => {$(
        impl Localise for $name {
            fn write_text(&self, out: &mut TextBuilder) {
                write!(out, "{self}");
            }
        }
    )+};
}
plain_text!(str, String, u8, u16, u32, i32);

impl<T: Localise + ?Sized> Localise for &T {
    fn write_text(&self, out: &mut TextBuilder) {
        (**self).write_text(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gap::{Card, Colour};

    fn sentence(lang: Lang, reader: Viewer) -> RichText {
        let [ada, bob] = [Seat::FIRST, Seat::FIRST.left(2)];
        let card = Card::new(Colour::Blue, 7).expect("a card");
        let mut out = TextBuilder::new(lang, reader);
        match lang {
            Lang::En => phrase!(&mut out, Subject(ada, "gives", "give"), " ", Object(bob), " ", card, "."),
            Lang::De => {
                phrase!(&mut out, Subject(ada, "gibt", "gibst"), " ", Indirect(bob), " die ", card, ".");
            }
        }
        out.finish()
    }

    #[test]
    fn readers_are_addressed_in_the_second_person() {
        let [ada, bob] = [Viewer::Seat(Seat::FIRST), Viewer::Seat(Seat::FIRST.left(2))];
        let texts = |lang| [Viewer::Spectator, ada, bob].map(|reader| sentence(lang, reader).to_string());
        assert_eq!(
            texts(Lang::En),
            ["Seat 0 gives seat 1 blue 7.", "You give seat 1 blue 7.", "Seat 0 gives you blue 7."]
        );
        assert_eq!(
            texts(Lang::De),
            [
                "Sitz 0 gibt Sitz 1 die blaue 7.",
                "Du gibst Sitz 1 die blaue 7.",
                "Sitz 0 gibt dir die blaue 7."
            ]
        );
    }

    #[test]
    fn seats_and_cards_are_parts_of_their_own() {
        let text = sentence(Lang::En, Viewer::Spectator);
        let kinds: Vec<&str> = text
            .parts
            .iter()
            .map(|part| match part {
                TextPart::Plain(_) => "plain",
                TextPart::Seat { .. } => "seat",
                TextPart::Card { .. } => "card",
            })
            .collect();
        assert_eq!(kinds, ["seat", "plain", "seat", "plain", "card", "plain"]);
        let name = |seat: Seat| (seat == Seat::FIRST).then(|| "Ada".to_owned());
        assert_eq!(text.with_names(name), "Ada gives seat 1 blue 7.");
    }

    #[test]
    fn cards_in_a_sentence_have_articles_and_a_conjunction() {
        let deck = |cards: &[u8]| cards.iter().filter_map(|code| Card::from_code(*code)).collect();
        for (codes, en, de) in [
            (&[7][..], "blue 7", "die blaue 7"),
            (&[7, 12], "blue 7 and green 2", "die blaue 7 und die grüne 2"),
            (&[1, 7, 12], "blue 1, blue 7 and green 2", "die blaue 1, die blaue 7 und die grüne 2"),
        ] {
            crate::test_support::assert_localised(&TheCards(deck(codes)), en, de);
        }
    }

    #[test]
    fn counts_have_a_singular() {
        let texts = |lang| {
            [1, 2].map(|number| {
                let mut out = TextBuilder::new(lang, Viewer::Spectator);
                phrase!(&mut out, Cards(number), ", ", PointCount(-i32::from(number)));
                out.finish().to_string()
            })
        };
        assert_eq!(texts(Lang::En), ["1 card, -1 point", "2 cards, -2 points"]);
        assert_eq!(texts(Lang::De), ["1 Karte, -1 Punkt", "2 Karten, -2 Punkte"]);
    }
}
