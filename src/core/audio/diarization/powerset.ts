import { indexOfLargest } from '../likeliest-token.ts';

/** The number of speakers of a powerset: its classes are silence, each speaker, and each pair of speakers. */
export function speakersOfPowerset(classes: number): number | undefined {
  for (let speakers = 2; speakers <= 8; speakers++) {
    if (1 + (speakers * (speakers + 1)) / 2 === classes) return speakers;
  }
  return undefined;
}

// Source: A. Plaquet, H. Bredin, Powerset multi-class cross entropy loss for neural speaker diarization (2023)
/**
 * Converts each frame's likeliest class to the set of its speakers.
 * @param logits `[frames × classes]`: silence, each speaker, then the pairs: 1 and 2, 1 and 3, …, 2 and 3, …
 * @returns `[frames]`; bit `s` is set while speaker `s` speaks
 */
export function decodePowerset(logits: Float32Array, speakers: number): Uint8Array {
  const sets = [0];
  for (let speaker = 0; speaker < speakers; speaker++) sets.push(1 << speaker);
  for (let first = 0; first < speakers; first++) {
    for (let second = first + 1; second < speakers; second++) sets.push((1 << first) | (1 << second));
  }
  const frames = new Uint8Array(logits.length / sets.length);
  for (let frame = 0, row = 0; frame < frames.length; frame++, row += sets.length) {
    frames[frame] = sets[indexOfLargest(logits.subarray(row, row + sets.length))]!;
  }
  return frames;
}
