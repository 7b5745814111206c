//! Columns that stand below each other, whatever alphabet is in them.

use parlor_cli::text::{clean, width};

/// Rows of cells, as wide as the widest of their column.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// Columns under these headings.
    pub(crate) fn new<const N: usize>(headings: [&str; N]) -> Columns {
        Columns { rows: vec![headings.map(str::to_uppercase).to_vec()] }
    }

    /// Columns without headings.
    pub(crate) fn bare() -> Columns {
        Columns { rows: Vec::new() }
    }

    /// One more row. What a terminal would obey is taken out of it: names come from strangers.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.iter().map(|cell| clean(cell)).collect());
    }

    /// The lines, with two blanks between the columns and none at the end.
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
    fn columns_stand_below_each_other_in_any_alphabet() {
        let mut columns = Columns::new(["table", "who", "seats"]);
        columns.row(["a".to_owned(), "日本".to_owned(), "2".to_owned()]);
        columns.row(["abcdefg".to_owned(), "Jürgen\u{1b}[2J".to_owned(), String::new()]);
        assert_eq!(
            columns.lines(),
            ["TABLE    WHO        SEATS", "a        日本       2", "abcdefg  Jürgen[2J",]
        );
    }
}
