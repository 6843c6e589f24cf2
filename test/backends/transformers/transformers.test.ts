import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { transformers } from '../../../src/backends/transformers/backend.ts';
import { onnx } from '../../../src/backends/onnx/backend.ts';
import { openTextModel } from '../../../src/backends/transformers/chat/open-text-model.ts';
import {
  chat,
  collectTranscription,
  detection,
  embedding,
  speech,
  transcription,
  type ChatRequestInput,
} from '../../../src/categories/exports.ts';
import type { AnyModelOptions } from '../../../src/categories/registry.ts';
import { fadeEdgesInPlace } from '../../../src/core/speech/piece-audio.ts';
import { createInference } from '../../../src/inference.ts';
import { openModelFolder } from '../../../src/folder/model-folder.ts';
import { createTextTokenizer } from '../../../src/folder/tokenizer.ts';
import { readGolden, unpackMiniature, type TextGolden } from './unpack-miniature.ts';
import { createWaveform, toWav } from './waveform.ts';

const backend = transformers();

async function start(options: AnyModelOptions) {
  const inference = createInference({ models: { mini: options }, isolation: 'inline' });
  onTestFinished(() => inference.close());
  await inference.ready();
  return inference;
}

type Inference = Awaited<ReturnType<typeof start>>;

/** The texts of an answer's choices. */
async function answer(inference: Inference, request: Partial<ChatRequestInput>): Promise<string[]> {
  const texts: string[] = [];
  const messages = [{ role: 'user', content: 'Hello' }] as const;
  for await (const event of inference.chat({ model: 'mini', messages, maxTokens: 12, ...request })) {
    if (event.type === 'text-delta') texts[event.choice] = (texts[event.choice] ?? '') + event.text;
  }
  return texts;
}

function expectClose(values: ArrayLike<number>, expected: readonly number[], tolerance: number): void {
  expect(values.length).toBeGreaterThanOrEqual(expected.length);
  const worst = Math.max(...expected.map((value, at) => Math.abs(value - values[at]!)));
  expect(worst).toBeLessThan(tolerance);
}

function normalize(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** The picture of the generator. */
function createPicture(side: number): Promise<Buffer> {
  const pixels = Uint8Array.from({ length: side * side * 3 }, (_, at) => {
    const column = Math.floor(at / 3) % side;
    const row = Math.floor(at / 3 / side);
    return [column * 6, row * 10, (row + column) * 3][at % 3]! % 256;
  });
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
}

async function open(name: string) {
  const model = await openTextModel({ id: 'mini', source: unpackMiniature(name), backend });
  const decoder = await model.openDecoder({ contextLength: 128, maxRows: 1 });
  onTestFinished(() => decoder.release());
  return decoder;
}

test.each(['gpt2', 't5'] as const)('the logits of %s equal the reference, token by token', async (name) => {
  const golden = readGolden(name);
  const decoder = await open(name);
  const cache = decoder.createCache();
  // The decoder adds the tokenizer's end of a text where there is an encoder.
  const prompt = name === 't5' ? golden.prompt.slice(0, -1) : golden.prompt;
  let logits = await decoder.forward(cache, Int32Array.from(prompt), prompt.length);
  for (const [step, expected] of golden.logits.entries()) {
    expectClose(logits, expected, 1e-3);
    logits = await decoder.forward(cache, Int32Array.of(golden.tokens[step]!), 1);
  }
});

test.each(['gpt2', 't5'] as const)(
  'rows of a copied cache of %s go on as the sequence itself',
  async (name) => {
    const golden = readGolden(name);
    const decoder = await open(name);
    const cache = decoder.createCache();
    const prompt = golden.prompt.slice(0, name === 't5' ? -1 : undefined);
    await decoder.forward(cache, Int32Array.from(prompt), prompt.length);
    const both = await decoder.gather([
      { cache, row: 0 },
      { cache, row: 0 },
    ]);
    const [first] = golden.tokens;
    const logits = await decoder.forward(both, Int32Array.of(first!, first!), 1);
    expectClose(logits.subarray(0, decoder.vocabularySize), golden.logits[1]!, 1e-3);
    expectClose(logits.subarray(decoder.vocabularySize), golden.logits[1]!, 1e-3);
  },
);

test('the logits after each token of a piece equal the reference; an encoder gives none', async () => {
  const golden = readGolden('gpt2');
  const decoder = await open('gpt2');
  const cache = decoder.createCache();
  const tokens = Int32Array.from([...golden.prompt, ...golden.tokens]);
  await decoder.forwardAll!(cache, tokens.subarray(0, 5));
  const logits = await decoder.forwardAll!(cache, tokens.subarray(5));
  const size = decoder.vocabularySize;
  for (const [step, expected] of golden.logits.entries()) {
    const row = golden.prompt.length - 1 - 5 + step;
    expectClose(logits.subarray(row * size, (row + 1) * size), expected, 1e-3);
  }
  expect((await open('t5')).forwardAll).toBeUndefined();
});

test('a model without log probabilities of prompts refuses them', async () => {
  const inference = await start(chat({ source: unpackMiniature('t5'), backend }));
  const request = { model: 'mini', messages: [], prompts: ['a'], echo: 'logprobs' } as const;
  const first = inference.chat(request)[Symbol.asyncIterator]().next();
  await expect(first).rejects.toMatchObject({ code: 'unsupported_feature', param: 'echo' });
});

test('a beginning that two prompts share is computed once and gives the same logits', async () => {
  const golden = readGolden('gpt2');
  const decoder = await open('gpt2');
  expect(decoder.cutsSequences).toBe(true);
  const cache = decoder.createCache();
  await decoder.forward(cache, Int32Array.from(golden.prompt), golden.prompt.length);
  const cut = await decoder.gather([{ cache, row: 0, length: 10 }]);
  const rest = golden.prompt.slice(10);
  const logits = await decoder.forward(cut, Int32Array.from(rest), rest.length);
  expectClose(logits, golden.logits[0]!, 1e-3);
});

const textOf = ({ tokens }: TextGolden): string =>
  tokens
    .filter((token) => token >= 3)
    .map((token) => String.fromCharCode(token - 3 + 32))
    .join('');

test('chat at temperature 0 writes the tokens of the reference', async () => {
  const golden = readGolden('gpt2');
  const inference = await start(chat({ source: unpackMiniature('gpt2'), backend }));
  const greedy = { temperature: 0, repeatPenalty: 1, maxTokens: 16 };
  expect(await answer(inference, greedy)).toEqual([textOf(golden)]);
});

test('an encoder–decoder model without a template answers the text', async () => {
  const golden = readGolden('t5');
  const inference = await start(chat({ source: unpackMiniature('t5'), backend }));
  const messages = [{ role: 'user', content: golden.text }] as const;
  const greedy = { temperature: 0, repeatPenalty: 1, messages };
  expect(await answer(inference, greedy)).toEqual([textOf(golden)]);
});

test('decoderPrompt begins every answer for the model, and is no part of it', async () => {
  const { text } = readGolden('t5');
  const source = unpackMiniature('t5');
  const prompted = transformers({ decoderPrompt: textOf(readGolden('t5')).slice(0, 3) });
  const inference = await start(chat({ source, backend: prompted }));
  const messages = [{ role: 'user', content: text }] as const;
  const greedy = { temperature: 0, repeatPenalty: 1, maxTokens: 5, messages };
  expect(await answer(inference, greedy)).toEqual([textOf(readGolden('t5')).slice(3, 8)]);
});

test('a seed repeats several choices; stop sequences, grammars and prefixes act as everywhere', async () => {
  const inference = await start(chat({ source: unpackMiniature('gpt2'), backend }));
  const drawn = { n: 3, temperature: 1.5, seed: 5 };
  const once = await answer(inference, drawn);
  expect(new Set(once).size).toBe(3);
  expect(await answer(inference, drawn)).toEqual(once);
  const stop = once[0]!.slice(3, 5);
  expect(await answer(inference, { ...drawn, n: 1, stop: [stop] })).toEqual([
    once[0]!.slice(0, once[0]!.indexOf(stop)),
  ]);
  const schema = { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] };
  const responseFormat = { type: 'json-schema', schema: { ...schema, additionalProperties: false } } as const;
  const [json] = await answer(inference, { responseFormat, maxTokens: 40, temperature: 0 });
  expect(JSON.parse(json!)).toEqual({ a: expect.any(Boolean) as boolean });
});

test('one request runs at a time, and the settings of batches are refused', async () => {
  const source = unpackMiniature('gpt2');
  const loaded = await import('../../../src/loading/load-pipeline.ts');
  const pipeline = await loaded.loadPipeline({ id: 'mini', category: 'chat', source, backend });
  onTestFinished(() => pipeline.close());
  expect(pipeline.concurrency).toBe(1);
  expect(() => createInference({ models: { mini: chat({ source, backend, maxBatchSize: 2 }) } })).toThrow(
    'models.mini.maxBatchSize: a model with the backend transformers() has no such setting.',
  );
});

test('a recording becomes text by connectionist temporal classification, with the times of words', async () => {
  const golden = readGolden('wav2vec2');
  const inference = await start(transcription({ source: unpackMiniature('wav2vec2'), backend }));
  const audio = toWav(createWaveform());
  const result = await collectTranscription(
    inference.transcribe({ model: 'mini', audio, wordTimestamps: true }),
  );
  expect(result.text).toBe(golden.text);
  expect(result.durationSeconds).toBe(1);
  const words = result.segments.flatMap((segment) => segment.words ?? []);
  expect(words.map(({ word }) => word).join(' ')).toBe(golden.text);
  expect(words.at(-1)!.endSeconds).toBeLessThanOrEqual(1);
});

test.each(['moonshine', 'cohere-asr', 'speecht5-asr'] as const)(
  'a recording becomes text by an encoder and a decoder: %s',
  async (name) => {
    const { text, tokens, averageLogprob } = readGolden(name);
    const inference = await start(transcription({ source: unpackMiniature(name), backend }));
    const audio = toWav(createWaveform());
    const result = await collectTranscription(inference.transcribe({ model: 'mini', audio }));
    expect(result.text).toBe(text.trim());
    const [segment] = result.segments;
    expect(segment!.tokens).toEqual(tokens);
    if (averageLogprob !== undefined) expect(segment!.averageLogprob).toBeCloseTo(averageLogprob, 3);
  },
);

test.each([
  ['language', { language: 'de' }],
  ['prompt', { prompt: 'Before.' }],
  ['model', { task: 'translate' }],
  ['temperature', { temperature: 0.5 }],
  ['timestamp_granularities', { wordTimestamps: true }],
] as const)('a recognizer that cannot follow it refuses the %s', async (param, options) => {
  const inference = await start(transcription({ source: unpackMiniature('moonshine'), backend }));
  const audio = toWav(createWaveform());
  const result = collectTranscription(inference.transcribe({ model: 'mini', audio, ...options }));
  await expect(result).rejects.toMatchObject({ code: 'unsupported_feature', param });
});

test.each([backend, onnx()])('a text is spoken on $kind with the samples of the reference', async (one) => {
  const golden = readGolden('vits');
  const inference = await start(speech({ source: unpackMiniature('vits'), backend: one }));
  const parts: Uint8Array[] = [];
  for await (const event of inference.speak({ model: 'mini', input: golden.text, format: 'pcm' })) {
    if (event.type === 'audio') parts.push(event.bytes);
  }
  const bytes = Buffer.concat(parts);
  expect(bytes.length).toBe(golden.length * 2);
  const samples = Float32Array.from(
    { length: golden.samples.length },
    (_, at) => bytes.readInt16LE(2 * at) / 32768,
  );
  // Pieces of any model begin and end without a click.
  const whole = new Float32Array(golden.length);
  whole.set(golden.samples);
  const faded = fadeEdgesInPlace(whole, 0.005 * 16_000);
  const clipped = faded.subarray(0, golden.samples.length).map((sample) => Math.max(-1, Math.min(1, sample)));
  expectClose(samples, Array.from(clipped), 1e-3);
});

test.each([
  ['speed', { speed: 1.5 }, 'speed: expected 1 for this model, got 1.5.'],
  ['voice', { voice: 'nobody' }, 'voice: expected one of default, got "nobody".'],
] as const)('a voice without %s refuses it', async (_, options, message) => {
  const inference = await start(speech({ source: unpackMiniature('vits'), backend }));
  const events = inference.speak({ model: 'mini', input: 'bad cafe', ...options });
  await expect(async () => {
    for await (const event of events) expect(event.type).toBe('never');
  }).rejects.toThrow(message);
});

test('a detector finds what its words ask for, with the scores and boxes of the reference', async () => {
  const golden = readGolden('owlv2');
  const inference = await start(detection({ source: unpackMiniature('owlv2'), backend }));
  const request = { model: 'mini', image: new Uint8Array(await createPicture(32)), confidence: 0.01 };
  const { detections } = await inference.detect({ ...request, classes: golden.words.join(', ') });
  const expected = golden.logits
    .map((logits, query) => {
      const best = Math.max(...logits);
      const [x, y, width, height] = golden.boxes[query] as [number, number, number, number];
      const edge = (value: number) => Math.max(0, Math.min(32, value * 32));
      return {
        className: golden.words[logits.indexOf(best)]!,
        score: 1 / (1 + Math.exp(-best)),
        box: [x - width / 2, y - height / 2, x + width / 2, y + height / 2].map(edge),
      };
    })
    .filter(({ score }) => score >= 0.01)
    .sort((a, b) => b.score - a.score);
  expect(detections.map(({ className }) => className)).toEqual(expected.map(({ className }) => className));
  for (const [index, { confidence, box }] of detections.entries()) {
    expect(confidence).toBeCloseTo(expected[index]!.score, 3);
    expectClose([box.x1, box.y1, box.x2, box.y2], expected[index]!.box, 0.05);
  }
  await expect(inference.detect(request)).rejects.toThrow(
    'classes: expected words for what to find, separated by commas, such as "cat, remote control".',
  );
});

test('texts and pictures have the vectors of the reference', async () => {
  const golden = readGolden('clip');
  const inference = await start(embedding({ source: unpackMiniature('clip'), backend }));
  const picture = `data:image/png;base64,${(await createPicture(32)).toString('base64')}`;
  const { embeddings, promptTokens } = await inference.embed({
    model: 'mini',
    input: [...golden.texts, picture],
  });
  const expected = [...golden.vectors, golden.picture].map(normalize);
  for (const [index, vector] of embeddings.entries()) expectClose(vector, expected[index]!, 1e-3);
  expect(promptTokens).toBe(golden.texts.reduce((sum, text) => sum + text.length + 2, 0));
  const long = 'a'.repeat(20);
  await expect(inference.embed({ model: 'mini', input: long })).rejects.toMatchObject({
    code: 'context_length_exceeded',
  });
  expect((await inference.embed({ model: 'mini', input: long, truncate: true })).promptTokens).toBe(16);
});

test('token ids of a model of texts and pictures have the vector of their text', async () => {
  const [text] = readGolden('clip').texts;
  const source = unpackMiniature('clip');
  const inference = await start(embedding({ source, backend, tokenIds: true, maxBatchTokens: 16 }));
  const ids = createTextTokenizer(await openModelFolder(source));
  const input = [...ids.frame.before, ...ids.encode(text!), ...ids.frame.after];
  const { embeddings: byText } = await inference.embed({ model: 'mini', input: [text!, 'b', text!] });
  const { embeddings: byIds, promptTokens } = await inference.embed({ model: 'mini', input });
  expectClose(byIds[0]!, [...byText[0]!], 1e-6);
  expectClose(byText[2]!, [...byText[0]!], 1e-6);
  expect(promptTokens).toBe(input.length);
});

test.each([
  [
    'a graph is missing',
    { remove: 'onnx/decoder_model_merged.onnx' },
    /can't load the model.*decoder_model_merged/,
  ],
  ['the architecture is unknown', { config: { model_type: 'nonesuch' } }, /can't load the model.*nonesuch/],
] as const)('loading says which part is at fault: %s', async (_, fault, message) => {
  const path = unpackMiniature('t5');
  if ('remove' in fault) rmSync(join(path, fault.remove));
  else {
    const config = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8')) as object;
    const changed = { ...config, ...fault.config, architectures: ['Nonesuch'] };
    writeFileSync(join(path, 'config.json'), JSON.stringify(changed));
  }
  const inference = createInference({
    models: { mini: chat({ source: path, backend }) },
    isolation: 'inline',
  });
  onTestFinished(() => inference.close());
  await expect(inference.ready()).rejects.toThrow(message);
});

test.each([
  [
    transcription,
    /no backend runs "gpt2" for transcription: onnx\(\) runs whisper,.*; transformers\(\) runs .*cohere_asr/,
  ],
  [speech, /no backend runs "gpt2" for speech: .*; transformers\(\) runs vits, speecht5, supertonic/],
  [
    detection,
    /no backend runs "gpt2" for detection: .*; transformers\(\) runs owlvit, owlv2, grounding-dino/,
  ],
  [
    embedding,
    /no backend runs "gpt2" for embedding: .*; transformers\(\) runs clip, siglip, siglip2, jina_clip/,
  ],
] as const)('a model of another kind is refused with the known ones', async (category, message) => {
  const source = unpackMiniature('gpt2');
  const inference = createInference({ models: { mini: category({ source, backend }) }, isolation: 'inline' });
  onTestFinished(() => inference.close());
  await expect(inference.ready()).rejects.toThrow(message);
});

test.each([
  [
    'cohere-asr',
    transcription,
    'onnx() runs no "cohere_asr" for transcription, expected transformers(), which does',
  ],
  [
    'wav2vec2',
    transcription,
    'onnx() runs no "wav2vec2" for transcription, expected transformers(), which does',
  ],
] as const)('%s is refused with the backend that runs it', (name, category, message) => {
  const models = { mini: category({ source: unpackMiniature(name) }) };
  expect(() => createInference({ models })).toThrow(`models.mini.backend: ${message}.`);
});

test('a Whisper is refused with the backend that runs it', () => {
  const models = { mini: transcription({ source: 'tiny-whisper', backend }) };
  expect(() => createInference({ models })).toThrow(
    'models.mini.backend: transformers() runs no "whisper" for transcription, expected onnx(), which does.',
  );
});

test('voiceActivity acts on recognizers of the package', async () => {
  const source = unpackMiniature('wav2vec2');
  const segmentsWith = async (voiceActivity: string) => {
    const inference = await start(transcription({ source, backend, voiceActivity }));
    const audio = toWav(createWaveform().map((sample) => sample / 1e5));
    return (await collectTranscription(inference.transcribe({ model: 'mini', audio }))).segments.length;
  };
  expect(await segmentsWith('energy')).toBe(0);
  expect(await segmentsWith('none')).toBe(1);
});
