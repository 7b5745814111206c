//! Summary at the end of a round: what happened last, and what each seat gained.

use parlor_engine::{AnyView, Seat};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph};

use super::Screen;
use super::renderer::ViewRenderer;
use crate::lang::words;
use crate::text::{pad, wrap};

/// Width of the summary, in columns.
const WIDTH: u16 = 64;

/// Width of a column of points.
const POINTS: usize = 10;

/// The end of a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RoundSummary {
    /// Sentences about what ended the round.
    texts: Vec<String>,
    /// Seats, the best first, with the points of the round and in total.
    scores: Vec<(Seat, i32, i32)>,
}

impl RoundSummary {
    /// Compares the views before and after the end of a round.
    pub(super) fn new(before: &AnyView, after: &AnyView, texts: Vec<String>) -> RoundSummary {
        let (before, after) = (ViewRenderer(before).seats(), ViewRenderer(after).seats());
        let score = |(old, new): (_, &super::renderer::SeatStatus)| {
            let old: &super::renderer::SeatStatus = old;
            (new.seat, new.points - old.points, new.points)
        };
        let mut scores: Vec<_> = before.iter().zip(&after).map(score).collect();
        scores.sort_by_key(|(seat, _, total)| (std::cmp::Reverse(*total), *seat));
        RoundSummary { texts, scores }
    }
}

impl Screen {
    /// Draws the summary in the middle of the area.
    pub(super) fn draw_round_summary(&self, frame: &mut Frame<'_>, area: Rect, summary: &RoundSummary) {
        let lang = self.lang();
        let width = WIDTH.min(area.width);
        let inside = usize::from(width) - 2;
        let columns = inside - 2 * POINTS;
        let names = self.state.names();
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let [gained, total] = [words::THIS_ROUND, words::IN_TOTAL].map(|word| word.get(lang));
        let head = format!("{}{gained:>POINTS$}{total:>POINTS$}", " ".repeat(columns));
        let score = |(seat, gained, total): &(Seat, i32, i32)| {
            let style = if self.state.viewer.is(*seat) { bold } else { Style::new() };
            let gained = format!("{gained:+}");
            Line::styled(
                format!("{}{gained:>POINTS$}{total:>POINTS$}", pad(&names.label(*seat), columns)),
                style,
            )
        };
        let mut scores = vec![Line::raw(head)];
        scores.extend(summary.scores.iter().map(score));
        // The scores are always shown whole; of the texts, as many of the last lines as fit.
        let room = usize::from(area.height).saturating_sub(scores.len() + 3);
        let texts: Vec<String> = summary.texts.iter().flat_map(|text| wrap(text, inside)).collect();
        let mut lines: Vec<Line<'_>> =
            texts.into_iter().rev().take(room).map(Line::raw).collect::<Vec<_>>().into_iter().rev().collect();
        lines.push(Line::raw(""));
        lines.extend(scores);
        let height = (lines.len() as u16 + 2).min(area.height);
        let place = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        };
        frame.render_widget(Clear, place);
        frame.render_widget(Paragraph::new(lines).block(self.block(words::END_OF_ROUND.get(lang))), place);
    }
}
