import type { ImageSettings } from '../../../../src/categories/image/settings.ts';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { float16ToFloat32Into, float32ToFloat16Into } from '../../../../src/core/math/float16.ts';
import type { ImageEvent } from '../../../../src/categories/image/events.ts';
import type { ImageRequest } from '../../../../src/categories/image/request.ts';
import type { ModelSpec } from '../../../../src/contracts/model.ts';
import type { ElementType, Session, Tensor, TensorMap } from '../../../../src/contracts/graph.ts';
import { createOnnxSession } from '../../../../src/runtime/onnx.ts';
import { asking, collect, openMiniature, type Miniature, type Replacements } from './miniatures.ts';
import { decimalsWithin } from '../../../tolerance.ts';

/** What the sessions of a pipeline did: the name of the graph and the shape of its first input. */
type Runs = { readonly name: string; readonly dims: readonly number[] }[];

interface Setting extends Replacements {
  readonly change?: (name: string, session: Session) => Session;
  readonly spec?: Partial<ModelSpec<ImageSettings>>;
}

async function open(
  model: Miniature,
  { change = (_, session) => session, spec, ...internals }: Setting = {},
) {
  const runs: Runs = [];
  const released: string[] = [];
  const pipeline = await openMiniature(
    model,
    {
      openSession: async ({ name = '', graph }) => {
        const session = change(name, await createOnnxSession(graph, { threads: 1 }));
        return {
          ...session,
          run: (feeds, fetches) => {
            runs.push({ name, dims: feeds[session.inputs[0]!.name]!.dims });
            return session.run(feeds, fetches);
          },
          release: () => {
            released.push(name);
            return session.release();
          },
        };
      },
      ...internals,
    },
    spec,
  );
  onTestFinished(() => (released.length === 0 ? pipeline.close() : undefined));
  const runsOf = (name: string) => runs.filter((run) => run.name === name);
  return { pipeline, runs, runsOf, released };
}

function imagesOf(events: readonly ImageEvent[]) {
  return events.flatMap((event) => (event.type === 'image' ? [event] : []));
}

const rawOf = (png: Uint8Array) => sharp(png).raw().toBuffer();

describe('a request', () => {
  it('has an event for each step and each image', async () => {
    const { pipeline } = await open('lcm');
    const events = await collect(pipeline.run(asking({ n: 2, numInferenceSteps: 3 })));
    const step = { type: 'image-step', steps: 3 };
    expect(events).toEqual([
      ...[1, 2, 3].map((count) => ({ ...step, image: 0, step: count })),
      { type: 'image', image: 0, seed: 1, png: expect.any(Uint8Array) },
      ...[1, 2, 3].map((count) => ({ ...step, image: 1, step: count })),
      { type: 'image', image: 1, seed: 2, png: expect.any(Uint8Array) },
    ]);
  });

  it('gives the same bytes for the same seed, alone or as one of several', async () => {
    const { pipeline } = await open('lcm');
    const several = imagesOf(await collect(pipeline.run(asking({ n: 3, seed: 10, model: 'lcm' }))));
    const [alone] = imagesOf(await collect(pipeline.run(asking({ seed: 11, model: 'lcm' }))));
    expect(alone!.png).toEqual(several[1]!.png);
    expect(several[0]!.png).not.toEqual(several[1]!.png);
  });

  it('draws a seed where none is given', async () => {
    const { pipeline } = await open('lcm');
    const run = async () => imagesOf(await collect(pipeline.run(asking({ seed: undefined, n: 2 }))));
    const [first, second] = [await run(), await run()];
    expect(first[1]!.seed).toBe(first[0]!.seed + 1);
    expect(first[0]!.seed).not.toBe(second[0]!.seed);
  });

  it('encodes its texts once, however many images it asks for', async () => {
    const { pipeline, runsOf } = await open('sdxl');
    await collect(pipeline.run(asking({ n: 3, numInferenceSteps: 1, negativePrompt: 'blue' })));
    expect(runsOf('text_encoder').length).toBe(2);
    expect(runsOf('text_encoder_2').length).toBe(2);
    expect(runsOf('unet').length).toBe(3);
    expect(runsOf('vae_decoder').length).toBe(3);
  });

  it('describes itself in the PNG', async () => {
    const { pipeline } = await open('sd', { spec: { id: 'painter' } });
    const request = asking({ negativePrompt: 'blue', width: 128, model: 'painter' });
    const [image] = imagesOf(await collect(pipeline.run(request)));
    const { width, height, channels, comments } = await sharp(image!.png).metadata();
    expect({ width, height, channels }).toEqual({ width: 128, height: 64, channels: 3 });
    expect(comments).toEqual([
      {
        keyword: 'parameters',
        text: 'a red circle\nNegative prompt: blue\nSteps: 2, Sampler: PNDMScheduler, CFG scale: 5, Seed: 1, Size: 128x64, Model: painter',
      },
    ]);
  });

  it('shows small pictures of a square, wide or large image', async () => {
    const { pipeline } = await open('lcm');
    for (const [width, height, ...expected] of [
      [64, 64, 64, 64],
      [512, 64, 128, 16],
      [1024, 512, 256, 128],
    ] as const) {
      const events = await collect(
        pipeline.run(asking({ width, height, previews: true, numInferenceSteps: 1 })),
      );
      const [step] = events;
      const preview = await sharp(step!.type === 'image-step' ? step!.preview : undefined).metadata();
      expect([preview.width, preview.height]).toEqual(expected);
    }
  });

  it('shows the image itself after the last step', async () => {
    const { pipeline } = await open('lcm');
    const [, step, image] = await collect(pipeline.run(asking({ previews: true })));
    if (step?.type !== 'image-step' || image?.type !== 'image') throw new Error('unexpected events');
    expect(await rawOf(step.preview!)).toEqual(await rawOf(image.png));
  });
});

describe('a run that is cancelled', () => {
  it.each([0, 1, 3])('stops after %i steps at once', async (steps) => {
    const { pipeline, runsOf } = await open('sd');
    const client = new AbortController();
    if (steps === 0) client.abort();
    const running = async () => {
      for await (const event of pipeline.run(asking({ numInferenceSteps: 50 }), { signal: client.signal })) {
        if (event.type === 'image-step' && event.step === steps) client.abort();
      }
    };
    await expect(running()).rejects.toMatchObject({ code: 'cancelled' });
    expect(runsOf('unet').length).toBe(steps);
  });

  it('stops between tiles', async () => {
    const client = new AbortController();
    const { pipeline, runsOf } = await open('sd', { maxCells: 1, tiles: { max: 4, overlap: 2 } });
    const request = asking({ guidanceScale: 1 });
    const events = pipeline.run(request, { signal: client.signal });
    setTimeout(() => client.abort(), 0);
    await expect(collect(events)).rejects.toMatchObject({ code: 'cancelled' });
    expect(runsOf('vae_decoder').length).toBeLessThan(9);
  });

  it('is waited for when the pipeline closes', async () => {
    const { pipeline, released } = await open('sd');
    const events = pipeline.run(asking());
    await events[Symbol.asyncIterator]().next();
    const closed = pipeline.close();
    expect(released).toEqual([]);
    await collect(events);
    await closed;
    expect(released.toSorted()).toEqual(['text_encoder', 'unet', 'vae_decoder']);
  });
});

describe('guidance', () => {
  it('asks for both predictions at once where memory allows', async () => {
    const { pipeline, runsOf } = await open('sd');
    await collect(pipeline.run(asking({ width: 512, height: 512, numInferenceSteps: 1 })));
    await collect(pipeline.run(asking({ width: 576, height: 512, numInferenceSteps: 1 })));
    await collect(pipeline.run(asking({ guidanceScale: 1, numInferenceSteps: 1 })));
    expect(runsOf('unet').map(({ dims }) => dims[0])).toEqual([2, 1, 1, 1]);
  });

  it.each([1, 2, 3])('comes to the same with a graph for batches of %i', async (batch) => {
    const latents: Float32Array[] = [];
    const onLatents = (made: Float32Array) => void latents.push(made.slice());
    const usual = await open('sdxl', { onLatents });
    await collect(usual.pipeline.run(asking()));
    const fixed = await open('sdxl', {
      onLatents,
      change: (name, session) => (name === 'unet' ? withBatch(session, batch) : session),
    });
    await collect(fixed.pipeline.run(asking()));
    expect(fixed.runsOf('unet').map(({ dims }) => dims[0])).toEqual(Array(batch === 1 ? 4 : 2).fill(batch));
    latents[0]!.forEach((value, index) => expect(latents[1]![index]).toBeCloseTo(value, decimalsWithin(4)));
  });

  it.each([
    ['lcm', {}, { negativePrompt: 'blue' }, 'negative_prompt'],
    ['sd', {}, { negativePrompt: 'blue', guidanceScale: 1 }, 'negative_prompt'],
    ['sd', { isDistilled: true }, { negativePrompt: 'blue', guidanceScale: 7.5 }, 'negative_prompt'],
    ['sd', { isDistilled: true }, { guidanceScale: 5 }, 'guidance_scale'],
  ] as const)('of %s with %j refuses %j', async (model, spec, request, param) => {
    const { pipeline, runs } = await open(model, { spec });
    await expect(collect(pipeline.run(asking(request)))).rejects.toMatchObject({
      code: 'invalid_request',
      param,
    });
    expect(runs).toEqual([]);
  });

  it('is left out by a distilled model', async () => {
    const { pipeline, runsOf } = await open('sd', { spec: { isDistilled: true } });
    const [image] = imagesOf(
      await collect(pipeline.run(asking({ guidanceScale: 7.5, numInferenceSteps: 1 }))),
    );
    expect(runsOf('unet').map(({ dims }) => dims[0])).toEqual([1]);
    expect((await sharp(image!.png).metadata()).comments![0]!.text).toContain('CFG scale: 1,');
  });
});

describe('what a model cannot do', () => {
  const fixed = (name: string, session: Session) =>
    name === 'unet' ? withInput(session, 'sample', { dims: [2, 4, 8, 8] }) : session;

  it.each([
    ['sd3', {}, { width: 72 }, 'width', 'multiple of 16'],
    ['sd', {}, { height: 72 }, 'height', 'multiple of 16'],
    ['sd', { change: fixed }, { width: 128 }, 'width', '64, got 128'],
    ['sd', { change: fixed }, { height: 128 }, 'height', '64, got 128'],
    ['sd', { spec: { maxPixels: 64 * 64 } }, { width: 128 }, 'width', 'at most 4096 pixels, got 128 × 64'],
    ['lcm', {}, { numInferenceSteps: 51 }, 'num_inference_steps', 'at most 50, got 51'],
  ] as const)('%s %j %j', async (model, setting, request: Partial<ImageRequest>, param, message) => {
    const { pipeline } = await open(model, setting);
    await expect(collect(pipeline.run(asking(request)))).rejects.toMatchObject({
      code: 'invalid_request',
      param,
      message: expect.stringContaining(message),
    });
  });

  it.each(['prompt', 'negativePrompt'] as const)('a %s beyond its windows', async (name) => {
    const { pipeline, runs } = await open('sd');
    expect(pipeline.info.contextLength).toBe(1200);
    const text = '🔴'.repeat(400);
    await expect(collect(pipeline.run(asking({ [name]: text })))).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: name === 'prompt' ? 'prompt' : 'negative_prompt',
    });
    expect(runs).toEqual([]);
  });
});

describe('element types', () => {
  it.each(['float16', 'float64'] as const)('graphs of %s', async (type) => {
    const usual = imagesOf(await collect((await open('sdxl')).pipeline.run(asking())));
    const change = (_: string, session: Session) => withType(session, type);
    const other = imagesOf(await collect((await open('sdxl', { change })).pipeline.run(asking())));
    const [expected, got] = [await rawOf(usual[0]!.png), await rawOf(other[0]!.png)];
    const differences = expected.map((value, index) => Math.abs(value - got[index]!));
    expect(differences.reduce((sum, value) => sum + value, 0) / differences.length).toBeLessThan(2);
  });

  it.each([
    ['timestep', { type: 'float32', dims: [] }],
    ['timestep', { type: 'float32', dims: ['batch'] }],
    ['timestep', { type: 'int64', dims: [1] }],
  ] as const)('a timestep as %j', async (name, signature) => {
    const usual = imagesOf(await collect((await open('sd')).pipeline.run(asking())));
    const change = (component: string, session: Session): Session => {
      if (component !== 'unet') return session;
      const changed = withInput(session, name, signature);
      return {
        ...changed,
        run: (feeds, fetches) => {
          const { type, data, dims } = feeds[name]!;
          expect({ type, rank: dims.length }).toEqual({ type: signature.type, rank: signature.dims.length });
          const timestep = { type: 'int64', dims: [1], data: BigInt64Array.of(BigInt(data[0]!)) } as const;
          return session.run({ ...feeds, [name]: timestep }, fetches);
        },
      };
    };
    const other = imagesOf(await collect((await open('sd', { change })).pipeline.run(asking())));
    expect(other[0]!.png).toEqual(usual[0]!.png);
  });
});

describe('decoding in tiles', () => {
  it('comes to nearly the same', async () => {
    const request = asking({ width: 256, height: 192 });
    const [whole] = imagesOf(await collect((await open('sd')).pipeline.run(request)));
    const tiled = await open('sd', { maxCells: 400, tiles: { max: 20, overlap: 10 } });
    const [pieces] = imagesOf(await collect(tiled.pipeline.run(request)));
    expect(tiled.runsOf('vae_decoder').map(({ dims }) => dims)).toEqual(
      Array.from({ length: 6 }, () => [1, 4, 17, 18]),
    );
    const [expected, got] = [await rawOf(whole!.png), await rawOf(pieces!.png)];
    const differences = expected.map((value, index) => Math.abs(value - got[index]!));
    expect(differences.reduce((sum, value) => sum + value, 0) / differences.length).toBeLessThan(4);
  });

  it('uses the size that a graph has built in, and shows no previews then', async () => {
    const { pipeline, runsOf } = await open('sd', {
      change: (name, session) =>
        name === 'vae_decoder' ? withInput(session, 'latent_sample', { dims: [1, 4, 8, 8] }) : session,
    });
    const events = await collect(pipeline.run(asking({ width: 128, previews: true })));
    expect(runsOf('vae_decoder').map(({ dims }) => dims)).toEqual(
      Array.from({ length: 3 }, () => [1, 4, 8, 8]),
    );
    expect(events[0]).toEqual({ type: 'image-step', image: 0, step: 1, steps: 3 });
  });
});

describe('a folder that does not fit', () => {
  async function copyOf(model: Miniature): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'slashv1-image-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(new URL(`miniatures/${model}`, import.meta.url), folder, { recursive: true });
    return folder;
  }

  it.each([
    ['unet', { name: 'img_ids' }, /unet: expected the inputs of Stable Diffusion .* img_ids/],
    ['text_encoder', { name: 'pixels' }, /text_encoder: expected the input input_ids/],
    ['vae_decoder', { dims: [1, 2] }, /vae_decoder: expected one input/],
  ])('%s with %j', async (component, change, message) => {
    const released: string[] = [];
    const opened = openMiniature('sd', {
      openSession: async ({ name = '', graph }) => {
        const session = await createOnnxSession(graph, { threads: 1 });
        const changed = name === component ? withInput(session, session.inputs[0]!.name, change) : session;
        return {
          ...changed,
          release: () => {
            released.push(name);
            return session.release();
          },
        };
      },
    });
    await expect(opened).rejects.toThrow(message);
    expect(released).toContain(component);
  });

  it('SDXL with a text encoder that has no hidden states', async () => {
    const change = (name: string, session: Session) =>
      name === 'text_encoder_2' ? { ...session, outputs: session.outputs.slice(0, 2) } : session;
    await expect(open('sdxl', { change })).rejects.toThrow(
      /text_encoder_2: expected an output hidden_states.0, got text_embeds, last_hidden_state/,
    );
  });

  it('a scheduler that is not supported', async () => {
    const source = await copyOf('sd');
    await writeFile(join(source, 'scheduler/scheduler_config.json'), '{"_class_name": "UniPC"}');
    await expect(open('sd', { spec: { source } })).rejects.toThrow(/scheduler: _class_name: .*"UniPC"/);
  });

  it('a model that says that it is distilled', async () => {
    const source = await copyOf('sd');
    const path = join(source, 'model_index.json');
    const index = JSON.parse(await readFile(path, 'utf8')) as object;
    await writeFile(path, JSON.stringify({ ...index, is_distilled: true }));
    const { pipeline, runsOf } = await open('sd', { spec: { source } });
    await collect(pipeline.run(asking({ guidanceScale: 7.5, numInferenceSteps: 1 })));
    expect(runsOf('unet')[0]!.dims[0]).toBe(1);
  });
});

function withInput(session: Session, name: string, change: Partial<Session['inputs'][number]>): Session {
  const inputs = session.inputs.map((input) => (input.name === name ? { ...input, ...change } : input));
  return { ...session, inputs };
}

/** A graph that takes batches of one size alone. */
function withBatch(session: Session, batch: number): Session {
  const { dims } = session.inputs.find(({ name }) => name === 'sample')!;
  return withInput(session, 'sample', { dims: [batch, ...dims.slice(1)] });
}

/** A graph whose floats are of another type. */
function withType(session: Session, type: 'float16' | 'float64'): Session {
  const changed = <S extends { readonly type: ElementType }>(signature: S): S =>
    signature.type === 'float32' ? { ...signature, type } : signature;
  return {
    ...session,
    inputs: session.inputs.map(changed),
    outputs: session.outputs.map(changed),
    async run(feeds, fetches) {
      return convert(await session.run(convert(feeds, type, fromType), fetches), 'float32', toType(type));
    },
  };
}

function convert(tensors: TensorMap, from: ElementType, to: (tensor: Tensor) => Tensor): TensorMap {
  const entries = Object.entries(tensors).map(([name, tensor]) => [
    name,
    tensor.type === from ? to(tensor) : tensor,
  ]);
  return Object.fromEntries(entries) as TensorMap;
}

function fromType({ type, dims, data }: Tensor): Tensor {
  if (type === 'float64') return { type: 'float32', dims, data: Float32Array.from(data as Float64Array) };
  return {
    type: 'float32',
    dims,
    data: float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array),
  };
}

const toType =
  (type: 'float16' | 'float64') =>
  ({ dims, data }: Tensor): Tensor =>
    type === 'float64'
      ? { type, dims, data: Float64Array.from(data as Float32Array) }
      : { type, dims, data: float32ToFloat16Into(new Uint16Array(data.length), data as Float32Array) };
