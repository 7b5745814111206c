//! Localised text of the views of No Dice, with the board drawn in characters.

use super::{Segment, View};
use crate::Seat;
use crate::text::{Cards, Lang, Localise, PointCount, TextBuilder, display_in_english, phrase};

display_in_english!(View);

impl Localise for View {
    fn write_text(&self, out: &mut TextBuilder) {
        out.set_reader(self.viewer);
        let words = match out.lang() {
            Lang::En => [
                "seen by",
                "Next",
                "play goes",
                "Draw pile",
                "played",
                "known",
                "Hand",
                "You said yes to PASS.",
                "Every window lasts equally long.",
            ],
            Lang::De => [
                "gesehen von",
                "An der Reihe",
                "es geht",
                "Nachziehstapel",
                "gespielt",
                "bekannt",
                "Hand",
                "Du hast Ja zu PASS gesagt.",
                "Jedes Fenster dauert gleich lange.",
            ],
        };
        let [seen_by, next, goes, pile, played, known, hand, said_yes, held] = words;
        phrase!(out, "No Dice, ", seen_by, " ", self.viewer, "\n");
        match self.outcome {
            Some(outcome) => phrase!(out, outcome, "\n"),
            None => phrase!(out, next, ": ", self.turn, ", ", goes, " ", self.order, "\n"),
        }
        draw(&self.visible(), out);
        phrase!(out, pile, ": ", self.draw_pile, ", ", played, ": ", self.played, "\n");
        for seat in Seat::all(self.players) {
            let i = seat.index();
            phrase!(out, seat, ": ", Cards(self.hand_sizes[i]), ", ", PointCount(self.scores[i]));
            for mark in self.marks(seat) {
                phrase!(out, ", ", mark);
            }
            if !self.known[i].is_empty() {
                phrase!(out, ", ", known, " ", self.known[i]);
            }
            out.plain("\n");
        }
        if self.viewer.seat().is_some() {
            phrase!(out, hand, ": ", self.hand, "\n");
        }
        if let Some(decision) = self.decision {
            phrase!(out, decision, "\n");
        }
        if self.said_yes {
            phrase!(out, said_yes, "\n");
        }
        if self.windows_held {
            phrase!(out, held, "\n");
        }
    }
}

/// Draws the visible segments, each four characters wide and two lines high, without an edge between the two
/// segments of a card. The last line gives the coordinates of the upper left corner.
fn draw(visible: &[Segment], out: &mut TextBuilder) {
    let bounds = |edge: fn(&Segment) -> i16| {
        let edges = visible.iter().map(edge);
        edges.clone().min().zip(edges.max())
    };
    let (Some((left, right)), Some((top, bottom))) = (bounds(|s| s.x), bounds(|s| s.y)) else {
        return;
    };
    let row = vec![' '; 2 * (right - left) as usize + 4];
    let mut rows = vec![row; (bottom - top) as usize + 2];
    for segment in visible {
        let others = visible.iter().filter(|other| other.card == segment.card);
        let is_open = |dx: i16, dy: i16| {
            others.clone().any(|other| (other.x - segment.x, other.y - segment.y) == (dx, dy))
        };
        let edge = |mark: char, dx: i16, dy: i16| if is_open(dx, dy) { ' ' } else { mark };
        let (left_edge, right_edge, lower_edge) = (edge('[', -2, 0), edge(']', 2, 0), edge('_', 0, 2));
        let value = [if segment.value < 10 { ' ' } else { '1' }, char::from(b'0' + segment.value % 10)];
        let (x, y) = (2 * (segment.x - left) as usize, (segment.y - top) as usize);
        rows[y][x..x + 4].copy_from_slice(&[left_edge, value[0], value[1], right_edge]);
        rows[y + 1][x..x + 4].copy_from_slice(&[left_edge, lower_edge, lower_edge, right_edge]);
    }
    for row in rows {
        let line: String = row.into_iter().collect();
        phrase!(out, line.trim_end(), "\n");
    }
    phrase!(out, format!("({left}, {top})"), "\n");
}
