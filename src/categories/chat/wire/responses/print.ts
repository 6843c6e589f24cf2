import { unixTime } from '../../../../http/headers.ts';
import type { ChatEvent, FinishReason } from '../../events.ts';
import { ItemReader, type ItemChange } from '../../items.ts';
import { ItemPrinter, type EventBody, type OutputItem, type ResponseForm } from './print-item.ts';
import type { ModelResponse, ResponseEvent } from './schema.ts';

/** The fields known before the answer. */
export type ResponseHead = Omit<
  ModelResponse,
  'status' | 'completed_at' | 'error' | 'incomplete_details' | 'output' | 'usage'
>;

/** An error as clients see it. */
export interface ResponseFailure {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

/** Turns the ordered events of an answer into events of a streamed response. */
export interface ResponseStreamer {
  /** The events for one event of the run; `usage` yields the complete response last. */
  push(event: ChatEvent): ResponseEvent[];
  fail(failure: ResponseFailure): ResponseEvent[];
}

export type Outcome = Pick<ModelResponse, 'status'> & Partial<ModelResponse>;

export function toEmptyResponse(head: ResponseHead, outcome: Outcome): ModelResponse {
  return {
    ...head,
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...outcome,
  };
}

/**
 * Creates the streamer of a response. Item ids derive from the response id.
 *
 * @example
 * ```ts
 * const call = fromResponsesRequest({ model: 'tiny-chat', input: 'Hello' });
 * const head = toResponseHead(call, { id: 'resp_1', created: 0, model: 'tiny-chat' });
 * const { push } = createResponseStreamer(head);
 * push({ type: 'text-delta', choice: 0, text: 'Hi' }).at(-1)?.type; // 'response.output_text.delta'
 * ```
 */
export function createResponseStreamer(head: ResponseHead, form: ResponseForm = {}): ResponseStreamer {
  const items = new ItemReader();
  const output: OutputItem[] = [];
  let finishReason: FinishReason = 'stop';
  let hasAnswer = false;
  let sequenceNumber = 0;

  const toResponse = (own: Outcome): ModelResponse => toEmptyResponse(head, { output: [...output], ...own });
  let printer: ItemPrinter | undefined;
  const print = (change: ItemChange, status: OutputItem['status']): EventBody[] => {
    const { item } = change;
    if (change.type === 'begin') {
      hasAnswer ||= item.type !== 'reasoning';
      printer = new ItemPrinter(item, head.id, form);
      return printer.begin();
    }
    if (change.type === 'delta') return [printer!.delta(change.text, change.logprobs)];
    const whole = printer!.item(status);
    output.push(whole);
    return printer!.end(whole);
  };
  const read = (event: ChatEvent): EventBody[] => {
    if (event.type === 'usage') {
      const { status, incomplete_details } = outcomes[finishReason];
      const completed_at = status === 'completed' ? unixTime() : null;
      const response = toResponse({ status, completed_at, incomplete_details, usage: toUsage(event) });
      return [{ type: `response.${status}`, response }];
    }
    const ends = event.type === 'choice-end';
    if (ends) ({ finishReason } = event);
    const isCutOff = ends && finishReason === 'length';
    const status = isCutOff ? 'incomplete' : 'completed';
    const events: EventBody[] = [];
    // An empty answer still has an empty message.
    if (ends && !isCutOff && !hasAnswer)
      for (const change of items.begin('text')) events.push(...print(change, status));
    for (const change of items.read(event)) events.push(...print(change, status));
    return events;
  };
  const number = (bodies: EventBody[]): ResponseEvent[] =>
    bodies.map((body) => ({ ...body, sequence_number: sequenceNumber++ }) as ResponseEvent);
  const beginResponse = (): EventBody[] => {
    if (sequenceNumber > 0) return [];
    const response = toResponse({ status: 'in_progress' });
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ];
  };

  return {
    push(event) {
      if (event.type === 'prompt-start' || event.type === 'hidden-tokens') return [];
      return number([...beginResponse(), ...read(event)]);
    },
    fail({ code, message, param }) {
      const events = [
        ...beginResponse(),
        ...[...items.end()].flatMap((change) => print(change, 'incomplete')),
      ];
      const response = toResponse({ status: 'failed', error: { code: 'server_error', message } });
      const failed: EventBody[] = [
        { type: 'error', code, message, param },
        { type: 'response.failed', response },
      ];
      return number([...events, ...failed]);
    },
  };
}

/**
 * All events of a chat request → the response body.
 *
 * @example
 * ```ts
 * const call = fromResponsesRequest({ model: 'tiny-chat', input: 'Hello' });
 * const head = toResponseHead(call, { id: 'resp_1', created: 0, model: 'tiny-chat' });
 * const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 1, reasoningTokens: 0 };
 * const events: ChatEvent[] = [
 *   { type: 'text-delta', choice: 0, text: 'Hi' },
 *   { type: 'choice-end', choice: 0, finishReason: 'stop' },
 *   { type: 'usage', ...usage },
 * ];
 * toModelResponse(events, head).output[0]?.type; // 'message'
 * ```
 */
export function toModelResponse(
  events: Iterable<ChatEvent>,
  head: ResponseHead,
  form?: ResponseForm,
): ModelResponse {
  const { push } = createResponseStreamer(head, form);
  const last = [...events].flatMap(push).at(-1);
  return (last as Extract<ResponseEvent, { response: unknown }>).response;
}

const completed = { status: 'completed', incomplete_details: null } as const;

const outcomes = {
  stop: completed,
  tool_calls: completed,
  length: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
} as const satisfies Record<FinishReason, Pick<ModelResponse, 'status' | 'incomplete_details'>>;

function toUsage(usage: Extract<ChatEvent, { type: 'usage' }>): ModelResponse['usage'] {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0 },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}
