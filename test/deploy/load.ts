import { request as requestHttp } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pieces } from './stores.ts';
import type { Topology } from './topology.ts';

/** Requests by their outcome: `done`, or what was wrong. */
export type Outcomes = Map<string, number>;

export interface Load {
  readonly sent: number;
  /** Sends no more, and waits for the answers. */
  stop(): Promise<Outcomes>;
}

export interface LoadOptions {
  /** Sends so many a second, whatever becomes of the earlier ones. */
  readonly perSecond?: number;
  /** Keeps so many open, and sends the next when one is answered. */
  readonly atOnce?: number;
  /** Default: streams and whole answers of the chat server of these tests. */
  readonly questions?: readonly Question[];
}

/** Sends requests until it is stopped: streams of chat, whole answers, and others in turn. */
export function startLoad(topology: Topology, options: LoadOptions): Load {
  const { perSecond = Infinity, atOnce = Infinity, questions = chatQuestions } = options;
  const outcomes: Outcomes = new Map();
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  const state = { sent: 0, isStopped: false };
  const send = (): void => {
    const { path, body, check } = questions[state.sent++ % questions.length]!;
    const one = post(topology, path, body)
      .then(check, (error: Error) => `${path}: ${error.message}`)
      .then((outcome) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1))
      .finally(() => open.delete(one));
    open.add(one);
  };
  const sending = (async () => {
    while (!state.isStopped) {
      const due = perSecond === Infinity ? Infinity : ((performance.now() - startedAt) / 1000) * perSecond;
      const free = Math.min(due - state.sent, atOnce - open.size);
      for (let count = 0; count < free; count++) send();
      await delay(10);
    }
  })();
  return {
    get sent() {
      return state.sent;
    },
    async stop() {
      state.isStopped = true;
      await sending;
      await Promise.all(open);
      return outcomes;
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Question {
  readonly path: string;
  readonly body: object;
  /** @returns `done`, or what is wrong */
  check(answer: Answer): string;
}

const ask = { model: 'assistant', messages: [{ role: 'user', content: 'Count.' }] };
const expected = Array.from({ length: pieces }, (_, piece) => `${piece} `);

const stream: Question = {
  path: '/v1/chat/completions',
  body: { ...ask, stream: true },
  check({ status, text: answer }) {
    const got = [...answer.matchAll(/"content":"(\d+ )"/g)].map(([, piece]) => piece);
    const isWhole = got.join('') === expected.join('') && answer.endsWith('data: [DONE]\n\n');
    return status === 200 && isWhole ? 'done' : `stream: ${status}, ${got.length} pieces`;
  },
};

const whole: Question = {
  path: '/v1/chat/completions',
  body: ask,
  check: ({ status, text: answer }) =>
    status === 200 && answer.includes(expected.join('')) ? 'done' : `chat: ${status} ${answer.slice(0, 200)}`,
};

export const chatQuestions = [stream, stream, whole];

/** @param mark that an answer has */
export function otherQuestion(path: string, body: object, mark: string): Question {
  return {
    path,
    body,
    check: ({ status, text: answer }) =>
      status === 200 && answer.includes(mark) ? 'done' : `${path}: ${status} ${answer.slice(0, 200)}`,
  };
}

/** Over a connection of its own. */
export function post(
  { origin, key }: Pick<Topology, 'origin' | 'key'>,
  path: string,
  body: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = requestHttp(origin + path, { method: 'POST', agent: false, headers }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode!, text: answer }), reject);
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}
