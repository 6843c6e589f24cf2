import { describe, expect, it, vi } from 'vitest';
import { pcm } from './audio.ts';
import { InferenceError } from '../../src/errors.ts';
import { VoiceSession } from '../../src/realtime/agent/session.ts';
import { voice } from '../../src/realtime/agent/voice.ts';
import { converse, parts, respond, say, update, utterance } from './support.ts';

const typesOf = (events: readonly any[]): string[] => events.map(({ type }) => type);
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
/** A word every 20 ms. */
const slow = (words: number) => ({ text: 'Well. '.repeat(words), delayMs: 20 });

it.each(['whisper-1', 'gpt-4o-transcribe', 'gpt-transcribe', 'gpt-live-transcribe', 'gpt-realtime-whisper'])(
  'the hosted recognizer %s means the own one',
  async (model) => {
    const { send, next } = converse();
    send(update({ audio: { input: { transcription: { model } } } }));
    expect((await next('session.updated')).session.audio.input.transcription.model).toBe(parts.hears);
  },
);

describe('a spoken turn', () => {
  it('is heard, answered and spoken, in the order that clients know', async () => {
    const { events, send, speak, next, inference } = converse({ agent: { instructions: 'Be kind.' } });
    send(update({ audio: { input: { transcription: { model: 'gpt-4o-mini-transcribe' } } } }));
    speak();
    const { response } = await next('response.done');
    expect(typesOf(events).filter((type, index, all) => type !== all[index - 1])).toEqual([
      'session.created',
      'session.updated',
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'conversation.item.input_audio_transcription.delta',
      'conversation.item.input_audio_transcription.completed',
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_audio_transcript.delta',
      'response.output_audio.delta',
      'response.output_audio_transcript.delta',
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
    ]);
    expect(response).toMatchObject({
      status: 'completed',
      output: [
        { role: 'assistant', content: [{ type: 'output_audio', transcript: 'Good day. How are you?' }] },
      ],
    });
    expect(response.usage.total_tokens).toBe(response.usage.input_tokens + response.usage.output_tokens);
    expect(inference.requests[0]!.messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'hello' },
    ]);
    expect(inference.requestsOf('speech').map(({ input }) => input)).toEqual(['Good day. ', 'How are you?']);
  });

  it('of noise in which nobody says a word is none', async () => {
    const { events, speak, next } = converse({ transcript: '' });
    speak();
    await next('conversation.item.done');
    await later();
    expect(typesOf(events)).not.toContain('response.created');
  });

  it('ends an answer at once, and the rest of it is never spoken', async () => {
    const { events, send, speak, next, inference } = converse({ reply: slow(1000) });
    send(say('count'), respond());
    await next('response.output_audio.delta');
    speak(pcm([0.3, 0], [0.3, 0.4]));
    const { response } = await next('response.done');
    expect(response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'turn_detected' },
    });
    await vi.waitFor(() => expect(inference.running).toBe(0));
    const types = typesOf(events);
    const after = types.slice(types.indexOf('response.done'));
    expect(after.filter((type) => type.startsWith('response.output'))).toEqual([]);
  });

  it('goes on over pauses until its text ends as a sentence does', async () => {
    const heard = ['I would like', 'a red circle.'];
    const { send, speak, next, inference } = converse({ transcript: () => heard.shift()! });
    send(update({ audio: { input: { turn_detection: { type: 'semantic_vad' }, transcription: {} } } }));
    speak(Buffer.concat([utterance, utterance]));
    const { transcript } = await next('conversation.item.input_audio_transcription.completed');
    expect(transcript).toBe('I would like a red circle.');
    await next('response.done');
    expect(inference.requests).toHaveLength(1);
  });

  it.each([
    ['high', 2],
    ['low', 8],
  ])('that may go on ends after silence, by an eagerness of %s', async (eagerness, seconds) => {
    const { events, send, speak, next } = converse({ transcript: 'I would' });
    send(update({ audio: { input: { turn_detection: { type: 'semantic_vad', eagerness } } } }));
    speak();
    await later();
    speak(pcm([seconds - 1, 0]));
    await later();
    expect(typesOf(events)).not.toContain('input_audio_buffer.committed');
    speak(pcm([1, 0]));
    await next('input_audio_buffer.committed');
  });

  it('is committed by hand where turns are not detected', async () => {
    const { events, send, speak, next } = converse();
    send(update({ audio: { input: { turn_detection: null } } }));
    speak();
    send({ type: 'input_audio_buffer.commit', event_id: 'c1' });
    await next('conversation.item.done');
    expect(typesOf(events)).not.toContain('response.created');
    send({ type: 'input_audio_buffer.commit', event_id: 'c2' });
    expect((await next('error')).error).toMatchObject({
      code: 'input_audio_buffer_commit_empty',
      event_id: 'c2',
    });
    send(respond());
    expect((await next('response.done')).response.status).toBe('completed');
  });
});

describe('an answer', () => {
  it('of text is not spoken', async () => {
    const { events, send, next, inference } = converse();
    send(update({ output_modalities: ['text'] }), say('hi'), respond());
    const { response } = await next('response.done');
    expect(response.output[0].content).toEqual([{ type: 'output_text', text: 'Good day. How are you?' }]);
    expect(inference.requestsOf('speech')).toEqual([]);
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe('Good day. How are you?');
  });

  it.each([
    ['audio/pcm', 24_000, 2],
    ['audio/pcmu', 8000, 1],
    ['audio/pcma', 8000, 1],
  ])('has the format %s', async (type, rate, sampleBytes) => {
    const { events, send, next } = converse({ reply: { text: 'one two three four.' } });
    send(update({ audio: { output: { format: { type } } } }), say('hi'), respond());
    await next('response.done');
    const audio = events.filter((event) => event.type === 'response.output_audio.delta');
    const bytes = audio.reduce((sum, { delta }) => sum + Buffer.from(delta, 'base64').length, 0);
    // A tenth of a second for each word.
    expect(bytes).toBe(0.4 * rate * sampleBytes);
  });

  it('calls functions, and goes on with their results', async () => {
    const replies = [
      { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Paris"}' }] },
      { text: 'It is sunny.' },
    ];
    const { send, next, inference } = converse({ reply: () => replies.shift()! as never });
    const tool = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } };
    send(update({ tools: [tool], tool_choice: 'auto' }), say('weather?'), respond());
    const { call_id, name, arguments: given } = await next('response.function_call_arguments.done');
    expect([name, given]).toEqual(['get_weather', '{"city":"Paris"}']);
    expect((await next('response.done')).response.output).toMatchObject([{ type: 'function_call', call_id }]);
    send(
      { type: 'conversation.item.create', item: { type: 'function_call_output', call_id, output: 'sunny' } },
      respond(),
    );
    await next('response.done');
    expect(inference.requests[1]!.messages.slice(1)).toMatchObject([
      { role: 'assistant', toolCalls: [{ id: call_id, name: 'get_weather' }] },
      { role: 'tool', toolCallId: call_id, content: 'sunny' },
    ]);
  });

  it('is one at a time within the conversation, and any number apart from it', async () => {
    const { send, next, events } = converse({ reply: slow(3) });
    send(say('hi'), respond(), { ...respond(), event_id: 'second' });
    expect((await next('error')).error).toMatchObject({
      code: 'conversation_already_has_active_response',
      event_id: 'second',
    });
    send(respond({ conversation: 'none', metadata: { topic: 'a' }, input: [say('aside').item] }));
    const done = [await next('response.done'), await next('response.done')];
    const apart = done.find(({ response }) => response.conversation_id === null);
    expect(apart.response.metadata).toEqual({ topic: 'a' });
    const added = events.filter(({ type }) => type === 'conversation.item.added');
    expect(added.map(({ item }) => item.role)).toEqual(['user', 'assistant']);
  });

  it('counts fields that are null as left out', async () => {
    const { send, next } = converse();
    const nothing = { instructions: null, output_modalities: null, tools: null, metadata: null };
    send(
      update({
        instructions: null,
        tools: null,
        audio: { output: { voice: null }, input: { noise_reduction: null } },
      }),
    );
    send(say('hi'), respond(nothing));
    expect((await next('response.done')).response.status).toBe('completed');
  });

  it('is cancelled by the client', async () => {
    const { send, next } = converse({ reply: slow(1000) });
    send(say('hi'), respond());
    await next('response.created');
    send({ type: 'response.cancel' });
    expect((await next('response.done')).response.status_details).toEqual({
      type: 'cancelled',
      reason: 'client_cancelled',
    });
    send({ type: 'response.cancel' });
    expect((await next('error')).error.code).toBe('response_cancel_not_active');
  });

  it('leaves the oldest items out where the model holds no more', async () => {
    const full = new InferenceError('context_length_exceeded', 'Too long.');
    const reply = ({ messages }: any) => (messages.length > 3 ? { error: full } : { text: 'Fine.' });
    const { send, next, inference } = converse({ reply: reply as never });
    for (let count = 0; count < 8; count++) send(say(`${count}`));
    send(respond());
    expect((await next('response.done')).response.status).toBe('completed');
    expect(inference.requests.at(-1)!.messages.map(({ content }) => content)).toEqual(['5', '6', '7']);
    send(update({ truncation: 'disabled' }), respond());
    expect((await next('response.done')).response).toMatchObject({
      status: 'failed',
      status_details: { type: 'failed', error: { code: 'context_length_exceeded' } },
    });
  });
});

describe('the items of a conversation', () => {
  const idsOf = (inference: ReturnType<typeof converse>['inference']) =>
    inference.requests.at(-1)!.messages.map(({ content }) => content);

  it('are created where the client says, retrieved and deleted', async () => {
    const { send, next, inference } = converse();
    send(
      say('b', 'b'),
      { ...say('a', 'a'), previous_item_id: 'root' },
      { ...say('c', 'c'), previous_item_id: 'b' },
    );
    send(say('d', 'd'), { type: 'conversation.item.delete', item_id: 'd' });
    expect((await next('conversation.item.deleted')).item_id).toBe('d');
    send({ type: 'conversation.item.retrieve', item_id: 'b' });
    expect((await next('conversation.item.retrieved')).item.content).toEqual([
      { type: 'input_text', text: 'b' },
    ]);
    send(respond());
    await next('response.done');
    expect(idsOf(inference)).toEqual(['a', 'b', 'c']);
  });

  it('keep only what was heard of an answer', async () => {
    const { send, next, inference } = converse({ reply: { text: 'One two three four five. Six seven.' } });
    send(say('count'), respond());
    const { item } = await next('response.output_item.done');
    await next('response.done');
    send({ type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: 250 });
    await next('conversation.item.truncated');
    send(say('go on'), respond());
    await next('response.done');
    expect(idsOf(inference)).toEqual(['count', 'One two', 'go on']);
  });

  it('have their audio written down', async () => {
    const { send, next, inference } = converse();
    const content = [{ type: 'input_audio', audio: utterance.toString('base64') }];
    send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } }, respond());
    await next('response.done');
    expect(idsOf(inference)).toEqual(['hello']);
  });

  it('have no more recordings in a message than may wait', async () => {
    const { send, next, inference } = converse();
    const part = { type: 'input_audio', audio: Buffer.alloc(2).toString('base64') };
    const said = { type: 'message', role: 'user', content: Array.from({ length: 11 }, () => part) };
    send(respond({ conversation: 'none', input: [said, said, said] }));
    expect((await next('error')).error).toMatchObject({
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
    });
    await expect.poll(() => inference.requestsOf('transcription').length).toBe(32);
    await expect.poll(() => inference.running).toBe(0);
    send(respond({ conversation: 'none', input: [said, said] }));
    expect((await next('response.done')).response.status).toBe('completed');
  });

  it.each([
    [{ type: 'conversation.item.retrieve', item_id: 'x' }, 'item_id'],
    [{ type: 'conversation.item.delete', item_id: 'x' }, 'item_id'],
    [{ ...say('a'), previous_item_id: 'x' }, 'previous_item_id'],
    [{ type: 'conversation.item.truncate', item_id: 'u', content_index: 0, audio_end_ms: 1 }, 'item_id'],
    [
      { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'x', output: '' } },
      'item.call_id',
    ],
    [say('again', 'u'), 'item.id'],
    [
      respond({ input: Array.from({ length: 2 }, () => ({ type: 'item_reference', id: 'u' })) }),
      'response.input',
    ],
    [{ type: 'input_audio_buffer.append', audio: '!' }, 'audio'],
    [{ type: 'session.update', session: { type: 'transcription' } }, 'session.type'],
    [update({ model: 'other' }), 'session.model'],
    [update({ tools: [{ type: 'mcp', server_label: 'x' }] }), 'session.tools[0].type'],
    [
      update({ audio: { input: { noise_reduction: { type: 'near_field' } } } }),
      'session.audio.input.noise_reduction',
    ],
    [{ type: 'bogus' }, 'type'],
  ])('%j is refused, and the session goes on', async (event, param) => {
    const { send, next } = converse();
    send(say('hi', 'u'), { ...event, event_id: 'e' });
    expect((await next('error')).error).toMatchObject({ param, event_id: 'e' });
    send(respond());
    expect((await next('response.done')).response.status).toBe('completed');
  });
});

describe('the bytes that a session holds', () => {
  /** A session in which no more than so many bytes may be held. */
  function open(most: number) {
    const held: number[] = [];
    const events: any[] = [];
    const model = voice(parts);
    const facts = { created: 0, ownedBy: 'slashv1', contextLength: 0, inputModalities: undefined };
    const info = { id: 'agent', name: 'agent', category: model.category, ...facts, agent: model };
    const session = new VoiceSession(info, {
      maxBufferBytes: 2 ** 20,
      send: (event) => events.push(event),
      room: async () => {},
      hold(bytes) {
        if (bytes > most) throw new InferenceError('rate_limited', 'Too much.');
        held.push(bytes);
      },
      pace: () => {},
      fail: ({ code, message }) => ({ type: code, code, message, param: null }),
      findModel: () => info,
      async *run() {},
      limits: () => ({}),
    });
    const push = (...all: object[]): void => {
      for (const event of all) for (const _ of session.receive(event));
    };
    push(update({ audio: { input: { turn_detection: null } } }));
    return { held, events, push };
  }
  const append = (bytes: number) => ({
    type: 'input_audio_buffer.append',
    audio: Buffer.alloc(bytes).toString('base64'),
  });

  it('are asked for before audio is kept: what is refused is not held', () => {
    const { held, events, push } = open(1000);
    push(append(600), append(600));
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'rate_limited' } });
    push(append(300));
    expect(held.at(-1)).toBe(900);
  });

  it('are those of the items, as they come and go, with all of their fields', () => {
    const { held, events, push } = open(1500);
    const call = { type: 'function_call', id: 'f', name: 'n'.repeat(200), arguments: '' };
    push(say('a'.repeat(100), 'a'), { type: 'conversation.item.create', item: call });
    const [said, called] = events
      .filter(({ type }) => type === 'conversation.item.added')
      .map(({ item }) => JSON.stringify(item).length);
    expect(called).toBeGreaterThan(200);
    expect(held.at(-1)).toBe(2 * (said! + called!));
    push({ type: 'conversation.item.delete', item_id: 'f' });
    expect(held.at(-1)).toBe(2 * said!);
  });

  it('are asked for before an item is kept', () => {
    const { events, push } = open(1000);
    push(say('a'.repeat(100), 'a'), say('b'.repeat(300), 'b'));
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'rate_limited' } });
    push({ type: 'conversation.item.retrieve', item_id: 'b' });
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'invalid_request' } });
    push(say('b', 'b'));
    expect(events.at(-1)).toMatchObject({ type: 'conversation.item.done' });
  });

  it('have an end, however small the texts of the items are', () => {
    const { events, push } = open(Infinity);
    const call = { type: 'function_call', name: 'n'.repeat(2 ** 18), arguments: '' };
    push(...Array.from({ length: 3 }, () => ({ type: 'conversation.item.create', item: call })));
    const kept = events.filter(({ type }) => type === 'conversation.item.added');
    expect(kept.length).toBe(1);
    expect(events.at(-1).error.message).toMatch(/at most 524288 characters in a conversation/);
  });
});
