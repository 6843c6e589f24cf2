import { isPastKeyOrValue } from '../core/onnx/cache-names.ts';
import { modelSignature } from '../core/onnx/model-signature.ts';
import type { OnnxModel } from '../core/onnx/model.ts';
import { maskInputs, maskModel, maskPrefix } from '../core/onnx/rewrites/attention-mask.ts';
import type { AttentionWindow } from '../core/onnx/rewrites/group-query-attention.ts';
import type { Tensor } from '../contracts/graph.ts';
import { filled, int64 } from './tensors.ts';
import { withSession } from './with-session.ts';

/** A probe step: past and new tokens of a row, and the ones of each row's mask. */
interface Step {
  readonly past: number;
  readonly count: number;
  /** Tokens of each row, including new ones; the rest of the row is padding on the right. */
  readonly lengths: readonly number[];
}

/** Longer than any context that needs a window. */
const longest = 2 ** 17;

/** Determines what each attention mask of a decoder lets a position see, by computing only the masks. */
export async function readAttentionWindows(model: OnnxModel): Promise<ReadonlyMap<string, AttentionWindow>> {
  const masks = maskModel(model);
  if (!masks) return new Map();
  const found = withSession(masks, async (session) => {
    const inputs = new Set(modelSignature(masks).inputs.map(({ name }) => name));
    const names = modelSignature(masks).outputs.map(({ name }) => name);
    const cache = model.graph.inputs.find(isPastKeyOrValue)?.dims ?? [];
    const past = [1, 3].map((axis) => (typeof cache[axis] === 'number' ? cache[axis] : 1));
    const run = (step: Step) => session.run(createFeeds(inputs, step, past));
    const windows = new Map(
      readLastRow(await run({ past: longest - 1, count: 1, lengths: [longest] }), names),
    );
    const spans = [...windows.values()].filter((window) => window !== 'full');
    const steps: readonly Step[] = [
      { past: 0, count: 3, lengths: [3] },
      { past: 4, count: 3, lengths: [7] },
      { past: 0, count: 5, lengths: [5, 2] },
      { past: 3, count: 1, lengths: [4, 4] },
      ...spans.map((span) => ({ past: span + 2, count: 3, lengths: [span + 5] })),
    ];
    for (const step of steps) {
      const results = await run(step);
      for (const [name, window] of windows) {
        if (!isCausal(results[name]!, step, window)) windows.delete(name);
      }
    }
    return new Map([...windows].map(([name, window]) => [name.slice(maskPrefix.length), window]));
  });
  return found.catch(() => new Map());
}

function createFeeds(
  inputs: ReadonlySet<string>,
  { past, count, lengths }: Step,
  [heads, headSize]: readonly number[],
): Record<string, Tensor> {
  const rows = lengths.length;
  const width = past + count;
  const all: Record<string, Tensor> = {
    input_ids: filled('int64', [rows, count]),
    position_ids: computed([rows, count], (index) => past + (index % count)),
    attention_mask: computed([rows, width], (index) =>
      index % width < lengths[Math.floor(index / width)]! ? 1 : 0,
    ),
    [maskInputs.pastShape]: int64([4], [rows, heads!, past, headSize!]),
    [maskInputs.hiddenShape]: int64([3], [rows, count, 1]),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => inputs.has(name)));
}

function computed(dims: readonly number[], value: (index: number) => number): Tensor {
  const length = dims.reduce((product, dim) => product * dim, 1);
  const values = Array.from({ length }, (_, index) => value(index));
  return int64(dims, values);
}

/** Number of last keys that the only row sees. */
function* readLastRow(
  results: Readonly<Record<string, Tensor>>,
  names: readonly string[],
): Generator<[name: string, window: AttentionWindow]> {
  for (const name of names) {
    const values = results[name]!.data as Float32Array;
    if (values.length !== longest) continue;
    const shown = shownValue(values[longest - 1]!);
    if (shown === undefined) continue;
    let window = 0;
    while (window < longest && values[longest - 1 - window] === shown) window++;
    yield [name, window === longest ? 'full' : window];
  }
}

/** Additive masks use 0 for visible, boolean masks use 1. */
function shownValue(value: number): number | undefined {
  return value === 0 || value === 1 ? value : undefined;
}

/** Whether a mask shows each new token itself and its predecessors within the window. */
function isCausal({ dims, data }: Tensor, { past, count, lengths }: Step, window: AttentionWindow): boolean {
  const width = past + count;
  const [rows, heads, queries, keys] = dims;
  if (heads !== 1 || queries !== count || keys !== width || (rows !== 1 && rows !== lengths.length))
    return false;
  const shown = shownValue((data as Float32Array)[past]!);
  if (shown === undefined) return false;
  const isHidden = (value: number) => (shown === 1 ? value === 0 : value < -1e4);
  const span = window === 'full' ? Number.POSITIVE_INFINITY : window;
  return lengths.every((length, row) => {
    const start = rows === 1 ? 0 : row * count * width;
    for (let query = 0; query < Math.min(count, length - past); query++) {
      const position = past + query;
      for (let key = 0; key < width; key++) {
        const value = data[start + query * width + key] as number;
        const isSeen = key <= position && key > position - span;
        if (isSeen ? value !== shown : !isHidden(value)) return false;
      }
    }
    return true;
  });
}
