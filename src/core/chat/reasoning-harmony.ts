import { createJsonScanner } from '../text/json-scanner.ts';
import { createMarkerScanner } from '../text/marker-scanner.ts';
import type { ReasoningFormat } from './reasoning-format.ts';
import type { ReasoningPart, ReasoningSplitter, ReasoningSplitterFlushOptions } from './reasoning.ts';
import { harmonyFormat, harmonyMarkers } from './tool-calls/harmony.ts';

/** Messages in channels: `analysis` is thinking, `final` and `commentary` are the answer. */
export const harmonyReasoningFormat: ReasoningFormat = {
  name: 'harmony',
  example:
    '<|channel|>analysis<|message|>They ask for …<|end|><|start|>assistant<|channel|>final<|message|>The answer is …',
  models: ['gpt-oss-20b', 'gpt-oss-120b'],
  markers: Object.values(harmonyMarkers),
  createSplitter: () => createHarmonySplitter(),
  constraint: () => ({
    open: [`${harmonyMarkers.channel}analysis${harmonyMarkers.message}`],
    close: [harmonyMarkers.end],
    startsOpen: false,
    after: `${harmonyMarkers.start}assistant`,
    frame: { open: `${harmonyMarkers.channel}final${harmonyMarkers.message}`, close: '', isRequired: true },
  }),
  detect: harmonyFormat.detect,
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
  const { start, channel, message, call } = harmonyMarkers;
  const scanner = createMarkerScanner(Object.values(harmonyMarkers));
  /** Follows a call's arguments: markers inside of them mean nothing. */
  let json = createJsonScanner();
  let place: 'start' | 'header' | 'between' | 'reasoning' | 'text' | 'call' = 'start';
  let header = '';
  const begun = { reasoning: false, text: false };

  function push(text: string): readonly ReasoningPart[] {
    const parts: ReasoningPart[] = [];
    for (let index = 0; index < text.length;) {
      if (place === 'call' && json.state === 'open') {
        const end = json.scan(text, index);
        if (end > index) emit(text.slice(index, end), parts);
        index = end;
        continue;
      }
      const scan = scanner.scan(text, index);
      index = scan.end;
      readText(scan.text, parts);
      if (scan.marker !== null) readMarker(scan.marker, parts);
    }
    return parts;
  }

  function readText(text: string, parts: ReasoningPart[]): void {
    const visible = place === 'between' ? text.trimStart() : text;
    if (visible === '') return;
    if (place === 'between') enter('text', parts);
    if (place === 'start' || place === 'header') readHeader(visible, parts);
    else emit(visible, parts);
  }

  function readHeader(text: string, parts: ReasoningPart[]): void {
    header += text;
    const beginning = header.trimStart().slice(0, 'to='.length);
    const isHeader = place === 'header' || 'to='.startsWith(beginning);
    if (!isHeader || header.length > longestHeader) releaseHeader(parts);
  }

  /** The supposed header is text. */
  function releaseHeader(parts: ReasoningPart[]): void {
    const text = header;
    header = '';
    enter('text', parts);
    if (text !== '') emit(text, parts);
  }

  function readMarker(marker: string, parts: ReasoningPart[]): void {
    const isInHeader = place === 'start' || place === 'header';
    if (marker === channel) {
      header = isInHeader ? header + marker : marker;
      place = 'header';
    } else if (marker === message && isInHeader) {
      enterMessage(parts);
    } else if (marker === message || marker === harmonyMarkers.constrain) {
      if (isInHeader) header += marker;
      else if (place !== 'between') emit(marker, parts);
    } else {
      if (isInHeader && header !== '') releaseHeader(parts);
      if (place === 'call' && marker === call) emit(marker, parts);
      header = marker === start ? marker : '';
      place = marker === start ? 'header' : 'between';
    }
  }

  function enterMessage(parts: ReasoningPart[]): void {
    const text = header + message;
    header = '';
    if (/\bto=/.test(text)) {
      place = 'call';
      json = createJsonScanner();
      emit(text, parts);
    } else {
      enter(/<\|channel\|>\s*analysis/.test(text) ? 'reasoning' : 'text', parts);
    }
  }

  function enter(next: 'reasoning' | 'text', parts: ReasoningPart[]): void {
    place = next;
    if (begun[next]) emit('\n', parts);
    begun[next] = true;
  }

  function emit(text: string, parts: ReasoningPart[]): void {
    parts.push({ type: place === 'reasoning' ? 'reasoning' : 'text', text });
  }

  function flush({ cutOff = false }: ReasoningSplitterFlushOptions = {}): readonly ReasoningPart[] {
    const parts: ReasoningPart[] = [];
    readText(scanner.flush(), parts);
    const isHeader = place === 'start' || place === 'header';
    if (isHeader && header !== '' && !cutOff) releaseHeader(parts);
    return parts;
  }

  return {
    get isReasoning() {
      return place === 'reasoning';
    },
    push,
    flush,
  };
}
