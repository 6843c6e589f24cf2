import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterEach, expect, it } from 'vitest';
import { createInference, type Inference } from '../../dist/src/index.js';
import { decoderFolder } from '../contract/decoder-golden.ts';

const speech = fileURLToPath(new URL('../e2e/media/speech.wav', import.meta.url));
const picture = readFileSync(new URL('../contract/pictures/wide.png', import.meta.url), 'base64');
const question = 'Describe a scene with two shapes.';

const requests = [
  { temperature: 0 },
  { seed: 3 },
  { seed: 5, topK: 20, topP: 0.9 },
  { seed: 7, temperature: 1, minP: 0, topP: 1 },
  { temperature: 0, responseFormat: { type: 'json-object' } },
] as const;

let inference: Inference | undefined;
afterEach(() => inference?.close());

/** Runs a bundled model on the CPU and on the device, each in a process of its own. */
async function onBoth<Result>(
  source: string,
  run: (inference: Inference) => Promise<Result>,
): Promise<readonly [cpu: Result, webgpu: Result]> {
  const results: Result[] = [];
  for (const device of ['cpu', 'webgpu'] as const) {
    inference = createInference({ models: { m: { source, device, threads: 1, deadlineMs: 1_800_000 } } });
    await inference.ready();
    results.push(await run(inference));
    await inference.close();
  }
  return results as [Result, Result];
}

// The attention of tiny-chat isn't recognized: its caches stay in the process.
it.each([
  ['tiny-chat', false],
  [decoderFolder('llama-gqa'), true],
])('%s: the same words, whichever samplers; caches on the device: %s', async (source, isResident) => {
  const run = async (given: Inference) => {
    const answers: { readonly text: string; readonly busBytes: number | undefined }[] = [];
    for (const options of requests) {
      const messages = [{ role: 'user', content: question }] as const;
      let text = '';
      let busBytes: number | undefined;
      for await (const event of given.chat({ model: 'm', messages, maxTokens: 24, ...options })) {
        if (event.type === 'text-delta' || event.type === 'reasoning-delta') text += event.text;
        if (event.type === 'usage') busBytes = event.busBytesPerStep;
      }
      answers.push({ text, busBytes });
    }
    return answers;
  };
  const [cpu, webgpu] = await onBoth(source, run);
  expect(webgpu.map(({ text }) => text)).toEqual(cpu.map(({ text }) => text));
  expect(cpu.map(({ busBytes }) => busBytes)).toEqual(requests.map(() => undefined));
  for (const { busBytes } of webgpu) {
    if (isResident) expect(busBytes).toBeLessThan(16 * 1024);
    else expect(busBytes).toBeUndefined();
  }
});

it('tiny-embed: the same vectors', async () => {
  const [cpu, webgpu] = await onBoth('tiny-embed', async (given) => {
    const { embeddings } = await given.embed({ model: 'm', input: ['a red circle', 'the weather in Paris'] });
    return embeddings.flatMap((vector) => [...vector]);
  });
  for (const [index, value] of webgpu.entries()) expect(value).toBeCloseTo(cpu[index]!, 5);
});

it('tiny-rerank: the same scores', async () => {
  const documents = ['The weather in Paris is sunny.', 'There is a red circle above a blue square.'];
  const query = 'what is above the blue square';
  const [cpu, webgpu] = await onBoth('tiny-rerank', async (given) =>
    (await given.rerank({ model: 'm', query, documents })).results.map(({ index, relevanceScore }) => [
      index,
      Math.round(relevanceScore * 1e4),
    ]),
  );
  expect(webgpu).toEqual(cpu);
});

it('tiny-detect: the same boxes', async () => {
  const [cpu, webgpu] = await onBoth('tiny-detect', async (given) =>
    (await given.detect({ model: 'm', image: picture, confidence: 0.2 })).detections.map(
      ({ className, confidence, box }) => [className, confidence, box.x1, box.y1, box.x2, box.y2] as const,
    ),
  );
  expect(webgpu.map(([name]) => name)).toEqual(cpu.map(([name]) => name));
  for (const [index, [, ...numbers]] of webgpu.entries()) {
    for (const [place, value] of numbers.entries())
      expect(value).toBeCloseTo(cpu[index]![place + 1] as number, 1);
  }
});

it('tiny-whisper: the same text', async () => {
  const [cpu, webgpu] = await onBoth('tiny-whisper', async (given) => {
    let text = '';
    for await (const event of given.transcribe({ model: 'm', audio: { path: speech } })) {
      if (event.type === 'segment') text += event.segment.text;
    }
    return text;
  });
  expect(cpu).not.toBe('');
  expect(webgpu).toBe(cpu);
});

it('tiny-speech: the same sound', async () => {
  const [cpu, webgpu] = await onBoth('tiny-speech', async (given) => {
    const bytes: Uint8Array[] = [];
    const request = { model: 'm', input: 'A red circle.', responseFormat: 'pcm' } as const;
    for await (const event of given.speak(request)) if (event.type === 'audio') bytes.push(event.bytes);
    const { buffer, byteOffset, byteLength } = Buffer.concat(bytes);
    return new Int16Array(buffer.slice(byteOffset, byteOffset + byteLength));
  });
  expect(webgpu.length).toBe(cpu.length);
  expect(Math.max(...webgpu.map((value, index) => Math.abs(value - cpu[index]!)))).toBeLessThan(330);
});

it('tiny-image: the same picture', async () => {
  const [cpu, webgpu] = await onBoth('tiny-image', async (given) => {
    const request = {
      model: 'm',
      prompt: 'a red circle',
      width: 256,
      height: 256,
      numInferenceSteps: 2,
      seed: 1,
    };
    for await (const event of given.image(request)) {
      if (event.type === 'image') return sharp(event.png).raw().toBuffer();
    }
    throw new Error('no image');
  });
  const apart = webgpu.reduce((count, value, index) => count + Number(Math.abs(value - cpu[index]!) > 1), 0);
  expect(apart / cpu.length).toBeLessThan(1e-3);
});
