import { guidanceEmbedding } from '../../../../core/diffusion/guidance.ts';
import type { Size } from '../../../../core/vision/box.ts';
import { misfit, numberIn, type DiffusionComponent } from './diffusion-folder.ts';
import type { Session, Tensor, TensorSignature } from '../../../../contracts/graph.ts';
import type { Conditioning } from './prompt-encoder.ts';
import { builtInSize } from '../../../../runtime/tensors.ts';
import { concatenated, toFloat32, toTensor } from './tensors.ts';

/** Stable Diffusion 1 and 2, SDXL, or Stable Diffusion 3's transformer. */
export type Family = 'single' | 'features' | 'transformer';

export interface DenoisingTask {
  /** All of the same length. */
  readonly conditionings: readonly Conditioning[];
  readonly latents: Size;
  readonly image: Size;
  readonly guidanceScale: number;
  /** Aborts the current run. */
  readonly signal?: AbortSignal | undefined;
}

/** One output per conditioning. @param sample as the scheduler scales it, not kept */
export type Predict = (sample: Float32Array, timestep: number) => Promise<Float32Array[]>;

export type Denoiser = ReturnType<typeof createDenoiser>;

/** Larger latents are denoised one conditioning at a time, since attention memory grows with their square. */
const maxBatchedCells = 64 * 64;
const defaultChannels = 4;
const defaultGuidanceSize = 256;

const families: Readonly<Record<Family, { readonly sample: string; readonly others: readonly string[] }>> = {
  single: { sample: 'sample', others: [] },
  features: { sample: 'sample', others: ['text_embeds', 'time_ids'] },
  transformer: { sample: 'hidden_states', others: ['pooled_projections'] },
};

export function createDenoiser(session: Session, { name, config }: DiffusionComponent) {
  const inputs = new Map(session.inputs.map((input) => [input.name, input]));
  const family = familyOf(name, inputs);
  const sample = inputs.get(families[family].sample)!;
  const guidanceInput = inputs.get('timestep_cond');
  const [fixedBatch, fixedChannels, height, width] = sample.dims.map(builtInSize);
  const output = session.outputs[0]!.name;
  const blocks = config['block_out_channels'];
  const patchSize = family === 'transformer' ? numberIn(config, 'patch_size', 2) : 1;
  const guidanceSize =
    builtInSize(guidanceInput?.dims[1]) ?? numberIn(config, 'time_cond_proj_dim', defaultGuidanceSize);
  const channels = fixedChannels ?? numberIn(config, 'in_channels', defaultChannels);
  const written = numberIn(config, 'out_channels', channels);
  if (written !== channels)
    throw misfit(name, `expected as many output channels as ${channels}, got ${written}`);

  return {
    family,
    channels,
    takesGuidance: guidanceInput !== undefined,
    /** Sizes of latents that the graph has built in. */
    fixed: { width, height },
    /** Latents must be a multiple of this on both sides. */
    stride: Array.isArray(blocks) ? 2 ** (blocks.length - 1) : patchSize,
    /** Latents per side of a patch; 1 for a UNet. */
    patchSize,
    prepare(task: DenoisingTask): Predict {
      const { conditionings, latents } = task;
      const batched = latents.width * latents.height <= maxBatchedCells ? conditionings.length : 1;
      const batch = fixedBatch ?? batched;
      const values = channels * latents.width * latents.height;
      const data = new Float32Array(batch * values);
      const dims = [batch, channels, latents.height, latents.width];
      const timestepOf = createTimesteps(inputs.get('timestep')!, sample, batch);
      const constants = inGroups(conditionings, batch).map((group) =>
        constantFeeds(inputs, task, { group, guidanceSize }),
      );
      return async (scaled, timestep) => {
        for (let index = 0; index < batch; index++) data.set(scaled, index * values);
        const feeds = { [sample.name]: toTensor(sample, data, dims), timestep: timestepOf(timestep) };
        const outputs: Float32Array[] = [];
        for (const constant of constants) {
          const result = toFloat32((await session.run({ ...feeds, ...constant }, [output], task))[output]!);
          for (let index = 0; index < batch; index++)
            outputs.push(result.subarray(index * values, (index + 1) * values));
        }
        return outputs.slice(0, conditionings.length);
      };
    },
    release: () => session.release(),
  };
}

function familyOf(name: string, inputs: ReadonlyMap<string, TensorSignature>): Family {
  const given = [...inputs.keys()].filter((input) => input !== 'timestep_cond');
  for (const [family, { sample, others }] of Object.entries(families)) {
    const needed = [sample, 'timestep', 'encoder_hidden_states', ...others];
    if (needed.length === given.length && needed.every((input) => inputs.has(input))) return family as Family;
  }
  throw misfit(
    name,
    `expected the inputs of Stable Diffusion 1, 2, 3 or XL, got ${[...inputs.keys()].join(', ')}`,
  );
}

/** Graphs take one timestep for the batch, or one per sample. */
function createTimesteps(
  signature: TensorSignature,
  sample: TensorSignature,
  batch: number,
): (timestep: number) => Tensor {
  const [dim] = signature.dims;
  const isForEach = dim === sample.dims[0] || sample.name !== 'sample';
  const length = dim === undefined ? 1 : (builtInSize(dim) ?? (isForEach ? batch : 1));
  const dims = dim === undefined ? [] : [length];
  return (timestep) => toTensor(signature, new Float32Array(length).fill(timestep), dims);
}

/** Batches of one size, filled up with the last conditioning. */
function inGroups(conditionings: readonly Conditioning[], batch: number): Conditioning[][] {
  return Array.from({ length: Math.ceil(conditionings.length / batch) }, (_, group) =>
    Array.from(
      { length: batch },
      (__, index) => conditionings[group * batch + index] ?? conditionings.at(-1)!,
    ),
  );
}

function constantFeeds(
  inputs: ReadonlyMap<string, TensorSignature>,
  { image, guidanceScale }: DenoisingTask,
  { group, guidanceSize }: { group: readonly Conditioning[]; guidanceSize: number },
): Record<string, Tensor> {
  const { states, width, pooled } = group[0]!;
  const feeds: Record<string, Tensor> = {};
  const feed = (name: string, dims: readonly number[], rowOf: (one: Conditioning) => Float32Array): void => {
    const signature = inputs.get(name);
    const rows = group.map(rowOf);
    if (signature) feeds[name] = toTensor(signature, concatenated(rows), [rows.length, ...dims]);
  };
  feed('encoder_hidden_states', [states.length / width, width], (one) => one.states);
  if (pooled) {
    feed('text_embeds', [pooled.length], (one) => one.pooled!);
    feed('pooled_projections', [pooled.length], (one) => one.pooled!);
  }
  // Original size, crop corner and image size: no cropping.
  const times = Float32Array.of(image.height, image.width, 0, 0, image.height, image.width);
  feed('time_ids', [times.length], () => times);
  if (inputs.has('timestep_cond')) {
    const embedding = guidanceEmbedding(guidanceScale, guidanceSize);
    feed('timestep_cond', [embedding.length], () => embedding);
  }
  return feeds;
}
