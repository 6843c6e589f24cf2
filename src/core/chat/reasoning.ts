import { assertNames } from '../assert-names.ts';
import { assertFlag, assertFunction, assertList, assertObject, assertTexts } from '../assert-values.ts';
import type { ReasoningConstraint } from '../grammar/constraint.ts';
import { feed, TextInput, type PieceReader, type Reading } from './text-input.ts';
import type { ModelTraits } from './tool-calls/format.ts';
import type { ToolCallParser, ToolCallParserEvent } from './tool-calls/parser.ts';

/** Markers that some models put around their answer. */
export interface FrameMarkers {
  readonly open: string | readonly string[];
  readonly close: string | readonly string[];
}

/** The marks around a model's thinking. */
export interface ReasoningMarkers {
  /** Opening marker, such as `<think>`; several for several spellings. */
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

/** A piece of an answer: thinking or text. */
export interface ReasoningPart {
  readonly type: 'reasoning' | 'text';
  readonly text: string;
}

/** Separates a model's thinking from its answer while both stream. */
export interface ReasoningSplitter extends PieceReader<ReasoningPart> {
  /** Whether the next text is expected to belong to the thinking. */
  readonly isReasoning: boolean;
}

/** One way in which models mark their thinking. */
export interface ReasoningFormat {
  /** Unique, kebab-case; settings choose the format by it. */
  readonly name: string;
  /** Example of an answer with thinking, for documentation. */
  readonly example: string;
  /** Texts that carry structure; see `ToolCallFormat.markers`. */
  readonly markers: readonly string[];
  /**
   * @param prompt the rendered prompt: some templates open the block there
   * @param calls how calls begin, where the answer may hold some
   */
  createSplitter(prompt: string, calls?: CallsInReasoning): ReasoningSplitter;
  /**
   * How thinking is written, for answers under a grammar.
   *
   * @param prompt the rendered prompt
   */
  constraint(prompt: string): ReasoningConstraint;
  /** Whether it takes precedence over the marks that the template shows. Default false. */
  readonly overrides?: boolean | undefined;
  detect(model: ModelTraits): boolean;
}

/**
 * Splits `<think>…</think>` from the answer after it.
 *
 * - Only a block at the very beginning (after optional white space) is reasoning. A later `<think>` is text: the answer may be
 *   about such tags.
 * - A block that is never closed is all reasoning.
 * - White space on both sides of both markers is dropped; white space inside the thinking and inside the answer stays.
 * - With `startsOpen`, an open marker that the model writes once more at the beginning is dropped.
 * - A close marker at the very beginning ends an empty block. Anywhere else, without a block, it is plain text: the text before
 *   it was already sent. Models that omit the open marker need `startsOpen`.
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
  const { startsOpen, frame: around = { open: [], close: [] } } = markers;
  assertFlag('startsOpen', startsOpen);
  const opens = readMarkers('open', markers.open);
  const closes = readMarkers('close', markers.close);
  assertObject('frame', around);
  const frame = {
    open: readMarkers('frame.open', around.open),
    close: readMarkers('frame.close', around.close),
  };
  if (calls !== undefined) {
    assertObject('calls', calls);
    assertList('calls.openers', calls.openers);
    assertFunction('calls.createParser', calls.createParser);
  }
  const openers = readMarkers('calls.openers', calls?.openers ?? []);
  const input = new TextInput();
  const parts: ReasoningPart[] = [];
  let isReasoning = startsOpen;
  /** White space that is emitted only if visible text follows it. */
  let space = '';
  let hasReasoning = false;

  function* readAnswer(): Reading {
    const beginning = yield* input.takeSpace();
    const marker = yield* input.takeAny([...opens, ...closes]);
    isReasoning = marker === null ? startsOpen : !closes.includes(marker);
    if (isReasoning) yield* readReasoning();
    if (marker !== null || startsOpen) yield* input.takeSpace();
    else input.putBack(beginning.length);
    const gap = frame.open.length === 0 ? '' : yield* input.takeSpace();
    if ((yield* input.takeAny(frame.open)) === null) emitText(gap);
    else {
      yield* input.takeSpace();
      yield* input.takeUntil(frame.close, emitText);
    }
    while (yield* input.hasMore()) emitText(input.take(Infinity));
  }

  function* readReasoning(): Reading {
    for (;;) {
      const marker = yield* input.takeUntil([...closes, ...openers], emitReasoning);
      const mayBeCall = marker !== null && openers.includes(marker);
      const isCall = mayBeCall && (yield* beginsCall(marker));
      isReasoning = marker === null || (mayBeCall && !isCall);
      if (isCall) return yield* readCalls();
      if (!mayBeCall) return;
      emitReasoning(marker);
    }
  }

  /** Whether a call follows its opener, decided as early as its parser can; the text of the call is pushed back. */
  function* beginsCall(opener: string): Reading<boolean> {
    const parser = calls!.createParser();
    parser.push(opener);
    let taken = 0;
    let event: ToolCallParserEvent | undefined;
    for (; event === undefined && (yield* input.hasMore()); taken++) [event] = parser.push(input.take(1));
    event ??= parser.flush({ cutOff: input.isCutOff })[0];
    const isCall = event?.type === 'call-start';
    input.putBack(isCall ? opener.length + taken : taken);
    return isCall;
  }

  /** Reads calls inside the thinking as text, up to the close marker that follows one. */
  function* readCalls(): Reading {
    let lastSign = '';
    for (;;) {
      const marker = yield* input.takeUntil(closes, (text) => {
        emitText(text);
        lastSign = text.trimEnd().at(-1) ?? lastSign;
      });
      if (marker === null || '>}])'.includes(lastSign)) return;
      emitText(marker);
    }
  }

  function emitText(text: string): void {
    input.held = '';
    if (text !== '') parts.push({ type: 'text', text });
  }

  function emitReasoning(text: string): void {
    input.held = '';
    const visible = text.trimEnd();
    if (visible === '') {
      space += text;
      return;
    }
    parts.push({ type: 'reasoning', text: hasReasoning ? space + visible : visible.trimStart() });
    space = text.slice(visible.length);
    hasReasoning = true;
  }

  return {
    get isReasoning() {
      return isReasoning;
    },
    ...feed(input, readAnswer(), () => parts.splice(0)),
  };
}

function readMarkers(name: string, given: string | readonly string[]): readonly string[] {
  assertTexts(name, given);
  const texts = [given].flat();
  if (texts.includes('')) throw new RangeError(`${name}: expected a non-empty string, got ""`);
  return texts;
}
