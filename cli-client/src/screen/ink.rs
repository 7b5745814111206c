//! Colours that can be left out: whatever a colour says is also said by a letter or a mark.

use parlor_engine::Lang;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// How things are written: in which language, and whether in colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ink {
    /// The language.
    pub lang: Lang,
    /// Whether there are colours. Without them there still are bold and reversed letters.
    pub colours: bool,
}

impl Ink {
    /// Ink with colours unless the environment forbids them: `NO_COLOR` set to anything but nothing.
    #[must_use]
    pub fn from_environment(lang: Lang, variable: impl Fn(&str) -> Option<String>) -> Ink {
        Ink { lang, colours: variable("NO_COLOR").is_none_or(|value| value.is_empty()) }
    }

    /// A style in this colour, if there are colours.
    #[must_use]
    pub fn paint(self, paint: Paint) -> Style {
        let style = Style::new();
        if !self.colours {
            return style;
        }
        style.fg(match paint {
            Paint::Red => Color::LightRed,
            Paint::Yellow => Color::Yellow,
            Paint::Green => Color::Green,
            Paint::Blue => Color::LightBlue,
            Paint::Pink => Color::LightMagenta,
            Paint::Purple => Color::Magenta,
            Paint::Grey => Color::Gray,
            Paint::Cyan => Color::Cyan,
            Paint::Faint => Color::DarkGray,
        })
    }

    /// The same in bold.
    #[must_use]
    pub fn bold(self, paint: Paint) -> Style {
        self.paint(paint).add_modifier(Modifier::BOLD)
    }
}

/// A colour, by what it is called on the cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    /// Red; also for warnings.
    Red,
    /// Yellow; also for what is asked.
    Yellow,
    /// Green; also for what is good.
    Green,
    /// Blue.
    Blue,
    /// Pink.
    Pink,
    /// Purple.
    Purple,
    /// Grey.
    Grey,
    /// Cyan: for titles.
    Cyan,
    /// What matters less.
    Faint,
}

/// A card of one colour among others, such as `7`, or `[7]` if it is chosen.
pub(crate) fn card(text: &str, chosen: bool, style: Style) -> Span<'static> {
    if chosen {
        Span::styled(format!("[{text}]"), style.add_modifier(Modifier::REVERSED | Modifier::BOLD))
    } else {
        Span::styled(format!(" {text} "), style)
    }
}

/// Some cards in a box each, side by side, with a line below each of them: four lines, and one for what is below.
pub(crate) fn boxes(cards: &[BoxedCard]) -> Vec<Line<'static>> {
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

/// What stands in a box.
pub(crate) struct BoxedCard {
    /// The upper line.
    pub(crate) name: String,
    /// The lower line.
    pub(crate) value: String,
    /// The line below the box.
    pub(crate) below: String,
    /// How it is written.
    pub(crate) style: Style,
}

/// Pieces side by side, two blanks apart, in as many lines as they need.
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
    fn colours_can_be_forbidden() {
        let with = |value: Option<&str>| {
            let ink = Ink::from_environment(Lang::En, |name| {
                (name == "NO_COLOR").then_some(value).flatten().map(str::to_owned)
            });
            (ink.colours, ink.paint(Paint::Red) == Style::new())
        };
        assert_eq!(with(None), (true, false));
        assert_eq!(with(Some("")), (true, false), "set to nothing is not set");
        assert_eq!(with(Some("1")), (false, true));
        assert_eq!(with(Some("0")), (false, true), "whatever it is set to");
    }

    #[test]
    fn pieces_flow_into_lines() {
        let pieces = || ["aaa", "bb", "cccc"].map(Line::raw).to_vec();
        let flown = |columns| flow(pieces(), columns).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(flown(80), ["aaa  bb  cccc"]);
        assert_eq!(flown(12), ["aaa  bb", "cccc"]);
        assert_eq!(flown(1), ["aaa", "bb", "cccc"]);
    }
}
