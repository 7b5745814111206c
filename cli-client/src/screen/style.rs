//! Theme and text styles. Colours are optional: everything they convey is also shown by a letter or a mark.

use parlor_engine::Lang;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// Language and colour settings of a display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    /// The language.
    pub lang: Lang,
    /// Use colours. Bold and reverse video are used in any case.
    pub colours: bool,
}

impl Theme {
    /// Theme with colours unless `NO_COLOR` is set to a non-empty value.
    #[must_use]
    pub fn from_environment(lang: Lang, variable: impl Fn(&str) -> Option<String>) -> Theme {
        Theme { lang, colours: variable("NO_COLOR").is_none_or(|value| value.is_empty()) }
    }

    /// Foreground style of a colour; plain without colours.
    #[must_use]
    pub fn colour(self, colour: Palette) -> Style {
        let style = Style::new();
        if !self.colours {
            return style;
        }
        style.fg(match colour {
            Palette::Red => Color::LightRed,
            Palette::Yellow => Color::Yellow,
            Palette::Green => Color::Green,
            Palette::Blue => Color::LightBlue,
            Palette::Pink => Color::LightMagenta,
            Palette::Purple => Color::Magenta,
            Palette::Grey => Color::Gray,
            Palette::Cyan => Color::Cyan,
            Palette::Faint => Color::DarkGray,
        })
    }

    /// The same in bold.
    #[must_use]
    pub fn bold(self, colour: Palette) -> Style {
        self.colour(colour).add_modifier(Modifier::BOLD)
    }
}

/// Palette of the display, named after the colours of the cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Palette {
    /// Red; also for warnings.
    Red,
    /// Yellow; also for prompts.
    Yellow,
    /// Green; also for previews and the winner.
    Green,
    /// Blue.
    Blue,
    /// Pink.
    Pink,
    /// Purple.
    Purple,
    /// Grey.
    Grey,
    /// Cyan, for titles.
    Cyan,
    /// Dim, for less important text.
    Faint,
}

/// A card such as ` 7 `, or `[7]` if it is selected.
pub(crate) fn card_span(text: &str, selected: bool, style: Style) -> Span<'static> {
    if selected {
        Span::styled(format!("[{text}]"), style.add_modifier(Modifier::REVERSED | Modifier::BOLD))
    } else {
        Span::styled(format!(" {text} "), style)
    }
}

/// Boxed cards side by side: four lines, and a caption line below.
pub(crate) fn boxed_cards(cards: &[BoxedCard]) -> Vec<Line<'static>> {
    const INSIDE: usize = 8;
    let row = |left: &str, right: &str, inside: &dyn Fn(&BoxedCard) -> String| {
        let mut spans = Vec::new();
        for card in cards {
            spans.push(Span::raw(left.to_owned()));
            spans.push(Span::styled(format!("{:<INSIDE$}", inside(card)), card.style));
            spans.push(Span::raw(right.to_owned()));
        }
        Line::from(spans)
    };
    vec![
        row("┌", "┐ ", &|_| "─".repeat(INSIDE)),
        row("│", "│ ", &|card| format!(" {}", card.name)),
        row("│", "│ ", &|card| format!(" {}", card.value)),
        row("└", "┘ ", &|_| "─".repeat(INSIDE)),
        row(" ", "  ", &|card| format!("{:^INSIDE$}", card.below)),
    ]
}

/// Content of a boxed card.
pub(crate) struct BoxedCard {
    /// Upper line.
    pub(crate) name: String,
    /// Lower line.
    pub(crate) value: String,
    /// Caption below the box.
    pub(crate) below: String,
    /// Style of the content.
    pub(crate) style: Style,
}

/// Lays pieces out side by side, two blanks apart, wrapped to the given width.
pub(crate) fn flow(pieces: Vec<Line<'static>>, columns: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if line.width() + 2 + piece.width() <= columns => {
                line.push_span("  ");
                line.spans.extend(piece.spans);
            }
            _ => lines.push(piece),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_disables_colours() {
        let with = |value: Option<&str>| {
            let theme = Theme::from_environment(Lang::En, |name| {
                (name == "NO_COLOR").then_some(value).flatten().map(str::to_owned)
            });
            (theme.colours, theme.colour(Palette::Red) == Style::new())
        };
        assert_eq!(with(None), (true, false));
        assert_eq!(with(Some("")), (true, false), "an empty value counts as unset");
        assert_eq!(with(Some("1")), (false, true));
        assert_eq!(with(Some("0")), (false, true), "any non-empty value disables colours");
    }

    #[test]
    fn pieces_are_flowed_into_lines() {
        let pieces = || ["aaa", "bb", "cccc"].map(Line::raw).to_vec();
        let flown = |columns| flow(pieces(), columns).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(flown(80), ["aaa  bb  cccc"]);
        assert_eq!(flown(12), ["aaa  bb", "cccc"]);
        assert_eq!(flown(1), ["aaa", "bb", "cccc"]);
    }
}
