import { default as wavefile } from 'wavefile';
import { describe, expect, it } from 'vitest';
import type { ChatRequest, ChatRequestInput } from '../../src/categories/chat/request.ts';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import type { Category } from '../../src/categories/registry.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../src/testing/fake-inference.ts';

async function eventsOf(
  options: FakeInferenceOptions,
  request: Partial<ChatRequestInput> = {},
): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  const messages = [{ role: 'user', content: 'Hello there' }] as const;
  const chat = createFakeInference(options).chat({ model: 'fake-chat', messages, ...request });
  for await (const event of chat) events.push(event);
  return events;
}

async function all<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const found: Event[] = [];
  for await (const event of events) found.push(event);
  return found;
}

describe('createFakeInference', () => {
  it('answers by script', async () => {
    const reply = { reasoning: 'let me', text: 'a b', toolCalls: [{ name: 'f', arguments: { a: 1 } }] };
    expect(await eventsOf({ reply })).toEqual([
      { type: 'prompt-end', promptTokens: 2 },
      { type: 'reasoning-delta', choice: 0, text: 'let' },
      { type: 'reasoning-delta', choice: 0, text: ' me' },
      { type: 'text-delta', choice: 0, text: 'a' },
      { type: 'text-delta', choice: 0, text: ' b' },
      { type: 'tool-call-start', choice: 0, call: 0, id: 'call_0_0', name: 'f' },
      { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{"a":1}' },
      { type: 'choice-end', choice: 0, finishReason: 'tool_calls' },
      { type: 'usage', promptTokens: 2, cachedTokens: 0, completionTokens: 5, reasoningTokens: 2 },
    ]);
  });

  it('repeats the last message by default', async () => {
    const texts = (await eventsOf({})).flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
    expect(texts.join('')).toBe('Hello there');
  });

  it('asks a function for each choice', async () => {
    const events = await eventsOf(
      { reply: (request, choice) => `${request.seed} ${choice}` },
      { n: 2, seed: 9 },
    );
    expect(events.filter((event) => event.type === 'text-delta')).toMatchObject([
      { choice: 0, text: '9' },
      { choice: 1, text: '9' },
      { choice: 0, text: ' 0' },
      { choice: 1, text: ' 1' },
    ]);
  });

  it.each<[Partial<ChatRequestInput>, object[]]>([
    [{ maxTokens: 1 }, [{ type: 'reasoning-delta' }, { type: 'choice-end', finishReason: 'length' }]],
    [
      { includeReasoning: false, toolChoice: 'none' },
      [{ type: 'text-delta' }, { type: 'choice-end', finishReason: 'stop' }],
    ],
  ])('follows %j', async (request, expected) => {
    const reply = { reasoning: 'r', text: 't', toolCalls: [{ name: 'f', arguments: '{}' }] };
    const events = await eventsOf({ reply }, request);
    expect(events.slice(1, -1)).toMatchObject(expected);
    expect(events).toHaveLength(expected.length + 2);
  });

  it('takes the next answer of a list for every request that is answered', async () => {
    const call = { name: 'f', arguments: '{}' };
    const reply = [
      { toolCalls: [call] },
      'second',
      ({ messages }: ChatRequest) => `${messages.length} messages`,
    ];
    const inference = createFakeInference({ reply });
    const ask = async (more: object = {}): Promise<string[]> => {
      const messages = [{ role: 'user', content: 'Hi' } as const];
      const events = await all(inference.chat({ model: 'fake-chat', messages, ...more }));
      return events.flatMap((event) =>
        event.type === 'text-delta' ? [event.text] : event.type === 'tool-call-start' ? [event.name] : [],
      );
    };
    expect(await ask()).toEqual(['f']);
    expect(await ask({ stopAfter: 'encoding' })).toEqual([]);
    expect(await ask({ n: 2 })).toEqual(['second', 'second']);
    expect((await ask()).join('')).toBe('1 messages');
    await expect(ask()).rejects.toThrow('reply: expected at most 3 requests, got one more');
  });

  it('fails where it is told to', async () => {
    const error = new Error('boom');
    await expect(eventsOf({ reply: { error } })).rejects.toBe(error);
    await expect(eventsOf({ reply: { text: 'a', error, failAfter: 2 } })).rejects.toBe(error);
  });

  it('refuses what the real one refuses', async () => {
    await expect(eventsOf({}, { model: 'nope' })).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(eventsOf({}, { temperature: 3 })).rejects.toMatchObject({ param: 'temperature' });
  });

  it('finds what it is told to find', async () => {
    const nothing = createFakeInference({ models: [{ id: 'eyes', category: 'detection' }] });
    expect(await nothing.detect({ model: 'eyes', image: 'AAAA' })).toEqual({
      detections: [],
      image: { width: 1, height: 1 },
    });
    const image = { width: 64, height: 48 };
    const blind = createFakeInference({
      models: [{ id: 'eyes', category: 'detection' }],
      detections: ({ maxDetections }) => ({ detections: [], image: { ...image, height: maxDetections } }),
    });
    const result = await blind.detect({ model: 'eyes', image: 'AAAA', maxDetections: 7 });
    expect(result.image).toEqual({ width: 64, height: 7 });
    expect(blind.requestsOf('detection')).toMatchObject([{ image: 'AAAA', confidence: 0.25 }]);
    expect([blind.calls.length, blind.running]).toEqual([1, 0]);
    await expect(blind.detect({ model: 'none', image: 'AAAA' })).rejects.toMatchObject({
      code: 'model_not_found',
    });
    await expect(blind.detect({ model: 'eyes', image: '' })).rejects.toMatchObject({ param: 'image' });
  });

  it('refuses an option that no run has, as an inference does', async () => {
    const events = createFakeInference().chat({ model: 'fake-chat', messages: [] }, {
      category: 'chat',
    } as never);
    await expect(all(events)).rejects.toMatchObject({ code: 'invalid_request', param: 'category' });
  });

  it('hears what it is told to hear', async () => {
    const models = [{ id: 'ears', category: 'transcription', languages: ['en', 'de'] }] as const;
    const deaf = createFakeInference({ models });
    const audio = { path: 'a.wav' };
    expect(await all(deaf.transcribe({ model: 'ears', audio }))).toEqual([
      { type: 'transcription-end', language: 'en', durationSeconds: 0 },
    ]);
    const inference = createFakeInference({
      models,
      transcript: ({ prompt }) => ({ segments: ['A red circle.', prompt ?? ''], durationSeconds: 9 }),
    });
    const request = { model: 'ears', audio, language: 'de', prompt: 'Two', wordTimestamps: true };
    const words = [
      { word: 'A', startSeconds: 0, endSeconds: 0.5 },
      { word: 'red', startSeconds: 0.5, endSeconds: 1 },
      { word: 'circle.', startSeconds: 1, endSeconds: 1.5 },
    ];
    expect(await all(inference.transcribe(request))).toMatchObject([
      { segment: { id: 0, text: ' A red circle.', startSeconds: 0, endSeconds: 1.5, words } },
      { segment: { id: 1, text: ' Two', startSeconds: 1.5, endSeconds: 2 } },
      { type: 'transcription-end', language: 'de', durationSeconds: 9 },
    ]);
    expect(inference.requestsOf('transcription')).toMatchObject([{ prompt: 'Two', temperature: 0 }]);
    expect([inference.calls.length, inference.running, inference.cancelled]).toEqual([1, 0, 0]);
    for (const [fault, expected] of [
      [{ language: 'tlh' }, { param: 'language' }],
      [{ temperature: 2 }, { param: 'temperature' }],
      [{ model: 'none' }, { code: 'model_not_found' }],
    ] as const) {
      await expect(all(inference.transcribe({ ...request, ...fault }))).rejects.toMatchObject(expected);
    }
  });

  it('speaks as it is told to speak', async () => {
    const voices = ['zoe', 'max'].map((id) => ({ id, name: id, language: 'en-US' }));
    const inference = createFakeInference({ models: [{ id: 'mouth', category: 'speech', voices }] });
    const request = { model: 'mouth', input: 'a red circle', voice: 'zoe+max' };
    const events = await all(inference.speak(request));
    const pieces = events.flatMap((event) => (event.type === 'audio' ? [event.bytes] : []));
    const wave = new wavefile.WaveFile(Buffer.concat(pieces)) as unknown as {
      fmt: { sampleRate: number; numChannels: number };
      data: { samples: Uint8Array };
    };
    expect(wave.fmt).toMatchObject({ sampleRate: 24_000, numChannels: 1 });
    expect(wave.data.samples.length).toBe(3 * 2 * 2400);
    expect(events[0]).toEqual({ type: 'speech-start', mediaType: 'audio/wav', sampleRateHz: 24_000 });
    expect(events.at(-1)).toEqual({ type: 'speech-end', durationSeconds: expect.closeTo(0.3, 9) });
    expect(inference.requestsOf('speech')).toMatchObject([{ speed: 1, format: 'wav' }]);
    expect(await all(inference.speak({ ...request, format: 'pcm' }))).toHaveLength(5);
    for (const [fault, expected] of [
      [{ voice: 'zoe+nobody' }, { param: 'voice' }],
      [{ format: 'mp3' }, { param: 'response_format' }],
      [{ speed: 9 }, { param: 'speed' }],
      [{ model: 'none' }, { code: 'model_not_found' }],
    ] as const) {
      await expect(all(inference.speak({ ...request, ...fault }))).rejects.toMatchObject(expected);
    }
  });

  it.each([0, 1, 2])('fails to hear and to speak after %d pieces', async (failAfter) => {
    const error = new Error('boom');
    const inference = createFakeInference({
      models: [
        { id: 'ears', category: 'transcription' },
        { id: 'mouth', category: 'speech' },
      ],
      transcript: { segments: ['a', 'b'], error, failAfter },
      speech: { error, failAfter },
    });
    let heard = 0;
    const hearing = async () => {
      for await (const _ of inference.transcribe({ model: 'ears', audio: new Uint8Array(1) })) heard += 1;
    };
    await expect(hearing()).rejects.toBe(error);
    expect(heard).toBe(failAfter);
    await expect(all(inference.speak({ model: 'mouth', input: 'a b' }))).rejects.toBe(error);
    expect(inference.running).toBe(0);
  });

  it('notes requests and those that are left', async () => {
    const inference = createFakeInference({ reply: 'a b c' });
    for await (const event of inference.chat({
      model: 'fake-chat',
      messages: [{ role: 'user', content: 'x' }],
    })) {
      expect(inference.running).toBe(1);
      if (event.type === 'text-delta') break;
    }
    expect([inference.running, inference.cancelled, inference.requests.length]).toEqual([0, 1, 1]);
  });
});

describe('a script that can not be played', () => {
  it.each<[object, RegExp]>([
    [{ transcript: 7 }, /^transcript: expected a text, \{ segments/],
    [
      { transcript: { segments: [{ text: 'Hi' }] } },
      /^transcript\.segments\[0\]: expected a string, got an object/,
    ],
    [{ transcript: { text: 'Hi' } }, /^transcript/],
    [{ reply: { text: 7 } }, /^reply\.text: expected a string, got 7/],
    [{ reply: { toolCalls: [{ name: 'f' }] } }, /^reply\.toolCalls\[0\]\.arguments: /],
    [{ reply: null }, /^reply: /],
    [{ reply: ['a', { text: 7 }] }, /^reply\[1\]\.text: expected a string, got 7/],
    [{ reply: ['a', 7] }, /^reply\[1\]: expected a text, /],
    [{ drawing: { delay: 3 } }, /^drawing: .*delay/],
    [{ detections: [] }, /^detections: expected an object/],
    [{ embeddings: { embeddings: [] } }, /^embeddings: expected a function/],
    [{ ranking: [] }, /^ranking: expected a function/],
  ])('%j', (options, message) => {
    expect(() => createFakeInference(options)).toThrow(TypeError);
    expect(() => createFakeInference(options)).toThrow(message);
  });

  it.each<[Category, object, object, RegExp]>([
    [
      'transcription',
      { transcript: () => ({ segments: [1] }) },
      { audio: { path: 'a' } },
      /^transcript\.segments\[0\]: /,
    ],
    ['chat', { reply: () => 7 }, { messages: [{ role: 'user', content: 'Hi' }] }, /^reply: /],
    ['speech', { speech: () => 7 }, { input: 'Hi' }, /^speech: /],
    ['image', { drawing: () => 7 }, { prompt: 'Hi' }, /^drawing: /],
    [
      'embedding',
      { embeddings: () => ({ embeddings: [[1]], promptTokens: 1 }) },
      { input: 'Hi' },
      /^embeddings\.embeddings\[0\]: expected a Float32Array/,
    ],
    ['rerank', { ranking: () => [] }, { query: 'Hi', documents: ['a'] }, /^ranking: /],
    [
      'detection',
      { detections: () => ({}) },
      { image: 'https://example.com/a.jpg' },
      /^detections\.detections: /,
    ],
  ])('of a function for %s', async (category, options, request, message) => {
    const inference = createFakeInference({ models: [{ id: 'm', category }], ...options });
    const events = inference.run(category, { model: 'm', ...request } as never);
    await expect(all(events)).rejects.toThrow(message);
  });
});
