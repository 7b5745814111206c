// A short sound for the own turn, made by the browser: no file is loaded.

let context: AudioContext | undefined;

/** Plays two soft notes. A browser that lets the page make no sound yet keeps silent. */
export function chime(): void {
  try {
    context ??= new AudioContext();
    for (const [at, frequency] of [
      [0, 660],
      [0.12, 880],
    ] as const) {
      const [oscillator, gain] = [context.createOscillator(), context.createGain()];
      const start = context.currentTime + at;
      oscillator.frequency.value = frequency;
      gain.gain.setValueAtTime(0, start);
      gain.gain.linearRampToValueAtTime(0.12, start + 0.02);
      gain.gain.exponentialRampToValueAtTime(0.001, start + 0.35);
      oscillator.connect(gain).connect(context.destination);
      oscillator.start(start);
      oscillator.stop(start + 0.4);
    }
  } catch {
    // A browser without Web Audio has no sound.
  }
}
