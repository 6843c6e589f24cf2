/** Samples of a voice-like sound or of silence, as 16-bit little-endian bytes at 24 kHz. */
export function pcm(...parts: readonly (readonly [seconds: number, level: number])[]): Buffer {
  const samples = parts.flatMap(([seconds, level]) =>
    Array.from({ length: Math.round(seconds * 24_000) }, (_, index) =>
      Math.round(32_767 * level * Math.sin(index / 4) * (0.6 + 0.4 * Math.sin(index / 900))),
    ),
  );
  return Buffer.from(Int16Array.from(samples).buffer);
}

/** Pieces as a microphone's client sends them. */
export function pieces(bytes: Uint8Array, size = 4800): Buffer[] {
  const { length } = bytes;
  return Array.from({ length: Math.ceil(length / size) }, (_, index) =>
    Buffer.from(bytes.subarray(index * size, (index + 1) * size)),
  );
}

export function append(bytes: Uint8Array, event_id?: string) {
  const event = { type: 'input_audio_buffer.append', audio: Buffer.from(bytes).toString('base64') };
  return event_id === undefined ? event : { ...event, event_id };
}

export const commit = { type: 'input_audio_buffer.commit' };
export const clear = { type: 'input_audio_buffer.clear' };

export function update(input: object, rest: object = {}) {
  return { type: 'session.update', session: { type: 'transcription', audio: { input }, ...rest } };
}
