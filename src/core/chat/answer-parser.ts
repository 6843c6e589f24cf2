import { assertNames } from '../assert-names.ts';
import { assertFlag, assertFunction, assertObject } from '../assert-values.ts';
import { createStopMatcher } from '../text/stop-sequences.ts';
import type { ReasoningPart, ReasoningSplitter } from './reasoning.ts';
import type { ToolCallParser, ToolCallParserEvent } from './tool-calls/parser.ts';

/** The parts of one choice's answer, in order. */
export type AnswerEvent =
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'text-delta'; readonly text: string }
  /** `call` counts the calls of the answer from 0. */
  | { readonly type: 'tool-call-start'; readonly call: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call-delta'; readonly call: number; readonly arguments: string };

/** Facts about model and request that `createAnswerParser` needs. */
export interface AnswerParserOptions {
  /** Text that ends the answer and is not part of it. */
  readonly stop?: readonly string[] | undefined;
  /** Whether the text that ended the answer is part of it all the same; default false. */
  readonly includeStop?: boolean | undefined;
  /** A new splitter of the model's format; default: everything is answer. */
  readonly reasoningSplitter?: ReasoningSplitter | undefined;
  /** A new parser of the model's format; default: markers are plain text, as without tools or if `toolChoice` is `none`. */
  readonly toolCallParser?: ToolCallParser | undefined;
  /** Whether the answer is calls alone: what isn't one is a part of their markers, and no text. Default false. */
  readonly isCallsAlone?: boolean | undefined;
  /** Makes the id of a call, such as `call_…`, if the model doesn't write it. */
  readonly createToolCallId: () => string;
}

/** The last events of an answer. */
export interface AnswerEnd {
  readonly events: readonly AnswerEvent[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls';
}

/** Reads one choice's answer while it is generated. */
export interface AnswerParser {
  /** The stop sequence that ended the answer; generating more is useless from then on. */
  readonly stopped: string | null;
  /** Number of UTF-16 code units at the end of the input that a stop sequence, or its beginning, holds back. */
  readonly withheld: number;
  /** Whether the next text is expected to belong to the thinking. */
  readonly isReasoning: boolean;
  push(text: string): readonly AnswerEvent[];
  /**
   * Ends the answer.
   *
   * @param options `cutOff`: whether a token limit ended it, and not the model
   */
  end(options: { readonly cutOff: boolean }): AnswerEnd;
}

/**
 * Turns the text of one choice into events: thinking is split off, then tool calls are read, then stop sequences apply.
 *
 * - Stop sequences act on the text of the answer, and neither inside the thinking nor inside a call: a stop at `"\n"` or `"{"`
 *   should end the text, and leave a call whole.
 * - White space around tool calls is dropped, so the content of an answer that only calls tools is empty.
 * - The finish reason is `length` when the answer was cut off (unless a stop sequence was complete by then), else
 *   `tool_calls` when at least one call is whole, else `stop`. A call that is not whole keeps the deltas that were
 *   sent: the beginning of a JSON object, which `JSON.parse` refuses.
 *
 * @throws RangeError for an empty stop sequence
 *
 * @example
 * ```ts
 * const parser = createAnswerParser({ stop: ['END'], createToolCallId: () => 'call_1' });
 * parser.push('Hello E'); // [{ type: 'text-delta', text: 'Hello ' }]
 * parser.push('ND more'); // []
 * parser.stopped; // 'END'
 * parser.end({ cutOff: false }); // { events: [], finishReason: 'stop' }
 * ```
 */
export function createAnswerParser(options: AnswerParserOptions): AnswerParser {
  assertNames('createAnswerParser', options, [
    'stop',
    'includeStop',
    'reasoningSplitter',
    'toolCallParser',
    'isCallsAlone',
    'createToolCallId',
  ]);
  const { stop = [], includeStop: include, toolCallParser, createToolCallId, isCallsAlone } = options;
  const { reasoningSplitter: splitter } = options;
  assertFunction('createToolCallId', createToolCallId);
  for (const [name, flag] of Object.entries({ includeStop: include, isCallsAlone }))
    if (flag !== undefined) assertFlag(name, flag);
  for (const [name, reader] of Object.entries({ reasoningSplitter: splitter, toolCallParser })) {
    if (reader === undefined) continue;
    assertObject(name, reader);
    assertFunction(`${name}.push`, reader.push);
    assertFunction(`${name}.flush`, reader.flush);
  }
  const stopMatcher = createStopMatcher(stop, { include });
  let isInCall = false;
  let stopped: string | null = null;
  let calls = 0;
  let wholeCalls = 0;
  let hasBegunCall = false;
  const usedIds = new Set<string>();
  /** White space of the answer, emitted only if more text follows. */
  let space = '';

  function push(text: string): readonly AnswerEvent[] {
    const events: AnswerEvent[] = [];
    readParts(splitter?.push(text) ?? [{ type: 'text', text }], events);
    return events;
  }

  function readParts(parts: readonly ReasoningPart[], events: AnswerEvent[]): void {
    for (const { type, text } of parts) {
      if (type === 'reasoning') events.push({ type: 'reasoning-delta', text });
      else for (const event of toolCallParser?.push(text) ?? [{ type, text }]) readCallEvent(event, events);
    }
  }

  function readText(text: string, events: AnswerEvent[]): void {
    const match = stopMatcher.push(text);
    ({ stopped } = match);
    emitTextAroundCalls(match.text, events);
  }

  function readCallEvent(event: ToolCallParserEvent, events: AnswerEvent[]): void {
    if (event.type === 'text') {
      if (isCallsAlone !== true) readText(event.text, events);
      return;
    }
    if (stopped !== null) return;
    switch (event.type) {
      case 'call-start':
        // No stop sequence continues after a call.
        emitTextAroundCalls(stopMatcher.flush(), events);
        isInCall = true;
        hasBegunCall = true;
        space = '';
        events.push({ type: 'tool-call-start', call: calls++, id: idOf(event.id), name: event.name });
        break;
      case 'arguments':
        events.push({ type: 'tool-call-delta', call: calls - 1, arguments: event.text });
        break;
      case 'call-end':
        isInCall = false;
        wholeCalls++;
        break;
      case 'call-unfinished':
        isInCall = false;
        hasBegunCall = true;
        break;
    }
  }

  /** Every id is unique, even if the model writes the same number twice. */
  function idOf(written: string | undefined): string {
    const id = written === undefined ? createToolCallId() : numbered(written, usedIds);
    usedIds.add(id);
    return id;
  }

  function emitTextAroundCalls(text: string, events: AnswerEvent[]): void {
    const visible = toolCallParser === undefined ? text : text.trimEnd();
    if (visible === '') {
      space += text;
      return;
    }
    emitText(space + visible, events);
    space = text.slice(visible.length);
  }

  function end({ cutOff }: { cutOff: boolean }): AnswerEnd {
    const events: AnswerEvent[] = [];
    if (splitter !== undefined) readParts(splitter.flush({ cutOff }), events);
    const isCutOff = cutOff || stopped !== null;
    for (const event of toolCallParser?.flush({ cutOff: isCutOff }) ?? []) readCallEvent(event, events);
    emitTextAroundCalls(stopMatcher.flush(), events);
    if (!hasBegunCall) emitText(space, events);
    space = '';
    const endedItself = wholeCalls > 0 ? 'tool_calls' : 'stop';
    return { events, finishReason: cutOff && stopped === null ? 'length' : endedItself };
  }

  return {
    get stopped() {
      return stopped;
    },
    get withheld() {
      return isInCall ? 0 : stopMatcher.withheld;
    },
    get isReasoning() {
      return splitter?.isReasoning ?? false;
    },
    push,
    end,
  };
}

function emitText(text: string, events: AnswerEvent[]): void {
  if (text !== '') events.push({ type: 'text-delta', text });
}

/** `name:0`, with the next number that is free. */
function numbered(id: string, used: ReadonlySet<string>): string {
  const [, stem = id, number = '0'] = /^(.*):(\d+)$/s.exec(id) ?? [];
  let next = Number(number);
  const isFree = (): boolean => [...used].every((other) => !other.endsWith(`:${next}`));
  while (!isFree()) next++;
  return `${stem}:${next}`;
}
