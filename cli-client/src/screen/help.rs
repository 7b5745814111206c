//! Help overlay: key bindings and rules.

use crossterm::event::KeyCode;
use parlor_engine::{GameId, Lang};
use ratatui::text::Line;

use super::style::{Palette, Theme};
use crate::text::{width, wrap};

/// Lines scrolled by PageUp and PageDown.
const PAGE: usize = 15;

/// First visible line after a key; `None` if the key closes the help.
pub(super) fn scroll(key: KeyCode, line: usize) -> Option<usize> {
    match key {
        KeyCode::Up => Some(line.saturating_sub(1)),
        KeyCode::Down => Some(line + 1),
        KeyCode::PageUp => Some(line.saturating_sub(PAGE)),
        KeyCode::PageDown => Some(line + PAGE),
        KeyCode::Home => Some(0),
        KeyCode::End => Some(usize::MAX / 2),
        _ => None,
    }
}

/// Lines of the help.
pub(super) fn lines(
    keys: &[&'static str],
    game: Option<GameId>,
    theme: Theme,
    columns: usize,
) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = keys.iter().map(|line| Line::raw(*line)).collect();
    if let Some(game) = game {
        lines.push(Line::raw(""));
        for line in rules(game, theme.lang) {
            match line.strip_prefix('#') {
                Some(heading) => {
                    let heading = heading.trim_start_matches('#').trim().to_owned();
                    lines.push(Line::styled(heading, theme.bold(Palette::Cyan)));
                }
                None => lines.extend(wrap(&line, columns).into_iter().map(Line::raw)),
            }
        }
    }
    lines
}

/// Rules of a game, one line per paragraph, without bold marks and with aligned tables.
pub(crate) fn rules(game: GameId, lang: Lang) -> Vec<String> {
    let paragraphs = paragraphs(game.info().rules.get(lang));
    let mut lines = Vec::new();
    for chunk in paragraphs.chunk_by(|one, other| one.starts_with('|') && other.starts_with('|')) {
        if chunk[0].starts_with('|') {
            lines.extend(columns(chunk));
        } else {
            lines.extend_from_slice(chunk);
        }
    }
    lines
}

/// Aligns a Markdown table. The separator row is dropped.
fn columns(table: &[String]) -> Vec<String> {
    let rows = table.iter().map(|row| row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    let rows: Vec<Vec<&str>> =
        rows.filter(|row| !row.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty())).collect();
    let wide = |place: usize| rows.iter().filter_map(|row| row.get(place)).map(|cell| width(cell)).max();
    let line = |row: &Vec<&str>| {
        let cells = row.iter().enumerate().map(|(place, cell)| {
            let blank = wide(place).unwrap_or(0).saturating_sub(width(cell));
            format!("{cell}{}", " ".repeat(blank))
        });
        format!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// Joins each paragraph into one line.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let line = line.replace("**", "");
        let is_item = |line: &str| {
            let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
            line.starts_with("- ") || number.len() < line.len() && number.starts_with(". ")
        };
        let stands_alone = line.is_empty() || line.starts_with(['#', '|']);
        match paragraphs.last_mut() {
            Some(paragraph) if goes_on && !stands_alone && !is_item(line.trim_start()) => {
                paragraph.push(' ');
                paragraph.push_str(line.trim());
            }
            _ => paragraphs.push(line.clone()),
        }
        goes_on = !stands_alone;
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_tables_are_aligned() {
        let table = ["| players | cards |", "|---|:-:|", "| 2 | 30 |"].map(str::to_owned);
        assert_eq!(columns(&table), ["  players  cards", "  2        30"]);
    }

    #[test]
    fn rules_paragraphs_are_joined_and_list_items_kept() {
        for game in GameId::ALL {
            for lang in [Lang::En, Lang::De] {
                let rules = rules(*game, lang);
                assert_eq!(rules[0], format!("# {}", game.info().name.get(lang)));
                assert!(rules.iter().any(|line| line.starts_with("- ")));
                assert!(rules.iter().any(|line| line.starts_with("1. ")));
                assert!(rules.iter().any(|line| line.len() > 200), "a paragraph is one line");
                let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
                let words =
                    |text: &str| text.replace(['|', '*'], " ").split_whitespace().filter(is_word).count();
                let count: usize = rules.iter().map(|line| words(line)).sum();
                assert_eq!(count, words(game.info().rules.get(lang)), "no word is lost");
            }
        }
    }
}
