/** Somebody speaks. */
export interface Turn {
  readonly speaker: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

const framesPerSecond = 100;

/**
 * Diarization error rate without a collar: time that is missed, falsely heard or given to somebody else, over the time that is
 * spoken; whom each speaker is taken for is chosen to make it least.
 * @see NIST, The 2009 (RT-09) Rich Transcription Meeting Recognition Evaluation Plan
 */
export function diarizationError(spoken: readonly Turn[], heard: readonly Turn[]): number {
  const end = Math.max(...[...spoken, ...heard].map(({ endSeconds }) => endSeconds));
  const [said, told] = [spoken, heard].map((turns) => framesOf(turns, Math.ceil(end * framesPerSecond)));
  const [speakers, others] = [spoken, heard].map(
    (turns) => 1 + Math.max(-1, ...turns.map((turn) => turn.speaker)),
  );
  const together = Array.from({ length: speakers! }, () => new Uint32Array(others!));
  let [total, larger] = [0, 0];
  for (const [frame, bits] of said!.entries()) {
    total += countOf(bits);
    larger += Math.max(countOf(bits), countOf(told![frame]!));
    for (let a = 0; a < speakers!; a++)
      for (let b = 0; b < others!; b++) together[a]![b]! += (bits >> a) & (told![frame]! >> b) & 1;
  }
  const best = (a: number, taken: number): number => {
    if (a === speakers) return 0;
    let most = best(a + 1, taken);
    for (let b = 0; b < others!; b++)
      if (((taken >> b) & 1) === 0) most = Math.max(most, together[a]![b]! + best(a + 1, taken | (1 << b)));
    return most;
  };
  return (larger - best(0, 0)) / total;
}

/** A bit for each speaker of each frame. */
function framesOf(turns: readonly Turn[], count: number): Uint32Array {
  const frames = new Uint32Array(count);
  for (const { speaker, startSeconds, endSeconds } of turns) {
    const last = Math.round(endSeconds * framesPerSecond);
    for (let at = Math.round(startSeconds * framesPerSecond); at < last; at++) frames[at]! |= 1 << speaker;
  }
  return frames;
}

function countOf(bits: number): number {
  return bits === 0 ? 0 : (bits & 1) + countOf(bits >>> 1);
}
