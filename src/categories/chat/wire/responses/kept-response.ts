import type { CallerState, KeptValues } from '../../../../contracts/caller.ts';
import { fieldError, unsupportedError, type InferenceError } from '../../../../errors.ts';
import type { ConversationItem, ModelResponse } from './schema.ts';

export interface KeptResponse {
  readonly response: ModelResponse;
  readonly input: readonly ConversationItem[];
}

/** The part of a call by which its response is kept. */
export interface Keeping {
  /** The conversation: the items that were kept, and those of the request. */
  readonly items: readonly ConversationItem[];
  /** Whether the response is to be kept. */
  readonly store: boolean;
  /** The conversation that gets the new items, and the number of those that it had. */
  readonly conversation?: { readonly id: string; readonly known: number } | undefined;
}

/** The beginnings of items' ids, by the type. */
export const idPrefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
} as const;

export function outputItemId(
  type: ModelResponse['output'][number]['type'],
  responseId: string,
  index: number,
): string {
  return `${idPrefixes[type]}_${responseId.replace(/^resp_/, '')}_${index}`;
}

/** The id of the response that an item came with, which is a part of its own. */
export function responseIdOf(itemId: string): string | undefined {
  const [, response] = /^[a-z]+_([0-9a-f]{32})_(?:in)?\d+$/.exec(itemId) ?? [];
  return response && `resp_${response}`;
}

/** @throws InferenceError `unsupported_feature` naming the handler's option */
export function nothingKept(param: string): InferenceError {
  const reason = "this service keeps no responses (the handler's option `keepResponses` is off)";
  return unsupportedError(param, `${reason}, so send the whole conversation as \`input\``);
}

/** @param param the field that names it */
export async function findKept(
  { kept }: Pick<CallerState, 'kept'>,
  id: string,
  param: string,
): Promise<KeptResponse & { readonly kept: KeptValues }> {
  if (kept === undefined) throw nothingKept(param);
  const found = /^resp_[0-9a-f]{32}$/.test(id) ? await kept.get(id) : undefined;
  if (found === undefined) throw notFound(param);
  return { ...(found as KeptResponse), kept };
}

/** The error of a response or an item that isn't kept, or is another key's. */
export function notFound(param: string): InferenceError {
  return fieldError(param, 'there is none of this id, or it is no longer kept', {
    code: 'response_not_found',
  });
}

/** Whether the response has an answer, of which the limit may have cut off the end. */
export function hasAnswer({ response: { status } }: Pick<KeptResponse, 'response'>): boolean {
  return status === 'completed' || status === 'incomplete';
}

/** Whether a response in the background is still to come. */
export function isPending({ response: { status } }: Pick<KeptResponse, 'response'>): boolean {
  return status === 'queued' || status === 'in_progress';
}

/** `findKept`; a response whose process has gone has failed. */
export async function findSettled(
  caller: Pick<CallerState, 'kept'>,
  id: string,
  param: string,
): ReturnType<typeof findKept> {
  const found = await findKept(caller, id, param);
  if (!isPending(found) || (await found.kept.work.isUnderWay(id))) return found;
  // It may have ended between the two questions.
  const last = await findKept(caller, id, param);
  if (!isPending(last)) return last;
  const error = {
    code: 'server_error',
    message: 'The process that ran the response has gone, or could not keep its answer.',
  };
  return { ...last, response: { ...last.response, status: 'failed', error } };
}

/** The items of a response, without a call that was cut off: it has no result. */
export function wholeItems({ output }: ModelResponse): ModelResponse['output'] {
  return output.filter(({ type, status }) => type !== 'function_call' || status === 'completed');
}

export function tooLarge(param: string, what: string): InferenceError {
  return fieldError(param, `${what} is larger than what is kept of one`, { code: 'request_too_large' });
}

export function toKeptItems(items: Keeping['items'], responseId: string): KeptResponse['input'] {
  const suffix = responseId.replace(/^resp_/, '');
  return items.map((item, index) => ({
    ...item,
    id: item.id ?? `${idPrefixes[item.type ?? 'message']}_${suffix}_in${index}`,
  }));
}
