import { readFile } from 'node:fs/promises';
import {
  APICallError,
  createProviderRegistry,
  embed,
  embedMany,
  generateImage,
  generateSpeech,
  generateText,
  isStepCount,
  NoSuchModelError,
  Output,
  rerank,
  streamText,
  tool,
  transcribe,
} from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  chat,
  createInference,
  embedding,
  image,
  rerank as rerankModel,
  speech,
  transcription,
  type Inference,
} from '../../dist/src/index.js';
import { createSlashv1, type Slashv1Provider } from '../../dist/src/entries/ai-sdk.js';

// The package as its makers publish it, over the bundled models, without HTTP.
let inference: Inference;
let slashv1: Slashv1Provider;
beforeAll(async () => {
  vi.stubGlobal('AI_SDK_LOG_WARNINGS', false);
  inference = createInference({
    models: {
      'tiny-chat': chat({ source: 'tiny-chat' }),
      'tiny-vision': chat({ source: 'tiny-vision' }),
      'tiny-embed': embedding({ source: 'tiny-embed' }),
      'tiny-rerank': rerankModel({ source: 'tiny-rerank' }),
      'tiny-image': image({ source: 'tiny-image' }),
      'tiny-speech': speech({ source: 'tiny-speech', ffmpegPath: '/nowhere/ffmpeg' }),
      'tiny-whisper': transcription({ source: 'tiny-whisper' }),
    },
  });
  slashv1 = createSlashv1(inference);
  await inference.ready();
}, 120_000);
afterAll(() => inference.close());

const asked = { temperature: 0, maxRetries: 0, maxOutputTokens: 200 };
const get_weather = tool({
  description: 'Weather of a city',
  inputSchema: z.object({ city: z.string().max(30) }),
  execute: ({ city }) => ({ city, temperature: 21, condition: 'sunny' }),
});

describe('text', () => {
  it('comes at once, with usage and the reason of its end', async () => {
    const { text, usage, finishReason, response, warnings } = await generateText({
      ...asked,
      model: slashv1('tiny-chat'),
      prompt: 'What is 2 + 3?',
    });
    expect(text).toContain('5');
    expect(finishReason).toBe('stop');
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(usage.outputTokens).toBe(
      usage.outputTokenDetails.textTokens! + usage.outputTokenDetails.reasoningTokens!,
    );
    expect(response).toMatchObject({ modelId: 'tiny-chat', id: expect.stringMatching(/^chatcmpl-/) });
    expect(warnings ?? []).toEqual([]);
  });

  it('streams the same, thoughts apart', async () => {
    const request = { ...asked, model: slashv1('tiny-chat'), prompt: 'What is 2 + 3?' };
    const whole = await generateText(request);
    const streamed = streamText(request);
    let text = '';
    for await (const delta of streamed.textStream) text += delta;
    expect(text).toBe(whole.text);
    expect(await streamed.reasoningText).toBe(whole.reasoningText);
    expect((await streamed.usage).outputTokens).toBe(whole.usage.outputTokens);
  });

  it.each([false, true])('calls a tool and answers by its result; streamed: %s', async (isStream) => {
    const request = {
      ...asked,
      model: slashv1('tiny-chat'),
      prompt: 'What is the weather in Paris?',
      tools: { get_weather },
      stopWhen: isStepCount(3),
    };
    const result = isStream ? streamText(request) : await generateText(request);
    const steps = await result.steps;
    expect(steps[0]!.finishReason).toBe('tool-calls');
    expect(steps[0]!.toolCalls).toMatchObject([{ toolName: 'get_weather', input: { city: 'Paris' } }]);
    expect(steps).toHaveLength(2);
    expect(await result.text).toMatch(/21|sunny/);
  });

  it('is a call of the tool that is chosen', async () => {
    const { toolCalls } = await generateText({
      ...asked,
      model: slashv1('tiny-chat'),
      prompt: 'Hello there',
      tools: { get_weather, get_time: tool({ inputSchema: z.object({ zone: z.enum(['CET', 'UTC']) }) }) },
      toolChoice: { type: 'tool', toolName: 'get_time' },
    });
    expect(toolCalls).toMatchObject([{ toolName: 'get_time', input: { zone: expect.any(String) } }]);
  });

  it('keeps to a schema at a temperature at which it strays', async () => {
    const schema = z.object({ color: z.enum(['red', 'blue']), size: z.number().int().min(1).max(9) });
    const { output } = await generateText({
      model: slashv1('tiny-chat'),
      prompt: 'Describe a scene with two shapes.',
      output: Output.object({ schema }),
      temperature: 1.5,
      seed: 1,
    });
    expect(schema.parse(output)).toEqual(output);
  });

  it('describes a picture', async () => {
    const picture = new Uint8Array(await readFile(new URL('../../docs/tiny-image.png', import.meta.url)));
    const { text } = await generateText({
      ...asked,
      model: slashv1('tiny-vision'),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is in the picture?' },
            { type: 'file', data: picture, mediaType: 'image/png' },
          ],
        },
      ],
    });
    expect(text).toMatch(/circle|square|triangle|star|cross|diamond/);
  });

  it('is the same for the same seed, and ends at a stop sequence', async () => {
    const draw = (seed: number) =>
      generateText({ model: slashv1('tiny-chat'), prompt: 'Describe a scene.', temperature: 1.5, seed });
    expect((await draw(7)).text).toBe((await draw(7)).text);
    const { text } = await generateText({
      ...asked,
      model: slashv1('tiny-chat'),
      prompt: 'What is 2 + 3?',
      stopSequences: ['+'],
    });
    expect(text).not.toContain('+');
  });

  it('ends when it is aborted, and so does its run', async () => {
    const control = new AbortController();
    const outcomes: (string | undefined)[] = [];
    const stop = inference.observe({ onRunEnd: (_run, { error }) => void outcomes.push(error?.code) });
    const { fullStream } = streamText({
      model: slashv1('tiny-chat'),
      prompt: 'Describe a scene with two shapes.',
      temperature: 2,
      maxOutputTokens: 4000,
      providerOptions: { slashv1: { ignore_eos: true } },
      abortSignal: control.signal,
    });
    const types: string[] = [];
    for await (const { type } of fullStream) {
      types.push(type);
      if (type === 'text-delta' || type === 'reasoning-delta') control.abort();
    }
    expect(types.at(-1)).toBe('abort');
    expect(types).not.toContain('error');
    await expect.poll(() => outcomes).toEqual(['cancelled']);
    stop();
  });
});

describe('errors', () => {
  it('name the option that is out of range, unknown, or the SDK’s own', async () => {
    const ask = (options: Record<string, number>) =>
      generateText({
        model: slashv1('tiny-chat'),
        prompt: 'Hello',
        providerOptions: { slashv1: options },
      }).catch((error: unknown) => error);
    expect(await ask({ min_p: 3 })).toMatchObject({
      name: 'AI_APICallError',
      statusCode: 400,
      isRetryable: false,
      message: expect.stringMatching(/^min_p: /),
      data: { error: { code: 'invalid_request', param: 'min_p' } },
    });
    expect(await ask({ min_pp: 0.1 })).toMatchObject({
      message: 'min_pp: providerOptions.slashv1 has no such option. Did you mean min_p?',
    });
    expect(await ask({ min_p: 0.1, mirostat_mode: 2, dry_multiplier: 0.8 })).toMatchObject({
      finishReason: expect.any(String),
    });
  });

  it('name the setting of the SDK that is out of range', async () => {
    const wanted = generateText({ model: slashv1('tiny-chat'), prompt: 'Hello', temperature: 9 });
    await expect(wanted).rejects.toSatisfy(APICallError.isInstance);
    await expect(wanted).rejects.toThrow(/^temperature: /);
  });

  it('name a model that is not there, or is of another kind', () => {
    expect(() => slashv1('nothing')).toThrow(NoSuchModelError);
    expect(() => slashv1.embeddingModel('tiny-chat')).toThrow(NoSuchModelError);
    const registry = createProviderRegistry({ slashv1 });
    expect(registry.languageModel('slashv1:tiny-chat').modelId).toBe('tiny-chat');
  });
});

describe('other models', () => {
  it('embed texts as the inference does', async () => {
    const model = slashv1.embeddingModel('tiny-embed');
    const { embedding: vector, usage } = await embed({ model, value: 'a red circle' });
    const { embeddings } = await embedMany({ model, values: ['a red circle', 'a blue square'] });
    const own = await inference.embed({ model: 'tiny-embed', input: ['a red circle', 'a blue square'] });
    // Batches of other sizes round otherwise.
    const expectSame = (actual: readonly number[], expected: Float32Array): void =>
      expected.forEach((value, at) => expect(actual[at]).toBeCloseTo(value, 5));
    expectSame(vector, own.embeddings[0]!);
    own.embeddings.forEach((expected, at) => expectSame(embeddings[at]!, expected));
    expect(usage.tokens).toBeGreaterThan(0);
  });

  it('rerank documents', async () => {
    const { ranking, rerankedDocuments } = await rerank({
      model: slashv1.rerankingModel('tiny-rerank'),
      query: 'a red circle',
      documents: ['a blue square', 'a red circle', 'a green star'],
      topN: 2,
    });
    expect(ranking).toHaveLength(2);
    expect(rerankedDocuments[0]).toBe('a red circle');
  });

  it('draw pictures from a seed on', async () => {
    const { images, warnings } = await generateImage({
      model: slashv1.imageModel('tiny-image'),
      prompt: 'a red circle',
      size: '256x256',
      aspectRatio: '1:1',
      n: 2,
      seed: 5,
      providerOptions: { slashv1: { num_inference_steps: 1 } },
    });
    expect(images.map(({ mediaType }) => mediaType)).toEqual(['image/png', 'image/png']);
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'aspectRatio' }]);
  });

  it('speak WAV unless they are asked for more, and hear it', async () => {
    const model = slashv1.speechModel('tiny-speech');
    const text = 'a red circle above a blue square';
    const { audio, warnings } = await generateSpeech({ model, text, instructions: 'slowly' });
    expect(audio.mediaType).toBe('audio/wav');
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'instructions' }]);
    const heard = await transcribe({
      model: slashv1.transcriptionModel('tiny-whisper'),
      audio: audio.uint8Array,
      providerOptions: { slashv1: { language: 'en' } },
    });
    expect(heard.text).not.toBe('');
    expect(heard.segments[0]).toMatchObject({
      startSecond: expect.any(Number),
      endSecond: expect.any(Number),
    });
    expect(heard.durationInSeconds).toBeGreaterThan(0);
  });
});
