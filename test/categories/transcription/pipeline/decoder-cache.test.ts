import { describe, expect, it } from 'vitest';
import type { WhisperFolder } from '../../../../src/categories/transcription/architectures/whisper/whisper-folder.ts';
import { createCacheLayout } from '../../../../src/categories/transcription/pipeline/decoder-cache.ts';
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
function graph(inputs: Readonly<Record<string, ElementType>>, outputs: Readonly<Record<string, Tensor>>) {
  const feeds: TensorMap[] = [];
  const fetched: (readonly string[])[] = [];
  const session: Session = {
    inputs: Object.entries(inputs).map(([name, type]) => ({ name, type, dims: [] })),
    outputs: Object.entries(outputs).map(([name, { type }]) => ({ name, type, dims: [] })),
    async run(given, fetches = []) {
      feeds.push(given);
      fetched.push(fetches);
      return Object.fromEntries(fetches.map((name) => [name, outputs[name]!]));
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
const window = float(1, 2);

const past = {
  'past_key_values.0.decoder.key': 'float16',
  'past_key_values.0.encoder.key': 'float16',
} as const;
const present = { 'present.0.decoder.key': float(1), 'present.0.encoder.key': float(2) };
const merged = () =>
  graph(
    {
      input_ids: 'int64',
      encoder_hidden_states: 'float32',
      cache_position: 'int64',
      use_cache_branch: 'bool',
      ...past,
    },
    { logits: float(0), ...present },
  );

describe('createCacheLayout', () => {
  it('feeds a merged graph what it wants in both of its branches', () => {
    const { session } = merged();
    const layout = createCacheLayout(folder, session, session);
    const first = layout.firstFeeds(window, [7, 8]);
    expect(first).toEqual({
      input_ids: { type: 'int64', dims: [1, 2], data: BigInt64Array.of(7n, 8n) },
      cache_position: { type: 'int64', dims: [2], data: BigInt64Array.of(0n, 1n) },
      use_cache_branch: { type: 'bool', dims: [1], data: Uint8Array.of(0) },
      encoder_hidden_states: window,
      'past_key_values.0.decoder.key': { type: 'float16', dims: [1, 2, 0, 4], data: new Uint16Array(0) },
      'past_key_values.0.encoder.key': { type: 'float16', dims: [1, 2, 0, 4], data: new Uint16Array(0) },
    });
    const begun = layout.begin(window, 2, present);
    expect(layout.nextFeeds(begun, 9)).toEqual({
      input_ids: { type: 'int64', dims: [1, 1], data: BigInt64Array.of(9n) },
      cache_position: { type: 'int64', dims: [1], data: BigInt64Array.of(2n) },
      use_cache_branch: { type: 'bool', dims: [1], data: Uint8Array.of(1) },
      encoder_hidden_states: window,
      'past_key_values.0.decoder.key': present['present.0.decoder.key'],
      'past_key_values.0.encoder.key': present['present.0.encoder.key'],
    });
  });

  it('keeps the keys of the audio and renews those of the text', () => {
    const { session } = merged();
    const layout = createCacheLayout(folder, session, session);
    expect(layout.nextOutputs).toEqual(['present.0.decoder.key']);
    const begun = layout.begin(window, 2, present);
    const advanced = layout.advance(begun, { 'present.0.decoder.key': float(5) });
    expect(advanced).toMatchObject({
      length: 3,
      past: {
        'past_key_values.0.decoder.key': float(5),
        'past_key_values.0.encoder.key': present['present.0.encoder.key'],
      },
    });
    expect(begun.length).toBe(2);
  });

  it.each<[string, Readonly<Record<string, ElementType>>, Readonly<Record<string, Tensor>>]>([
    ['unknown input decoder_attention_mask', { decoder_attention_mask: 'int64', ...past }, present],
    ['no inputs past_key_values.*', { input_ids: 'int64' }, present],
    ['no output present.0.encoder.key', past, { 'present.0.decoder.key': float(1) }],
  ])('refuses a graph with %s', (reason, inputs, outputs) => {
    const { session } = graph(inputs, outputs);
    expect(() => createCacheLayout(folder, session, session)).toThrow(reason);
  });
});

describe('createWhisperModel', () => {
  const encoder = () => graph({ input_features: 'float32' }, { last_hidden_state: window }).session;

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
    await model.step(state, 3);
    expect(fetched).toEqual([
      ['logits', 'present.0.decoder.key', 'present.0.encoder.key'],
      ['logits', 'present.0.decoder.key'],
    ]);
    expect(model.alignmentLayers).toEqual([]);
  });

  it('refuses other graphs', () => {
    const { session } = merged();
    const images = graph({ pixel_values: 'float32' }, { last_hidden_state: window }).session;
    expect(() => createWhisperModel(folder, { encoder: images, first: session, next: session })).toThrow(
      'expected an encoder with the input input_features float32, got pixel_values float32',
    );
    const silent = graph(past, present).session;
    expect(() => createWhisperModel(folder, { encoder: encoder(), first: silent, next: silent })).toThrow(
      'no output logits',
    );
  });
});
