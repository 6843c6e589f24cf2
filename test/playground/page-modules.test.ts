import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { toSrt as coreToSrt, toVtt as coreToVtt } from '../../src/core/audio/subtitles.ts';
import { toNodeListener } from '../../adapters/node.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createClient } from '../../src/playground/page/scripts/api/client.js';
import { watchLoad } from '../../src/playground/page/scripts/panels/load-note.js';
import type { WireModel as Model } from '../../src/server/models.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { fileContent, toCurl } from '../../src/playground/page/scripts/api/curl.js';
import { readEvents, readJsonEvents } from '../../src/playground/page/scripts/api/server-events.js';
import { formatBytes, formatDuration, formatTime } from '../../src/playground/page/scripts/dom/format.js';
import {
  createConversationStore,
  maxCharacters,
  maxConversations,
  newConversation,
  titleOf,
} from '../../src/playground/page/scripts/panels/chat/conversations.js';
import { toMarkdown } from '../../src/playground/page/scripts/panels/chat/export.js';
import { addDelta, emptyAnswer, toSent } from '../../src/playground/page/scripts/panels/chat/messages.js';
import { nearestTo, similarities } from '../../src/playground/page/scripts/panels/embedding/similarity.js';
import { toSrt, toVtt } from '../../src/playground/page/scripts/panels/transcription/subtitles.js';
import { runs } from '../thorough.ts';

// The parts of the page that need no browser.

describe('the load of a model', () => {
  type Status = Partial<ReturnType<typeof inference.status>[number]>;
  const inference = createFakeInference({ models: ['big'] });

  /** Serves a model whose statuses follow one another, and reads it as the page does. */
  async function serve(statuses: readonly Status[]) {
    let asked = -1;
    const status = () => {
      const now = statuses[Math.min(asked, statuses.length - 1)];
      return inference.status().map((one) => ({ ...one, ...now }));
    };
    const handler = createHandler({ ...inference, status }, { auth: { keys: ['sk'] } });
    const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const client = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, () => 'sk');
    return async () => {
      asked++;
      return (await client.send({ path: '/models/big' })).json() as Promise<Model>;
    };
  }

  it('is told until it has ended', async () => {
    const read = await serve([
      { state: 'unloaded' },
      { state: 'loading' },
      { state: 'loading', progress: { phase: 'downloading' } },
      { state: 'loading', progress: { phase: 'downloading', receivedBytes: 1_500_000 } },
      { state: 'loading', progress: { phase: 'downloading', receivedBytes: 20e6, totalBytes: 90e6 } },
      { state: 'loading', progress: { phase: 'verifying' } },
      { state: 'loading', progress: { phase: 'opening' } },
      { state: 'ready' },
    ]);
    const shown: string[] = [];
    await watchLoad(read, (text) => void shown.push(text), new AbortController().signal);
    expect(shown).toEqual([
      'big is not loaded yet.',
      'big is loading.',
      'big is being downloaded.',
      'big is being downloaded: 1.5 MB.',
      'big is being downloaded: 20 MB of 90 MB.',
      'big is loading: its files are being verified.',
      'big is loading.',
      '',
    ]);
  });

  it.each(['ready', 'failed', 'closed', 'draining', 'unreachable'] as const)(
    'is over when it is %s',
    async (state) => {
      const shown: string[] = [];
      await watchLoad(
        await serve([{ state }]),
        (text) => void shown.push(text),
        new AbortController().signal,
      );
      expect(shown).toEqual(['']);
    },
  );

  it('is told no more when the request has ended', async () => {
    const read = await serve([{ state: 'loading' }]);
    const controller = new AbortController();
    const shown: string[] = [];
    const show = (text: string): void => {
      shown.push(text);
      if (shown.length === 2) controller.abort();
    };
    await watchLoad(read, show, controller.signal);
    expect(shown).toEqual(['big is loading.', 'big is loading.']);
  });
});

describe('curl lines', () => {
  /** Between the arguments and the pipe; no text of the tests has it. */
  const separator = '\u0001';
  const folder = mkdtempSync(join(tmpdir(), 'slashv1-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What the line would call curl with: its arguments, and what comes through the pipe. */
  function run(line: string): { words: string[]; input: string } {
    const fake = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; case "$*" in *@-*) printf '\\1'; cat;; esac; }`;
    const env = { PATH: process.env['PATH'], SLASHV1_API_KEY: 'the key' };
    const output = execFileSync('sh', ['-c', `${fake}\n${line}`], { cwd: folder, env, encoding: 'utf8' });
    const [words = '', input = ''] = output.split(separator);
    return { words: words.split('\0').slice(0, -1), input };
  }

  const text = fc
    .string({ unit: 'binary', maxLength: 40 })
    .filter((value) => !['\0', separator, '\r'].some((character) => value.includes(character)));

  it('say in a shell what is sent, whatever is in it', () => {
    fc.assert(
      fc.property(text, text, (content, name) => {
        const json = { content, [name]: 1 };
        const { words } = run(toCurl('http://h/v1', { path: '/x', json }));
        expect(words.slice(0, 3)).toEqual(['http://h/v1/x', '-H', 'Authorization: Bearer the key']);
        expect(JSON.parse(words.at(-1)!)).toEqual(json);
      }),
      { numRuns: runs(30) },
    );
  });

  it.each(['picture.png', "it's a picture.png", '-n', '$(id).png', 'a;b,c"d\\e.png'])(
    'read %s from a file',
    (file) => {
      const content = Buffer.from([...Array(200).keys()]);
      writeFileSync(join(folder, file), content);
      const base64 = content.toString('base64');
      const json = { image: fileContent(0), model: "the detector's", classes: '$HOME `id`' };
      const { input } = run(toCurl('http://h/v1', { path: '/detect', json }, [file]));
      expect(JSON.parse(input)).toEqual({ ...json, image: base64 });
      const urls = ['data:a/b;base64,', 'data:c/d;base64,'];
      const two = { messages: urls.map((url, index) => ({ url: url + fileContent(index) })) };
      const both = run(toCurl('http://h/v1', { path: '/x', json: two }, [file, file]));
      expect(JSON.parse(both.input)).toEqual({ messages: urls.map((url) => ({ url: url + base64 })) });
    },
  );

  it('send forms', () => {
    const form = [
      ['file', new File([], 'a;b"c\\.wav')],
      ['prompt', '@not-a-file;type=x'],
    ] as const;
    expect(run(toCurl('http://h/v1', { path: '/t', form })).words.slice(3)).toEqual([
      '-F',
      String.raw`file=@"a;b\"c\\.wav"`,
      '--form-string',
      'prompt=@not-a-file;type=x',
    ]);
  });
});

describe('server-sent events', () => {
  const stream = (pieces: readonly Uint8Array[]) =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      }),
    );
  const collect = async (events: AsyncIterable<string>): Promise<string[]> => {
    const collected: string[] = [];
    for await (const event of events) collected.push(event);
    return collected;
  };
  const source =
    ': hello\n\ndata: {"a":"grüße ☂"}\n\nevent: x\ndata: one\ndata:two\n\n:ping\r\n\r\ndata: [DONE]\r\n\r\n';

  it('are the same however the bytes are cut', async () => {
    const bytes = new TextEncoder().encode(source);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end));
        expect(await collect(readEvents(stream(pieces)))).toEqual(['{"a":"grüße ☂"}', 'one\ntwo', '[DONE]']);
      }),
    );
  });

  it('are left at once by whoever leaves', async () => {
    let isLeft = false;
    const response = new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode('data: {"a":1}\n\n')),
        cancel: () => void (isLeft = true),
      }),
    );
    for await (const event of readJsonEvents(response, new AbortController().signal)) {
      expect(event).toEqual({ a: 1 });
      break;
    }
    expect(isLeft).toBe(true);
  });

  it.each([
    ['data: {"error":{"message":"no","code":"x","param":null}}\n\n', 'no'],
    ['data: {"a":\n\n', 'The answer contains something that is not JSON.'],
  ])('tell of an error: %s', async (text, message) => {
    const response = stream([new TextEncoder().encode(`data: {"a":1}\n\n${text}`)]);
    const seen: unknown[] = [];
    const read = async () => {
      for await (const event of readJsonEvents(response, new AbortController().signal)) seen.push(event);
    };
    await expect(read()).rejects.toThrow(message);
    expect(seen).toEqual([{ a: 1 }]);
  });
});

describe('messages', () => {
  it('grow from deltas', () => {
    const message = emptyAnswer();
    addDelta(message, { role: 'assistant', content: null });
    addDelta(message, { reasoning_content: 'hm' });
    addDelta(message, { reasoning_content: 'm' });
    addDelta(message, { content: 'a' });
    addDelta(message, { content: 'b' });
    const call = { index: 0, id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '' } };
    addDelta(message, { tool_calls: [call] });
    addDelta(message, { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] });
    addDelta(message, { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] });
    expect(message).toEqual({
      role: 'assistant',
      content: 'ab',
      reasoning_content: 'hmm',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
    });
    const { reasoning_content: _thoughts, ...sent } = message;
    expect(toSent([{ role: 'user', content: 'x' }, message], ' ')).toEqual([
      { role: 'user', content: 'x' },
      sent,
    ]);
    const pictures = [{ name: 'a.png', url: 'data:image/png;base64,AA==' }];
    const part = { type: 'image_url', image_url: { url: pictures[0]!.url } };
    expect(toSent([{ role: 'user', content: 'x', pictures }], '')).toEqual([
      { role: 'user', content: [part, { type: 'text', text: 'x' }] },
    ]);
    expect(toSent([{ role: 'user', content: '', pictures }], '')).toEqual([
      { role: 'user', content: [part] },
    ]);
    expect(toSent([], 'be brief')).toEqual([{ role: 'system', content: 'be brief' }]);
  });
});

describe('subtitles', () => {
  it('are those of the package', () => {
    const seconds = fc.integer({ min: 0, max: 40_000_000 }).map((milliseconds) => milliseconds / 1000);
    const segment = fc.record({
      start: seconds,
      length: fc.integer({ min: 1, max: 30_000 }),
      text: fc.stringMatching(/^[ a-z&<>\n-]{0,30}$/),
    });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (made) => {
        const segments = made
          .map(({ start, length, text }) => ({ start, end: start + length / 1000, text }))
          .toSorted((a, b) => a.start - b.start);
        const subtitles = segments.map(({ start, end, text }) => ({
          startSeconds: start,
          endSeconds: end,
          text,
        }));
        expect(toSrt(segments)).toBe(coreToSrt(subtitles));
        expect(toVtt(segments)).toBe(coreToVtt(subtitles));
      }),
    );
  });
});

describe('similarity', () => {
  it('is the cosine, never beyond one', () => {
    const vectors = [
      [3, 4],
      [4, 3],
      [-3, -4],
      [0, 0],
    ];
    const scores = similarities(vectors);
    expect(scores[0]![1]).toBeCloseTo(0.96, 10);
    expect(scores[0]![2]).toBe(-1);
    expect(scores[3]).toEqual([0, 0, 0, 0]);
    for (const value of similarities([
      [0.1, 0.2, 0.3],
      [0.7, 0.1, 0.1],
    ]).flat()) {
      expect(value).toBeLessThanOrEqual(1);
    }
  });

  it.each([
    [[1, 0.2, 0.9], 0, 2],
    [[0.2, 1, -0.5], 1, 0],
    [[-0.2, 1, -0.5], 1, 0],
    [[1], 0, -1],
  ])('nearest in %j to %i is %i', (scores, self, nearest) => {
    expect(nearestTo(scores, self)).toBe(nearest);
  });
});

describe('figures', () => {
  it.each([
    [formatBytes(999), '999 bytes'],
    [formatBytes(4200), '4.2 KB'],
    [formatBytes(48_000_000), '48 MB'],
    [formatTime(65.9), '1:05'],
    [formatDuration(118.4), '118 ms'],
    [formatDuration(1250), '1.3 s'],
  ])('%s', (shown, expected) => expect(shown).toBe(expected));
});

describe('kept conversations', () => {
  /** A browser's store that refuses more characters than it has room for. */
  function createStorage(room = Infinity): Storage {
    const items = new Map<string, string>();
    return {
      get length() {
        return items.size;
      },
      key: (place) => [...items.keys()][place] ?? null,
      getItem: (name) => items.get(name) ?? null,
      setItem(name, value) {
        const used = [...items].reduce((sum, [key, text]) => sum + (key === name ? 0 : text.length), 0);
        if (used + value.length > room) throw new Error('QuotaExceededError');
        items.set(name, value);
      },
      removeItem: (name) => void items.delete(name),
      clear: () => items.clear(),
    };
  }
  const conversation = (updatedAt: number, content = 'Hello') => ({
    ...newConversation(),
    title: `from ${updatedAt}`,
    updatedAt,
    messages: [{ role: 'user' as const, content }],
  });
  const kept = (storage: Storage) => createConversationStore(storage, createStorage());
  const datesOf = (storage: Storage) =>
    kept(storage)
      .list()
      .map(({ updatedAt }) => updatedAt);

  it('are at most so many, the newest first', () => {
    const storage = createStorage();
    for (let date = 1; date <= maxConversations + 3; date++) kept(storage).save(conversation(date));
    expect(datesOf(storage)).toEqual(Array.from({ length: maxConversations }, (_, place) => 53 - place));
  });

  it.each([
    ['of its own bound', Infinity, maxCharacters * 0.4],
    ['of the browser', 1000, 300],
  ])('make room by losing the oldest, because %s', (_name, room, length) => {
    const storage = createStorage(room);
    for (const date of [3, 1, 2]) kept(storage).save(conversation(date, 'x'.repeat(length)));
    expect(datesOf(storage)).toEqual([3, 2]);
    kept(storage).save(conversation(4, 'x'.repeat(maxCharacters)));
    expect(datesOf(storage)).not.toContain(4);
  });

  it('come back to their tab, and an empty one is not kept', () => {
    const [storage, tab] = [createStorage(), createStorage()];
    const store = createConversationStore(storage, tab);
    const first = conversation(1);
    store.save(first);
    store.choose(first);
    expect(createConversationStore(storage, tab).current()).toEqual(first);
    expect(kept(storage).current().messages).toEqual([]);
    store.save({ ...first, messages: [] });
    expect(store.list()).toEqual([]);
  });

  it('pass over what is no conversation', () => {
    const storage = createStorage();
    storage.setItem('slashv1-conversation:a', '{');
    storage.setItem('slashv1-conversation:b', '{"id":"b","messages":{}}');
    storage.setItem('other', '{"id":"c","messages":[]}');
    expect(kept(storage).list()).toEqual([]);
  });

  it('are named by their first question', () => {
    const named = (content: string) => titleOf({ ...conversation(1, content), title: '' });
    expect(named('  What\n is it? ')).toBe('What is it?');
    expect(named('x'.repeat(80))).toBe(`${'x'.repeat(59)}…`);
    expect(titleOf(newConversation())).toBe('New conversation');
  });

  it('are exported as Markdown', () => {
    const call = { id: '1', type: 'function' as const, function: { name: 'f', arguments: '{"a":"```"}' } };
    const whole = toMarkdown(
      {
        ...conversation(1),
        messages: [
          { role: 'user', content: 'Look', pictures: [{ name: 'a.png', url: 'data:,' }] },
          { role: 'assistant', content: '', tool_calls: [call] },
          { role: 'tool', tool_call_id: '1', content: '5' },
          { role: 'assistant', content: 'Five.' },
        ],
      },
      'Be brief.',
    );
    expect(whole).toBe(
      '# from 1\n\n**System**\n\nBe brief.\n\n**You**\n\n(Picture: a.png)\n\nLook\n\n' +
        '**Assistant**\n\n````\nf({"a":"```"})\n````\n\n**Result**\n\n```\n5\n```\n\n**Assistant**\n\nFive.\n',
    );
  });
});
