/** SHA-256. Pages without TLS have none of their own: crypto.subtle is missing there, except on the same machine. */

/** The fractional parts of the cube roots of the first 64 primes. */
const K = fractions(64, Math.cbrt);
/** The fractional parts of the square roots of the first 8 primes. */
const H = fractions(8, Math.sqrt);

function fractions(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) {
      primes.push(candidate);
    }
  }
  return primes.map((prime) => Math.floor((root(prime) % 1) * 2 ** 32) | 0);
}

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** The SHA-256 of the concatenation of these bytes. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const padded = new Uint8Array(Math.ceil((length + 9) / 64) * 64);
  let at = 0;
  for (const part of parts) {
    padded.set(part, at);
    at += part.length;
  }
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor((length * 8) / 2 ** 32));
  view.setUint32(padded.length - 4, (length * 8) >>> 0);
  const hash = Int32Array.from(H);
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i += 1) {
      words[i] = view.getInt32(block + 4 * i);
    }
    for (let i = 16; i < 64; i += 1) {
      const [early, late] = [words[i - 15]!, words[i - 2]!];
      const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      words[i] = words[i - 16]! + low + words[i - 7]! + high;
    }
    let [a, b, c, d, e, f, g, h] = hash as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let i = 0; i < 64; i += 1) {
      const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const first = (h + high + ((e & f) ^ (~e & g)) + K[i]! + words[i]!) | 0;
      const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => (hash[index] = hash[index]! + word));
  }
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  hash.forEach((word, index) => out.setInt32(4 * index, word));
  return digest;
}
