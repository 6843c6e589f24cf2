import type { CallerState, KeptValues } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import { unixTime } from '../../../../http/headers.ts';
import { findConversation } from './kept-conversation.ts';
import { nothingKept, notFound } from './kept-errors.ts';
import {
  draftChunks,
  idPrefixes,
  keepChunks,
  namesOf,
  sizeOf,
  withoutLogprobs,
  type Chunk,
  type KeptItem,
  type Size,
  type Source,
} from './kept-items.ts';
import type { ConversationItem, ModelResponse } from './schema.ts';

/** The items before those of a response: they are another one's, or a conversation's up to its chunk of that number. */
export interface Before {
  readonly size: Size;
  readonly previous?: string | undefined;
  readonly conversation?: { readonly id: string; readonly last: number } | undefined;
}

/** The head of a response: its items are in chunks, and what clients get is a value of its own. */
export interface KeptResponse {
  readonly id: string;
  readonly status: ModelResponse['status'];
  readonly background: boolean;
  /** When it was written last, in Unix seconds. */
  readonly writtenAt: number;
  readonly before: Before;
  readonly input: readonly Chunk[];
  readonly output: readonly Chunk[];
  /** Number of responses that continue this one and need its items. */
  readonly followers: number;
  /** Whether only its followers may still find it. */
  readonly isDeleted: boolean;
}

/** The part of a call by which its response is kept. */
export interface Keeping {
  /** The items of the request. */
  readonly items: readonly ConversationItem[];
  readonly before: Before;
  /** Whether the response is to be kept. */
  readonly store: boolean;
}

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

/** @param param the field that names it */
export async function findKept(
  { kept }: Pick<CallerState, 'kept'>,
  id: string,
  param: string,
): Promise<KeptResponse> {
  if (kept === undefined) throw nothingKept(param);
  const found = /^resp_[0-9a-f]{32}$/.test(id) ? await kept.get(id) : undefined;
  if (found === undefined || (found as KeptResponse).isDeleted) throw notFound(param);
  return found as KeptResponse;
}

/** Whether the response has an answer, of which the limit may have cut off the end. */
export function hasAnswer({ status }: Pick<KeptResponse, 'status'>): boolean {
  return status === 'completed' || status === 'incomplete';
}

/** Whether a response in the background is still to come. */
export function isPending({ status }: Pick<KeptResponse, 'status'>): boolean {
  return status === 'queued' || status === 'in_progress';
}

/** A response as clients get it. One whose process has gone has failed. */
export async function findSettled(
  caller: Pick<CallerState, 'kept'>,
  id: string,
  param: string,
): Promise<ModelResponse> {
  const head = await findKept(caller, id, param);
  const kept = caller.kept!;
  const isUnderWay = isPending(head) && (await kept.work.isUnderWay(id));
  // It may have ended between the two questions.
  const { status } = isPending(head) && !isUnderWay ? await findKept(caller, id, param) : head;
  const found = (await kept.get(bodyOf(id))) as ModelResponse | undefined;
  if (found === undefined) throw notFound(param);
  if (!isPending({ status })) return found;
  if (isUnderWay) return { ...found, status };
  const error = {
    code: 'server_error',
    message: 'The process that ran the response has gone, or could not keep its answer.',
  };
  return { ...found, status: 'failed', error };
}

/** The items of a response, without a call that was cut off: it has no result. */
export function wholeItems({ output }: ModelResponse): ModelResponse['output'] {
  return output.filter(({ type, status }) => type !== 'function_call' || status === 'completed');
}

/** All sources of the items that a response has answered, the oldest first. */
export async function sourcesBefore(
  caller: Pick<CallerState, 'kept'>,
  { previous, conversation }: Before,
  { budget, param }: { readonly budget: RequestBudget; readonly param: string },
): Promise<Source[]> {
  const kept = caller.kept!;
  const sources: Source[] = [];
  let before: Before['conversation'] = conversation;
  for (let next = previous; next !== undefined;) {
    await budget.pause();
    const head = (await kept.get(next)) as KeptResponse | undefined;
    if (head === undefined) throw notFound(param);
    if (kept.isDue(head.writtenAt)) await renewResponse(kept, head);
    sources.unshift(sourceOf(head));
    ({ previous: next, conversation: before } = head.before);
  }
  if (before === undefined) return sources;
  const { id, last } = before;
  const { chunks } = await findConversation(caller, { id, param });
  return [{ owner: id, chunks: chunks.filter(({ number }) => number <= last) }, ...sources];
}

/** A response's own items. */
export function sourceOf({ id: owner, input, output }: KeptResponse): Source {
  return { owner, chunks: [...input, ...output] };
}

async function renewResponse(kept: KeptValues, head: KeptResponse): Promise<void> {
  const names = namesOf(sourceOf(head));
  for (const name of [bodyOf(head.id), ...names]) await kept.renew(name);
  await changeHead(kept, head.id, (found) => ({ ...found, writtenAt: unixTime() }));
}

/** Forgets a response, and with it those before it that are deleted and have no other follower. */
export async function forgetResponse(kept: KeptValues, id: string, budget: RequestBudget): Promise<void> {
  await kept.delete(bodyOf(id));
  await changeHead(kept, id, (head) => ({ ...head, isDeleted: true }));
  for (let next: string | undefined = id; next !== undefined;) {
    await budget.pause();
    const gone = await removeUnneeded(kept, next);
    next = gone?.before.previous;
    if (next !== undefined) await follow(kept, next, -1);
  }
}

async function removeUnneeded(kept: KeptValues, id: string): Promise<KeptResponse | undefined> {
  let gone: KeptResponse | undefined;
  await changeHead(kept, id, (head) => {
    if (!head.isDeleted || head.followers > 0) return head;
    gone = head;
    return undefined;
  });
  if (gone) for (const name of namesOf(sourceOf(gone))) await kept.delete(name);
  return gone;
}

function follow(kept: KeptValues, id: string, by: 1 | -1): Promise<unknown> {
  return changeHead(kept, id, (head) => ({ ...head, followers: head.followers + by }));
}

function changeHead(
  kept: KeptValues,
  id: string,
  change: (head: KeptResponse) => KeptResponse | undefined,
): Promise<unknown> {
  return kept.update(id, (head) => (head === undefined ? undefined : change(head as KeptResponse)));
}

function bodyOf(id: string): string {
  return `${id}.body`;
}

/** Keeps one response as it changes. */
export class ResponseKeeper {
  readonly #kept: KeptValues;
  #head: KeptResponse;
  #isFollowing = false;

  constructor(
    kept: KeptValues,
    { id, background }: Pick<ModelResponse, 'id' | 'background'>,
    before: Before,
  ) {
    this.#kept = kept;
    const state = { status: 'queued', background, writtenAt: 0, followers: 0, isDeleted: false } as const;
    this.#head = { id, ...state, before, input: [], output: [] };
  }

  /**
   * Keeps the items of the request, and the response as it is before its answer.
   *
   * @returns whether all is kept: together with what was before it, it may be too large
   */
  async begin(items: Keeping['items'], response: ModelResponse): Promise<boolean> {
    const { id, before } = this.#head;
    const suffix = id.replace(/^resp_/, '');
    const input = items.map((item, index) => {
      const place = before.size.count + index;
      const type = item.type ?? 'message';
      return { ...item, type, id: item.id ?? `${idPrefixes[type]}_${suffix}_in${place}` } as KeptItem;
    });
    if (!(await this.#keepItems('input', input)) || !(await this.write(response))) return false;
    if (before.previous !== undefined) await follow(this.#kept, before.previous, 1);
    this.#isFollowing = true;
    return true;
  }

  /** Keeps what clients get. @returns whether it is kept */
  async write(response: ModelResponse): Promise<boolean> {
    const output = hasAnswer(response) ? wholeItems(response).map(withoutLogprobs) : [];
    if (!(await this.#keepItems('output', output))) return false;
    const isKept = await this.#kept.set(bodyOf(response.id), JSON.stringify(response));
    return isKept && this.mark(response.status);
  }

  /** Changes the status alone. */
  async mark(status: ModelResponse['status']): Promise<boolean> {
    this.#head = { ...this.#head, status, writtenAt: unixTime() };
    return this.#kept.set(this.#head.id, JSON.stringify(this.#head));
  }

  /** Removes what is kept of it. */
  async discard(): Promise<void> {
    const { id, before } = this.#head;
    for (const name of [id, bodyOf(id), ...namesOf(sourceOf(this.#head))]) await this.#kept.delete(name);
    if (this.#isFollowing && before.previous !== undefined) await follow(this.#kept, before.previous, -1);
  }

  async #keepItems(name: 'input' | 'output', items: readonly KeptItem[]) {
    const { id, before, input } = this.#head;
    const drafts = draftChunks(items, input.at(-1)?.number);
    this.#head = { ...this.#head, [name]: drafts.map(({ chunk }) => chunk) };
    const { chunks } = sourceOf(this.#head);
    return sizeOf(chunks, before.size).bytes <= this.#kept.maxBytes && keepChunks(this.#kept, id, drafts);
  }
}
