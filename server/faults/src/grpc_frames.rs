//! Decoder of gRPC messages from the bytes of an HTTP/2 connection without TLS and compression.

use std::collections::HashMap;

/// HTTP/2 connection preface of a client.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Length of a frame header.
const FRAME_HEADER: usize = 9;
/// Frame type DATA.
const DATA: u8 = 0;

/// One direction of a connection.
#[derive(Default)]
pub(crate) struct FrameDecoder {
    bytes: Vec<u8>,
    /// Incomplete message, by stream.
    partial: HashMap<u32, Vec<u8>>,
}

impl FrameDecoder {
    /// Adds bytes and returns the messages that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.starts_with(PREFACE) {
            self.bytes.drain(..PREFACE.len());
        }
        let mut messages = Vec::new();
        while let Some((stream, data)) = self.next_frame() {
            let partial = self.partial.entry(stream).or_default();
            partial.extend(data);
            while let Some(message) = next_message(partial) {
                messages.push(message);
            }
        }
        messages
    }

    /// The next complete frame: its stream and, for a DATA frame, its payload.
    fn next_frame(&mut self) -> Option<(u32, Vec<u8>)> {
        if PREFACE.starts_with(&self.bytes) {
            return None;
        }
        let head = self.bytes.get(..FRAME_HEADER)?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let is_data = head[3] == DATA;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        if self.bytes.len() < FRAME_HEADER + length {
            return None;
        }
        let frame: Vec<u8> = self.bytes.drain(..FRAME_HEADER + length).collect();
        Some((stream, if is_data { frame[FRAME_HEADER..].to_vec() } else { Vec::new() }))
    }
}

/// Removes a complete gRPC message: compression flag, length, payload.
fn next_message(bytes: &mut Vec<u8>) -> Option<Vec<u8>> {
    let head = bytes.get(..5)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if bytes.len() < 5 + length {
        return None;
    }
    let message: Vec<u8> = bytes.drain(..5 + length).collect();
    Some(message[5..].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, stream: u32, data: &[u8]) -> Vec<u8> {
        let length = data.len() as u32;
        let mut frame = length.to_be_bytes()[1..].to_vec();
        frame.extend([kind, 0]);
        frame.extend(stream.to_be_bytes());
        frame.extend(data);
        frame
    }

    #[test]
    fn messages_are_decoded_from_chunks_of_any_size() {
        let mut bytes = PREFACE.to_vec();
        bytes.extend(frame(4, 0, &[1; 6]));
        bytes.extend(frame(DATA, 1, &[0, 0, 0, 0, 2, 7]));
        bytes.extend(frame(DATA, 3, &[0, 0, 0, 0, 1, 9]));
        bytes.extend(frame(DATA, 1, &[8, 0, 0, 0, 0, 0]));
        for piece in 1..bytes.len() {
            let mut frames = FrameDecoder::default();
            let found: Vec<Vec<u8>> = bytes.chunks(piece).flat_map(|piece| frames.feed(piece)).collect();
            assert_eq!(found, [vec![9], vec![7, 8], vec![]], "pieces of {piece}");
        }
    }
}
