import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTransducer } from '../../../../src/categories/transcription/architectures/nemo/open-ctc-transducer.ts';
import type { SessionBackend } from '../../../../src/contracts/sessions.ts';
import type { Session, TensorSignature } from '../../../../src/contracts/graph.ts';

/** Its small files; the graphs are scripted. */
const source = join(import.meta.dirname, '../../../contract/models/nemo-rnnt');
const tokens = 21;
const frames = 20;
/** A frame and the token that is heard in it. */
const spoken: Readonly<Record<number, number>> = { 3: 5, 4: 6, 11: 7 };

const float = (name: string, dims: readonly (number | string)[]): TensorSignature => ({
  name,
  type: 'float32',
  dims,
});
const release = async (): Promise<void> => {};

/** Frames that say which one they are. */
const encoder: Session = {
  inputs: [float('audio_signal', ['batch', 80, 'time']), { name: 'length', type: 'int64', dims: ['batch'] }],
  outputs: [
    float('outputs', ['batch', 1, 'time']),
    { name: 'encoded_lengths', type: 'int64', dims: ['batch'] },
  ],
  run: async () => ({
    outputs: {
      type: 'float32',
      dims: [1, 1, frames],
      data: Float32Array.from({ length: frames }, (_, at) => at),
    },
    encoded_lengths: { type: 'int64', dims: [1], data: BigInt64Array.of(BigInt(frames)) },
  }),
  release,
};

/** Says what is spoken in a frame until the state tells that it was said. */
function createJoint(time: number | string): Session & { readonly runs: number[] } {
  const state = (name: string) => float(name, [1, 'batch', 1]);
  const runs: number[] = [];
  return {
    runs,
    inputs: [
      float('encoder_outputs', ['batch', 1, time]),
      { name: 'targets', type: 'int32', dims: ['batch', 'targets'] },
      { name: 'target_length', type: 'int32', dims: ['batch'] },
      state('input_states_1'),
      state('input_states_2'),
    ],
    outputs: [float('outputs', []), state('output_states_1'), state('output_states_2')],
    async run({ encoder_outputs, targets, input_states_1 }) {
      const heard = [...(encoder_outputs!.data as Float32Array)];
      runs.push(heard.length);
      const said = Number(targets!.data[0]) === tokens - 1 ? 0 : (input_states_1!.data[0] as number);
      const logits = heard.flatMap((frame) => {
        const token = spoken[frame];
        const isNew = token !== undefined && token > said;
        return Array.from({ length: tokens }, (_, id) => (id === (isNew ? token : tokens - 1) ? 9 : 0));
      });
      const next = heard.map((frame) => spoken[frame] ?? 0).find((token) => token > said) ?? said;
      const kept = { type: 'float32', dims: [1, 1, 1], data: Float32Array.of(next) } as const;
      return {
        outputs: { type: 'float32', dims: [1, heard.length, 1, tokens], data: Float32Array.from(logits) },
        output_states_1: kept,
        output_states_2: kept,
      };
    },
    release,
  };
}

it.each<[string, number | string, readonly number[]]>([
  ['one by one where the graph takes one', 1, Array.from({ length: frames + 3 }, () => 1)],
  ['eight at once, up to the next token', 'time', [8, 8, 8, 8, 1]],
])('a transducer scores frames %s', async (_title, time, runs) => {
  const joint = createJoint(time);
  const sessions = {
    openSession: async ({ graph }: { readonly graph: string }) =>
      graph.includes('encoder') ? encoder : joint,
  } as unknown as SessionBackend;
  const recognizer = await openTransducer({ id: 'mini', category: 'transcription', source }, sessions);
  const heard = await recognizer.recognize(new Float32Array(16_000), {
    language: undefined,
    task: 'transcribe',
  });
  expect(heard.tokens).toEqual([5, 6, 7]);
  expect(joint.runs).toEqual(runs);
});
