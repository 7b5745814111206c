//! Text that fits: wrapped and cut by the columns it takes up, and freed of what a terminal would obey.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns a text takes up.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// A text without what a terminal, or the eye, would obey: control characters, and marks that turn the direction of
/// writing. Names come from strangers.
#[must_use]
pub fn clean(text: &str) -> String {
    let harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().filter(|c| !harmful(*c)).collect()
}

/// The text if it fits into so many columns, or its beginning and a mark that something is missing.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used + 1 > columns {
            break;
        }
        kept.push(c);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// The text in lines of at most so many columns, broken between words; a word that is too long is cut.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let space = usize::from(!line.is_empty());
        if width(&line) + space + width(word) <= columns {
            if space > 0 {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if width(&line) + c.width().unwrap_or(0) > columns {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    lines.push(line);
    lines
}

/// What a search compares: small letters, and umlauts as the letters that any keyboard has.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'ä' => folded.push('a'),
            'ö' => folded.push('o'),
            'ü' => folded.push('u'),
            'ß' => folded.push_str("ss"),
            _ => folded.push(c),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_columns() {
        for (text, columns, expected) in [
            ("Anna", 4, "Anna"),
            ("Annabel", 4, "Ann…"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("ab", 1, "…"),
            ("ab", 0, ""),
        ] {
            assert_eq!(fit(text, columns), expected, "{text} in {columns}");
            assert!(width(&fit(text, columns)) <= columns);
        }
    }

    #[test]
    fn texts_are_wrapped_between_words() {
        assert_eq!(wrap("seat 1 plays blue 7", 8), ["seat 1", "plays", "blue 7"]);
        assert_eq!(wrap("a wordtoolongforit b", 6), ["a", "wordto", "olongf", "orit b"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("ab", 0), ["a", "b"]);
    }

    #[test]
    fn names_cannot_command_the_terminal() {
        assert_eq!(clean("\u{1b}[2JAnna\u{202e}\r\n\u{9b}31m"), "[2JAnna31m");
        assert_eq!(clean("Jürgen 日本"), "Jürgen 日本");
    }

    #[test]
    fn searches_do_not_need_umlauts() {
        assert_eq!(fold("Grüne 7, ÄÖß"), "grune 7, aoss");
    }
}
