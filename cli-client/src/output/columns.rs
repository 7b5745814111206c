//! Columns aligned by display width.

use parlor_cli::text::{sanitise, width};

/// Rows of cells; each column is as wide as its widest cell.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// Creates columns with headings, in upper case.
    pub(crate) fn new<const N: usize>(headings: [&str; N]) -> Columns {
        Columns { rows: vec![headings.map(str::to_uppercase).to_vec()] }
    }

    /// Columns without headings.
    pub(crate) fn without_headings() -> Columns {
        Columns { rows: Vec::new() }
    }

    /// Adds a row. Control characters are removed, because names come from other users.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.iter().map(|cell| sanitise(cell)).collect());
    }

    /// The lines, with two blanks between columns and no trailing blanks.
    pub(crate) fn lines(&self) -> Vec<String> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| width(cell)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(widest).collect();
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            for (cell, column) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.push_str(&" ".repeat(column - width(cell) + 2));
            }
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_display_width() {
        let mut columns = Columns::new(["table", "who", "seats"]);
        columns.row(["a".to_owned(), "日本".to_owned(), "2".to_owned()]);
        columns.row(["abcdefg".to_owned(), "Jürgen\u{1b}[2J".to_owned(), String::new()]);
        assert_eq!(
            columns.lines(),
            ["TABLE    WHO        SEATS", "a        日本       2", "abcdefg  Jürgen[2J",]
        );
    }
}
