//! List selection by arrows, by the number of a move, or by text search.
//!
//! The number of a move is typed with a `#`. Digits alone are cards, as in any other search: the two are never
//! confused, although the cards of some games are bare numbers.

use crossterm::event::KeyCode;

use crate::text::fold_for_search;

/// A list of labels with a search query and a cursor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picker {
    labels: Vec<String>,
    /// The labels that are listed at all.
    listed: Vec<bool>,
    query: String,
    /// Indices of the labels that match the query.
    matching: Vec<usize>,
    /// Position of the selection within `matching`.
    cursor: usize,
}

impl Picker {
    pub(crate) fn new(labels: Vec<String>) -> Picker {
        let (matching, listed) = ((0..labels.len()).collect(), vec![true; labels.len()]);
        Picker { labels, listed, query: String::new(), matching, cursor: 0 }
    }

    /// Lists only some of the labels. The best of them is selected.
    pub(crate) fn restrict(&mut self, listed: Vec<bool>) {
        self.listed = listed;
        self.query.clear();
        self.cursor = 0;
        self.matching.clear();
        self.update_matches();
    }

    /// Index of the selected label.
    pub(crate) fn selected(&self) -> Option<usize> {
        self.matching.get(self.cursor).copied()
    }

    /// The search query.
    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    /// Number of labels.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// The page of matching labels that contains the selection, each with its index. The last page is as full as the
    /// others.
    pub(crate) fn page(&self, rows: usize) -> impl Iterator<Item = (usize, &str)> {
        let first = self.cursor.checked_div(rows).unwrap_or(0) * rows;
        let first = first.min(self.matching.len().saturating_sub(rows));
        let page = self.matching.iter().skip(first).take(rows);
        page.map(|line| (*line, self.labels[*line].as_str()))
    }

    /// Number of matching labels.
    pub(crate) fn matching(&self) -> usize {
        self.matching.len()
    }

    /// Handles a key, with pages of `rows` labels. Returns `false` if the key has no meaning here.
    pub(crate) fn handle_key(&mut self, key: KeyCode, rows: usize) -> bool {
        let last = self.matching.len().saturating_sub(1);
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
                self.update_matches();
            }
            KeyCode::Esc => {
                self.query.clear();
                self.update_matches();
            }
            KeyCode::Char(c) if !(c.is_control() || c == ' ' && self.query.is_empty()) => {
                // Longer than any label; bounds the memory of a held key.
                if self.query.len() < 64 {
                    self.query.push(c);
                    self.update_matches();
                }
            }
            _ => return false,
        }
        true
    }

    /// Recomputes the matches. The selection is kept if it matches as well as any other label.
    fn update_matches(&mut self) {
        let before = self.selected();
        let all = (0..self.labels.len()).filter(|line| self.listed[*line]);
        let place = |line: usize| all.clone().position(|listed| listed == line);
        if self.query == NUMBER_PREFIX {
            self.cursor = before.and_then(place).unwrap_or(0);
            self.matching = all.collect();
            return;
        }
        if let Some(number) = parse_move_number(&self.query) {
            let place = number.checked_sub(1).and_then(place);
            self.matching = if place.is_some() { all.collect() } else { Vec::new() };
            self.cursor = place.unwrap_or(0);
            return;
        }
        let words = self.query.strip_prefix('/').unwrap_or(&self.query);
        let ranked: Vec<(usize, MatchQuality)> =
            all.filter_map(|line| Some((line, match_query(words, &self.labels[line])?))).collect();
        let best = ranked.iter().map(|(_, quality)| *quality).min();
        let is_best =
            |line: usize| ranked.iter().any(|(one, quality)| *one == line && Some(*quality) == best);
        let chosen = before
            .filter(|line| is_best(*line))
            .or_else(|| ranked.iter().find(|(_, quality)| Some(*quality) == best).map(|(line, _)| *line));
        self.cursor = ranked.iter().position(|(line, _)| Some(*line) == chosen).unwrap_or(0);
        self.matching = ranked.into_iter().map(|(line, _)| line).collect();
    }
}

/// Prefix of the number of a move.
const NUMBER_PREFIX: &str = "#";

/// The number of a move as it is shown and typed: `#8`.
pub(crate) fn move_number(index: usize) -> String {
    format!("{NUMBER_PREFIX}{}", index + 1)
}

/// The number of a move, if the query is one, such as `#8`. Digits alone are a search.
pub(crate) fn parse_move_number(query: &str) -> Option<usize> {
    let digits = query.strip_prefix(NUMBER_PREFIX)?;
    is_number(digits).then(|| digits.parse().unwrap_or(usize::MAX))
}

/// Reports whether a word consists of digits only.
fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Quality of a match, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum MatchQuality {
    /// The label equals the query.
    Whole,
    /// The query has no letters, and is all that the label has apart from words: the cards of "lead 7,8".
    Cards,
    /// The label starts with the words of the query.
    Start,
    /// The label contains the words of the query.
    Words,
    /// Each word of the query is a prefix of a word of the label, in order; a number is the whole word.
    Prefixes,
    /// The same, in any order.
    AnyOrder,
}

/// Match quality of a label; `None` if it does not match. Case and umlauts are ignored.
pub(crate) fn match_query(query: &str, line: &str) -> Option<MatchQuality> {
    let (query, line) = (fold_for_search(query), fold_for_search(line));
    let query = query.trim();
    // The card 5|10 is one word, and so is -7; other punctuation separates words.
    let ends_word = |c: char| !(c.is_alphanumeric() || matches!(c, '|' | '-' | '+' | '*'));
    let whole = |at: usize| {
        let (before, after) = (&line[..at], &line[at + query.len()..]);
        before.chars().next_back().is_none_or(ends_word) && after.chars().next().is_none_or(ends_word)
    };
    let words = |text| str::split(text, ends_word).filter(|word| !word.is_empty());
    let has_letters = |word: &str| word.contains(char::is_alphabetic);
    let cards = || words(&line).filter(|word| !has_letters(word));
    let is_cards = !query.is_empty() && !has_letters(query) && words(query).eq(cards());
    let mut places = line.match_indices(query).map(|(at, _)| at).filter(|at| whole(*at));
    match places.next() {
        _ if query.is_empty() => return Some(MatchQuality::Prefixes),
        Some(0) if query.len() == line.trim().len() => return Some(MatchQuality::Whole),
        _ if is_cards => return Some(MatchQuality::Cards),
        Some(0) => return Some(MatchQuality::Start),
        Some(_) => return Some(MatchQuality::Words),
        None => {}
    }
    let fits = |known: &str, word: &str| known == word || !is_number(word) && known.starts_with(word);
    // In order is better: "blue 7" is the card itself before a blue 3 that takes a 7.
    let mut rest = words(&line);
    if words(query).all(|word| rest.any(|known| fits(known, word))) {
        return Some(MatchQuality::Prefixes);
    }
    // Each word of the label stands for one word of the query, the longest of which choose first.
    let mut free: Vec<&str> = words(&line).collect();
    let mut sought: Vec<&str> = words(query).collect();
    sought.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let mut take =
        |word: &str| free.iter().position(|known| fits(known, word)).map(|at| free.swap_remove(at));
    (!sought.is_empty() && sought.into_iter().all(|word| take(word).is_some()))
        .then_some(MatchQuality::AnyOrder)
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
            "lead 7,8",
            "pass",
        ];
        Picker::new(labels.map(str::to_owned).into())
    }

    fn type_in(picker: &mut Picker, text: &str) {
        for c in text.chars() {
            picker.handle_key(KeyCode::Char(c), 5);
        }
    }

    /// Cases: query, selected index, number of matches.
    #[test]
    fn query_selects_the_best_match() {
        for (typed, chosen, matching) in [
            ("", Some(0), 8),
            ("#", Some(0), 8),
            ("#3", Some(2), 8),
            ("#8", Some(7), 8),
            ("#9", None, 0),
            ("#0", None, 0),
            ("#x", None, 0),
            // A number without a # is a card, also where there are as many moves.
            ("1", Some(0), 1),
            ("2", Some(3), 1),
            ("3", None, 0),
            ("7", Some(1), 3),
            ("8", Some(4), 3),
            ("7,8", Some(6), 1),
            ("7 8", Some(6), 1),
            ("8 8", Some(5), 1),
            ("bl 7", Some(1), 2),
            ("blue 7", Some(1), 2),
            ("BLUE 1", Some(0), 1),
            ("green 1", None, 0),
            ("green 11", Some(2), 1),
            ("gr 11", Some(2), 1),
            // Words in any order.
            ("11 green", Some(2), 1),
            ("6 blue", Some(1), 1),
            ("takes 7 11", Some(2), 1),
            ("8 8 lead", Some(5), 1),
            ("8 8 8", None, 0),
            ("5|10", Some(3), 1),
            ("5|1", Some(3), 1),
            ("/8", Some(4), 3),
            ("8,8", Some(5), 1),
            ("lead 8,8", Some(5), 1),
            ("lead 8", Some(4), 3),
            ("p", Some(7), 1),
            ("xyz", None, 0),
            ("#99999999999999999999999", None, 0),
            ("99999999999999999999999", None, 0),
        ] {
            let mut picker = picker();
            type_in(&mut picker, typed);
            assert_eq!((picker.selected(), picker.matching()), (chosen, matching), "{typed:?}");
            picker.handle_key(KeyCode::Esc, 5);
            assert_eq!((picker.matching(), picker.query()), (8, ""));
        }
    }

    /// A move near the end stays selected, and the list is filled up from before it.
    #[test]
    fn list_is_whole_again_after_a_search() {
        let mut picker = picker();
        type_in(&mut picker, "pass");
        assert_eq!(picker.page(5).count(), 1);
        picker.handle_key(KeyCode::Esc, 5);
        assert_eq!((picker.selected(), picker.page(5).count()), (Some(7), 5));
    }

    #[test]
    fn restricted_list_is_searched_and_numbered_like_the_whole() {
        let mut picker = picker();
        picker.restrict((0..8).map(|line| line >= 4).collect());
        assert_eq!((picker.selected(), picker.matching()), (Some(4), 4));
        for (typed, chosen) in [("#6", Some(5)), ("#1", None), ("blue", None), ("7,8", Some(6))] {
            type_in(&mut picker, typed);
            assert_eq!(picker.selected(), chosen, "{typed}");
            picker.handle_key(KeyCode::Esc, 5);
        }
        picker.restrict(vec![true; 8]);
        assert_eq!((picker.selected(), picker.matching()), (Some(0), 8));
    }

    #[test]
    fn backspace_removes_one_character() {
        let mut picker = picker();
        type_in(&mut picker, "px");
        assert_eq!(picker.selected(), None);
        picker.handle_key(KeyCode::Backspace, 5);
        assert_eq!((picker.query(), picker.selected()), ("p", Some(7)));
    }

    #[test]
    fn arrows_wrap_around_and_pages_stop_at_the_ends() {
        let mut picker = picker();
        let mut chosen = |key| {
            assert!(picker.handle_key(key, 5));
            picker.selected()
        };
        assert_eq!(chosen(KeyCode::Up), Some(7));
        assert_eq!(chosen(KeyCode::Down), Some(0));
        assert_eq!(chosen(KeyCode::PageDown), Some(5));
        assert_eq!(chosen(KeyCode::PageDown), Some(7));
        assert_eq!(chosen(KeyCode::PageUp), Some(2));
        assert_eq!(chosen(KeyCode::PageUp), Some(0));
        assert_eq!(chosen(KeyCode::End), Some(7));
        assert_eq!(chosen(KeyCode::Home), Some(0));
        assert!(!picker.handle_key(KeyCode::F(3), 5));
        assert_eq!(picker.page(5).count(), 5);
        picker.handle_key(KeyCode::End, 5);
        assert_eq!(picker.page(5).map(|(line, _)| line).collect::<Vec<_>>(), [3, 4, 5, 6, 7]);
        assert_eq!(picker.page(0).count(), 0);
    }

    #[test]
    fn empty_list_has_no_selection() {
        let mut picker = Picker::new(Vec::new());
        for key in [KeyCode::Up, KeyCode::Down, KeyCode::PageDown, KeyCode::End, KeyCode::Char('1')] {
            picker.handle_key(key, 5);
            assert_eq!(picker.selected(), None);
        }
    }
}
