import { assertNames } from '../assert-names.ts';
import {
  assertFlag,
  assertFunction,
  assertList,
  assertObject,
  assertText,
  assertTexts,
} from '../assert-values.ts';
import { createMarkerScanner } from '../text/marker-scanner.ts';
import { createFrameReader, type FrameMarkers } from './answer-frame.ts';
import type { ToolCallParser } from './tool-calls/parser.ts';

/** The marks around a model's thinking. */
export interface ReasoningMarkers {
  /** Opening marker, such as `<think>`; several if models write it in several ways. */
  readonly open: string | readonly string[];
  /** Closing marker, such as `</think>`. */
  readonly close: string | readonly string[];
  /** Whether the chat template already wrote the open marker, so that the answer begins inside the block. */
  readonly startsOpen: boolean;
  /** Markers around the answer; dropped where the answer begins with the open one. */
  readonly frame?: FrameMarkers | undefined;
}

/** Beginnings of calls that may occur inside the thinking. */
export interface CallsInReasoning {
  /** Markers that calls begin with; see `ToolCallFormat.openers`. */
  readonly openers: readonly string[];
  createParser(): ToolCallParser;
}

/** A piece of an answer: thinking, or what is said. */
export interface ReasoningPart {
  readonly type: 'reasoning' | 'text';
  readonly text: string;
}

/** State at the end of a `ReasoningSplitter`'s text. */
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
 * Splits `<think>…</think>` from the answer after it.
 *
 * - Only a block at the very beginning (after optional white space) is reasoning. A later `<think>` is part of the
 *   answer's text: it may be what the answer talks about.
 * - A block that is never closed is all reasoning.
 * - White space on both sides of both markers is dropped; white space inside the thinking and inside the answer stays.
 * - With `startsOpen`, an open marker that the model writes once more at the beginning is dropped.
 * - A close marker at the very beginning ends an empty block. Anywhere else, without a block, it is plain text: what
 *   stands before it has been sent by then. Models that leave out the open marker need `startsOpen`.
 *
 * - With `calls`, a whole call inside the block ends it, as if the close marker stood before: models call tools and forget
 *   to close their thinking. A marker that no call follows is part of the thinking.
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
export function createReasoningSplitter(
  markers: ReasoningMarkers,
  calls?: CallsInReasoning,
): ReasoningSplitter {
  assertNames('createReasoningSplitter', markers, ['open', 'close', 'startsOpen', 'frame']);
  const { startsOpen, frame: around } = markers;
  assertFlag('startsOpen', startsOpen);
  assertTexts('open', markers.open);
  assertTexts('close', markers.close);
  if (around !== undefined) {
    assertObject('frame', around);
    assertTexts('frame.open', around.open);
    assertTexts('frame.close', around.close);
  }
  if (calls !== undefined) {
    assertObject('calls', calls);
    assertList('calls.openers', calls.openers, assertText);
    assertFunction('calls.createParser', calls.createParser);
  }
  const opens = [markers.open].flat();
  const closes = [markers.close].flat();
  if (opens.includes('')) throw new RangeError('open: expected a non-empty string, got ""');
  if (closes.includes('')) throw new RangeError('close: expected a non-empty string, got ""');
  const startMarkers = [...opens, ...closes].toSorted((a, b) => b.length - a.length);
  const openers = calls?.openers ?? [];
  const scanner = createMarkerScanner([...closes, ...openers]);
  const frame = markers.frame && createFrameReader(markers.frame);
  let place: 'start' | 'reasoning' | 'maybe-call' | 'after-call' | 'gap' | 'text' = 'start';
  let call: { readonly parser: ToolCallParser; readonly opener: string; text: string } | undefined;
  /** White space that is given out only if something visible follows it. */
  let space = '';
  /** Text that may become a marker at the start. */
  let beginning = '';
  let hasReasoning = false;
  /** Looks for the close marker after a call. */
  let lateScanner = scanner;
  let lastSign = '';

  function push(text: string): readonly ReasoningPart[] {
    const parts: ReasoningPart[] = [];
    readOn(text, parts);
    return parts;
  }

  function readOn(text: string, parts: ReasoningPart[]): void {
    if (place === 'start') readStart(text, parts);
    else if (place === 'reasoning') readReasoning(text, parts);
    else if (place === 'maybe-call') readCall(text, parts);
    else if (place === 'after-call') readAfterCall(text, parts);
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
    const isUndecided = startMarkers.some(
      (candidate) => candidate.length > beginning.length && candidate.startsWith(beginning),
    );
    if (!isUndecided) leaveStart(parts);
  }

  function leaveStart(parts: ReasoningPart[]): void {
    const marker = startMarkers.find((candidate) => beginning.startsWith(candidate));
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
    const { marker } = scan;
    if (marker === null) return;
    const rest = text.slice(scan.end);
    if (calls !== undefined && openers.includes(marker)) {
      place = 'maybe-call';
      call = { parser: calls.createParser(), opener: marker, text: '' };
      call.parser.push(marker);
    } else {
      place = 'gap';
    }
    readOn(rest, parts);
  }

  /** Reads what may be a call unit by unit, up to the one that decides. */
  function readCall(text: string, parts: ReasoningPart[]): void {
    const { parser, opener, text: before } = call!;
    for (let index = 0; index < text.length; index++) {
      const [event] = parser.push(text.charAt(index));
      if (event === undefined) continue;
      leaveCall(opener, before + text.slice(0, index + 1), event.type === 'call-start', parts);
      readOn(text.slice(index + 1), parts);
      return;
    }
    call!.text += text;
  }

  /** Text that was no call is thinking, and may hold the end of it. */
  function leaveCall(opener: string, text: string, isCall: boolean, parts: ReasoningPart[]): void {
    call = undefined;
    place = isCall ? 'after-call' : 'reasoning';
    if (isCall) {
      space = '';
      lateScanner = createMarkerScanner(closes);
      return readOn(opener + text, parts);
    }
    emitReasoning(opener, parts);
    readReasoning(text, parts);
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

  /** The thinking may be closed after the call; a close marker that stands in a text is part of it. */
  function readAfterCall(text: string, parts: ReasoningPart[]): void {
    const scan = lateScanner.scan(text);
    emitText(scan.text, parts);
    const visible = scan.text.trimEnd();
    if (visible !== '') lastSign = visible.charAt(visible.length - 1);
    if (scan.marker === null) return;
    if ('>}])'.includes(lastSign)) place = 'gap';
    else emitText(scan.marker, parts);
    readOn(text.slice(scan.end), parts);
  }

  function readGap(text: string, parts: ReasoningPart[]): void {
    const visible = text.trimStart();
    if (visible === '') return;
    place = 'text';
    readOn(visible, parts);
  }

  function flush(options: ReasoningSplitterFlushOptions = {}): readonly ReasoningPart[] {
    const parts: ReasoningPart[] = [];
    if (place === 'start') leaveStart(parts);
    while (call !== undefined) {
      const { parser, opener, text } = call;
      leaveCall(opener, text, parser.flush(options)[0]?.type === 'call-start', parts);
    }
    if (place === 'reasoning') emitReasoning(scanner.flush(), parts);
    if (place === 'after-call') emitText(lateScanner.flush(), parts);
    if (frame !== undefined) emitText(frame.flush(), parts);
    return parts;
  }

  return {
    get isReasoning() {
      return place === 'reasoning' || place === 'maybe-call' || (place === 'start' && startsOpen);
    },
    push,
    flush,
  };
}
