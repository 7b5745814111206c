//! Parser of strace output: one event for the start and one for the completion of each system call, in the
//! order of the trace.
//!
//! With several threads a call can span two lines, `write(7, "...", 3 <unfinished ...>` and `<... write
//! resumed>) = 3`. A thread is stopped while strace writes its line, so effects come after their causes.

use std::collections::HashMap;

/// An event of the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TraceEvent {
    /// Start of a call, with the bytes to write.
    Started(Syscall),
    /// Successful completion of a call, with the bytes actually written or read.
    Completed(Syscall),
}

/// A system call, with the file or socket it operates on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Syscall {
    pub(crate) name: String,
    pub(crate) target: String,
    pub(crate) bytes: Vec<u8>,
}

/// Parses a whole trace.
pub(crate) fn parse_events(trace: &str) -> Vec<TraceEvent> {
    let mut unfinished: HashMap<&str, String> = HashMap::new();
    let mut events = Vec::new();
    for line in trace.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(begun) = rest.strip_suffix("<unfinished ...>") {
            events.extend(call(begun).map(TraceEvent::Started));
            unfinished.insert(thread, begun.trim_end().to_owned());
        } else if rest.starts_with("<... ") {
            let (Some(begun), Some((_, resumed))) = (unfinished.remove(thread), rest.split_once(" resumed>"))
            else {
                continue;
            };
            events.extend(ended(&format!("{begun}{resumed}")).map(TraceEvent::Completed));
        } else {
            events.extend(call(rest).map(TraceEvent::Started));
            events.extend(ended(rest).map(TraceEvent::Completed));
        }
    }
    events
}

/// Parses the start of a call: `name(7</a/file>, ...`.
fn call(text: &str) -> Option<Syscall> {
    let (name, arguments) = text.split_once('(')?;
    let target =
        arguments.split_once('<').filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let target = target.map(|(_, after)| after.split('>').next().unwrap_or_default()).unwrap_or_default();
    // A connection has an arrow: `TCP:[127.0.0.1:1->127.0.0.1:2]`.
    let target = match arguments.split_once("<TCP:[") {
        Some((_, after)) => after.split(']').next().unwrap_or_default(),
        None => target,
    };
    Some(Syscall { name: name.to_owned(), target: plain(target), bytes: strings(arguments) })
}

/// Parses a call with its result; `None` if it failed.
fn ended(text: &str) -> Option<Syscall> {
    let (_, result) = text.rsplit_once(" = ")?;
    let count: usize = result.split(' ').next()?.parse().ok()?;
    let mut call = call(text)?;
    call.bytes.truncate(count);
    Some(call)
}

/// Decodes a path, plain or, with -xx, hex-escaped.
fn plain(path: &str) -> String {
    String::from_utf8_lossy(&strings(&format!("\"{path}\""))).into_owned()
}

/// Concatenation of all quoted strings.
fn strings(text: &str) -> Vec<u8> {
    let (mut bytes, mut inside) = (Vec::new(), false);
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => inside = !inside,
            b'\\' if inside => bytes.extend(escaped(&mut rest)),
            _ if inside => bytes.push(byte),
            _ => {}
        }
    }
    bytes
}

/// Decodes an escape sequence. With -xx every byte is `\x` and two digits.
fn escaped(rest: &mut std::str::Bytes<'_>) -> Option<u8> {
    match rest.next()? {
        b'x' => {
            let digits = [rest.next()?, rest.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
        }
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, target: &str, bytes: &[u8]) -> Syscall {
        Syscall { name: name.into(), target: target.into(), bytes: bytes.to_vec() }
    }

    #[test]
    fn line_gives_start_and_completion() {
        let line = r#"17 write(9<TCP:[127.0.0.1:1->127.0.0.1:2]>, "\x00\x01\x02", 3) = 2"#;
        let target = "127.0.0.1:1->127.0.0.1:2";
        let begins = TraceEvent::Started(call("write", target, &[0, 1, 2]));
        assert_eq!(parse_events(line), [begins, TraceEvent::Completed(call("write", target, &[0, 1]))]);
    }

    #[test]
    fn writev_buffers_are_concatenated() {
        let line = r#"17 writev(9<TCP:[a->b]>, [{iov_base="\x61", iov_len=1}, {iov_base="\x62\x63", iov_len=2}], 2) = 3"#;
        assert_eq!(parse_events(line)[1], TraceEvent::Completed(call("writev", "a->b", b"abc")));
    }

    #[test]
    fn unfinished_call_completes_with_its_resumed_line() {
        let trace = "1 fdatasync(5</data/parlor.db-wal> <unfinished ...>\n\
                     2 write(9<TCP:[a->b]>, \"\\x61\", 1) = 1\n\
                     1 <... fdatasync resumed>) = 0\n";
        let names: Vec<String> = parse_events(trace)
            .iter()
            .map(|event| match event {
                TraceEvent::Started(call) => format!("{}(", call.name),
                TraceEvent::Completed(call) => format!("{})", call.name),
            })
            .collect();
        assert_eq!(names, ["fdatasync(", "write(", "write)", "fdatasync)"]);
    }

    #[test]
    fn hex_escaped_path_is_decoded() {
        let events = parse_events("1 fsync(5<\\x2f\\x61>) = 0");
        assert_eq!(events[1], TraceEvent::Completed(call("fsync", "/a", b"")));
    }

    #[test]
    fn failed_call_has_no_completion() {
        assert_eq!(parse_events("1 fdatasync(5</a/b>) = -1 EIO (Input/output error)").len(), 1);
        assert_eq!(parse_events("1 read(5</a/b>, 0x7f, 10) = ? ERESTARTSYS (To be restarted)").len(), 1);
    }
}
