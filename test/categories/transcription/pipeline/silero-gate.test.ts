import { describe, expect, it } from 'vitest';
import type { Session, Tensor, TensorMap, TensorSignature } from '../../../../src/contracts/graph.ts';
import { createSileroGate } from '../../../../src/categories/transcription/pipeline/silero-gate.ts';

const signature = (name: string): TensorSignature => ({ name, type: 'float32', dims: [] });

/** A graph with the inputs and outputs of one; finds speech where the samples of a chunk are above 0. */
class FakeGraph implements Session {
  readonly inputs: TensorSignature[];
  readonly outputs: TensorSignature[];
  readonly feeds: TensorMap[] = [];
  released = 0;

  constructor(inputs: readonly string[], outputs: readonly string[]) {
    this.inputs = inputs.map(signature);
    this.outputs = outputs.map(signature);
  }

  async run(feeds: TensorMap, fetches: readonly string[]): Promise<TensorMap> {
    this.feeds.push(feeds);
    const { data } = feeds['input']!;
    const speech = data[data.length - 1] as number;
    const next = (name: string): Tensor => {
      const input = feeds[name === 'stateN' ? 'state' : name[0]!]!;
      return { ...input, data: (input.data as Float32Array).map((value) => value + 1) };
    };
    return Object.fromEntries(
      fetches.map((name) => [
        name,
        name === 'output' ? { type: 'float32', dims: [1, 1], data: Float32Array.of(speech) } : next(name),
      ]),
    );
  }

  async release(): Promise<void> {
    this.released++;
  }
}

/** Chunks of 512 samples with these values. */
const chunks = (values: readonly number[]) =>
  Float32Array.from({ length: values.length * 512 }, (_, index) => values[Math.floor(index / 512)]!);

const versions = [
  ['fourth', ['input', 'sr', 'h', 'c'], ['output', 'hn', 'cn'], 512],
  ['fifth', ['input', 'state', 'sr'], ['output', 'stateN'], 576],
] as const;

describe.each(versions)('a Silero graph of the %s version', (_, inputs, outputs, length) => {
  it('reads chunk by chunk, and its own state', async () => {
    const graph = new FakeGraph(inputs, outputs);
    await createSileroGate(graph).find(chunks([0.1, 0.2, 0.3]));
    expect(graph.feeds.map(({ input }) => input!.dims)).toEqual([
      [1, length],
      [1, length],
      [1, length],
    ]);
    expect(graph.feeds[2]!['sr']!.data[0]).toBe(16_000n);
    for (const name of ['h', 'c', 'state'].filter((input) => (inputs as readonly string[]).includes(input)))
      expect(graph.feeds.map((feeds) => feeds[name]!.data[0])).toEqual([0, 1, 2]);
    const [first, second] = graph.feeds.map(({ input }) => Array.from(input!.data as Float32Array));
    expect(first!.slice(0, length - 512)).toEqual(Array.from({ length: length - 512 }, () => 0));
    expect(second!.slice(0, length - 512)).toEqual(Array.from(new Float32Array(length - 512).fill(0.1)));
  });

  it('begins each window anew', async () => {
    const graph = new FakeGraph(inputs, outputs);
    const gate = createSileroGate(graph);
    await gate.find(chunks([0.1]));
    await gate.find(chunks([0.1]));
    expect(graph.feeds[1]).toEqual(graph.feeds[0]);
    await gate.release();
    expect(graph.released).toBe(1);
  });
});

describe('regions', () => {
  const chunk = 512 / 16_000;
  const [from, to] = [(index: number) => index * chunk - 0.2, (index: number) => index * chunk + 0.2];
  const silence = (count: number) => Array.from({ length: count }, () => 0);

  it.each<[string, number[], [number, number][]]>([
    ['none in silence', silence(20), []],
    ['one with what is around it', [...silence(20), 0.6, 0.6, ...silence(20)], [[from(20), to(22)]]],
    ['within the audio', [0.9, 0.9], [[0, 2 * chunk]]],
    [
      'over what is less likely for a moment',
      [...silence(20), 0.6, 0.4, 0.36, 0.1],
      [[from(20), 24 * chunk]],
    ],
    ['not from a beginning that is unlikely', [...silence(20), 0.4, 0.4], []],
    ['over short pauses', [...silence(20), 0.6, ...silence(10), 0.6, ...silence(20)], [[from(20), to(32)]]],
    [
      'apart after long ones',
      [...silence(20), 0.6, ...silence(30), 0.6, ...silence(20)],
      [
        [from(20), to(21)],
        [from(51), to(52)],
      ],
    ],
  ])('%s', async (_, values, expected) => {
    const graph = new FakeGraph(['input', 'state', 'sr'], ['output', 'stateN']);
    const regions = await createSileroGate(graph).find(chunks(values));
    expect(regions.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual(
      expected.map((times) => times.map((seconds) => expect.closeTo(seconds, 6))),
    );
  });
});

it('refuses another graph', () => {
  expect(() => createSileroGate(new FakeGraph(['images'], ['boxes']))).toThrow('got images');
});
