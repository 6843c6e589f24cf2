import { encoders } from '../../../../src/categories/embedding/models.ts';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import type { EmbeddingSettings } from '../../../../src/categories/embedding/settings.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  EmbeddingEvent,
  EmbeddingModelInfo,
  EmbeddingResult,
} from '../../../../src/categories/embedding/events.ts';
import type { ModelSpec } from '../../../../src/contracts/model.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import {
  completeEmbeddingRequest,
  type EmbeddingRequestInput,
  type EmbeddingRequest,
} from '../../../../src/categories/embedding/request.ts';
import { loadEmbeddingPipeline } from '../../../../src/categories/embedding/pipeline/embedding-pipeline.ts';
import { within } from '../../../tolerance.ts';
import { runs } from '../../../thorough.ts';

interface Golden {
  readonly cases: readonly { readonly text: string; readonly ids: number[]; readonly vector: number[] }[];
}
const golden = JSON.parse(await readFile(join(import.meta.dirname, 'golden/vectors.json'), 'utf8')) as Golden;

const spec: ModelSpec<EmbeddingSettings> = {
  id: 'tiny-embed',
  category: 'embedding',
  source: 'tiny-embed',
  threads: 1,
  tokenIds: true,
};
let pipeline: Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo>;
beforeAll(async () => {
  pipeline = await loadEmbeddingPipeline(spec, onnxSessions, encoders[0]!);
});
afterAll(() => pipeline.close());

async function embed(
  request: Omit<EmbeddingRequestInput, 'model'>,
  {
    signal,
    model = pipeline,
  }: { signal?: AbortSignal; model?: Pipeline<EmbeddingRequest, EmbeddingEvent, EmbeddingModelInfo> } = {},
): Promise<EmbeddingResult> {
  const results: EmbeddingResult[] = [];
  const complete = completeEmbeddingRequest({ model: 'tiny-embed', ...request });
  for await (const event of model.run(complete, { signal })) results.push(event);
  expect(results).toHaveLength(1);
  return results[0]!;
}

async function vectorOf(request: Omit<EmbeddingRequestInput, 'model'>): Promise<Float32Array> {
  return (await embed(request)).embeddings[0]!;
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, value, index) => sum + value * y[index]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

function expectAlike(a: ArrayLike<number>, b: ArrayLike<number>): void {
  expect(a.length).toBe(b.length);
  for (let index = 0; index < a.length; index++)
    expect(Math.abs(a[index]! - b[index]!)).toBeLessThan(within(1e-5));
}

describe('tiny-embed', () => {
  it.each(golden.cases)('$text as the reference embeds it', async ({ text, ids, vector }) => {
    const { embeddings, promptTokens } = await embed({ input: text });
    expect(promptTokens).toBe(ids.length);
    expect(cosine(embeddings[0]!, vector)).toBeGreaterThan(0.9999);
    expectAlike(embeddings[0]!, vector);
    expectAlike(await vectorOf({ input: ids }), embeddings[0]!);
  });

  it('tells what a text means', async () => {
    const { embeddings } = await embed({
      input: [
        'a red circle above a blue square',
        'There is a square in blue below the red circle.',
        'a blue circle above a red square',
        'what time is it in Lisbon?',
      ],
    });
    const [same, swapped, other] = [1, 2, 3].map((index) => cosine(embeddings[0]!, embeddings[index]!));
    expect(same).toBeGreaterThan(swapped!);
    expect(swapped).toBeGreaterThan(other!);
  });

  it('is described', () => {
    expect(pipeline.info).toMatchObject({
      category: 'embedding',
      contextLength: 128,
      vectorSizes: { default: 128, min: 32, max: 128 },
    });
  });
});

describe('batching', () => {
  const texts = [
    ...golden.cases.map(({ text }) => text),
    ...Array.from({ length: 40 }, (_, index) => `${index} ${'green stars '.repeat(index % 9)}`),
  ];

  it('gives the same vectors whatever they ran with', async () => {
    const alone: Float32Array[] = [];
    for (const input of texts) alone.push(await vectorOf({ input }));
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...texts.keys()], { minLength: 2 }), async (order) => {
        const half = Math.floor(order.length / 2);
        const [together, one] = await Promise.all([
          embed({ input: order.slice(0, half).map((index) => texts[index]!) }),
          Promise.all(order.slice(half).map((index) => vectorOf({ input: texts[index]! }))),
        ]);
        [...together.embeddings, ...one].forEach((vector, at) => expectAlike(vector, alone[order[at]!]!));
      }),
      { numRuns: runs(8), seed: 1 },
    );
  }, 120_000);

  it('ends a cancelled request and leaves the others alone', async () => {
    const controller = new AbortController();
    const left = embed(
      { input: Array.from({ length: 500 }, () => 'a long text of green stars '.repeat(8)) },
      { signal: controller.signal },
    );
    const kept = embed({ input: 'a red circle' });
    setImmediate(() => controller.abort());
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect((await kept).embeddings).toHaveLength(1);
  });
});

it('texts of many requests are read by turns: one of another owner waits for few of them', async () => {
  /** The first letters of the texts in the order in which they are read. */
  let read = '';
  const real = encoders[0]!;
  const model = await loadEmbeddingPipeline(spec, onnxSessions, {
    ...real,
    async open(...options) {
      const encoder = await real.open(...options);
      const encode = (text: string): number[] => {
        read += text[0]!;
        return [...encoder.tokenizer.encode(text.slice(0, 5))];
      };
      const changes = {
        tokenizer: { ...encoder.tokenizer, frame: encoder.tokenizer.frame, encode },
        encode: encoder.encode.bind(encoder),
        release: encoder.release.bind(encoder),
      };
      return { ...encoder, ...changes } as typeof encoder;
    },
  });
  const ask = async (letter: string, texts: number, owner: string): Promise<void> => {
    const inputs = Array.from({ length: texts }, () => letter.repeat(1000));
    const request = completeEmbeddingRequest({ model: 'tiny-embed', input: inputs });
    for await (const _ of model.run(request, { owner }));
  };
  const all = Array.from({ length: 30 }, () => ask('a', 20, 'first'));
  await Promise.all([...all, ask('b', 1, 'second')]);
  await model.close();
  expect(read).toHaveLength(601);
  expect(read.indexOf('b')).toBeLessThan(30);
});

describe('any text', () => {
  it('has a vector of length 1', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 8 }),
        async (input) => {
          const { embeddings } = await embed({ input, truncate: true });
          for (const vector of embeddings) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it.each(['\0', '\ud800', ' ', '\n'.repeat(4000), 'a'.repeat(4000), '🙂'.repeat(100), '[CLS][PAD][UNK]'])(
    'such as %.12j',
    async (input) => {
      expect(Math.hypot(...(await vectorOf({ input, truncate: true })))).toBeCloseTo(1, 5);
    },
  );
});

describe('parameters', () => {
  it('dimensions', async () => {
    const whole = await vectorOf({ input: 'a red circle' });
    const cut = await vectorOf({ input: 'a red circle', dimensions: 32 });
    expect(cut).toHaveLength(32);
    expect(Math.hypot(...cut)).toBeCloseTo(1, 5);
    expect(cosine(cut, whole.subarray(0, 32))).toBeCloseTo(1, 6);
    await expect(embed({ input: 'a', dimensions: 33 })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'dimensions',
      message: 'dimensions: expected 32 or 64 or 128, got 33.',
    });
  });

  it('truncate', async () => {
    const long = 'a red circle '.repeat(100);
    await expect(embed({ input: ['a', long] })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'input[1]',
    });
    const { embeddings, promptTokens } = await embed({ input: ['a', long], truncate: true });
    expect(embeddings).toHaveLength(2);
    expect(promptTokens).toBe(3 + 128);
    expectAlike(embeddings[1]!, await vectorOf({ input: 'a red circle '.repeat(42) }));
  });

  it('prompt_name', async () => {
    const prompted = await vectorOf({ input: 'a red circle', promptName: 'query' });
    expectAlike(prompted, await vectorOf({ input: 'query: a red circle' }));
    expect(cosine(prompted, await vectorOf({ input: 'a red circle' }))).toBeLessThan(0.9999);
    await expect(embed({ input: 'a', promptName: 'toString' })).rejects.toMatchObject({
      param: 'prompt_name',
      message: 'prompt_name: expected one of query, passage, got "toString".',
    });
    await expect(embed({ input: [5, 6], promptName: 'query' })).rejects.toMatchObject({
      param: 'prompt_name',
    });
  });

  it('refuses token ids that the model has not', async () => {
    await expect(embed({ input: [[5], [6, 123_456]] })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'input[1]',
    });
  });
});

describe('settings', () => {
  it('tokenIds: without it, ids are refused, alone and in a list', async () => {
    const model = await loadEmbeddingPipeline({ ...spec, tokenIds: undefined }, onnxSessions, encoders[0]!);
    try {
      for (const input of [[5, 6], [[5, 6]]]) {
        await expect(embed({ input }, { model })).rejects.toMatchObject({
          code: 'invalid_request',
          param: 'input',
          message: expect.stringMatching(/check_embedding_ctx_length=False.*tokenIds: true/),
        });
      }
      expect((await embed({ input: ['5', '6'] }, { model })).embeddings).toHaveLength(2);
    } finally {
      await model.close();
    }
  });

  const load = async (changes: Partial<ModelSpec<EmbeddingSettings>>, input: string) => {
    const model = await loadEmbeddingPipeline({ ...spec, ...changes }, onnxSessions, encoders[0]!);
    try {
      return { vector: (await embed({ input }, { model })).embeddings[0]!, info: model.info };
    } finally {
      await model.close();
    }
  };

  it('pooling', async () => {
    const [mean, cls, last] = await Promise.all(
      (['mean', 'cls', 'last-token'] as const).map((pooling) => load({ pooling }, 'a red circle')),
    );
    expectAlike(mean!.vector, await vectorOf({ input: 'a red circle' }));
    expect(cosine(mean!.vector, cls!.vector)).toBeLessThan(0.999);
    expect(cosine(cls!.vector, last!.vector)).toBeLessThan(0.999);
  });

  it('normalize', async () => {
    const { vector } = await load({ normalize: false }, 'a red circle');
    expect(Math.abs(Math.hypot(...vector) - 1)).toBeGreaterThan(0.01);
    expect(cosine(vector, await vectorOf({ input: 'a red circle' }))).toBeCloseTo(1, 6);
  });

  it('matryoshkaDimensions and contextLength', async () => {
    const { info } = await load({ matryoshkaDimensions: [], contextLength: 16 }, 'a');
    expect(info).toMatchObject({ contextLength: 16, vectorSizes: { min: 128, max: 128 } });
    await expect(load({ contextLength: 5 }, 'a red circle above a star')).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'input',
    });
  });
});
