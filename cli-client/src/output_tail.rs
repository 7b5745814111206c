//! The last lines of a program's output, kept for the report of its failure.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, BufReader};

/// Maximum length of a line; the rest of the line is dropped.
const MAX_LINE_BYTES: usize = 4 * 1024;
/// Number of lines that are kept.
const KEPT_LINES: usize = 5;

/// The last lines of one or more outputs. Clones share them.
#[derive(Clone, Default, Debug)]
pub struct OutputTail(Arc<Mutex<VecDeque<String>>>);

impl OutputTail {
    /// Reads an output to its end, keeps its last lines, and hands each line on.
    pub async fn follow(self, output: impl AsyncRead + Unpin, on_line: impl Fn(String)) {
        let mut output = BufReader::new(output);
        while let Some(line) = read_line(&mut output).await {
            self.push(line.clone());
            on_line(line);
        }
    }

    /// The lines that are kept, oldest first.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Reads a line, and drops what is longer than [`MAX_LINE_BYTES`].
async fn read_line(output: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut line = Vec::new();
    loop {
        let buffer = output.fill_buf().await.ok()?;
        if buffer.is_empty() {
            return (!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned());
        }
        let newline = buffer.iter().position(|byte| *byte == b'\n');
        let part = newline.map_or(buffer, |end| &buffer[..end]);
        let room = MAX_LINE_BYTES - line.len();
        line.extend_from_slice(&part[..part.len().min(room)]);
        let consumed = part.len() + usize::from(newline.is_some());
        output.consume(consumed);
        if newline.is_some() {
            return Some(String::from_utf8_lossy(&line).into_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn last_lines_are_kept_and_long_ones_shortened() {
        let tail = OutputTail::default();
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        let output = format!("1\n2\n3\n{long}\n5\nno newline");
        let count = Mutex::new(0);
        tail.clone().follow(output.as_bytes(), |_| *count.lock().unwrap() += 1).await;
        assert_eq!(tail.lines(), ["2", "3", &long[1..], "5", "no newline"]);
        assert_eq!(*count.lock().unwrap(), 6);
    }
}
