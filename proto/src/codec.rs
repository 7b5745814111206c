//! How messages are put into gRPC frames: as tonic does it, with small buffers to begin with.
//!
//! A stream keeps its buffers for as long as it lasts: a client one for each direction, a server one for what it hears, since
//! what it says on the streams of games is framed already. Most messages have less than a kilobyte. With tonic's usual 8 KiB
//! each, the buffers of ten thousand streams would take 80 MiB at a server, and twice as much at its clients.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::BufferSettings;
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// What a buffer begins with, and when a message goes out though more is ready.
const BUFFERS: (usize, usize) = (512, 32 * 1024);

/// The codec of all calls.
#[derive(Clone, Debug)]
pub struct Codec<T, U>(PhantomData<fn(T) -> U>);

impl<T, U> Default for Codec<T, U> {
    fn default() -> Codec<T, U> {
        Codec(PhantomData)
    }
}

impl<T, U> tonic::codec::Codec for Codec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> ProstEncoder<T> {
        ProstCodec::<T, U>::raw_encoder(BufferSettings::new(BUFFERS.0, BUFFERS.1))
    }

    fn decoder(&mut self) -> ProstDecoder<U> {
        ProstCodec::<T, U>::raw_decoder(BufferSettings::new(BUFFERS.0, BUFFERS.1))
    }
}
