//! Renderer of No Dice: a table that grows in steps of half a segment, with a preview of the selected
//! placement.

use parlor_engine::no_dice::{
    Action, Card, Decision, Direction, Hand, NoDice, Placement, Segment, Square, View,
};
use parlor_engine::{Lang, Localise, Seat, Text, TextBuilder};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::renderer::{GameRenderer, PlaceStep, Viewport};
use super::style::{Palette, Theme, card_span};
use crate::table::SeatNames;
use crate::text::wrap;

impl GameRenderer for NoDice {
    const FILLS_VIEWPORT: bool = true;

    fn stage(view: &View, lang: Lang) -> String {
        let order = view.order.in_lang(lang);
        match lang {
            Lang::En => format!("play goes {order}"),
            Lang::De => format!("es geht {order}"),
        }
    }

    fn badge(view: &View, seat: Seat, lang: Lang) -> Option<&'static str> {
        if view.x2.contains(seat) {
            return Some("x2");
        }
        view.passed.contains(seat).then(|| Text { en: "passed", de: "gepasst" }.get(lang))
    }

    /// Placements by their points, the best first, and then the other actions. In a window, declining first: PASS is played
    /// on purpose, not by the key that was meant for the turn.
    fn order(view: &View, legal: &[Action]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..legal.len()).collect();
        if view.decision == Some(Decision::Window) {
            order.sort_by_key(|place| legal[*place] != Action::Decline);
        } else {
            let scores = scores(view, legal);
            order.sort_by_key(|place| std::cmp::Reverse(scores[*place]));
        }
        order
    }

    fn card(action: &Action, lang: Lang) -> Option<String> {
        Some(played_card(action)?.in_lang(lang).to_string())
    }

    fn replaced(view: &View, action: &Action, step: PlaceStep) -> Option<Action> {
        let Action::Lay(placement) = *action else { return None };
        let ((x, y), toward) = (placement.lower(), placement.toward());
        let placement = match step {
            PlaceStep::Move(dx, dy) => {
                let (x, y) = (x.saturating_add(dx), y.saturating_add(dy));
                Placement::new(placement.card(), x, y, toward).filter(|moved| is_near(view, *moved))?
            }
            PlaceStep::Turn => {
                // A double has the same squares after half a turn.
                let turns = if placement.card().is_double() { 2 } else { Direction::ALL.len() };
                let now = Direction::ALL.iter().position(|known| *known == toward).unwrap_or(0);
                Placement::new(placement.card(), x, y, Direction::ALL[(now + 1) % turns])?
            }
        };
        Some(Action::Lay(placement))
    }

    fn add_effects(view: &View, legal: &[Action], labels: &mut [String], _: Lang) {
        for (points, label) in scores(view, legal).into_iter().zip(labels) {
            if let Some(points) = points {
                label.push_str(&format!(" +{points}"));
            }
        }
    }

    fn hand(view: &View, selected: Option<&Action>, theme: Theme) -> Vec<Line<'static>> {
        let mut marked = selected.and_then(played_card);
        let piece = |card: Card| {
            let selected = marked.take_if(|marked| *marked == card).is_some();
            let style = match card {
                Card::Playing(_) => Style::new(),
                _ => theme.bold(Palette::Yellow),
            };
            Line::from(card_span(&card.in_lang(theme.lang).to_string(), selected, style))
        };
        view.hand.into_iter().map(piece).collect()
    }

    fn table(
        view: &View,
        selected: Option<&Action>,
        theme: Theme,
        viewport: Viewport,
        names: &SeatNames,
    ) -> Vec<Line<'static>> {
        let lang = theme.lang;
        let placement = match selected {
            Some(Action::Lay(placement)) => Some(*placement),
            _ => None,
        };
        let [pile, played] = match lang {
            Lang::En => ["Draw pile", "played"],
            Lang::De => ["Nachziehstapel", "gespielt"],
        };
        let about = format!("{pile}: {}, {played}: {}", view.draw_pile, counted(view.played));
        let about = [Some(about), known(view, lang, names)].into_iter().flatten();
        let mut lines: Vec<Line<'static>> =
            about.flat_map(|text| wrap(&text, viewport.width.into())).map(Line::raw).collect();
        let rows = viewport.height.saturating_sub(lines.len() as u16 + 1);
        let window = Window::over(&view.visible(), placement, rows, viewport);
        let board = Board { view, placement, theme };
        lines.extend(board.draw(window));
        lines.push(Line::styled(window.note(lang), theme.colour(Palette::Faint)));
        lines
    }
}

/// The card of an action.
fn played_card(action: &Action) -> Option<Card> {
    match action {
        Action::Lay(placement) => Some(Card::Playing(placement.card())),
        Action::Switch => Some(Card::Switch),
        Action::PassCard => Some(Card::Pass),
        Action::X2 => Some(Card::X2),
        Action::Swap(_) => Some(Card::Swap),
        Action::Pass | Action::Decline => None,
    }
}

/// The points of each action; `None` if it is no placement, or an illegal one.
fn scores(view: &View, actions: &[Action]) -> Vec<Option<i32>> {
    let placement = |action: &Action| match action {
        Action::Lay(placement) => Some(*placement),
        _ => None,
    };
    let mut scores = view.scores_of(actions.iter().filter_map(placement));
    let mut score = |action| placement(action).and_then(|_| scores.next()?.ok());
    actions.iter().map(&mut score).collect()
}

/// Space around the laid cards in which a card can be moved, in half segments: at its edge, the card touches nothing.
const MARGIN: i32 = 6;

/// Reports whether a placement is on the table or near to it.
fn is_near(view: &View, placement: Placement) -> bool {
    let visible = view.visible();
    let within = |axis: fn(Square) -> i16| {
        let laid = visible.iter().map(|segment| i32::from(axis((segment.x, segment.y))));
        let (low, high) = (laid.clone().min().unwrap_or(0), laid.max().unwrap_or(0));
        let new = [placement.lower(), placement.higher()].map(|square| i32::from(axis(square)));
        new.iter().all(|at| (low - MARGIN..=high + MARGIN).contains(at))
    };
    within(|square| square.0) && within(|square| square.1)
}

/// Action cards with their counts: "PASS, 3 × X2".
fn counted(cards: Hand) -> String {
    let kinds = Card::ACTIONS.into_iter().filter_map(|card| match cards.count(card) {
        0 => None,
        1 => Some(card.to_string()),
        count => Some(format!("{count} × {card}")),
    });
    let kinds: Vec<String> = kinds.collect();
    if kinds.is_empty() { "-".to_owned() } else { kinds.join(", ") }
}

/// Cards that the viewer knows to be in other hands.
fn known(view: &View, lang: Lang, names: &SeatNames) -> Option<String> {
    let has = Text { en: "has", de: "hat" }.get(lang);
    let mut text = TextBuilder::new(lang, view.viewer);
    for (seat, cards) in Seat::all(view.players).zip(view.known).filter(|(_, cards)| !cards.is_empty()) {
        text.subject(seat, has, has);
        text.plain(" ");
        cards.write_text(&mut text);
        text.plain(". ");
    }
    let text = names.render(&text.finish());
    (!text.is_empty()).then(|| text.trim_end().to_owned())
}

/// Visible part of the table: upper left corner, size in half segments, and whether there is more beyond each
/// edge. The coordinates are wide, because a card can be anywhere until the rules refuse it.
#[derive(Clone, Copy)]
struct Window {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
    beyond: [bool; 4],
}

impl Window {
    /// Window over all segments if they fit, otherwise centred on the card that was laid last, shifted by the viewport's
    /// offset. The new card moves the window only where it would not be seen, and then by no more than it takes.
    fn over(visible: &[Segment], placement: Option<Placement>, rows: u16, viewport: Viewport) -> Window {
        let (width, height) = (i32::from(viewport.width / 2), i32::from(rows));
        let new = placement.map(|placement| [placement.lower(), placement.higher()]);
        let squares = || visible.iter().map(|segment| (segment.x, segment.y));
        let focus: Vec<Square> = squares().rev().take(2).collect();
        let all: Vec<Square> = squares().collect();
        let new: Vec<Square> = new.into_iter().flatten().collect();
        let along = |axis: fn(&Square) -> i16, size: i32, offset: i16| {
            let edges = |squares: &[Square]| {
                let places = squares.iter().map(|square| i32::from(axis(square)));
                (places.clone().min().unwrap_or(0), places.max().map_or(0, |place| place + 2))
            };
            let ((low, high), (near, far)) = (edges(&all), edges(&focus));
            let start = if high - low <= size {
                low - (size - (high - low)) / 2
            } else {
                // Centred on the focus, with as little empty space at the edges as possible.
                ((near + far - size) / 2).clamp(low - 1, high + 1 - size)
            };
            let start = if new.is_empty() {
                start
            } else {
                let (first, last) = edges(&new);
                start.max(last - size).min(first)
            };
            // Part of the table always stays visible.
            let start = (start + i32::from(offset)).clamp(low + 2 - size.max(2), high - 2);
            (start, [low < start, high > start + size])
        };
        let (left, [more_left, more_right]) = along(|square| square.0, width, viewport.offset.0);
        let (top, [more_above, more_below]) = along(|square| square.1, height, viewport.offset.1);
        Window { left, top, width, height, beyond: [more_left, more_right, more_above, more_below] }
    }

    /// Arrows towards hidden parts, the signs of the drawing, and the coordinates of the corner.
    fn note(&self, lang: Lang) -> String {
        let arrows: String = ["←", "→", "↑", "↓"]
            .iter()
            .zip(self.beyond)
            .filter(|(_, more)| *more)
            .map(|(arrow, _)| *arrow)
            .collect();
        let (left, top) = (self.left, self.top);
        let legend = match lang {
            Lang::En => format!("[ ] laid, {{ }} yours, corner ({left}, {top})"),
            Lang::De => format!("[ ] liegt, {{ }} deine, Ecke ({left}, {top})"),
        };
        if arrows.is_empty() { legend } else { format!("{arrows} {legend}") }
    }
}

/// The table and the new card on it.
struct Board<'a> {
    view: &'a View,
    placement: Option<Placement>,
    theme: Theme,
}

impl Board<'_> {
    /// Draws the window, one line per half segment: a segment is four columns wide and two lines high, open
    /// towards the other segment of its card. The new card has different edges.
    fn draw(&self, window: Window) -> Vec<Line<'static>> {
        let blank = (' ', Style::new());
        let mut cells = vec![vec![blank; 2 * window.width.max(0) as usize]; window.height.max(0) as usize];
        let visible = self.view.visible();
        let newest = visible.last().map(|segment| segment.card);
        for segment in &visible {
            let others = || visible.iter().filter(|other| other.card == segment.card);
            let open = |dx, dy| others().any(|other| (other.x - segment.x, other.y - segment.y) == (dx, dy));
            let mut style = self.theme.colour(palette(segment.value));
            if newest == Some(segment.card) {
                style = style.add_modifier(Modifier::BOLD);
            }
            let glyphs = glyphs(segment.value, ['[', ']', '_'], open);
            stamp(&mut cells, window, (segment.x, segment.y), glyphs, style);
        }
        if let Some(placement) = self.placement {
            let (lower, higher) = (placement.lower(), placement.higher());
            let fits = self.view.scores_of([placement]).all(|score| score.is_ok());
            let colour = if fits { Palette::Green } else { Palette::Red };
            let style = self.theme.bold(colour).add_modifier(Modifier::REVERSED);
            for (here, other, value) in
                [(lower, higher, placement.card().lower()), (higher, lower, placement.card().higher())]
            {
                let open = |dx, dy| (other.0 - here.0, other.1 - here.1) == (dx, dy);
                stamp(&mut cells, window, here, glyphs(value, ['{', '}', '='], open), style);
            }
        }
        cells.into_iter().map(line).collect()
    }
}

/// A segment as two lines of four characters, with the given marks for its left, right and lower edge where
/// it has one.
fn glyphs(value: u8, [left, right, low]: [char; 3], open: impl Fn(i16, i16) -> bool) -> [[char; 4]; 2] {
    let edge = |mark: char, dx: i16, dy: i16| if open(dx, dy) { ' ' } else { mark };
    let (left, right, low) = (edge(left, -2, 0), edge(right, 2, 0), edge(low, 0, 2));
    let tens = if value < 10 { ' ' } else { '1' };
    [[left, tens, char::from(b'0' + value % 10), right], [left, low, low, right]]
}

/// Writes the part of a segment that is inside the window.
fn stamp(
    cells: &mut [Vec<(char, Style)>],
    window: Window,
    (x, y): Square,
    glyphs: [[char; 4]; 2],
    style: Style,
) {
    for (row, line) in glyphs.iter().enumerate() {
        for (column, glyph) in line.iter().enumerate() {
            let row = i32::from(y) - window.top + row as i32;
            let column = 2 * (i32::from(x) - window.left) + column as i32;
            let inside = usize::try_from(row).ok().zip(usize::try_from(column).ok());
            if let Some(cell) = inside.and_then(|(row, column)| cells.get_mut(row)?.get_mut(column)) {
                *cell = (*glyph, style);
            }
        }
    }
}

/// Joins cells into a line, with one span per run of equal style.
fn line(cells: Vec<(char, Style)>) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (glyph, style) in cells {
        match spans.last_mut() {
            Some(span) if span.style == style => span.content.to_mut().push(glyph),
            _ => spans.push(Span::styled(glyph.to_string(), style)),
        }
    }
    Line::from(spans)
}

/// Colour of a value, so that matching segments are easy to spot.
const fn palette(value: u8) -> Palette {
    match value {
        2 | 9 => Palette::Grey,
        3 | 10 => Palette::Red,
        4 => Palette::Yellow,
        5 => Palette::Green,
        6 => Palette::Cyan,
        7 => Palette::Blue,
        _ => Palette::Pink,
    }
}
