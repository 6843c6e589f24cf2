import { candidateOutputs } from '../../../core/onnx/rewrites/candidates.ts';
import type { BindableSession, Binding, Tensor } from '../../../contracts/graph.ts';
import { createDeviceTensors } from '../../../runtime/device-tensors.ts';
import type { Decoder, RemoteLogits } from '../../../contracts/decoder.ts';
import { createLastLogits } from '../../../runtime/last-logits.ts';
import { readDecoderLayout, type GraphSides } from './decoder-layout.ts';
import { DeviceCache } from './device-cache.ts';
import { lengthen, bindStep, type StepTokens } from './step-tensors.ts';

/** The graph of a device decoder, and how to load small graphs on the same device. */
export interface DeviceDecoderOptions {
  /** Signature of the graph from its file. */
  readonly sides: GraphSides;
  readonly createSession: (model: Uint8Array) => Promise<BindableSession>;
}

/**
 * Runs a decoder with `GroupQueryAttention` on a device other than the CPU. The graph updates its caches there in
 * place; only tokens, row lengths, and the largest logits or whole rows cross the bus.
 */
export function createDeviceDecoder(
  session: BindableSession,
  { sides, createSession }: DeviceDecoderOptions,
): Decoder {
  const layout = readDecoderLayout(sides);
  const { entries, outputs } = layout;
  const { vocabularySize } = layout.shape;
  const picksLargest = outputs.has(candidateOutputs.mass);
  const traffic = { bytes: 0, rowSteps: 0 };
  const tensors = createDeviceTensors(createSession, traffic);
  const parts = { session, entries, tensors };
  const lastLogits = createLastLogits();

  const decoder: Decoder<DeviceCache> = {
    vocabularySize,
    ragged: true,
    raggedPrompts: true,
    traffic,
    createCache: (rows = 1) => new DeviceCache(parts, rows),
    gather: (rows, replaced) => DeviceCache.gather(rows, replaced),
    async forward(cache, tokens, count, counts) {
      const { binding, positions } = await run(cache, { tokens, count, counts, wanted: 1 }, 'cpu');
      const { data } = fetch(binding, 'logits');
      const { rows } = cache;
      return lastLogits(data as Float32Array | Uint16Array, { rows, positions, vocabularySize, counts });
    },
    async release() {
      await tensors.release();
      await session.release();
    },
  };
  if (picksLargest) decoder.forwardLargest = forwardLargest;
  return decoder;

  async function forwardLargest(
    cache: DeviceCache,
    tokens: Int32Array,
    count: number,
    counts?: readonly number[],
  ): Promise<RemoteLogits> {
    const { binding } = await run(cache, { tokens, count, counts, wanted: 1 }, 'session');
    const logits = fetch(binding, candidateOutputs.logits);
    const ids = fetch(binding, candidateOutputs.tokens);
    const masses = fetch(binding, candidateOutputs.mass);
    const most = logits.dims[1]!;
    return {
      largest: (row) => ({
        logits: logits.data.subarray(row * most, (row + 1) * most) as Float32Array,
        tokens: ids.data.subarray(row * most, (row + 1) * most) as Int32Array,
        mass: (masses.data as Float32Array)[row]!,
      }),
      async all(row) {
        const remote = binding.output('logits');
        try {
          const { data } = await tensors.read(remote, row);
          const shape = { rows: 1, positions: 1, vocabularySize };
          return lastLogits(data as Float32Array | Uint16Array, shape);
        } finally {
          remote.release();
        }
      },
    };
  }

  /** @param place of the logits */
  async function run(
    cache: DeviceCache,
    tokens: StepTokens,
    place: 'cpu' | 'session',
  ): Promise<{ readonly binding: Binding; readonly positions: number }> {
    const { binding, step } = await bindStep({ session, layout }, cache, tokens);
    binding.allocateOutput('logits', place);
    if (place === 'session') {
      for (const name of Object.values(candidateOutputs)) binding.allocateOutput(name);
    }
    await binding.run();
    lengthen(cache.lengths, tokens.count, tokens.counts);
    traffic.bytes += step.inputBytes;
    traffic.rowSteps += cache.rows;
    return { binding, positions: step.positions };
  }

  function fetch(binding: Binding, name: string): Tensor {
    const output = binding.output(name);
    const read = output.read();
    output.release();
    traffic.bytes += read.data.byteLength;
    return read;
  }
}
