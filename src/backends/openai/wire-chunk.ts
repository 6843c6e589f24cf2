import type { TokenLogprobs } from '../../categories/chat/events.ts';
import { unreadable } from './api-client.ts';
import { fieldsOf, isObject, type Fields } from './fields.ts';

/** The parsed parts of a chunk's choice; servers send more, and less. */
export type WireChoice = ReturnType<typeof readChoices>[number];

/** Token counts so far, if the server reports them. */
export type WireProgress = Partial<NonNullable<ReturnType<typeof readProgress>>>;

export function readChoices(chunk: Fields) {
  return objectsOf(chunk['choices'], 'choices').map((choice) => {
    const delta = objectOf(choice['delta'], 'delta');
    return {
      /** -1 for an invalid number. */
      choice: toCount(choice['index'] ?? 0) ?? -1,
      // Completions have text without a delta.
      content: textOf(delta['content'], 'content') || textOf(choice['text'], 'text'),
      // The name used by older servers, then the newer one.
      reasoning:
        textOf(delta['reasoning_content'], 'reasoning_content') || textOf(delta['reasoning'], 'reasoning'),
      toolCalls: objectsOf(delta['tool_calls'], 'tool_calls').map(toCall),
      logprobs: readLogprobs(objectOf(choice['logprobs'], 'logprobs')),
      finishReason: textOf(choice['finish_reason'], 'finish_reason'),
    };
  });
}

/**
 * The counts of a chunk: in its `usage`, or in the `timings` of llama-server, whose prompt is the sum of computed and
 * cached tokens. `undefined` if it has neither.
 */
export function readProgress(chunk: Fields) {
  if ((chunk['usage'] ?? chunk['timings'] ?? null) === null) return undefined;
  // An invalid count is no reason to fail.
  const usage = fieldsOf(chunk['usage']);
  const timings = fieldsOf(chunk['timings']);
  const [computed, cached] = [toCount(timings['prompt_n']), toCount(timings['cache_n'])];
  return {
    promptTokens:
      toCount(usage['prompt_tokens']) ??
      (computed === undefined || cached === undefined ? undefined : computed + cached),
    cachedTokens: toCount(fieldsOf(usage['prompt_tokens_details'])['cached_tokens']),
    completionTokens: toCount(usage['completion_tokens']) ?? toCount(timings['predicted_n']),
    reasoningTokens: toCount(fieldsOf(usage['completion_tokens_details'])['reasoning_tokens']),
  };
}

function toCall(call: Fields) {
  const { index } = call;
  const called = objectOf(call['function'], 'function');
  return {
    index: typeof index === 'number' ? index : undefined,
    id: textOf(call['id'], 'id'),
    name: textOf(called['name'], 'name'),
    /** The next part of its arguments. */
    written: textOf(called['arguments'], 'arguments'),
  };
}

/** Objects for chats; lists for completions, which llama-server doesn't support. */
function readLogprobs(fields: Fields): TokenLogprobs[] {
  const { tokens } = fields;
  if (!Array.isArray(tokens)) return objectsOf(fields['content'], 'content').map(toTokenLogprobs);
  const own = listOf(fields['token_logprobs'], 'token_logprobs');
  const tops = listOf(fields['top_logprobs'], 'top_logprobs');
  return tokens.map((token: unknown, index) =>
    toTokenLogprobs({
      token,
      logprob: own[index],
      top_logprobs: Object.entries(fieldsOf(tops[index])).map(([name, logprob]) => ({
        token: name,
        logprob,
      })),
    }),
  );
}

function toTokenLogprobs(token: Fields): TokenLogprobs {
  const topLogprobs = objectsOf(token['top_logprobs'], 'top_logprobs').map(toTokenLogprob);
  return { ...toTokenLogprob(token), topLogprobs };
}

function toTokenLogprob(fields: Fields): Omit<TokenLogprobs, 'topLogprobs'> {
  const { logprob, bytes } = fields;
  const token = textOf(fields['token'], 'token');
  if (typeof logprob !== 'number') throw unreadable('logprob: expected a number');
  return {
    token,
    logprob,
    bytes: Array.isArray(bytes) ? bytes : Array.from(new TextEncoder().encode(token)),
  };
}

/** Creates a reader of optional members. @param usual default for a missing member or `null` */
function memberReader<T>(expected: string, usual: T, isOne: (value: unknown) => value is T) {
  return (given: unknown, name: string): T => {
    const value = given ?? usual;
    if (isOne(value)) return value;
    throw unreadable(`${name}: expected ${expected}`);
  };
}

const textOf = memberReader<string>('a string', '', (value) => typeof value === 'string');
const objectOf = memberReader<Fields>('an object', {}, isObject);
const listOf = memberReader<readonly unknown[]>('a list', [], Array.isArray);
const objectsOf = memberReader<readonly Fields[]>(
  'an array of objects',
  [],
  (value): value is readonly Fields[] => Array.isArray(value) && value.every(isObject),
);

/** A token count from a server; `undefined` for an invalid count, so that it isn't billed. */
export function toCount(told: unknown): number | undefined {
  return Number.isSafeInteger(told) && (told as number) >= 0 ? (told as number) : undefined;
}
