import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../src/errors.ts';
import { converse, parts, respond, say, update, utterance } from './support.ts';

const hearing = (transcription: object) => update({ audio: { input: { transcription } } });
const voices = ['af_heart', 'am_adam'].map((id) => ({ id, name: id, language: 'en-US' }));
const models = (ears: object = {}) =>
  [
    { id: 'ears', category: 'transcription', languages: ['de', 'en'], takesPrompt: true, ...ears },
    { id: 'mind', category: 'chat' },
    { id: 'mouth', category: 'speech', voices },
  ] as never;

describe('how speech is transcribed', () => {
  it('keywords end the prompt, and one language may be given as a list', async () => {
    const { send, speak, next, inference } = converse({ models: models() });
    send(hearing({ prompt: 'A call.', keywords: ['Zoë', 'ACME'], languages: ['de'] }));
    expect((await next('session.updated')).session.audio.input.transcription).toEqual({
      model: parts.hears,
      language: 'de',
      prompt: 'A call.',
      keywords: ['Zoë', 'ACME'],
    });
    speak();
    await next('response.done');
    expect(inference.requestsOf('transcription')[0]).toMatchObject({
      prompt: 'A call. Zoë, ACME.',
      language: 'de',
    });
  });

  it('the transcript grows by deltas', async () => {
    const { send, speak, next, events } = converse({
      transcript: { segments: ['One.', ' Two.', ' Three.'] },
    });
    send(hearing({}));
    speak();
    const { transcript } = await next('conversation.item.input_audio_transcription.completed');
    const deltas = events.filter(({ type }) => type === 'conversation.item.input_audio_transcription.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(transcript);
    expect(transcript).toBe('One. Two. Three.');
  });

  it.each([
    [{ language: 'fr' }, {}, 'session.audio.input.transcription.language'],
    [{ language: 'en' }, { languages: [] }, 'session.audio.input.transcription.language'],
    [{ languages: ['de', 'en'] }, {}, 'session.audio.input.transcription.languages'],
    [{ keywords: ['a'] }, { takesPrompt: false }, 'session.audio.input.transcription.keywords'],
    [{ prompt: 'a' }, { takesPrompt: false }, 'session.audio.input.transcription.prompt'],
  ])('%j is refused when it is set, by a model with %j', async (transcription, ears, param) => {
    const { send, next } = converse({ models: models(ears) });
    send(hearing(transcription));
    expect((await next('error')).error).toMatchObject({ type: 'invalid_request_error', param });
  });

  it.each(['en-US', 'German', 'auto'])('the language %s is one of en and de', async (language) => {
    const { send, next } = converse({ models: models() });
    send(hearing({ language }));
    await next('session.updated');
  });
});

describe('how an answer is made', () => {
  it.each([
    [{ audio: { output: { voice: 'bogus' } } }, 'audio.output.voice'],
    [{ tool_choice: { type: 'function', name: 'bogus' } }, 'tool_choice'],
  ])('%j is refused when it is set, for a session and for one response', async (fields, param) => {
    const { send, next, events } = converse({ models: models() });
    send(update(fields));
    expect((await next('error')).error.param).toMatch(new RegExp(`(^|\\.)${param}$`));
    send(say('hi'), respond(fields));
    expect((await next('error')).error.param).toMatch(new RegExp(`(^|\\.)${param}$`));
    expect(events.map(({ type }) => type)).not.toContain('response.created');
  });

  it.each(['am_adam', 'alloy', { id: 'af_heart' }, 'af_heart(2)+am_adam(1)'])(
    'the voice %j is taken',
    async (voice) => {
      const { send, next } = converse({ models: models() });
      send(update({ audio: { output: { voice } } }));
      await next('session.updated');
    },
  );

  it('the effort of reasoning is that of the chat model', async () => {
    const { send, next, inference } = converse();
    send(update({ reasoning: { effort: 'low' } }), say('hi'), respond());
    await next('response.done');
    send(respond({ reasoning: { effort: 'high' } }));
    await next('response.done');
    expect(inference.requests.map(({ reasoningEffort }) => reasoningEffort)).toEqual(['low', 'high']);
  });

  it('a share of the items stays if the model can hold no more', async () => {
    const full = new InferenceError('context_length_exceeded', 'Too long.');
    const reply = ({ messages }: any) => (messages.length > 9 ? { error: full } : { text: 'Fine.' });
    const { send, next, inference } = converse({ reply: reply as never });
    for (let count = 0; count < 10; count++) send(say(`${count}`));
    send(update({ truncation: { type: 'retention_ratio', retention_ratio: 0.5 } }), respond());
    expect((await next('response.done')).response.status).toBe('completed');
    expect(inference.requests.at(-1)!.messages.map(({ content }) => content)).toEqual([
      '5',
      '6',
      '7',
      '8',
      '9',
    ]);
  });

  it('is incomplete, as its item is, if a limit has cut it', async () => {
    const { send, next } = converse({ reply: { text: 'One two three four five six.' } });
    send(say('count'), respond({ max_output_tokens: 3 }));
    const { response } = await next('response.done');
    expect(response).toMatchObject({ status: 'incomplete', output: [{ status: 'incomplete' }] });
  });

  it('counts its tokens when it is cancelled', async () => {
    const { send, next } = converse({ reply: { text: 'Well. '.repeat(1000), delayMs: 20 } });
    send(say('count to ten'), respond());
    await next('response.output_audio.delta');
    send({ type: 'response.cancel' });
    const { usage, status } = (await next('response.done')).response;
    expect(status).toBe('cancelled');
    expect(usage.input_tokens).toBe(3);
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
  });
});

describe('conversation.item.truncate', () => {
  const truncate = (item_id: string, audio_end_ms: number) => ({
    type: 'conversation.item.truncate',
    item_id,
    content_index: 0,
    audio_end_ms,
  });

  it('is an error after the end of the audio', async () => {
    const { send, next } = converse({ reply: { text: 'One two three.' } });
    send(say('count'), respond());
    const { item } = await next('response.output_item.done');
    await next('response.done');
    send(truncate(item.id, 301));
    expect((await next('error')).error.param).toBe('audio_end_ms');
    send(truncate(item.id, 300));
    await next('conversation.item.truncated');
  });

  it('is an error for a text, a call and an item of the user', async () => {
    const { send, next } = converse({ reply: { text: 'One.' } });
    send(say('count', 'u'), respond({ output_modalities: ['text'] }));
    const { item } = await next('response.output_item.done');
    for (const id of ['u', item.id]) {
      send(truncate(id, 0));
      expect((await next('error')).error.param).toBe('item_id');
    }
  });
});

it('an error has the same form as on a socket', async () => {
  const { send, next } = converse();
  send({ type: 'conversation.item.retrieve', item_id: 'x' });
  expect((await next('error')).error).toMatchObject({
    type: 'invalid_request_error',
    code: 'invalid_request',
  });
});

it('an item that was spoken is retrieved without its audio', async () => {
  const { send, speak, next } = converse();
  speak(utterance);
  const { item } = await next('conversation.item.done');
  await next('response.done');
  send({ type: 'conversation.item.retrieve', item_id: item.id });
  expect((await next('conversation.item.retrieved')).item.content).toEqual([
    { type: 'input_audio', transcript: 'hello' },
  ]);
});
