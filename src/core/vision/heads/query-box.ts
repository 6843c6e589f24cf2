import type { Size } from '../box.ts';
import { addCandidate, type Candidates } from '../candidates.ts';

/** The finding of a DETR's query. */
export interface QueryFinding {
  readonly query: number;
  readonly score: number;
  readonly classId: number;
}

export function addQueryBox(
  candidates: Candidates,
  boxes: Float32Array,
  { query, score, classId }: QueryFinding,
  { width, height }: Size,
): void {
  const at = query * 4;
  const x = boxes[at]! * width;
  const y = boxes[at + 1]! * height;
  const halfWidth = (boxes[at + 2]! * width) / 2;
  const halfHeight = (boxes[at + 3]! * height) / 2;
  addCandidate(candidates, x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight, score, classId);
}
