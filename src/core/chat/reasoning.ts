import { createMarkerScanner } from '../text/marker-scanner.ts';
import { createFrameReader, type FrameMarkers } from './answer-frame.ts';

/** What a model writes around its thinking. */
export interface ReasoningMarkers {
  /** Such as `<think>`; several where models write it in several ways. */
  readonly open: string | readonly string[];
  /** Such as `</think>`. */
  readonly close: string | readonly string[];
  /** Whether the chat template already wrote the open marker, so that the answer begins inside the block. */
  readonly startsOpen: boolean;
  /** Markers around the answer; dropped where the answer begins with the open one. */
  readonly frame?: FrameMarkers | undefined;
}

/** A piece of an answer: thinking, or what is said. */
export interface ReasoningPart {
  readonly type: 'reasoning' | 'text';
  readonly text: string;
}

/** How the text ended that a `ReasoningSplitter` has read. */
export interface ReasoningSplitterFlushOptions {
  /** Whether the answer was cut off from outside and not ended by the model. Default false. */
  readonly cutOff?: boolean | undefined;
}

/** Separates a model's thinking from its answer while both stream. */
export interface ReasoningSplitter {
  /** Whether the text that comes next belongs to the thinking, as far as is known. */
  readonly isReasoning: boolean;
  push(text: string): readonly ReasoningPart[];
  /** Says that the answer has ended; returns what was held back. */
  flush(options?: ReasoningSplitterFlushOptions): readonly ReasoningPart[];
}

/**
 * Splits `<think>…</think>` from the answer behind it.
 *
 * - Only a block at the very beginning (after optional white space) is reasoning. A later `<think>` is part of the
 *   answer's text: it may be what the answer talks about.
 * - A block that is never closed is all reasoning.
 * - White space on both sides of both markers is dropped; white space inside the thinking and inside the answer stays.
 * - With `startsOpen`, an open marker that the model writes once more at the beginning is dropped.
 * - A close marker at the very beginning ends an empty block. Anywhere else, without a block, it is plain text: what
 *   stands before it has been sent by then. Models that leave out the open marker need `startsOpen`.
 *
 * @throws RangeError for an empty marker
 *
 * @example
 * ```ts
 * const splitter = createReasoningSplitter({ open: '<think>', close: '</think>', startsOpen: false });
 * splitter.push('<think>\n2 + 2'); // [{ type: 'reasoning', text: '2 + 2' }]
 * splitter.push('\n</think>\n\nFour.'); // [{ type: 'text', text: 'Four.' }]
 * ```
 */
export function createReasoningSplitter(markers: ReasoningMarkers): ReasoningSplitter {
  const { startsOpen } = markers;
  const opens = [markers.open].flat();
  const closes = [markers.close].flat();
  if (opens.includes('')) throw new RangeError('open: expected a non-empty string, got ""');
  if (closes.includes('')) throw new RangeError('close: expected a non-empty string, got ""');
  const startMarkers = [...opens, ...closes];
  const scanner = createMarkerScanner(closes);
  const frame = markers.frame && createFrameReader(markers.frame);
  let place: 'start' | 'reasoning' | 'gap' | 'text' = 'start';
  /** White space that is given out only if something visible follows it. */
  let space = '';
  /** What may become a marker at the start. */
  let beginning = '';
  let hasReasoning = false;

  function push(text: string): readonly ReasoningPart[] {
    const parts: ReasoningPart[] = [];
    readOn(text, parts);
    return parts;
  }

  function readOn(text: string, parts: ReasoningPart[]): void {
    if (place === 'start') readStart(text, parts);
    else if (place === 'reasoning') readReasoning(text, parts);
    else if (place === 'gap') readGap(text, parts);
    else emitText(frame === undefined ? text : frame.push(text), parts);
  }

  function emitText(text: string, parts: ReasoningPart[]): void {
    if (text !== '') parts.push({ type: 'text', text });
  }

  function readStart(text: string, parts: ReasoningPart[]): void {
    const visible = beginning === '' ? text.trimStart() : text;
    space += text.slice(0, text.length - visible.length);
    beginning += visible;
    const marker = startMarkers.find((candidate) => beginning.startsWith(candidate));
    if (marker === undefined && startMarkers.some((candidate) => candidate.startsWith(beginning))) return;
    leaveStart(marker, parts);
  }

  function leaveStart(marker: string | undefined, parts: ReasoningPart[]): void {
    const rest = marker === undefined ? beginning : beginning.slice(marker.length);
    const isPlainText = marker === undefined && !startsOpen;
    place = isPlainText ? 'text' : marker !== undefined && closes.includes(marker) ? 'gap' : 'reasoning';
    const text = isPlainText ? space + rest : rest;
    space = '';
    beginning = '';
    readOn(text, parts);
  }

  function readReasoning(text: string, parts: ReasoningPart[]): void {
    const scan = scanner.scan(text);
    emitReasoning(scan.text, parts);
    if (scan.marker === null) return;
    place = 'gap';
    readOn(text.slice(scan.end), parts);
  }

  function emitReasoning(text: string, parts: ReasoningPart[]): void {
    const visible = text.trimEnd();
    if (visible === '') {
      space += text;
      return;
    }
    parts.push({ type: 'reasoning', text: hasReasoning ? space + visible : visible.trimStart() });
    space = text.slice(visible.length);
    hasReasoning = true;
  }

  function readGap(text: string, parts: ReasoningPart[]): void {
    const visible = text.trimStart();
    if (visible === '') return;
    place = 'text';
    readOn(visible, parts);
  }

  function flush(): readonly ReasoningPart[] {
    const parts: ReasoningPart[] = [];
    if (place === 'start') leaveStart(undefined, parts);
    if (place === 'reasoning') emitReasoning(scanner.flush(), parts);
    if (frame !== undefined) emitText(frame.flush(), parts);
    return parts;
  }

  return {
    get isReasoning() {
      return place === 'reasoning' || (place === 'start' && startsOpen);
    },
    push,
    flush,
  };
}
