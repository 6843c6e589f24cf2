import type { Session, Tensor, TensorMap } from '../../../../src/contracts/graph.ts';

export const vocabularySize = 97;

/** The token that a sequence is followed by, as `createRememberingSession` has it. */
export function tokenAfter(sequence: readonly number[]): number {
  let hash = 7;
  sequence.forEach((token, position) => (hash = (hash * 31 + token * (position + 1)) % 1_000_003));
  return hash % vocabularySize;
}

/**
 * What a sequence is continued with when always the likeliest token is taken.
 *
 * @param window how many tokens back the model sees, the last one included
 */
export function continuationOf(prompt: readonly number[], count: number, window = Infinity): number[] {
  const sequence = [...prompt];
  for (let step = 0; step < count; step++) sequence.push(tokenAfter(sequence.slice(-window)));
  return sequence.slice(prompt.length);
}

export interface RememberingSessionOptions {
  readonly positionIds?: boolean;
  readonly cacheBranch?: boolean;
  readonly logitsToKeep?: boolean;
  /** How many slots back a token sees, itself included. */
  readonly window?: number;
  /** Whether the graph was extended with outputs for the new slots. */
  readonly extended?: boolean;
  readonly onRun?: (rows: number, count: number) => void;
}

/**
 * A decoder without weights: its keys hold the tokens and its values their positions, and the next token depends on
 * everything that is visible. A cache that loses, mixes up or shows too much changes the outcome.
 */
export function createRememberingSession(options: RememberingSessionOptions = {}): Session {
  const { positionIds = true, cacheBranch = false, logitsToKeep = false, extended = false } = options;
  const { window = Infinity, onRun } = options;
  const float = (name: string, ...dims: (number | string)[]) => ({ name, type: 'float32' as const, dims });
  const int = (name: string) => ({ name, type: 'int64' as const, dims: ['batch', 'sequence'] });
  return {
    inputs: [
      int('input_ids'),
      int('attention_mask'),
      ...(positionIds ? [int('position_ids')] : []),
      ...(cacheBranch ? [{ name: 'use_cache_branch', type: 'bool' as const, dims: [1] }] : []),
      ...(logitsToKeep ? [{ name: 'num_logits_to_keep', type: 'int64' as const, dims: [] }] : []),
      float('past_key_values.0.key', 'batch', 2, 'past', 3),
      float('past_key_values.0.value', 'batch', 2, 'past', 3),
    ],
    outputs: [
      float('logits', 'batch', 'sequence', vocabularySize),
      float('present.0.key', 'batch', 2, 'total', 3),
      float('present.0.value', 'batch', 2, 'total', 3),
      ...(extended
        ? ['slashv1.present.0.key.new', 'slashv1.present.0.value.new'].map((name) => float(name))
        : []),
    ],
    async run(feeds, fetches) {
      const [rows, count] = feeds['input_ids']!.dims as [number, number];
      onRun?.(rows, count);
      const past = feeds['past_key_values.0.key']!.dims[2]!;
      if (cacheBranch && Number(feeds['use_cache_branch']!.data[0]) !== Number(past > 0))
        throw new Error('cache branch');
      const kept = logitsToKeep ? Number(feeds['num_logits_to_keep']!.data[0]) : 0;
      const total = past + count;
      const ids = feeds['input_ids']!.data;
      const mask = feeds['attention_mask']!.data;
      const logits = new Float32Array(rows * count * vocabularySize).fill(-20);
      const keys = new Float32Array(rows * 2 * total * 3);
      const values = new Float32Array(rows * 2 * total * 3);
      for (let row = 0; row < rows; row++) {
        const visible: [place: number, token: number, slot: number][] = [];
        for (let slot = 0; slot < total; slot++) {
          const isNew = slot >= past;
          const from = ((row * 2 + 1) * past + slot) * 3 + 2;
          const position = positionIds
            ? Number(feeds['position_ids']?.data[row * count + slot - past])
            : slot;
          const token = isNew
            ? Number(ids[row * count + slot - past])
            : Number(feeds['past_key_values.0.key']!.data[from]);
          const place = isNew ? position : Number(feeds['past_key_values.0.value']!.data[from]);
          for (let index = 0; index < 6; index++) {
            const to = ((row * 2 + Math.floor(index / 3)) * total + slot) * 3 + (index % 3);
            keys[to] = token;
            values[to] = place;
          }
          if (Number(mask[row * total + slot]) === 1) visible.push([place, token, slot]);
          if (!isNew) continue;
          const sequence = visible
            .filter(([, , other]) => slot - other < window)
            .toSorted(([a], [b]) => a - b);
          const start = window === Infinity ? 0 : sequence[0]![0];
          if (sequence.some(([at], index) => at !== start + index))
            throw new Error(`positions ${sequence.map(([at]) => at)}`);
          logits[(row * count + slot - past) * vocabularySize + tokenAfter(sequence.map(([, t]) => t))] = 20;
        }
      }
      const present = (data: Float32Array): Tensor => ({ type: 'float32', dims: [rows, 2, total, 3], data });
      const results: Record<string, Tensor> = {
        logits: slice(
          { type: 'float32', dims: [rows, count, vocabularySize], data: logits },
          1,
          kept === 0 ? 0 : Math.max(0, count - kept),
        ),
        'present.0.key': present(keys),
        'present.0.value': present(values),
      };
      if (extended) {
        results['slashv1.present.0.key.new'] = slice(results['present.0.key']!, 2, past);
        results['slashv1.present.0.value.new'] = slice(results['present.0.value']!, 2, past);
      }
      const picked: TensorMap = Object.fromEntries(
        (fetches ?? Object.keys(results)).map((name) => [name, results[name]!]),
      );
      return picked;
    },
    release: () => Promise.resolve(),
  };
}

/** `tensor[…, start:, …]` on one axis. */
function slice({ type, dims, data }: Tensor, axis: number, start: number): Tensor {
  const inner = dims.slice(axis + 1).reduce((product, size) => product * size, 1);
  const size = dims[axis]!;
  const outer = data.length / (inner * size);
  const kept: number[] = [];
  for (let block = 0; block < outer; block++) {
    kept.push(...(data as Float32Array).subarray((block * size + start) * inner, (block + 1) * size * inner));
  }
  return { type, dims: dims.with(axis, size - start), data: Float32Array.from(kept) };
}
