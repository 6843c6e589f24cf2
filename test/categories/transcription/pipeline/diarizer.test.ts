import { describe, expect, it } from 'vitest';
import { limitConcurrency } from '../../../../src/concurrency/limit-concurrency.ts';
import type { Session, TensorMap, TensorSignature } from '../../../../src/contracts/graph.ts';
import { createDiarizer } from '../../../../src/categories/transcription/pipeline/diarizer.ts';
import {
  createSegmentationModel,
  createVoiceEmbedder,
} from '../../../../src/categories/transcription/pipeline/diarization-models.ts';

const signature = (name: string, dims: readonly (number | string)[]): TensorSignature => ({
  name,
  type: 'float32',
  dims,
});

/** A graph of one input and one output. */
function graphOf(
  input: readonly (number | string)[],
  answer: (data: Float32Array, dims: readonly number[]) => { dims: readonly number[]; data: Float32Array },
  more: { readonly inputs?: readonly string[]; readonly outputs?: readonly string[] } = {},
): Session & { readonly fed: (readonly number[])[] } {
  const fed: (readonly number[])[] = [];
  const [first = 'x', ...others] = more.inputs ?? [];
  return {
    fed,
    inputs: [signature(first, input), ...others.map((name) => signature(name, [1]))],
    outputs: (more.outputs ?? ['y']).map((name) => signature(name, [])),
    async run(feeds, fetches): Promise<TensorMap> {
      const { data, dims } = feeds[first]!;
      fed.push(dims);
      return { [fetches![0]!]: { type: 'float32', ...answer(data as Float32Array, dims) } };
    },
    release: async () => {},
  };
}

const framesOf = (samples: number) => Math.floor((samples - 991) / 270) + 1;
/** Speaker 1 where samples are above 0, speaker 2 where they are below. */
const segmentationGraph = (samples: number | string = 32_000) =>
  graphOf([1, 1, samples], (data) => {
    const frames = framesOf(data.length);
    const logits = new Float32Array(frames * 7);
    for (let frame = 0; frame < frames; frame++) {
      const sample = data[495 + frame * 270]!;
      logits[frame * 7 + (sample > 0 ? 1 : sample < 0 ? 2 : 0)] = 1;
    }
    return { dims: [1, frames, 7], data: logits };
  });
const embeddingGraph = () =>
  graphOf([1, 'samples'], (data) => ({
    dims: [1, 2],
    data: data.reduce((sum, value) => sum + value, 0) > 0 ? Float32Array.of(1, 0) : Float32Array.of(0, 1),
  }));

const seconds = (parts: readonly (readonly [value: number, seconds: number])[]) =>
  Float32Array.from(parts.flatMap(([value, length]) => Array.from({ length: length * 16_000 }, () => value)));

async function* blocksOf(samples: Float32Array, length = 16_000): AsyncGenerator<Float32Array> {
  for (let start = 0; start < samples.length; start += length) yield samples.subarray(start, start + length);
}

async function listenTo(samples: Float32Array, blockLength?: number, signal?: AbortSignal) {
  const segmentationSession = segmentationGraph();
  const tools = {
    segmentation: await createSegmentationModel(segmentationSession),
    embedder: createVoiceEmbedder(embeddingGraph()),
    threshold: 0.7,
    release: async () => {},
  };
  const diarizer = createDiarizer(tools, { inTurn: limitConcurrency(1), signal });
  let passed = 0;
  for await (const block of diarizer.listen(blocksOf(samples, blockLength))) passed += block.length;
  return { turns: diarizer.turns(), passed, windows: segmentationSession.fed.length - 1 };
}

describe('a diarizer', () => {
  it('hears who speaks when, and hands all audio on', async () => {
    const { turns, passed } = await listenTo(
      seconds([
        [0.1, 3],
        [0, 1],
        [-0.1, 3],
        [0, 1],
        [0.1, 2],
      ]),
    );
    expect(passed).toBe(160_000);
    expect(turns.map(({ speaker }) => speaker)).toEqual([0, 1, 0]);
    const times = turns.flatMap(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]);
    for (const [index, expected] of [0.03, 3, 4, 7, 8, 10].entries())
      expect(Math.abs(times[index]! - expected)).toBeLessThan(0.05);
  });

  it.each([1000, 16_000, 100_000])('whatever the length of blocks: %i', async (blockLength) => {
    const samples = seconds([
      [0.1, 2],
      [-0.1, 2.5],
    ]);
    expect(await listenTo(samples, blockLength)).toEqual(await listenTo(samples));
  });

  it.each([
    [0, 0],
    [1, 1],
    [2, 1],
    [2.1, 2],
    [4, 11],
  ])('reads %d seconds in %d windows', async (length, windows) => {
    expect((await listenTo(seconds([[0.1, length]]))).windows).toBe(windows);
  });

  it('knows nobody in silence, and nobody who says too little', async () => {
    expect((await listenTo(seconds([[0, 5]]))).turns).toEqual([]);
    expect(
      (
        await listenTo(
          seconds([
            [0, 2],
            [0.1, 0.1],
            [0, 2],
          ]),
        )
      ).turns,
    ).toEqual([]);
  });

  it('ends with its signal', async () => {
    await expect(listenTo(seconds([[0.1, 5]]), undefined, AbortSignal.abort())).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('a segmentation graph', () => {
  it('has windows of the length that it fixes, else of 10 s', async () => {
    expect((await createSegmentationModel(segmentationGraph(80_000))).windowSamples).toBe(80_000);
    expect((await createSegmentationModel(segmentationGraph('samples'))).windowSamples).toBe(160_000);
  });

  const answering = (frames: number, classes: number) =>
    graphOf([1, 1, 'n'], () => ({ dims: [1, frames, classes], data: new Float32Array(frames * classes) }));
  it.each<[string, Session, string]>([
    [
      'two inputs',
      graphOf([1, 1, 'n'], (data) => ({ dims: [1], data }), { inputs: ['x', 'z'] }),
      'one input',
    ],
    ['input of another rank', embeddingGraph(), 'one input of samples, [1, 1, samples]'],
    ['other frames', answering(500, 7), 'expected logits of [1, 589, 7] for 160000 samples, got [1, 500, 7]'],
    ['other classes', answering(589, 3), 'got [1, 589, 3]'],
  ])('is refused for %s', async (_, session, reason) => {
    await expect(createSegmentationModel(session)).rejects.toThrow(reason);
  });
});

describe('an embedding graph', () => {
  const vector = () => ({ dims: [1, 2], data: Float32Array.of(3, 4) });

  it('reads filter banks or samples', async () => {
    const [banks, samples] = [graphOf([1, 'frames', 80], vector), graphOf([1, 'samples'], vector)];
    expect(await createVoiceEmbedder(banks).embed(new Float32Array(16_000))).toEqual(Float32Array.of(3, 4));
    await createVoiceEmbedder(samples).embed(new Float32Array(16_000));
    expect([banks.fed, samples.fed]).toEqual([[[1, 98, 80]], [[1, 16_000]]]);
  });

  it('answers by the output that is named for it', async () => {
    const asked: string[] = [];
    const session = graphOf([1, 'samples'], vector, { outputs: ['logits', 'embeddings'] });
    const spied: Session = {
      ...session,
      run: (feeds, fetches) => (asked.push(...fetches!), session.run(feeds, fetches)),
    };
    await createVoiceEmbedder(spied).embed(new Float32Array(16_000));
    expect(asked).toEqual(['embeddings']);
  });

  it.each([
    ['zeros', [0, 0]],
    ['no numbers', [Number.NaN, 1]],
  ])('says nothing by %s', async (_, values) => {
    const session = graphOf([1, 'samples'], () => ({ dims: [1, 2], data: Float32Array.from(values) }));
    expect(await createVoiceEmbedder(session).embed(new Float32Array(16_000))).toBeUndefined();
  });

  it.each<[string, Session]>([
    ['two inputs', graphOf([1, 'n'], vector, { inputs: ['x', 'lengths'] })],
    ['another number of bands', graphOf([1, 'frames', 40], vector)],
    ['another rank', graphOf([1], vector)],
  ])('is refused for %s', (_, session) => {
    expect(() => createVoiceEmbedder(session)).toThrow('expected one input, of samples');
  });
});
