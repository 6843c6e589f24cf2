import { assertArray, assertCount, assertObject } from '../assert-values.ts';
/** Boxes that a model proposes, with spare capacity; the first `count` entries of each array are in use. */
export interface Candidates {
  /** `[capacity × 4]` as x1, y1, x2, y2, in pixels of the model's input. */
  boxes: Float32Array;
  /** `[capacity]`, above 0. */
  scores: Float32Array;
  /** `[capacity]` */
  classIds: Int32Array;
  count: number;
}

/**
 * Creates an empty, reusable set of candidates.
 *
 * @example
 * ```ts
 * const candidates = createCandidates();
 * const output = { data: Float32Array.of(5, 5, 4, 2, 0.1, 0.9), dims: [1, 6, 1] };
 * decodeYoloV8Into(candidates, output, { classCount: 2, confidence: 0.25 }).count; // 1
 * ```
 */
export function createCandidates(capacity = 0): Candidates {
  assertCount('capacity', capacity);
  return {
    boxes: new Float32Array(capacity * 4),
    scores: new Float32Array(capacity),
    classIds: new Int32Array(capacity),
    count: 0,
  };
}

/** Empties a set and reserves `capacity` candidates. */
export function resetCandidates(candidates: Candidates, capacity: number): void {
  assertObject('candidates', candidates);
  assertArray('candidates.boxes', candidates.boxes, Float32Array);
  assertArray('candidates.scores', candidates.scores, Float32Array);
  assertArray('candidates.classIds', candidates.classIds, Int32Array);
  candidates.count = 0;
  if (candidates.scores.length >= capacity) return;
  candidates.boxes = new Float32Array(capacity * 4);
  candidates.scores = new Float32Array(capacity);
  candidates.classIds = new Int32Array(capacity);
}

/** Adds a box by its corners unless it isn't finite. The capacity must suffice. */
export function addCandidate(
  candidates: Candidates,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  score: number,
  classId: number,
): void {
  if (!Number.isFinite(x1 + y1 + x2 + y2)) return;
  const index = candidates.count++;
  const at = index * 4;
  candidates.boxes[at] = x1;
  candidates.boxes[at + 1] = y1;
  candidates.boxes[at + 2] = x2;
  candidates.boxes[at + 3] = y2;
  candidates.scores[index] = score;
  candidates.classIds[index] = classId;
}
