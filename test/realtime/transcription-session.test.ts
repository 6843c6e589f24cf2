import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscriptionEvent } from '../../src/categories/transcription/events.ts';
import type { TranscriptionRequestInput } from '../../src/categories/transcription/request.ts';
import type { SessionCall } from '../../src/realtime/session.ts';
import { TranscriptionSession } from '../../src/realtime/transcription/session.ts';
import { transcribed } from '../../src/realtime/protocol.ts';
import { liveServerEventSchema } from '../../src/realtime/transcription/schema.ts';
import type { ModelInfo } from '../../src/contracts/model.ts';
import { InferenceError } from '../../src/errors.ts';
import { toErrorBody } from '../../src/http/error-responses.ts';
import { append, clear, commit, pcm, pieces, update } from './audio.ts';

function open(options: Partial<SessionCall> = {}) {
  const events: any[] = [];
  const requests: TranscriptionRequestInput[] = [];
  const session = new TranscriptionSession('ears', {
    maxBufferBytes: 2 ** 20,
    signal: new AbortController().signal,
    findModel(id) {
      if (id === 'deaf') throw new InferenceError('model_not_found', 'No such model.', { param: 'model' });
      return {} as ModelInfo;
    },
    hold: () => {},
    pace: () => {},
    fail: (error) => toErrorBody(error, 'req_1').error,
    send: (event) => events.push(event),
    async *run(request): AsyncGenerator<TranscriptionEvent> {
      requests.push(request as TranscriptionRequestInput);
      yield { type: 'transcription-end', language: undefined, durationSeconds: 0 };
    },
    ...options,
  });
  /** Requests since the last call, when they have ended. */
  const takeRequests = async () => {
    await session.settled();
    return requests.splice(0);
  };
  /** Events of the server since the last call, each valid. */
  const flush = (): any[] => {
    for (const event of events) liveServerEventSchema.parse(event);
    return events.splice(0);
  };
  const push = (...messages: unknown[]): any[] => {
    for (const message of messages) for (const _ of session.receive(message));
    return flush();
  };
  const speak = (bytes: Uint8Array, size?: number): any[] =>
    push(...pieces(bytes, size).map((piece) => append(piece)));
  const begin = (): any[] => {
    session.begin();
    return flush();
  };
  return { session, takeRequests, push, speak, begin, flush };
}

const segment = (text: string) =>
  ({ type: 'segment', segment: { text, tokens: [] as readonly number[] } }) as TranscriptionEvent;

/** Without the header of its WAV file. */
const bytesOf = ({ audio }: TranscriptionRequestInput): number => (audio as Uint8Array).length - 44;

const typesOf = (events: readonly any[]): string[] => events.map(({ type }) => type);
const byHand = update({ turn_detection: null });
const committed = ['input_audio_buffer.committed', 'conversation.item.added', 'conversation.item.done'];

describe('the bytes that a session holds', () => {
  const speech = pcm([0.5, 0.1]);

  it.each([
    ['are none after a clear', [clear], 0],
    ['are those of a commit until its utterance has ended', [commit], speech.length],
  ])('%s', async (_title, messages, expected) => {
    let held = NaN;
    const { session, push } = open({ hold: (bytes) => (held = bytes) });
    push(byHand, append(speech));
    expect(held).toBe(speech.length);
    push(...messages);
    expect(held).toBe(expected);
    await session.settled();
    expect(held).toBe(0);
  });

  it('are those of the last moments after silence', () => {
    let held = NaN;
    const { push } = open({ hold: (bytes) => (held = bytes) });
    for (let count = 0; count < 10; count++) push(append(pcm([1, 0])));
    expect(held).toBeLessThan(48_000);
  });
});

describe('an append is taken in slices', () => {
  // 0.2 s of sound and of silence, by turns.
  const bursts = pcm(...Array.from({ length: 80 }, (_, index) => [0.1, index % 2 ? 0 : 0.3] as const));
  const short = update({ turn_detection: { silence_duration_ms: 60, prefix_padding_ms: 0 } });

  it('others run after every 32 KiB, whatever is in them', () => {
    const { session, push, flush } = open();
    push(short);
    const slices = session.receive(append(bursts));
    let count = 1;
    while (slices.next().done !== true) count++;
    const events = flush();
    expect(count).toBe(Math.ceil(bursts.length / 2 ** 15));
    expect(typesOf(events).filter((type) => type === 'input_audio_buffer.committed').length).toBeGreaterThan(
      20,
    );
    const alike = open();
    alike.push(short);
    expect(typesOf(alike.push(append(bursts)))).toEqual(typesOf(events));
  });
});

describe('a live session', () => {
  it('begins with its defaults', () => {
    expect(open().begin()).toEqual([
      {
        type: 'session.created',
        event_id: expect.stringMatching(/^event_/),
        session: {
          object: 'realtime.transcription_session',
          id: expect.stringMatching(/^sess_/),
          type: 'transcription',
          audio: {
            input: {
              format: { type: 'audio/pcm', rate: 24_000 },
              transcription: { model: 'ears', language: null, prompt: null },
              noise_reduction: null,
              turn_detection: {
                type: 'server_vad',
                threshold: 0.5,
                prefix_padding_ms: 300,
                silence_duration_ms: 500,
              },
            },
          },
          include: null,
        },
      },
    ]);
  });

  it('keeps what an update leaves out, and takes the default back for null', () => {
    const { push } = open();
    const inputOf = (input: object): any => push(update(input))[0].session.audio.input;
    const transcription = { model: 'other', language: 'de', prompt: 'Names: Ada.' };
    expect(inputOf({ transcription }).transcription).toEqual(transcription);
    expect(inputOf({ turn_detection: { silence_duration_ms: 200 } })).toMatchObject({
      transcription,
      turn_detection: { type: 'server_vad', threshold: 0.5, silence_duration_ms: 200 },
    });
    expect(inputOf({ transcription: { language: null } }).transcription).toEqual({
      ...transcription,
      language: null,
    });
    expect(inputOf({ transcription: null }).transcription).toEqual({
      model: 'ears',
      language: null,
      prompt: null,
    });
    expect(inputOf({ turn_detection: null }).turn_detection).toBeNull();
  });

  it('refuses the form of the beta by name', () => {
    const older = { input_audio_format: 'g711_ulaw' };
    expect(open().push({ type: 'transcription_session.update', session: older })).toMatchObject([
      { type: 'error', error: { param: 'type', message: expect.stringContaining('session.update') } },
    ]);
  });

  const of = 'session.audio.input';
  const invalid = 'invalid_request';
  const unsupported = 'unsupported_feature';
  const turns = (fields: object) => update({ turn_detection: { type: 'server_vad', ...fields } });
  it.each([
    ['an event that is none', 7, null, invalid],
    ['null', null, null, invalid],
    ['an unknown event', { type: 'response.create' }, 'type', invalid],
    ['an event of another field', { ...commit, audio: '' }, 'audio', invalid],
    ['audio that is no base64', { ...append(pcm()), audio: '!!!!' }, 'audio', invalid],
    ['half a sample', append(new Uint8Array(3)), 'audio', invalid],
    ['another session', { type: 'session.update', session: { type: 'realtime' } }, 'session.type', invalid],
    ['an unknown option', update({ transcription: { beams: 5 } }), `${of}.transcription.beams`, invalid],
    ['delay', update({ transcription: { delay: 'low' } }), `${of}.transcription.delay`, unsupported],
    ['noise reduction', update({ noise_reduction: { type: 'x' } }), `${of}.noise_reduction`, unsupported],
    ['log probabilities', update({}, { include: ['logprobs'] }), 'session.include', unsupported],
    ['another detection', turns({ type: 'semantic_vad' }), `${of}.turn_detection.type`, invalid],
    ['a threshold out of range', turns({ threshold: 2 }), `${of}.turn_detection.threshold`, invalid],
    ['responses', turns({ create_response: true }), `${of}.turn_detection.create_response`, unsupported],
    ['a model that is not there', update({ transcription: { model: 'deaf' } }), 'model', 'model_not_found'],
    ['another rate', update({ format: { type: 'audio/pcm', rate: 4000 } }), `${of}.format.rate`, invalid],
  ])('refuses %s, and goes on', (_name, message, param, code) => {
    const { push } = open();
    const sent = typeof message === 'object' && message !== null ? { ...message, event_id: 'mine' } : message;
    const [event, ...more] = push(sent);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        code,
        param,
        event_id: sent === message ? null : 'mine',
        message: expect.stringMatching(/\S/),
      },
    });
    expect(typesOf(push(byHand, append(pcm([0.5, 0.1])), commit))).toEqual(['session.updated', ...committed]);
  });

  it('commits by hand, with the configuration of that moment', async () => {
    const { push, flush, takeRequests } = open();
    const audio = pcm([0.5, 0.1]);
    push(byHand, update({ transcription: { language: 'de', prompt: 'Ada' } }), append(audio));
    const events = push(commit);
    push(update({ transcription: { model: 'other' } }), append(audio), commit);
    expect(typesOf(events)).toEqual(committed);
    const [first, second, ...others] = await takeRequests();
    expect(others).toEqual([]);
    expect(flush()[0]).toMatchObject({ type: `${transcribed}.completed`, item_id: events[0].item_id });
    expect(first).toMatchObject({ model: 'ears', language: 'de', prompt: 'Ada' });
    expect(second).toMatchObject({ model: 'other', language: 'de' });
    const file = Buffer.from(first!.audio as Uint8Array);
    expect(file.subarray(0, 4).toString()).toBe('RIFF');
    expect(file.readUInt32LE(24)).toBe(24_000);
    expect(file.subarray(44)).toEqual(audio);
  });

  it('names the item before each item', () => {
    const { push } = open();
    push(byHand);
    const idsOf = () => {
      const [event] = push(append(pcm([0.2, 0.1])), commit);
      return [event.previous_item_id, event.item_id];
    };
    const [none, first] = idsOf();
    expect(none).toBeNull();
    expect(idsOf()[0]).toBe(first);
  });

  it('refuses to commit less than 100 ms, by the code that clients know', () => {
    const { push } = open();
    const tooSmall = [{ type: 'error', error: { code: 'input_audio_buffer_commit_empty' } }];
    expect(push({ ...commit, event_id: 'c1' })).toMatchObject([{ error: { event_id: 'c1' } }]);
    push(byHand, append(pcm([0.09, 0.1])));
    expect(push(commit)).toMatchObject(tooSmall);
    expect(typesOf(push(append(pcm([0.01, 0.1])), commit))).toEqual(committed);
  });

  it('forgets what is cleared', async () => {
    const { push, takeRequests } = open();
    push(byHand, append(pcm([1, 0.1])));
    expect(push(clear)).toMatchObject([{ type: 'input_audio_buffer.cleared' }]);
    push(append(pcm([0.2, 0.1])), commit);
    expect((await takeRequests()).map(bytesOf)).toEqual([9600]);
  });

  it.each([480, 4800, 48_000, 10 ** 6])('finds the same utterances in pieces of %d bytes', async (size) => {
    const { takeRequests, speak } = open();
    const events = speak(pcm([1, 0], [1, 0.2], [1.5, 0], [0.5, 0.05], [1, 0]), size);
    const started = 'input_audio_buffer.speech_started';
    const stopped = 'input_audio_buffer.speech_stopped';
    expect(typesOf(events)).toEqual([started, stopped, ...committed, started, stopped, ...committed]);
    expect(events.flatMap(({ audio_start_ms: start, audio_end_ms: end }) => start ?? end ?? [])).toEqual([
      690, 2520, 3180, 4530,
    ]);
    expect(new Set(events.slice(0, 3).map(({ item_id: id }) => id)).size).toBe(1);
    // Up to a pause, or the whole silence.
    const [first = 0, second = 0, ...others] = (await takeRequests()).map((one) => bytesOf(one) / 48_000);
    expect(others).toEqual([]);
    expect(first).toBeGreaterThan(1.49);
    expect(first).toBeLessThanOrEqual(1.83);
    expect(second).toBeGreaterThan(1.01);
    expect(second).toBeLessThanOrEqual(1.35);
  });

  it('transcribes at a pause, and drops what it has heard if the speech continues', async () => {
    const runs: { signal: AbortSignal; isUsed: Promise<boolean> }[] = [];
    const texts = ['Good', 'Good day.'];
    const { speak, flush } = open({
      async *run(_request, options): AsyncGenerator<TranscriptionEvent> {
        runs.push(options as (typeof runs)[number]);
        yield segment(texts[runs.length - 1]!);
        yield { type: 'transcription-end', language: undefined, durationSeconds: 0 };
      },
    });
    speak(pcm([0.5, 0], [0.5, 0.2], [0.3, 0]));
    expect(runs).toHaveLength(1);
    speak(pcm([0.5, 0.2]));
    expect(await runs[0]!.isUsed).toBe(false);
    expect(runs[0]!.signal.aborted).toBe(true);
    speak(pcm([0.3, 0]));
    expect(runs).toHaveLength(2);
    speak(pcm([0.5, 0]));
    expect(await runs[1]!.isUsed).toBe(true);
    await expect.poll(flush).toMatchObject([{ type: `${transcribed}.delta` }, { transcript: 'Good day.' }]);
    expect(runs).toHaveLength(2);
  });

  it('transcribes again what failed at a pause', async () => {
    let count = 0;
    const { speak, flush } = open({
      async *run(): AsyncGenerator<TranscriptionEvent> {
        if (count++ === 0) throw new InferenceError('rate_limited', 'Too many.');
        yield segment('Hi.');
        yield { type: 'transcription-end', language: undefined, durationSeconds: 0 };
      },
    });
    speak(pcm([0.5, 0], [0.5, 0.2], [0.3, 0]));
    await new Promise((resolve) => setTimeout(resolve, 5));
    speak(pcm([0.5, 0]));
    await expect.poll(flush).toMatchObject([{ delta: 'Hi.' }, { transcript: 'Hi.' }]);
    expect(count).toBe(2);
  });

  it('keeps next to nothing of silence', () => {
    const held: number[] = [];
    const { speak } = open({ hold: (bytes) => held.push(bytes) });
    speak(pcm([20, 0]));
    expect(Math.max(...held)).toBeLessThan(0.6 * 48_000);
  });

  it('commits the speech under way, and goes on with the rest as another utterance', async () => {
    const { speak, push, takeRequests } = open();
    const before = speak(pcm([1, 0], [0.6, 0.2]));
    const [first] = push(commit);
    expect(first.item_id).toBe(before[0].item_id);
    const after = speak(pcm([0.6, 0.2], [1, 0]));
    expect(after[0]).toMatchObject({ type: 'input_audio_buffer.speech_started', audio_start_ms: 1600 });
    expect(after[0].item_id).not.toBe(first.item_id);
    expect(await takeRequests()).toHaveLength(2);
  });

  it('cuts speech that fills the buffer, and refuses audio by hand that does', async () => {
    const { speak, push, takeRequests } = open({ maxBufferBytes: 96_000 });
    const parts = pcm([1, 0], ...Array.from({ length: 5 }, () => [0.9, 0.2] as const), [1, 0]);
    const events = speak(parts);
    expect(typesOf(events).filter((type) => type === 'error')).toEqual([]);
    const total = (await takeRequests()).reduce((sum, request) => sum + bytesOf(request), 0);
    expect(total / 48_000).toBeGreaterThan(4.95);
    push(byHand, clear, append(pcm([1.9, 0.1])));
    expect(push(append(pcm([0.2, 0.1])))).toMatchObject([{ type: 'error', error: { param: 'audio' } }]);
    expect(typesOf(push(append(pcm([0.1, 0.1])), commit))).toEqual(committed);
  });

  it('takes another format before the first audio alone', () => {
    const { push } = open();
    const format = { type: 'audio/pcma' };
    expect(push(update({ format }), append(new Uint8Array(800)), update({ format }))).toMatchObject([
      { type: 'session.updated' },
      { type: 'session.updated' },
    ]);
    expect(push(update({ format: { type: 'audio/pcm' } }))).toMatchObject([
      { type: 'error', error: { param: 'session.audio.input.format' } },
    ]);
  });

  it('says what its holder refuses, and keeps nothing of it', async () => {
    const { push, takeRequests } = open({
      hold(bytes) {
        if (bytes > 10_000) throw new InferenceError('overloaded', 'Full.');
      },
    });
    push(byHand, append(new Uint8Array(9600)));
    expect(push(append(new Uint8Array(9600)))).toMatchObject([{ error: { code: 'overloaded' } }]);
    push(commit);
    expect((await takeRequests()).map(bytesOf)).toEqual([9600]);
  });

  it('answers anything at all with events alone', () => {
    const event = fc.oneof(
      fc.anything(),
      fc.record({
        type: fc.constant('session.update'),
        session: fc.anything(),
      }),
      fc.record({ type: fc.constant('input_audio_buffer.append'), audio: fc.string() }),
      fc.base64String({ maxLength: 2000 }).map((audio) => ({ type: 'input_audio_buffer.append', audio })),
      fc.constantFrom(commit, clear, byHand),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        open().push(...events);
      }),
    );
  });
});
