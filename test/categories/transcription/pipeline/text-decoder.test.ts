import { describe, expect, it } from 'vitest';
import type { WhisperFolder } from '../../../../src/categories/transcription/architectures/whisper/whisper-folder.ts';
import { RecognitionDecoder } from '../../../../src/categories/transcription/pipeline/text-decoder.ts';
import { createWhisperModel } from '../../../../src/categories/transcription/architectures/whisper/whisper-model.ts';
import type { ElementType, Session, Tensor, TensorMap } from '../../../../src/contracts/graph.ts';

const folder = {
  melBins: 1,
  windowFrames: 4,
  vocabularySize: 3,
  decoderLayers: 1,
  decoderHeads: 2,
  headSize: 4,
} as WhisperFolder;

/** A graph that answers each fetch with a tensor of its own, and notes what it is fed. */
function graph(
  inputs: Readonly<Record<string, ElementType>>,
  outputs: Readonly<Record<string, Tensor>>,
  changing: (run: number) => TensorMap = () => ({}),
) {
  const feeds: TensorMap[] = [];
  const fetched: (readonly string[])[] = [];
  const session: Session = {
    inputs: Object.entries(inputs).map(([name, type]) => ({ name, type, dims: [] })),
    outputs: Object.entries(outputs).map(([name, { type }]) => ({ name, type, dims: [] })),
    async run(given, fetches = []) {
      const made = { ...outputs, ...changing(feeds.length) };
      feeds.push(structuredClone(given));
      fetched.push(fetches);
      return Object.fromEntries(fetches.map((name) => [name, made[name]!]));
    },
    release: async () => {},
  };
  return { session, feeds, fetched };
}

const float = (...data: number[]): Tensor => ({
  type: 'float32',
  dims: [1, data.length],
  data: Float32Array.from(data),
});
const heard = float(1, 2);
const window = { ...heard, device: 'cpu', read: () => heard, release: () => {} };

const past = {
  'past_key_values.0.decoder.key': 'float16',
  'past_key_values.0.encoder.key': 'float16',
} as const;
const present = { 'present.0.decoder.key': float(1), 'present.0.encoder.key': float(2) };
const merged = (changing?: (run: number) => TensorMap) =>
  graph(
    {
      input_ids: 'int64',
      encoder_hidden_states: 'float32',
      cache_position: 'int64',
      use_cache_branch: 'bool',
      ...past,
    },
    { logits: float(0), ...present },
    changing,
  );

describe('createTextDecoder', () => {
  it('feeds a merged graph what it wants in both of its branches', async () => {
    const { session, feeds, fetched } = merged();
    const decoder = new RecognitionDecoder(folder, { first: session, next: session });
    const text = await decoder.begin(window, [7, 8]);
    expect(feeds[0]).toEqual({
      input_ids: { type: 'int64', dims: [1, 2], data: BigInt64Array.of(7n, 8n) },
      cache_position: { type: 'int64', dims: [2], data: BigInt64Array.of(0n, 1n) },
      use_cache_branch: { type: 'bool', dims: [1], data: Uint8Array.of(0) },
      encoder_hidden_states: heard,
      'past_key_values.0.decoder.key': { type: 'float16', dims: [1, 2, 0, 4], data: new Uint16Array(0) },
      'past_key_values.0.encoder.key': { type: 'float16', dims: [1, 2, 0, 4], data: new Uint16Array(0) },
    });
    await text.step(9);
    expect(feeds[1]).toEqual({
      input_ids: { type: 'int64', dims: [1, 1], data: BigInt64Array.of(9n) },
      cache_position: { type: 'int64', dims: [1], data: BigInt64Array.of(2n) },
      use_cache_branch: { type: 'bool', dims: [1], data: Uint8Array.of(1) },
      encoder_hidden_states: heard,
      'past_key_values.0.decoder.key': present['present.0.decoder.key'],
      'past_key_values.0.encoder.key': present['present.0.encoder.key'],
    });
    expect(fetched).toEqual([
      ['present.0.decoder.key', 'present.0.encoder.key', 'logits'],
      ['present.0.decoder.key', 'logits'],
    ]);
  });

  it('keeps the keys of the audio, renews those of the text, and goes back to the prefix', async () => {
    const { session, feeds } = merged((run) => ({ 'present.0.decoder.key': float(run) }));
    const text = await new RecognitionDecoder(folder, { first: session, next: session }).begin(
      window,
      [7, 8],
    );
    for (const token of [9, 10]) await text.step(token);
    text.rewind();
    await text.step(11);
    const fed = feeds
      .slice(1)
      .map((each) => [
        each['past_key_values.0.decoder.key']!.data[0],
        each['past_key_values.0.encoder.key']!.data[0],
        each['cache_position']!.data[0],
      ]);
    expect(fed).toEqual([
      [0, 2, 2n],
      [1, 2, 3n],
      [0, 2, 2n],
    ]);
  });

  it.each<[string, Readonly<Record<string, ElementType>>, Readonly<Record<string, Tensor>>]>([
    ['unknown input decoder_attention_mask', { decoder_attention_mask: 'int64', ...past }, present],
    ['no inputs past_key_values.*', { input_ids: 'int64' }, present],
    ['no output present.0.encoder.key', past, { 'present.0.decoder.key': float(1) }],
  ])('refuses a graph with %s', (reason, inputs, outputs) => {
    const { session } = graph(inputs, outputs);
    expect(() => new RecognitionDecoder(folder, { first: session, next: session })).toThrow(reason);
  });
});

describe('createWhisperModel', () => {
  const encoder = () => graph({ input_features: 'float32' }, { last_hidden_state: heard }).session;

  it('reads logits of all positions, of half precision and of a padded vocabulary', async () => {
    const halves = [0x3c00, 0x4000, 0x4200, 0, 0x4400, 0x4500, 0x4600, 0]; // 1 2 3 0, 4 5 6 0
    const logits: Tensor = { type: 'float16', dims: [1, 2, 4], data: Uint16Array.from(halves) };
    const { session, fetched } = graph(
      { input_ids: 'int64', encoder_hidden_states: 'float32', ...past },
      { logits, ...present },
    );
    const model = createWhisperModel(folder, { encoder: encoder(), first: session, next: session });
    const state = await model.start(window, [1, 2]);
    expect([...state.logits]).toEqual([4, 5, 6]);
    expect([...state.logitsBefore(1)]).toEqual([1, 2, 3]);
    expect([...(await state.step(3))]).toEqual([1, 2, 3]);
    expect(fetched).toHaveLength(2);
    expect(model.alignmentLayers).toEqual([]);
  });

  it('refuses other graphs', () => {
    const { session } = merged();
    const images = graph({ pixel_values: 'float32' }, { last_hidden_state: heard }).session;
    expect(() => createWhisperModel(folder, { encoder: images, first: session, next: session })).toThrow(
      'expected an encoder with the input input_features float32, got pixel_values float32',
    );
    const silent = graph(past, present).session;
    expect(() => createWhisperModel(folder, { encoder: encoder(), first: silent, next: silent })).toThrow(
      'no output logits',
    );
  });
});
