import type { ImageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createSlashv1 } from '../../src/entries/ai-sdk.ts';
import { createFakeInference } from '../../src/entries/testing.ts';
import { fieldError } from '../../src/errors.ts';

const voices = ['af_heart', 'am_adam'].map((id) => ({ id, name: id, language: 'en-US' }));
const models = [
  { id: 'embedding', category: 'embedding' },
  { id: 'rerank', category: 'rerank' },
  { id: 'image', category: 'image' },
  { id: 'speech', category: 'speech', voices, defaults: { voice: 'am_adam' } },
  { id: 'transcription', category: 'transcription' },
  { id: 'unloaded', category: 'unknown' },
] as const;
type Options = Parameters<typeof createFakeInference>[0];
const setUp = (options: Options = {}) => {
  const inference = createFakeInference({ models, ...options });
  return { inference, slashv1: createSlashv1(inference) };
};
const option = (slashv1: Record<string, string | number | boolean>) => ({ providerOptions: { slashv1 } });

describe('the provider', () => {
  it('takes a model that hasn’t shown its category yet for the one that is asked for', () => {
    expect(setUp().slashv1.embeddingModel('unloaded').provider).toBe('slashv1.embedding');
  });

  it('refuses an option that it doesn’t have', () => {
    expect(() => createSlashv1(createFakeInference(), { ownr: 'ada' } as object)).toThrow(
      'ownr: createSlashv1 has no such option. Did you mean owner?',
    );
  });
});

describe('an embedding model', () => {
  it('passes on dimensions and its own options', async () => {
    const { inference, slashv1 } = setUp();
    const call = { values: ['a', 'b'], dimensions: 8, ...option({ truncate: true }) };
    const { embeddings } = await slashv1.embeddingModel('embedding').doEmbed(call);
    expect(embeddings.map((vector) => Array.isArray(vector))).toEqual([true, true]);
    expect(inference.requestsOf('embedding')).toMatchObject([
      { inputs: ['a', 'b'], dimensions: 8, truncate: true },
    ]);
  });
});

describe('a reranking model', () => {
  it('reads objects as JSON, and says so', async () => {
    const { inference, slashv1 } = setUp();
    const { ranking, warnings } = await slashv1.rerankingModel('rerank').doRerank({
      query: 'circle',
      documents: { type: 'object', values: [{ shape: 'circle' }] },
      topN: 1,
    });
    expect(ranking).toMatchObject([{ index: 0 }]);
    expect(warnings).toMatchObject([{ type: 'compatibility' }]);
    expect(inference.requestsOf('rerank')[0]!.documents).toEqual(['{"shape":"circle"}']);
  });

  it('refuses what the SDK does itself', async () => {
    const documents = { type: 'text' as const, values: ['a'] };
    const call = { query: 'a', documents, ...option({ return_documents: true }) };
    await expect(setUp().slashv1.rerankingModel('rerank').doRerank(call)).rejects.toThrow(
      'return_documents: providerOptions.slashv1 has no such option.',
    );
  });
});

describe('an image model', () => {
  const call: ImageModelV4CallOptions = {
    prompt: 'a star',
    n: 2,
    size: '256x512',
    aspectRatio: undefined,
    seed: 4,
    files: undefined,
    mask: undefined,
    providerOptions: { slashv1: { guidance_scale: 3 } },
  };

  it('passes on size, number, seed and its own options', async () => {
    const { inference, slashv1 } = setUp();
    const { images, warnings } = await slashv1.imageModel('image').doGenerate(call);
    expect(images).toHaveLength(2);
    expect(warnings).toEqual([]);
    expect(inference.requestsOf('image')).toMatchObject([
      { prompt: 'a star', width: 256, height: 512, n: 2, seed: 4, guidanceScale: 3 },
    ]);
  });

  it('names a size that it can’t draw', async () => {
    const model = setUp().slashv1.imageModel('image');
    expect(model.maxImagesPerCall).toBe(4);
    await expect(model.doGenerate({ ...call, size: '100x256' })).rejects.toThrow(/^size: /);
  });
});

describe('a transcription model', () => {
  it('passes on language and prompt, and gives words with their times', async () => {
    const { inference, slashv1 } = setUp({ transcript: { segments: ['Hello there'] } });
    const result = await slashv1.transcriptionModel('transcription').doGenerate({
      audio: Buffer.from('abc').toString('base64'),
      mediaType: 'audio/wav',
      timestampGranularities: ['word'],
      ...option({ language: 'de', prompt: 'Names' }),
    });
    const times = { startSecond: expect.any(Number), endSecond: expect.any(Number) };
    expect(result).toMatchObject({
      text: 'Hello there',
      language: 'de',
      segments: [{ text: 'Hello there', ...times }],
      words: [
        { text: 'Hello', ...times },
        { text: 'there', ...times },
      ],
    });
    expect(inference.requestsOf('transcription')).toMatchObject([
      { language: 'de', prompt: 'Names', wordTimestamps: true },
    ]);
  });
});

describe('a transcription model with options', () => {
  const audio = new TextEncoder().encode('abc');
  const ask = async (options: Record<string, string | boolean>) => {
    const { inference, slashv1 } = setUp({ transcript: { segments: ['Hello there'] } });
    const model = slashv1.transcriptionModel('transcription');
    const result = await model.doGenerate({ audio, mediaType: 'audio/wav', ...option(options) });
    return { result, request: inference.requestsOf('transcription')[0] };
  };

  it('translates', async () => {
    expect((await ask({ task: 'translate' })).request).toMatchObject({ task: 'translate' });
  });

  it('tells who speaks', async () => {
    const { result, request } = await ask({ diarize: true });
    expect(request).toMatchObject({ diarize: true });
    expect(result.providerMetadata).toMatchObject({ slashv1: { speakerSegments: expect.any(Array) } });
  });
});

describe('a speech model', () => {
  it('speaks by the voice of its settings unless the call names another', async () => {
    const { inference, slashv1 } = setUp();
    const model = slashv1.speechModel('speech');
    await model.doGenerate({ text: 'Hello' });
    await model.doGenerate({ text: 'Hello', voice: 'af_heart', speed: 2, outputFormat: 'pcm' });
    expect(inference.requestsOf('speech')).toMatchObject([
      { voice: 'am_adam', format: 'wav' },
      { voice: 'af_heart', speed: 2, format: 'pcm' },
    ]);
  });

  it('names a format that doesn’t exist, and warns of what it leaves out', async () => {
    const model = setUp().slashv1.speechModel('speech');
    await expect(model.doGenerate({ text: 'Hello', outputFormat: 'tape' })).rejects.toThrow(
      /^response_format: /,
    );
    const { warnings } = await model.doGenerate({ text: 'Hello', language: 'en' });
    expect(warnings).toEqual([{ type: 'unsupported', feature: 'language' }]);
  });

  it('passes on a refusal', async () => {
    const { slashv1 } = setUp({
      speech: () => {
        throw fieldError('voice', 'expected another one');
      },
    });
    await expect(slashv1.speechModel('speech').doGenerate({ text: 'Hello' })).rejects.toThrow(/^voice: /);
  });
});
