import type { VoiceRegion } from '../../../core/audio/voice-activity.ts';
import type { Session, Tensor } from '../../../contracts/graph.ts';
import { filled } from '../../../runtime/tensors.ts';
import { sampleRateHz } from '../recognizer.ts';
import { regionShape, type VoiceGate } from './voice-gate.ts';

const chunk = 512;
/** The fifth version also reads the end of the previous chunk. */
const context = 64;
/** Hysteresis: speech begins above the first probability and ends below the second. */
const beginProbability = 0.5;
const endProbability = 0.35;

interface Layout {
  readonly chunkContext: number;
  /** Input → the output with its next value. */
  readonly states: Readonly<Record<string, string>>;
  readonly stateSize: number;
}

/** Fourth (`h`, `c`) or fifth (`state`) version. @see https://github.com/snakers4/silero-vad */
export function createSileroGate(session: Session): VoiceGate {
  const layout = readLayout(session);
  const takesRate = session.inputs.some(({ name }) => name === 'sr');
  const rate: Tensor = { type: 'int64', dims: [], data: BigInt64Array.of(BigInt(sampleRateHz)) };
  const outputs = ['output', ...Object.values(layout.states)];

  const probabilitiesOf = async (samples: Float32Array): Promise<number[]> => {
    const { chunkContext, stateSize, states } = layout;
    const probabilities: number[] = [];
    let state: Record<string, Tensor> = Object.fromEntries(
      Object.keys(states).map((name) => [name, filled('float32', [2, 1, stateSize])]),
    );
    for (let start = 0; start < samples.length; start += chunk) {
      const data = new Float32Array(chunkContext + chunk);
      const from = Math.max(0, start - chunkContext);
      data.set(samples.subarray(from, start + chunk), chunkContext - (start - from));
      const input: Tensor = { type: 'float32', dims: [1, data.length], data };
      const results = await session.run({ input, ...state, ...(takesRate ? { sr: rate } : {}) }, outputs);
      probabilities.push((results['output']!.data as Float32Array)[0]!);
      state = Object.fromEntries(Object.entries(states).map(([name, next]) => [name, results[next]!]));
    }
    return probabilities;
  };

  return {
    async find(samples) {
      return toRegions(await probabilitiesOf(samples), samples.length / sampleRateHz);
    },
    release: () => session.release(),
  };
}

function readLayout({ inputs, outputs }: Session): Layout {
  const names = new Set([...inputs, ...outputs].map(({ name }) => name));
  const has = (...wanted: string[]) => wanted.every((name) => names.has(name));
  if (has('input', 'output', 'state', 'stateN'))
    return { chunkContext: context, states: { state: 'stateN' }, stateSize: 128 };
  if (has('input', 'output', 'h', 'c', 'hn', 'cn'))
    return { chunkContext: 0, states: { h: 'hn', c: 'cn' }, stateSize: 64 };
  const reason = `expected the inputs input and state, or input, h and c, got ${inputs.map(({ name }) => name).join(', ')}`;
  throw new Error(reason);
}

function toRegions(probabilities: readonly number[], durationSeconds: number): VoiceRegion[] {
  const { paddingSeconds, minPauseSeconds } = regionShape;
  const regions: { startSeconds: number; endSeconds: number }[] = [];
  let speaking = false;
  for (const [index, probability] of probabilities.entries()) {
    speaking = probability >= (speaking ? endProbability : beginProbability);
    if (!speaking) continue;
    const startSeconds = Math.max(0, (index * chunk) / sampleRateHz - paddingSeconds);
    const endSeconds = Math.min(durationSeconds, ((index + 1) * chunk) / sampleRateHz + paddingSeconds);
    const last = regions.at(-1);
    if (last && startSeconds - last.endSeconds < minPauseSeconds) last.endSeconds = endSeconds;
    else regions.push({ startSeconds, endSeconds });
  }
  return regions;
}
