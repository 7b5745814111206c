//! Text layout by display width, and removal of control characters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Display width in columns.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// Removes control characters and bidirectional or zero-width marks, because names come from other users.
#[must_use]
pub fn sanitise(text: &str) -> String {
    let harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().filter(|c| !harmful(*c)).collect()
}

/// Truncates a text to a display width, ending with an ellipsis.
pub(crate) fn truncate(text: &str, columns: usize) -> String {
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

/// Truncates a text, or fills it up with blanks, to a display width.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    let text = truncate(text, columns);
    let blanks = " ".repeat(columns - width(&text));
    text + &blanks
}

/// Wraps a text at word boundaries; words wider than a line are split.
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

/// Normalises a text for searches: lower case, umlauts as ASCII letters.
pub(crate) fn fold_for_search(text: &str) -> String {
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
    fn texts_are_truncated_by_display_width() {
        for (text, columns, expected) in [
            ("Anna", 4, "Anna"),
            ("Annabel", 4, "Ann…"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("ab", 1, "…"),
            ("ab", 0, ""),
        ] {
            assert_eq!(truncate(text, columns), expected, "{text} in {columns}");
            assert!(width(&truncate(text, columns)) <= columns);
        }
    }

    #[test]
    fn texts_are_wrapped_at_word_boundaries() {
        assert_eq!(wrap("seat 1 plays blue 7", 8), ["seat 1", "plays", "blue 7"]);
        assert_eq!(wrap("a wordtoolongforit b", 6), ["a", "wordto", "olongf", "orit b"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("ab", 0), ["a", "b"]);
    }

    #[test]
    fn terminal_control_characters_are_removed() {
        assert_eq!(sanitise("\u{1b}[2JAnna\u{202e}\r\n\u{9b}31m"), "[2JAnna31m");
        assert_eq!(sanitise("Jürgen 日本"), "Jürgen 日本");
    }

    #[test]
    fn search_folding_maps_umlauts_to_ascii() {
        assert_eq!(fold_for_search("Grüne 7, ÄÖß"), "grune 7, aoss");
    }
}
