//! Reading what strace wrote: one event for the beginning and one for the end of each call, in the order in which strace
//! saw them.
//!
//! With several threads a call can be told in two lines, `write(7, "...", 3 <unfinished ...>` and `<... write resumed>) = 3`.
//! A thread stands still while strace writes the line, so what was caused by something comes after it.

use std::collections::HashMap;

/// One moment of the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A call begins. The bytes are those that it hands over, if it does.
    Begins(Call),
    /// A call ended well. The bytes are those that it handed over or got, as far as it did.
    Ended(Call),
}

/// A call, with the file or socket that it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) bytes: Vec<u8>,
}

/// Reads a whole trace.
pub(crate) fn events(trace: &str) -> Vec<Event> {
    let mut unfinished: HashMap<&str, String> = HashMap::new();
    let mut events = Vec::new();
    for line in trace.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(begun) = rest.strip_suffix("<unfinished ...>") {
            events.extend(call(begun).map(Event::Begins));
            unfinished.insert(thread, begun.trim_end().to_owned());
        } else if rest.starts_with("<... ") {
            let (Some(begun), Some((_, resumed))) = (unfinished.remove(thread), rest.split_once(" resumed>"))
            else {
                continue;
            };
            events.extend(ended(&format!("{begun}{resumed}")).map(Event::Ended));
        } else {
            events.extend(call(rest).map(Event::Begins));
            events.extend(ended(rest).map(Event::Ended));
        }
    }
    events
}

/// A call by its beginning: `name(7</a/file>, ...`.
fn call(text: &str) -> Option<Call> {
    let (name, arguments) = text.split_once('(')?;
    let about =
        arguments.split_once('<').filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let about = about.map(|(_, after)| after.split('>').next().unwrap_or_default()).unwrap_or_default();
    // A connection is written with an arrow: `TCP:[127.0.0.1:1->127.0.0.1:2]`.
    let about = match arguments.split_once("<TCP:[") {
        Some((_, after)) => after.split(']').next().unwrap_or_default(),
        None => about,
    };
    Some(Call { name: name.to_owned(), about: plain(about), bytes: strings(arguments) })
}

/// A call with its result; none if it failed.
fn ended(text: &str) -> Option<Call> {
    let (_, result) = text.rsplit_once(" = ")?;
    let count: usize = result.split(' ').next()?.parse().ok()?;
    let mut call = call(text)?;
    call.bytes.truncate(count);
    Some(call)
}

/// A path, whether strace wrote it plainly or, with -xx, in numbers.
fn plain(path: &str) -> String {
    String::from_utf8_lossy(&strings(&format!("\"{path}\""))).into_owned()
}

/// All that stands between quotation marks, one after the other.
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

/// What stands after a backslash. With -xx every byte is `\x` and two digits.
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

    fn call(name: &str, about: &str, bytes: &[u8]) -> Call {
        Call { name: name.into(), about: about.into(), bytes: bytes.to_vec() }
    }

    #[test]
    fn a_line_is_a_beginning_and_an_end() {
        let line = r#"17 write(9<TCP:[127.0.0.1:1->127.0.0.1:2]>, "\x00\x01\x02", 3) = 2"#;
        let about = "127.0.0.1:1->127.0.0.1:2";
        let begins = Event::Begins(call("write", about, &[0, 1, 2]));
        assert_eq!(events(line), [begins, Event::Ended(call("write", about, &[0, 1]))]);
    }

    #[test]
    fn pieces_belong_together() {
        let line = r#"17 writev(9<TCP:[a->b]>, [{iov_base="\x61", iov_len=1}, {iov_base="\x62\x63", iov_len=2}], 2) = 3"#;
        assert_eq!(events(line)[1], Event::Ended(call("writev", "a->b", b"abc")));
    }

    #[test]
    fn a_call_in_two_lines_ends_with_the_second() {
        let trace = "1 fdatasync(5</data/parlor.db-wal> <unfinished ...>\n\
                     2 write(9<TCP:[a->b]>, \"\\x61\", 1) = 1\n\
                     1 <... fdatasync resumed>) = 0\n";
        let names: Vec<String> = events(trace)
            .iter()
            .map(|event| match event {
                Event::Begins(call) => format!("{}(", call.name),
                Event::Ended(call) => format!("{})", call.name),
            })
            .collect();
        assert_eq!(names, ["fdatasync(", "write(", "write)", "fdatasync)"]);
    }

    #[test]
    fn a_path_in_numbers_is_read() {
        let events = events("1 fsync(5<\\x2f\\x61>) = 0");
        assert_eq!(events[1], Event::Ended(call("fsync", "/a", b"")));
    }

    #[test]
    fn what_failed_has_no_end() {
        assert_eq!(events("1 fdatasync(5</a/b>) = -1 EIO (Input/output error)").len(), 1);
        assert_eq!(events("1 read(5</a/b>, 0x7f, 10) = ? ERESTARTSYS (To be restarted)").len(), 1);
    }
}
