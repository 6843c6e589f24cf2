import { takeJson } from './tool-calls/json-calls.ts';
import type { ReasoningFormat } from './reasoning-format.ts';
import { createScriptedSplitter, type ReasoningPart, type ReasoningSplitter } from './reasoning.ts';
import { TextInput, type Reading } from './text-input.ts';
import { recognizes } from './evidence.ts';

/** Special tokens of a harmony answer (https://cookbook.openai.com/articles/openai-harmony). */
const harmonyMarkers = {
  start: '<|start|>',
  channel: '<|channel|>',
  constrain: '<|constrain|>',
  message: '<|message|>',
  end: '<|end|>',
  call: '<|call|>',
  return: '<|return|>',
} as const;

/** Messages in channels: `analysis` is thinking, `final` and `commentary` are the answer. */
export const harmonyReasoningFormat: ReasoningFormat = {
  name: 'harmony',
  example:
    '<|channel|>analysis<|message|>They ask for …<|end|><|start|>assistant<|channel|>final<|message|>The answer is …',
  markers: Object.values(harmonyMarkers),
  createSplitter: () => createHarmonySplitter(),
  constraint: () => ({
    open: [`${harmonyMarkers.channel}analysis${harmonyMarkers.message}`],
    close: [harmonyMarkers.end],
    startsOpen: false,
    after: `${harmonyMarkers.start}assistant`,
    frame: { open: `${harmonyMarkers.channel}final${harmonyMarkers.message}`, close: '', isRequired: true },
  }),
  overrides: true,
  detect: recognizes(['<|channel|>', '<|message|>']),
};

/** A header is a few words; more than this is text. */
const longestHeader = 512;

/**
 * Takes the channels of a harmony answer apart. The prompt ends with `<|start|>assistant`, so the answer begins in
 * a header.
 *
 * - `analysis` is reasoning; `final`, and `commentary` to nobody, is text. Their headers and ends are dropped, and a
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
  const { start, channel, message, constrain, call } = harmonyMarkers;
  const markers = Object.values(harmonyMarkers);
  const input = new TextInput();
  const parts: ReasoningPart[] = [];
  let place: 'start' | 'header' | 'between' | 'reasoning' | 'text' | 'call' = 'start';
  let header = '';
  const begun = { reasoning: false, text: false };
  const isInHeader = (): boolean => place === 'start' || place === 'header';

  function* readAnswer(): Reading {
    for (;;) {
      const marker = yield* input.takeUntil(markers, readText);
      if (marker === null) break;
      if (marker === message && isInHeader()) yield* enterMessage();
      else readMarker(marker);
    }
    if (isInHeader() && header !== '' && !input.isCutOff) releaseHeader();
  }

  function readText(text: string): void {
    const visible = place === 'between' ? text.trimStart() : text;
    if (visible === '') return;
    if (place === 'between') enter('text');
    if (isInHeader()) readHeader(visible);
    else emit(visible);
  }

  function readHeader(text: string): void {
    header += text;
    const beginning = header.trimStart().slice(0, 'to='.length);
    const isHeader = place === 'header' || 'to='.startsWith(beginning);
    if (!isHeader || header.length > longestHeader) releaseHeader();
  }

  /** The supposed header is text. */
  function releaseHeader(): void {
    const text = header;
    header = '';
    enter('text');
    if (text !== '') emit(text);
  }

  function readMarker(marker: string): void {
    if (marker === channel) {
      header = isInHeader() ? header + marker : marker;
      place = 'header';
    } else if (marker === message || marker === constrain) {
      if (isInHeader()) header += marker;
      else if (place !== 'between') emit(marker);
    } else {
      if (isInHeader() && header !== '') releaseHeader();
      if (place === 'call' && marker === call) emit(marker);
      header = marker === start ? marker : '';
      place = marker === start ? 'header' : 'between';
    }
  }

  function* enterMessage(): Reading {
    const text = header + message;
    header = '';
    if (!/\bto=/.test(text)) return enter(/<\|channel\|>\s*analysis/.test(text) ? 'reasoning' : 'text');
    place = 'call';
    emit(text);
    // Markers inside of a call's arguments mean nothing.
    yield* takeJson(input, emit);
  }

  function enter(next: 'reasoning' | 'text'): void {
    place = next;
    if (begun[next]) emit('\n');
    begun[next] = true;
  }

  function emit(text: string): void {
    parts.push({ type: place === 'reasoning' ? 'reasoning' : 'text', text });
  }

  return createScriptedSplitter(input, readAnswer(), { parts, isReasoning: () => place === 'reasoning' });
}
