//! gRPC codecs: prost's encoding with small initial buffers, and one for responses that are already encoded.
//!
//! A stream keeps its buffers for as long as it lasts. Most messages have less than a kilobyte; with tonic's default of 8 KiB,
//! the buffers of ten thousand streams would take 80 MiB at the server and twice as much at its clients.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::BufferSettings;
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// Initial capacity of a buffer in bytes.
const INITIAL_BUFFER: usize = 512;
/// Encoded bytes after which a message is sent although more are ready.
const YIELD_THRESHOLD: usize = 32 * 1024;

fn buffers() -> BufferSettings {
    BufferSettings::new(INITIAL_BUFFER, YIELD_THRESHOLD)
}

/// The codec of all generated methods.
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
        ProstCodec::<T, U>::raw_encoder(buffers())
    }

    fn decoder(&mut self) -> ProstDecoder<U> {
        ProstCodec::<T, U>::raw_decoder(buffers())
    }
}

#[cfg(feature = "server")]
pub use encoded::{EncodedCodec, EncodedEncoder, EncodedMessage};

#[cfg(feature = "server")]
mod encoded {
    use prost::bytes::BufMut;
    use tonic::Status;
    use tonic::codec::{EncodeBuf, Encoder};

    use super::*;

    /// A message that is already encoded.
    #[derive(Clone, PartialEq, Eq, Debug, Default)]
    pub struct EncodedMessage(pub Vec<u8>);

    /// The codec of a server method that decodes requests of type `U` and sends responses that are already encoded.
    #[derive(Clone, Debug)]
    pub struct EncodedCodec<U>(PhantomData<fn() -> U>);

    impl<U> Default for EncodedCodec<U> {
        fn default() -> EncodedCodec<U> {
            EncodedCodec(PhantomData)
        }
    }

    impl<U: Message + Default + Send + 'static> tonic::codec::Codec for EncodedCodec<U> {
        type Encode = EncodedMessage;
        type Decode = U;
        type Encoder = EncodedEncoder;
        type Decoder = ProstDecoder<U>;

        fn encoder(&mut self) -> EncodedEncoder {
            EncodedEncoder
        }

        fn decoder(&mut self) -> ProstDecoder<U> {
            ProstCodec::<U, U>::raw_decoder(buffers())
        }
    }

    /// Copies encoded messages into the response.
    #[derive(Clone, Copy, Debug)]
    pub struct EncodedEncoder;

    impl Encoder for EncodedEncoder {
        type Item = EncodedMessage;
        type Error = Status;

        fn encode(&mut self, message: EncodedMessage, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
            to.put_slice(&message.0);
            Ok(())
        }

        fn buffer_settings(&self) -> BufferSettings {
            buffers()
        }
    }
}
