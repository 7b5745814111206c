//! Choosing one of many lines: by arrows, by number, or by typing what it says.

use crossterm::event::KeyCode;

use crate::text::fold;

/// A list of lines, what was typed to find one of them, and the one that is chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picker {
    labels: Vec<String>,
    query: String,
    /// The lines that fit what was typed.
    fitting: Vec<usize>,
    /// The place of the chosen one among those.
    cursor: usize,
}

impl Picker {
    pub(crate) fn new(labels: Vec<String>) -> Picker {
        let fitting = (0..labels.len()).collect();
        Picker { labels, query: String::new(), fitting, cursor: 0 }
    }

    /// The line that is chosen, by its place in the whole list.
    pub(crate) fn chosen(&self) -> Option<usize> {
        self.fitting.get(self.cursor).copied()
    }

    /// What was typed.
    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// The lines that fit, as many as there is room for, with the chosen one among them: each with its place in the
    /// whole list.
    pub(crate) fn page(&self, rows: usize) -> impl Iterator<Item = (usize, &str)> {
        let first = self.cursor.checked_div(rows).unwrap_or(0) * rows;
        let page = self.fitting.iter().skip(first).take(rows);
        page.map(|line| (*line, self.labels[*line].as_str()))
    }

    /// How many lines fit.
    pub(crate) fn fitting(&self) -> usize {
        self.fitting.len()
    }

    /// Takes a key, with a page of so many rows, and says whether it was one for it.
    pub(crate) fn key(&mut self, key: KeyCode, rows: usize) -> bool {
        let last = self.fitting.len().saturating_sub(1);
        let rows = rows.max(1);
        match key {
            KeyCode::Up => self.cursor = self.cursor.checked_sub(1).unwrap_or(last),
            KeyCode::Down => self.cursor = if self.cursor >= last { 0 } else { self.cursor + 1 },
            KeyCode::PageUp => self.cursor = self.cursor.saturating_sub(rows),
            KeyCode::PageDown => self.cursor = (self.cursor + rows).min(last),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = last,
            KeyCode::Backspace => {
                self.query.pop();
                self.find();
            }
            KeyCode::Esc => {
                self.query.clear();
                self.find();
            }
            KeyCode::Char(c) if !(c.is_control() || c == ' ' && self.query.is_empty()) => {
                // No line is so long: what is held down does not fill the memory.
                if self.query.len() < 64 {
                    self.query.push(c);
                    self.find();
                }
            }
            _ => return false,
        }
        true
    }

    /// Finds what fits the query. The chosen line stays chosen if it fits as well as any other.
    fn find(&mut self) {
        let before = self.chosen();
        let all = 0..self.labels.len();
        if let Some(number) = number(&self.query) {
            let place = number.checked_sub(1).filter(|place| all.contains(place));
            self.fitting = if place.is_some() { all.collect() } else { Vec::new() };
            self.cursor = place.unwrap_or(0);
            return;
        }
        let words = self.query.strip_prefix('/').unwrap_or(&self.query);
        let ranked: Vec<(usize, Fit)> =
            all.filter_map(|line| Some((line, fit(words, &self.labels[line])?))).collect();
        let best = ranked.iter().map(|(_, fit)| *fit).min();
        let is_best = |line: usize| ranked.iter().any(|(one, fit)| *one == line && Some(*fit) == best);
        let chosen = before
            .filter(|line| is_best(*line))
            .or_else(|| ranked.iter().find(|(_, fit)| Some(*fit) == best).map(|(line, _)| *line));
        self.cursor = ranked.iter().position(|(line, _)| Some(*line) == chosen).unwrap_or(0);
        self.fitting = ranked.into_iter().map(|(line, _)| line).collect();
    }
}

/// The number that was typed, if it is nothing but a number.
pub(crate) fn number(query: &str) -> Option<usize> {
    let digits = !query.is_empty() && query.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| query.parse().unwrap_or(usize::MAX))
}

/// How well a line fits what was typed; the best comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fit {
    /// It is just these words.
    Whole,
    /// It begins with just these words.
    Begins,
    /// Just these words are in it.
    Words,
    /// It has a word for each of them that begins so.
    Prefixes,
}

/// How well the line fits; nothing if it does not. Capitals and umlauts do not matter.
pub(crate) fn fit(query: &str, line: &str) -> Option<Fit> {
    let (query, line) = (fold(query), fold(line));
    let query = query.trim();
    // The card 5|10 is one word, and so is -7; other marks end a word.
    let ends_word = |c: char| !(c.is_alphanumeric() || matches!(c, '|' | '-' | '+' | '*'));
    let whole = |at: usize| {
        let (before, after) = (&line[..at], &line[at + query.len()..]);
        before.chars().next_back().is_none_or(ends_word) && after.chars().next().is_none_or(ends_word)
    };
    let mut places = line.match_indices(query).map(|(at, _)| at).filter(|at| whole(*at));
    match places.next() {
        _ if query.is_empty() => return Some(Fit::Prefixes),
        Some(0) if query.len() == line.trim().len() => return Some(Fit::Whole),
        Some(0) => return Some(Fit::Begins),
        Some(_) => return Some(Fit::Words),
        None => {}
    }
    let words: Vec<&str> = line.split(ends_word).filter(|word| !word.is_empty()).collect();
    let asked = query.split(ends_word).filter(|word| !word.is_empty());
    // In this order, so that "blue 7" does not find a blue 3 that takes a 7 before it finds the card.
    let mut rest = words.iter();
    let mut all = asked.map(|word| rest.any(|known| known.starts_with(word)));
    all.all(|found| found).then_some(Fit::Prefixes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picker() -> Picker {
        let labels = [
            "blue 1, into the middle",
            "blue 7, takes green 6",
            "green 11, takes blue 7",
            "5|10 at (2, 0) down +20",
            "lead 8",
            "lead 8,8",
            "pass",
        ];
        Picker::new(labels.map(str::to_owned).into())
    }

    fn type_in(picker: &mut Picker, text: &str) {
        for c in text.chars() {
            picker.key(KeyCode::Char(c), 5);
        }
    }

    /// What is typed, the place of what is chosen then, and how many lines fit.
    #[test]
    fn typing_finds_lines() {
        for (typed, chosen, fitting) in [
            ("", Some(0), 7),
            ("3", Some(2), 7),
            ("7", Some(6), 7),
            ("8", None, 0),
            ("0", None, 0),
            ("bl 7", Some(1), 2),
            ("blue 7", Some(1), 2),
            ("BLUE 1", Some(0), 1),
            ("green 1", Some(2), 1),
            ("5|10", Some(3), 1),
            ("5|1", Some(3), 1),
            ("/8", Some(4), 2),
            ("8,8", Some(5), 1),
            ("lead 8,8", Some(5), 1),
            ("lead 8", Some(4), 2),
            ("p", Some(6), 1),
            ("xyz", None, 0),
            ("99999999999999999999999", None, 0),
        ] {
            let mut picker = picker();
            type_in(&mut picker, typed);
            assert_eq!((picker.chosen(), picker.fitting()), (chosen, fitting), "{typed:?}");
            picker.key(KeyCode::Esc, 5);
            assert_eq!((picker.fitting(), picker.query()), (7, ""));
        }
    }

    #[test]
    fn backspace_takes_back_one_letter() {
        let mut picker = picker();
        type_in(&mut picker, "px");
        assert_eq!(picker.chosen(), None);
        picker.key(KeyCode::Backspace, 5);
        assert_eq!((picker.query(), picker.chosen()), ("p", Some(6)));
    }

    #[test]
    fn arrows_go_round_and_pages_stop_at_the_ends() {
        let mut picker = picker();
        let mut chosen = |key| {
            assert!(picker.key(key, 5));
            picker.chosen()
        };
        assert_eq!(chosen(KeyCode::Up), Some(6));
        assert_eq!(chosen(KeyCode::Down), Some(0));
        assert_eq!(chosen(KeyCode::PageDown), Some(5));
        assert_eq!(chosen(KeyCode::PageDown), Some(6));
        assert_eq!(chosen(KeyCode::PageUp), Some(1));
        assert_eq!(chosen(KeyCode::PageUp), Some(0));
        assert_eq!(chosen(KeyCode::End), Some(6));
        assert_eq!(chosen(KeyCode::Home), Some(0));
        assert!(!picker.key(KeyCode::F(3), 5));
        assert_eq!(picker.page(5).count(), 5);
        picker.key(KeyCode::End, 5);
        assert_eq!(picker.page(5).map(|(line, _)| line).collect::<Vec<_>>(), [5, 6]);
        assert_eq!(picker.page(0).count(), 0);
    }

    #[test]
    fn nothing_to_choose_from() {
        let mut picker = Picker::new(Vec::new());
        for key in [KeyCode::Up, KeyCode::Down, KeyCode::PageDown, KeyCode::End, KeyCode::Char('1')] {
            picker.key(key, 5);
            assert_eq!(picker.chosen(), None);
        }
    }
}
