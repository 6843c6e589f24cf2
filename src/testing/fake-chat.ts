import type { ChatEvent, FinishReason } from '../categories/chat/events.ts';
import type { ChatRequest } from '../categories/chat/request.ts';
import { contentText } from '../core/chat/messages.ts';
import { pause, wordsOf } from './fake-run.ts';
import { assertScript } from './scripts.ts';

/** The answer of a fake chat model; text is sent word by word, and a word counts as one token. */
export interface FakeReply {
  readonly reasoning?: string | undefined;
  readonly text?: string | undefined;
  /** `arguments` may be an object. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string | object }[] | undefined;
  /** Waits so long before the prompt counts as read; default 0. */
  readonly promptDelayMs?: number | undefined;
  /** Waits so long before every word; default 0. */
  readonly delayMs?: number | undefined;
  /** Fails with it: once the prompt would have been read, or after `failAfter` events. */
  readonly error?: Error | undefined;
  /** Default 0. */
  readonly failAfter?: number | undefined;
}

/** The answer, or a function that gives the one of each choice. Default: repeats the last message. */
export type FakeAnswer =
  string | FakeReply | ((request: ChatRequest, choice: number) => string | FakeReply) | undefined;

/** Answers in turn as one function; all choices of a request have the same answer. Requests that only count tokens take none. */
export function inTurn(answers: readonly FakeAnswer[]): FakeAnswer {
  for (const [index, answer] of answers.entries()) {
    if (answer !== undefined && typeof answer !== 'function')
      assertScript('reply', answer, `reply[${index}]`);
  }
  const turns = new Map<ChatRequest, number>();
  return (request, choice) => {
    if (request.stopAfter !== undefined) return '';
    const turn = turns.get(request) ?? turns.size;
    turns.set(request, turn);
    if (turn < answers.length) return replyOf(answers[turn], request, choice);
    throw new TypeError(`reply: expected at most ${answers.length} requests, got one more`);
  };
}

/** Plays the events that a chat model would send. */
export function playChat(
  answer: FakeAnswer,
  request: ChatRequest,
  signal: AbortSignal | undefined,
): AsyncIterable<ChatEvent> {
  const count = request.n * textsOf(request).length;
  const replies = Array.from({ length: count }, (_, choice) => replyOf(answer, request, choice));
  return failing(replies[0]!, play(request, replies, signal), signal);
}

function replyOf(reply: FakeAnswer, request: ChatRequest, choice: number): FakeReply {
  const chosen = typeof reply === 'function' ? reply(request, choice) : reply;
  if (chosen === undefined) return { text: textsOf(request)[Math.floor(choice / request.n)]! };
  const script = assertScript('reply', chosen);
  return typeof script === 'string' ? { text: script } : script;
}

function textsOf({ prompts, messages }: ChatRequest): readonly string[] {
  if (prompts.length === 0) return [contentText(messages.at(-1)?.content ?? '')];
  return prompts.map((prompt) => (typeof prompt === 'string' ? prompt : prompt.join(' ')));
}

async function* failing(
  reply: FakeReply,
  events: AsyncIterable<ChatEvent>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChatEvent> {
  let left = reply.error === undefined ? Infinity : (reply.failAfter ?? 0);
  if (left === 0) {
    await pause(reply.promptDelayMs, signal);
    throw reply.error;
  }
  for await (const event of events) {
    yield event;
    left -= 1;
    if (left === 0) throw reply.error;
  }
}

async function* play(
  request: ChatRequest,
  replies: readonly FakeReply[],
  signal: AbortSignal | undefined,
): AsyncGenerator<ChatEvent> {
  const said = request.messages.map(({ content }) => contentText(content ?? ''));
  const read = request.prompts.length > 0 ? textsOf(request) : said;
  const promptTokens = read.reduce((sum, text) => sum + wordsOf(text).length, 0);
  if (request.echo !== undefined)
    yield* request.prompts.length > 0
      ? read.flatMap((text, prompt) => echoOf(request, text, prompt))
      : echoOf(request, said.join('\n'), 0);
  if (request.stopAfter === 'encoding') return;
  await pause(replies[0]!.promptDelayMs, signal);
  yield { type: 'prompt-end', promptTokens };
  const scripts = replies.map((reply, choice) => scriptOf(reply, request, choice));
  const usage = { completionTokens: 0, reasoningTokens: 0 };
  const longest = Math.max(...scripts.map((script) => script.length));
  for (let step = 0; step < longest; step += 1) {
    for (const [choice, script] of scripts.entries()) {
      const turn = script[step];
      if (turn === undefined) continue;
      await pause(turn.isToken ? replies[choice]!.delayMs : 0, signal);
      usage.completionTokens += turn.isToken ? 1 : 0;
      usage.reasoningTokens += turn.isReasoning ? 1 : 0;
      yield* turn.events;
    }
  }
  yield { type: 'usage', promptTokens, cachedTokens: 0, ...usage };
}

interface Turn {
  readonly isToken: boolean;
  readonly isReasoning: boolean;
  readonly events: readonly ChatEvent[];
}

function scriptOf(reply: FakeReply, request: ChatRequest, choice: number): Turn[] {
  const tokens = [
    ...wordTurns(reply.reasoning, 'reasoning-delta', request, choice),
    ...wordTurns(reply.text, 'text-delta', request, choice),
  ];
  const toolTurns = request.toolChoice === 'none' ? [] : toolCallTurns(reply, choice);
  const all = [...tokens, ...toolTurns];
  const kept = all.slice(0, request.stopAfter === 'prompt' ? 0 : request.maxTokens);
  const finishReason: FinishReason =
    kept.length < all.length ? 'length' : toolTurns.length > 0 ? 'tool_calls' : 'stop';
  return [
    ...kept,
    { isToken: false, isReasoning: false, events: [{ type: 'choice-end', choice, finishReason }] },
  ];
}

function wordTurns(
  words: string | undefined,
  type: 'reasoning-delta' | 'text-delta',
  request: ChatRequest,
  choice: number,
): Turn[] {
  const isReasoning = type === 'reasoning-delta';
  const isSent = !isReasoning || request.includeReasoning;
  return wordsOf(words ?? '').map((text) => ({
    isToken: true,
    isReasoning,
    events: isSent ? [...logprobsOf(request, choice, text), { type, choice, text }] : [],
  }));
}

function toolCallTurns(reply: FakeReply, choice: number): Turn[] {
  return (reply.toolCalls ?? []).map(({ name, arguments: given }, call) => ({
    isToken: true,
    isReasoning: false,
    events: [
      { type: 'tool-call-start', choice, call, id: `call_${choice}_${call}`, name },
      {
        type: 'tool-call-delta',
        choice,
        call,
        arguments: typeof given === 'string' ? given : JSON.stringify(given),
      },
    ],
  }));
}

/** A prompt whose words are its tokens, numbered from 0, each certain after the one before it. */
function echoOf(request: ChatRequest, text: string, prompt: number): ChatEvent[] {
  const words = wordsOf(text);
  const spellings = words.map((name) => ({ name, bytes: bytesOf(name) }));
  const scored = words.map((token, index) => ({
    token,
    bytes: bytesOf(token),
    logprob: index === 0 ? null : 0,
    topLogprobs: [],
  }));
  const shown = request.echo === 'spelling' ? { spellings } : {};
  return [
    { type: 'prompt', prompt, text, tokens: [...words.keys()], before: 0, contextLength: 2048, ...shown },
    ...(request.echo === 'logprobs' ? [{ type: 'prompt-logprobs', prompt, tokens: scored } as const] : []),
  ];
}

function bytesOf(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

function logprobsOf(request: ChatRequest, choice: number, text: string): ChatEvent[] {
  if (!request.logprobs) return [];
  const token = { token: text, logprob: 0, bytes: bytesOf(text) };
  const topLogprobs = request.topLogprobs > 0 ? [token] : [];
  return [{ type: 'logprobs', choice, tokens: [{ ...token, topLogprobs }] }];
}
