import type { CallerState, KeptValues } from '../../../../contracts/caller.ts';
import type { RequestBudget } from '../../../../contracts/endpoint.ts';
import { unixTime } from '../../../../http/headers.ts';
import { findConversation } from './kept-conversation.ts';
import { isWorkRunning } from './background-work.ts';
import {
  idPrefixes,
  keepItems,
  keyOf,
  maxItems,
  storeDisabled,
  notFound,
  placesOf,
  removeItems,
  type Entry,
  type KeptItem,
  type Place,
  type Size,
} from './kept-items.ts';
import type { ConversationItem, ModelResponse } from './schema.ts';

/** A previous response's items, or a conversation's up to an item. */
export interface Before {
  readonly size: Size;
  readonly previous?: string | undefined;
  readonly conversation?: { readonly id: string; readonly last: number } | undefined;
}

/** Items and the body for clients are stored separately. */
export interface KeptResponse {
  readonly id: string;
  readonly status: ModelResponse['status'];
  readonly before: Before;
  /** Input entries, then output entries. */
  readonly entries: readonly Entry[];
  readonly inputCount: number;
  /** Unix time in seconds of the last complete write. */
  readonly writtenAt: number;
  /** Number of responses that continue this one and keep its items after deletion. */
  readonly followers: number;
  readonly isDeleted: boolean;
}

export interface Keeping {
  readonly items: readonly ConversationItem[];
  readonly before: Before;
  readonly store: boolean;
}

export function outputItemId(
  type: ModelResponse['output'][number]['type'],
  responseId: string,
  index: number,
): string {
  return `${idPrefixes[type]}_${responseId.replace(/^resp_/, '')}_${index}`;
}

/** The response id is part of its items' ids. */
export function responseIdOf(itemId: string): string | undefined {
  const [, response] = /^[a-z]+_([0-9a-f]{32})_(?:in)?\d+$/.exec(itemId) ?? [];
  return response && `resp_${response}`;
}

/** With ids for later references. */
export function inputItems({ items, before }: Omit<Keeping, 'store'>, responseId: string): KeptItem[] {
  const suffix = responseId.replace(/^resp_/, '');
  return items.map((item, index) => {
    const type = item.type ?? 'message';
    const id = item.id ?? `${idPrefixes[type]}_${suffix}_in${before.size.count + index}`;
    return { ...item, type, id } as KeptItem;
  });
}

/** Drops truncated calls, which have no result, and log probabilities, which would multiply the size. */
export function outputItems({ output }: ModelResponse): KeptItem[] {
  const whole = output.filter(({ type, status }) => type !== 'function_call' || status === 'completed');
  return whole.map((item) => (item.type === 'message' ? withoutLogprobs(item) : item));
}

function withoutLogprobs<Message extends { readonly content: readonly object[] }>(message: Message): Message {
  return { ...message, content: message.content.map((part) => ({ ...part, logprobs: [] })) };
}

export async function findKept(
  { kept }: Pick<CallerState, 'kept'>,
  id: string,
  param: string,
): Promise<KeptResponse & { readonly kept: KeptValues }> {
  if (kept === undefined) throw storeDisabled(param);
  const found = /^resp_[0-9a-f]{32}$/.test(id)
    ? ((await kept.get(id)) as KeptResponse | undefined)
    : undefined;
  if (found === undefined || found.isDeleted) throw notFound(param);
  return { ...found, kept };
}

/** True if there is an answer, maybe truncated by the limit. */
export function hasAnswer({ status }: Pick<KeptResponse, 'status'>): boolean {
  return status === 'completed' || status === 'incomplete';
}

/** True while a background response is unfinished. */
export function isPending({ status }: Pick<KeptResponse, 'status'>): boolean {
  return status === 'queued' || status === 'in_progress';
}

/** The response for clients; failed if its process died. */
export async function findSettled(
  caller: Pick<CallerState, 'kept'>,
  id: string,
  param: string,
): Promise<ModelResponse> {
  const { kept, ...head } = await findKept(caller, id, param);
  const isRunning = isPending(head) && (await isWorkRunning(kept, id));
  // It may have ended between the two reads.
  const { status } = isPending(head) && !isRunning ? await findKept(caller, id, param) : head;
  const found = (await kept.get(bodyOf(id))) as ModelResponse | undefined;
  if (found === undefined) throw notFound(param);
  if (!isPending({ status })) return found;
  if (isRunning) return { ...found, status };
  const error = {
    code: 'server_error',
    message: 'The process that ran the response died, or could not store its answer.',
  };
  return { ...found, status: 'failed', error };
}

/** The places of all items before a response, oldest first. */
export async function placesBefore(
  kept: KeptValues,
  { previous, conversation }: Before,
  { budget, param }: { readonly budget: RequestBudget; readonly param: string },
): Promise<Place[]> {
  const turns: Place[][] = [];
  for (let next = previous; next !== undefined;) {
    await budget.pause();
    const head = (await kept.get(next)) as KeptResponse | undefined;
    if (head === undefined) throw notFound(param);
    turns.push(placesOf(next, head.entries));
    if (kept.isDue(head.writtenAt)) {
      for (const name of [bodyOf(next), ...turns.at(-1)!.map(keyOf)]) await kept.renew(name);
      await changeHead(kept, next, (found) => ({ ...found, writtenAt: unixTime() }));
    }
    ({ previous: next, conversation } = head.before);
  }
  if (conversation !== undefined) {
    const { id, last } = conversation;
    const { entries } = await findConversation(kept, [id, param]);
    const earlier = entries.filter(({ number }) => number <= last);
    turns.push(placesOf(id, earlier));
  }
  return turns.toReversed().flat();
}

/** Items stay while a response that continues it exists. */
export async function forgetResponse(kept: KeptValues, id: string): Promise<void> {
  await kept.delete(bodyOf(id));
  await changeHead(kept, id, (head) => ({ ...head, isDeleted: true }));
  for (let next: string | undefined = id; next !== undefined;) {
    let gone: KeptResponse | undefined;
    await changeHead(kept, next, (head) => {
      const followers: number = head.followers - (next === id ? 0 : 1);
      if (!head.isDeleted || followers > 0) return { ...head, followers };
      gone = head;
      return undefined;
    });
    await removeItems(kept, placesOf(next, gone?.entries ?? []));
    next = gone?.before.previous;
  }
}

function changeHead(
  kept: KeptValues,
  id: string,
  change: (head: KeptResponse) => KeptResponse | undefined,
): Promise<unknown> {
  return kept.update(id, async (head) => (head === undefined ? undefined : change(head as KeptResponse)));
}

function bodyOf(id: string): string {
  return `${id}.body`;
}

export class ResponseKeeper {
  readonly #kept: KeptValues;
  #head: KeptResponse;

  constructor(kept: KeptValues, id: string, before: Before) {
    const state = { status: 'queued', writtenAt: 0, followers: 0, isDeleted: false } as const;
    this.#kept = kept;
    this.#head = { id, before, entries: [], inputCount: 0, ...state };
  }

  /** @returns whether a later request could read all of it */
  async begin(input: readonly KeptItem[], response: ModelResponse): Promise<boolean> {
    if (input.length > maxItems || !(await this.#add(input))) return false;
    this.#head = { ...this.#head, inputCount: input.length };
    const { previous } = this.#head.before;
    if (previous !== undefined)
      await changeHead(this.#kept, previous, (head) => ({ ...head, followers: head.followers + 1 }));
    await this.mark('queued');
    if (await this.write(response)) return true;
    await forgetResponse(this.#kept, response.id);
    return false;
  }

  /** Stores the body for clients. @returns whether that succeeded */
  async write(response: ModelResponse): Promise<boolean> {
    if (hasAnswer(response) && !(await this.#add(outputItems(response)))) return false;
    if (!(await this.#kept.set(bodyOf(response.id), JSON.stringify(response)))) return false;
    await this.mark(response.status);
    return true;
  }

  /** Changes only the status. */
  async mark(status: ModelResponse['status']): Promise<void> {
    this.#head = { ...this.#head, status, writtenAt: unixTime() };
    await this.#kept.set(this.#head.id, JSON.stringify(this.#head));
  }

  async #add(items: readonly KeptItem[]): Promise<boolean> {
    const { id, before, entries } = this.#head;
    const all = await keepItems(this.#kept, id, items, { entries, before: before.size });
    if (all !== undefined) this.#head = { ...this.#head, entries: all };
    return all !== undefined;
  }
}
