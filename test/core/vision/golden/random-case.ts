/** Boxes with scores and classes, and a threshold. */
export interface NmsCase {
  readonly boxes: Float32Array;
  readonly scores: Float32Array;
  readonly classIds: Int32Array;
  readonly iouThreshold: number;
}

const thresholds = [0.1, 0.25, 0.3, 0.45, 0.5, 0.62, 0.75, 0.9, 1];

/** The case that `generate.py` makes of the same seed. */
export function randomCase(seed: number): NmsCase {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % limit;
  };
  const count = below(40);
  const iouThreshold = thresholds[below(thresholds.length)]!;
  const boxes = new Float32Array(count * 4);
  const scores = new Float32Array(count);
  const classIds = new Int32Array(count);
  for (let index = 0; index < count; index++) {
    const x = below(800) / 16;
    const y = below(800) / 16;
    boxes.set([x, y, x + below(640) / 16, y + below(640) / 16], index * 4);
    scores[index] = below(200) / 256;
    classIds[index] = below(4);
  }
  return { boxes, scores, classIds, iouThreshold };
}
