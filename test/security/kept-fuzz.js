// Random sequences of requests that keep, append, refer, continue and delete, beside a model of what must be there. The reply
// tells what the chat model was shown, so each answer shows whether something was lost. Two keys own what they make.
// Usage: npm run build && node --expose-gc --max-old-space-size=512 test/security/kept-fuzz.js [seconds] [redis://…]

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHandler } from 'slashv1';
import { createFakeInference } from 'slashv1/testing';

/** @typedef {{ readonly id: string, readonly role: string, readonly text: string }} Item */
/** @typedef {{ readonly items: Item[], metadata: object }} Conversation */
/** @typedef {{ readonly history: readonly Item[], readonly input: readonly Item[] }} Response */

const [, , seconds = '10', redisUrl] = process.argv;
const callersPerKey = 3;
const maxOwned = 12;
let seed = 1;
/** @param {number} below */
const random = (below) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};
/** @template T @param {readonly T[]} list @returns {T} */
const oneOf = (list) => /** @type {T} */ (list[random(list.length)]);

/** @param {readonly { role: string, text: string }[]} items */
const digest = (items) => {
  const shown = items.map(({ role, text }) => `${role}:${text}`).join('\n');
  return `${items.length} ${createHash('sha256').update(shown).digest('hex').slice(0, 16)}`;
};
const inference = createFakeInference({
  reply: ({ messages }) => {
    const shown = messages.map(({ role, content }) => ({
      role,
      text:
        typeof content === 'string'
          ? content
          : (content ?? []).map((part) => 'text' in part && part.text).join(''),
    }));
    return { text: digest(shown) };
  },
});
const store = redisUrl === undefined ? undefined : await redisStore(redisUrl);
const handler = createHandler(inference, {
  auth: { keys: ['ann', 'bob'].map((key) => ({ key, id: key })) },
  keepResponses: store ? { store, maxBytesPerKey: 2 ** 34 } : true,
});

/** @param {string} url */
async function redisStore(url) {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url);
  return {
    get: (/** @type {string} */ key) => redis.get(key),
    set: (/** @type {string} */ key, /** @type {string} */ text, /** @type {number} */ expirySeconds) =>
      redis.set(key, text, 'EX', expirySeconds),
    delete: (/** @type {string} */ key) => redis.del(key),
  };
}

/** @param {string} key @param {string} method @param {string} path @param {object} [json] @returns {Promise<any>} */
async function call(key, method, path, json) {
  const { status, body } = await handler({
    method,
    url: `/v1${path}`,
    headers: { authorization: `Bearer ${key}` },
    body: { parsed: json },
    signal: new AbortController().signal,
  });
  requests++;
  return { status, ...JSON.parse(String(body)) };
}
let requests = 0;
let texts = 0;

/** @param {readonly unknown[]} actual @param {readonly unknown[]} expected @param {string} what */
function same(actual, expected, what) {
  const one = actual.map((item) => JSON.stringify(item));
  const other = expected.map((item) => JSON.stringify(item));
  const index = one.findIndex((item, at) => item !== other[at]);
  if (index < 0 && one.length === other.length) return;
  const shorten = (/** @type {string | undefined} */ text) => text?.slice(0, 120);
  assert.fail(
    `${what}: ${one.length} of ${other.length}, item ${index}: ${shorten(one[index])}, not ${shorten(other[index])}`,
  );
}

/** @param {string} key */
async function live(key) {
  const other = key === 'ann' ? 'bob' : 'ann';
  /** @type {Map<string, Conversation>} */
  const conversations = new Map();
  /** @type {Map<string, Response>} */
  const responses = new Map();
  const message = (id = '') => {
    const text = `${texts++} ${'x'.repeat(oneOf([1, 10, 200, 5000]))}`;
    return { ...(id && { id }), type: 'message', role: oneOf(['user', 'assistant']), content: text };
  };
  /** @param {any} made @returns {Item} */
  const toItem = ({ id, role, content }) => ({
    id,
    role,
    text:
      typeof content === 'string' ? content : content.map((/** @type {any} */ part) => part.text).join(''),
  });
  /** @param {string} path */
  const listAll = async (path) => {
    const items = [];
    const limit = oneOf([1, 7, 50, 100]);
    for (let after = ''; ;) {
      const page = await call(key, 'GET', `${path}?order=asc&limit=${limit}${after && `&after=${after}`}`);
      assert.equal(page.status, 200, JSON.stringify(page));
      items.push(...page.data.map(toItem));
      if (!page.has_more) return items;
      after = page.last_id;
    }
  };
  /** @param {any} answer @param {readonly Item[]} before @param {readonly any[]} input */
  const keep = (answer, before, input) => {
    const given = input.map((item, index) => ({
      ...toItem(item),
      id: item.id ?? `${answer.id.replace('resp', 'msg')}_in${before.length + index}`,
    }));
    const output = answer.output.map(toItem);
    assert.equal(output[0].text, digest([...before, ...given]), `${answer.id} was shown something else`);
    responses.set(answer.id, { history: [...before, ...given, ...output], input: [...before, ...given] });
    return [...given, ...output];
  };
  /** @param {object} asked */
  const ask = async (asked) => {
    const isBackground = random(4) === 0;
    const body = { model: 'fake-chat', ...asked, ...(isBackground && { background: true }) };
    let answer = await call(key, 'POST', '/responses', body);
    while (answer.status === 'queued' || answer.status === 'in_progress') {
      await sleep(1);
      answer = await call(key, 'GET', `/responses/${answer.id}`);
    }
    assert.equal(answer.status, 'completed', JSON.stringify(answer));
    assert.equal(answer.store, true);
    return answer;
  };

  /** @type {readonly (() => Promise<void>)[]} */
  const steps = [
    async () => {
      const items = Array.from({ length: random(5) }, () => message());
      const metadata = { number: String(texts) };
      const { id } = await call(key, 'POST', '/conversations', { items, metadata });
      conversations.set(id, { items: await listAll(`/conversations/${id}/items`), metadata });
      same(
        conversations.get(id)?.items.map(({ text }) => text) ?? [],
        items.map(({ content }) => content),
        'a new conversation',
      );
    },
    async () => {
      const [id, { items }] = oneOf([...conversations]);
      const ids = items.map((item) => item.id);
      const more = Array.from({ length: 1 + random(100) }, () =>
        message(random(3) === 0 ? `own_${texts}` : ''),
      );
      if (ids.length > 0 && random(4) === 0) {
        const twice = await call(key, 'POST', `/conversations/${id}/items`, {
          items: [...more, message(oneOf(ids))],
        });
        assert.equal(twice.status, 400);
      }
      const added = await call(key, 'POST', `/conversations/${id}/items`, { items: more });
      assert.equal(added.status, 200, JSON.stringify(added));
      items.push(...added.data.map(toItem));
    },
    async () => {
      const [id, { items, metadata }] = oneOf([...conversations]);
      same(await listAll(`/conversations/${id}/items`), items, 'a conversation');
      assert.deepEqual((await call(key, 'GET', `/conversations/${id}`)).metadata, metadata);
      assert.equal((await call(other, 'GET', `/conversations/${id}`)).status, 404);
    },
    async () => {
      const [id, { items }] = oneOf([...conversations]);
      if (items.length === 0) return;
      const index = random(items.length);
      const item = /** @type {Item} */ (items[index]);
      assert.deepEqual(toItem(await call(key, 'GET', `/conversations/${id}/items/${item.id}`)), item);
      // What has answered in it before is shown without the item from now on, so only those that have not are changed.
      if ([...responses.values()].some(({ history }) => history.includes(item))) return;
      assert.equal((await call(key, 'DELETE', `/conversations/${id}/items/${item.id}`)).status, 200);
      items.splice(index, 1);
    },
    async () => {
      const [id, conversation] = oneOf([...conversations]);
      conversation.metadata = { number: String(texts++) };
      const { metadata } = conversation;
      assert.equal((await call(key, 'POST', `/conversations/${id}`, { metadata })).status, 200);
    },
    async () => {
      const [id, { items }] = oneOf([...conversations]);
      const input = [message()];
      const answer = await ask({ input, conversation: id });
      items.push(...keep(answer, [...items], input));
      assert.deepEqual(answer.conversation, { id });
    },
    async () => {
      const input = [message(), message()];
      keep(await ask({ input }), [], input);
    },
    async () => {
      const [id, { history }] = oneOf([...responses]);
      const input = [message()];
      keep(await ask({ input, previous_response_id: id }), history, input);
    },
    async () => {
      const owned = [...responses].flatMap(([id, { history }]) => {
        const own = id.replace('resp', 'msg');
        return history.filter((item) => item.id.startsWith(own));
      });
      const referred = [...new Set(Array.from({ length: 5 }, () => oneOf(owned)))];
      const input = [...referred.map(({ id }) => ({ type: 'item_reference', id })), message()];
      const body = { model: 'fake-chat', input, store: false };
      const answer = await call(key, 'POST', '/responses', body);
      assert.equal(answer.status, 'completed', JSON.stringify(answer));
      assert.equal(toItem(answer.output[0]).text, digest([...referred, toItem(input.at(-1))]));
    },
    async () => {
      const [id, { input }] = oneOf([...responses]);
      same(await listAll(`/responses/${id}/input_items`), input, 'the input of a response');
      assert.equal((await call(other, 'GET', `/responses/${id}`)).status, 404);
    },
    async () => {
      const [id] = oneOf([...responses]);
      assert.equal((await call(key, 'DELETE', `/responses/${id}`)).deleted, true);
      responses.delete(id);
      assert.equal((await call(key, 'GET', `/responses/${id}`)).status, 404);
    },
  ];

  while (performance.now() < endsAt) {
    // The stand-in for the models keeps all that it was asked.
    for (const kept of [inference.requests, inference.calls]) /** @type {unknown[]} */ (kept).length = 0;
    await /** @type {() => Promise<void>} */ (
      conversations.size === 0 ? steps[0] : responses.size === 0 ? steps[6] : oneOf(steps)
    )();
    for (const [id, { items }] of conversations) {
      if (conversations.size <= maxOwned && items.length < 1500) continue;
      // Responses in it can be continued no more.
      for (const [own, { history }] of responses)
        if (items.some((item) => history.includes(item))) {
          await call(key, 'DELETE', `/responses/${own}`);
          responses.delete(own);
        }
      assert.equal((await call(key, 'DELETE', `/conversations/${id}`)).deleted, true);
      conversations.delete(id);
    }
    for (const [id] of responses) {
      if (responses.size <= 4 * maxOwned) break;
      await call(key, 'DELETE', `/responses/${id}`);
      responses.delete(id);
    }
    await sleep(0);
  }
}

const endsAt = performance.now() + Number(seconds) * 1000;
const heaps = /** @type {number[]} */ ([]);
const sampling = setInterval(
  () => {
    globalThis.gc?.();
    heaps.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
  },
  (Number(seconds) * 1000) / 10.5,
);
await Promise.all(['ann', 'bob'].flatMap((key) => Array.from({ length: callersPerKey }, () => live(key))));
clearInterval(sampling);
console.log(JSON.stringify({ requests, heaps }));
process.exit(0);
