import { recognizes } from './tool-calls/format.ts';
import { takeJson } from './tool-calls/json-calls.ts';
import type { ReasoningFormat, ReasoningPart, ReasoningSplitter } from './reasoning.ts';
import { feed, TextInput, type Reading } from './text-input.ts';

/** Special tokens of a harmony answer (https://cookbook.openai.com/articles/openai-harmony). */
const markers = [
  '<|start|>',
  '<|channel|>',
  '<|constrain|>',
  '<|message|>',
  '<|end|>',
  '<|call|>',
  '<|return|>',
] as const;
const [start, channel, constrain, message, end, call] = markers;

/** Messages in channels: `analysis` is thinking, `final` and `commentary` are the answer. */
export const harmonyReasoningFormat: ReasoningFormat = {
  name: 'harmony',
  example:
    '<|channel|>analysis<|message|>They ask for …<|end|><|start|>assistant<|channel|>final<|message|>The answer is …',
  markers,
  createSplitter: createHarmonySplitter,
  constraint: () => ({
    open: [`${channel}analysis${message}`],
    close: [end],
    startsOpen: false,
    after: `${start}assistant`,
    frame: { open: `${channel}final${message}`, close: '', isRequired: true },
  }),
  overrides: true,
  detect: recognizes([channel, message]),
};

/** A header is a few words; more than this is text. */
const maxHeaderLength = 512;

/**
 * Splits a harmony answer by its channels. The prompt ends with `<|start|>assistant`, so the answer begins in
 * a header.
 *
 * - `analysis` is reasoning; `final`, and `commentary` without a recipient, is text. Their headers and ends are dropped, and a
 *   line break separates two messages of the same kind.
 * - A message with a recipient is a tool call: it is text, header and all, for the tool call parser to read.
 * - An answer without channels is text.
 *
 * @example
 * ```ts
 * const splitter = createHarmonySplitter();
 * splitter.push('<|channel|>analysis<|message|>2 + 2<|end|>'); // [{ type: 'reasoning', text: '2 + 2' }]
 * splitter.push('<|start|>assistant<|channel|>final<|message|>Four.'); // [{ type: 'text', text: 'Four.' }]
 * ```
 */
export function createHarmonySplitter(): ReasoningSplitter {
  const input = new TextInput();
  const parts: ReasoningPart[] = [];
  const begun = { reasoning: false, text: false };
  let type: ReasoningPart['type'] = 'text';

  function* readAnswer(): Reading {
    for (let isStart = true; yield* input.hasMore(); isStart = false) {
      const space = yield* input.takeSpace();
      const next = yield* input.peekAny(isStart ? [...markers, 'to='] : markers);
      if (next === start || next === channel || next === 'to=') yield* readMessage();
      else if (next !== null) input.take(next.length);
      else {
        if (isStart) input.putBack(space.length);
        if (yield* input.hasMore()) yield* readBody('text');
      }
    }
  }

  /** Reads a header, and the message behind it. A header without a message is text. */
  function* readMessage(): Reading {
    const from = input.held.length;
    let marker = yield* input.takeAny([start, channel]);
    do {
      yield* input.takeWhile(/[^<]/, maxHeaderLength);
      marker = yield* input.takeAny([channel, constrain, message]);
    } while (marker !== null && marker !== message && input.held.length - from < maxHeaderLength);
    const header = input.held.slice(from);
    if (marker === message && /\bto=/.test(header)) return yield* readCall(header);
    if (marker === message) yield* readBody(/<\|channel\|>\s*analysis/.test(header) ? 'reasoning' : 'text');
    else if (!input.isCutOff || (yield* input.hasMore())) yield* readBody('text', header);
  }

  function* readCall(header: string): Reading {
    emit(header);
    // Markers inside of a call's arguments mean nothing.
    yield* takeJson(input, emit);
    if ((yield* readRest()) === call) emit(call);
  }

  function* readBody(kind: ReasoningPart['type'], lead = ''): Reading {
    type = kind;
    emit(begun[kind] ? `\n${lead}` : lead);
    begun[kind] = true;
    yield* readRest();
    type = 'text';
  }

  /** Reads a message up to its end, or to the next header. */
  function* readRest(): Reading<string | null> {
    const marker = yield* input.takeUntil(
      markers.filter((one) => one !== message && one !== constrain),
      emit,
    );
    if (marker === start || marker === channel) input.putBack(marker.length);
    return marker;
  }

  function emit(text: string): void {
    input.held = '';
    if (text !== '') parts.push({ type, text });
  }

  return {
    get isReasoning() {
      return type === 'reasoning';
    },
    ...feed(input, readAnswer(), () => parts.splice(0)),
  };
}
