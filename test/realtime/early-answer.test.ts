import { describe, expect, it, vi } from 'vitest';
import { pcm } from './audio.ts';
import { converse, respond, say, update } from './support.ts';

/** Speech, then a silence that may be a pause only. */
const paused = pcm([0.3, 0], [0.6, 0.4], [0.3, 0]);
const silence = pcm([0.5, 0]);
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
const answered = (events: readonly any[]): string[] =>
  events.map(({ type }) => type as string).filter((type) => type.startsWith('response.'));

describe('an answer that begins at a pause', () => {
  it('is shown when the turn has ended, and runs nothing twice', async () => {
    const { events, speak, next, inference } = converse();
    speak(paused);
    await expect.poll(() => inference.requestsOf('speech').map(({ input }) => input)).toEqual(['Good day. ']);
    await later();
    expect(answered(events)).toEqual([]);
    speak(silence);
    const { response } = await next('response.done');
    expect(response).toMatchObject({
      status: 'completed',
      output: [{ content: [{ transcript: 'Good day. How are you?' }] }],
    });
    expect(inference.requestsOf('transcription')).toHaveLength(1);
    expect(inference.requests).toHaveLength(1);
    expect(inference.requestsOf('speech').map(({ input }) => input)).toEqual(['Good day. ', 'How are you?']);
  });

  it('is dropped if the user continues', async () => {
    const heard = ['Stop', 'Stop the music'];
    const { events, speak, next, inference } = converse({
      transcript: () => heard.shift()!,
      reply: { text: 'Well. '.repeat(1000), delayMs: 5 },
    });
    speak(paused);
    await expect.poll(() => inference.requests.length).toBe(1);
    speak(pcm([0.6, 0.4]));
    await expect.poll(() => inference.running).toBe(0);
    expect(answered(events)).toEqual([]);
    speak(pcm([0.8, 0]));
    await next('response.output_audio.delta');
    const turns = inference.requests.map(({ messages }) => messages.map(({ content }) => content));
    expect(turns).toEqual([['Stop'], ['Stop the music']]);
  });

  it.each([
    ['an item', say('By the way.')],
    ['a setting', update({ instructions: 'Be brief.' })],
  ])('begins again after %s of the client', async (_what, event) => {
    const { send, speak, next, inference } = converse();
    speak(paused);
    await expect.poll(() => inference.requests.length).toBe(1);
    send(event);
    speak(silence);
    await next('response.done');
    expect(inference.requests).toHaveLength(2);
    const [early, used] = inference.requests.map(({ messages }) => messages.length);
    expect(used).toBe(early! + 1);
  });

  it('begins again if it has failed', async () => {
    const replies = [{ error: new Error('lost') }, { text: 'Fine.' }];
    const { speak, next } = converse({ reply: () => replies.shift()! as never });
    speak(paused);
    await later();
    speak(silence);
    expect((await next('response.done')).response.status).toBe('completed');
  });

  it('is cancelled like any other', async () => {
    const { speak, next, inference, send } = converse({ reply: { text: 'Well. '.repeat(1000), delayMs: 5 } });
    speak(paused);
    await expect.poll(() => inference.requests.length).toBe(1);
    speak(silence);
    await next('response.output_audio.delta');
    send({ type: 'response.cancel' });
    expect((await next('response.done')).response.status).toBe('cancelled');
    await vi.waitFor(() => expect(inference.running).toBe(0));
  });

  it.each([
    ['low', 0, 0],
    ['medium', 1, 0],
    ['high', 1, 1],
  ] as const)('needs an eagerness: %s', async (eagerness, transcriptions, answers) => {
    const { speak, next, inference } = converse({ agent: { eagerness } });
    speak(paused);
    await later();
    expect(inference.requestsOf('transcription')).toHaveLength(transcriptions);
    expect(inference.requests).toHaveLength(answers);
    speak(silence);
    expect((await next('response.done')).response.status).toBe('completed');
    expect(inference.requests).toHaveLength(1);
  });

  it('does not begin where the client creates answers', async () => {
    const { send, speak, inference } = converse();
    send(update({ audio: { input: { turn_detection: { type: 'server_vad', create_response: false } } } }));
    speak(paused);
    await later();
    expect(inference.requestsOf('transcription')).toHaveLength(1);
    expect(inference.requests).toEqual([]);
  });

  it('ends with the conversation', async () => {
    const { speak, talk, inference } = converse({ reply: { text: 'Well. '.repeat(1000), delayMs: 5 } });
    speak(paused);
    await expect.poll(() => inference.running).toBeGreaterThan(0);
    talk.close();
    await vi.waitFor(() => expect(inference.running).toBe(0));
  });
});

it('a long prompt is read while the user speaks, once', async () => {
  const { send, speak, next, inference } = converse({ agent: { instructions: 'Be kind. '.repeat(200) } });
  speak(pcm([0.3, 0], [0.6, 0.4]));
  await expect.poll(() => inference.requests.map(({ maxTokens }) => maxTokens)).toEqual([1]);
  speak(pcm([0.8, 0]));
  await next('response.done');
  speak(pcm([0.3, 0], [0.6, 0.4], [0.8, 0]));
  await next('response.done');
  expect(inference.requests).toHaveLength(3);
  send(say('So?'), respond());
  await next('response.done');
  expect(inference.requests).toHaveLength(4);
});
