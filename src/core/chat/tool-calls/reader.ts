import type { ToolDefinition } from '../messages.ts';
import { feed, type Reading } from '../text-input.ts';
import { AnswerInput } from './answer-input.ts';
import { fill, partsOf, peekEdge, takeEdge, type SlotValues } from './edges.ts';
import { readJsonArguments, readJsonCalls, takeJson } from './json-calls.ts';
import { readElementsCall } from './element-calls.ts';
import { readLiteralCalls } from './literal-calls.ts';
import { namesAll } from './mend-json.ts';
import { elementMark, styleOf, type CallNotation, type Edge, type JsonNotation } from './notation.ts';
import type { ToolCallParser, ToolCallParserOptions } from './parser.ts';
import { readTaggedCall } from './tagged-calls.ts';

/** Marks by which the calls of a notation are found in an answer. */
export type CallMarks = ReturnType<typeof marksOf>;

/** Whether a text is distinctive enough for a mark. */
function isMark(text: string): boolean {
  return /[<[|`].*\w\w|\w\w.*[>\]|`]|[^\s\w]{3}/s.test(text);
}

export function marksOf(notation: CallNotation) {
  const style = styleOf(notation);
  const isList = style === 'json' || style === 'literal';
  const split = (edge: string): readonly string[] => {
    const own = isList ? edge.replace(/\[\s*$|^\s*[)}\]]+/g, '') : edge;
    return partsOf(own, elementMark(notation)).filter((part) => part.trim() !== '');
  };
  const trimmed = (parts: readonly string[]): readonly string[] => parts.map((part) => part.trim());
  const opening = split(notation.begin);
  const ending = trimmed(split(notation.end));
  const between = split(notation.between ?? '');
  const again = between.slice(between.findLastIndex((part) => ending.includes(part.trim())) + 1);
  const isNamed = notation.kind === 'name+json';
  const head = isNamed ? notation.before : isList ? '' : '⟨name⟩';
  const starts = new Map<Edge, string>();
  for (const parts of [opening, again]) {
    for (const [index, part] of parts.entries()) {
      if ((index > 0 || parts === again) && !/^[^`]*[<[].*\w\w|^[^\s\w`]{3}/s.test(part)) continue;
      const tags = parts.slice(index).join('');
      const [anchor] = /^[^\s⟨]*/.exec(part.trim())!;
      if (anchor === '') continue;
      starts.set(tags + head, anchor);
      // Models may omit marks between the name and the arguments.
      if (isNamed) starts.set(tags + head.replace(/(?<=⟨(?:name|id)⟩)[^]*/, ''), anchor);
      // Models may omit a word after the last tag.
      const bareTag = parts.length - 1 === index ? /^(.*>)\w+[:.]$/s.exec(part)?.[1] : undefined;
      if (bareTag !== undefined) starts.set(bareTag + head, bareTag.trim());
    }
  }
  return {
    notation,
    /** The tags before a call, the first first. Empty where calls begin without a mark. */
    opening: trimmed(opening),
    /** Edges of which each may begin a call, one also from the middle of `opening`, and the literal text by which it is found. */
    starts,
    /** Marks between and behind calls: dropped behind a call, text elsewhere. */
    closers: [...new Set([...trimmed(between), ...ending])].filter((tag) => !trimmed(opening).includes(tag)),
    last: ending.at(-1),
    /** First character of a call without a mark. */
    bare: opening.length > 0 ? undefined : bareSign(notation),
  } as const;
}

function bareSign({ kind, begin }: CallNotation): string | undefined {
  if (kind === 'name+json') return '';
  if (begin.includes('[')) return '[';
  return kind === 'json' ? '{' : undefined;
}

const objectStarts = ['[{', '{'];

/** Reads calls that aren't JSON objects, after their start. */
function* readCalls(input: AnswerInput, notation: CallNotation, slots: SlotValues): Reading {
  if (notation.kind === 'items' && styleOf(notation) === 'literal')
    return yield* readLiteralCalls(input, notation);
  if (yield* readCall(input, notation, slots)) yield* input.dropSpace();
  else input.giveUp();
}

function* readCall(
  input: AnswerInput,
  notation: CallNotation,
  { name: written = '', id = '' }: SlotValues,
): Reading<boolean> {
  const name = input.nameOf(written);
  if (notation.kind === 'items')
    return yield* styleOf(notation) === 'tagged'
      ? readTaggedCall(input, notation, name)
      : readElementsCall(input, notation, name);
  yield* input.takeSpace();
  if (notation.id !== undefined)
    return yield* /^\d+$/.test(id)
      ? readNumberedCall(input)
      : readJsonArguments(input, nameOfId(notation.id, id), id);
  const isOver =
    (!(yield* input.hasMore()) || (yield* input.peekAny(input.callEnds)) !== null) && !input.isCutOff;
  if (!isOver || !input.fits('{}', name))
    return yield* readJsonArguments(input, name, /^0?$/.test(id) ? undefined : id);
  input.addCall(name, '{}');
  return true;
}

/** The name in an id such as `functions.⟨name⟩:⟨number⟩`. */
function nameOfId(edge: Edge, id: string): string {
  const [before = '', behind = ''] = edge.split('⟨name⟩');
  const name = id.startsWith(before) ? id.slice(before.length) : id;
  return behind.includes('⟨number⟩') ? name.replace(/\W\d+$/, '') : name;
}

/** Reads a call with only a number as its id: it calls the only tool that the arguments fit. */
function* readNumberedCall(input: AnswerInput): Reading<boolean> {
  const json = yield* takeJson(input);
  const [tool, second] = json === undefined ? [] : input.tools.filter((one) => namesAll(json, one));
  if (json === undefined || !tool || second) return false;
  input.addCall(tool.name, json);
  return true;
}

/** The end of text before an object that is part of larger JSON. */
const insideJson = /(?:["\]}]\s*,|"\s*:|[[{]|[[{][^\]}]*,)\s*$/;

/**
 * Makes the parsers of calls in some notations, with text around them in any order. A missing close mark does no harm. What turns
 * out not to be a call before it was announced comes back as text, marks included; text continues after it. White space between the
 * marks of a section is dropped.
 */
export function createReader(
  ways: readonly CallMarks[],
): (tools: readonly ToolDefinition[], options?: ToolCallParserOptions) => ToolCallParser {
  const starts = ways.flatMap((way) => [...way.starts].map(([edge, anchor]) => ({ edge, anchor, way })));
  const anchors = [...new Set(starts.map(({ anchor }) => anchor))];
  const closers = [...new Set(ways.flatMap((way) => way.closers))];
  const shownClosers = closers.filter((tag) => isMark(tag) && !anchors.includes(tag));
  const callEnds = [...anchors.filter(isMark), ...shownClosers];
  const startEdges = starts.map(({ edge }) => edge).filter((edge) => !closers.includes(edge.trim()));
  const lasts = new Set(ways.map(({ last }) => last));
  const bareSigns: readonly string[] = ways.flatMap(({ bare }) => (bare ? [bare] : []));

  function* readAnswer(input: AnswerInput): Reading {
    input.callEnds = callEnds;
    const emitText = (text: string): void => input.emit({ type: 'text', text });
    const space = yield* input.takeSpace();
    if ((yield* input.peekAny(bareSigns)) === null) input.putBack(space.length);
    let isBehindCall = yield* readNamed(input);
    for (;;) {
      const ends = isBehindCall ? shownClosers : [];
      const marker = yield* input.takeUntil([...anchors, ...bareSigns, ...ends], emitText, ends);
      if (marker === null) return;
      const { calls } = input;
      const longer = bareSigns.includes(marker)
        ? yield* input.takeAny(anchors.flatMap((one) => (one.startsWith(marker) ? [one.slice(1)] : [])))
        : '';
      if (longer === null) yield* readBare(input, marker);
      else if (ends.includes(marker)) {
        isBehindCall = !lasts.has(marker);
        input.drop();
        if (isBehindCall) yield* input.dropSpace();
        continue;
      } else yield* readMarked(input, marker + longer);
      if (input.calls > calls) isBehindCall = yield* dropClosers(input);
    }
  }

  function* readMarked(input: AnswerInput, marker: string): Reading {
    input.putBack(marker.length);
    const own = starts.filter(({ anchor }) => anchor.startsWith(marker));
    const edges = own.map(({ edge }) => edge);
    const found = yield* takeEdge(input, edges);
    const { notation, opening } = own[found ? edges.indexOf(found.edge) : 0]!.way;
    const style = styleOf(notation);
    const isObject = (yield* peekEdge(input, objectStarts)) !== undefined;
    if (found && style !== 'json' && (style !== 'literal' || !isObject))
      return yield* readCalls(input, notation, found.slots);
    if (!found) {
      input.take(marker.length);
      const rest = opening.slice(1).filter((tag) => tag.endsWith('>'));
      while (rest.length > 0 && (yield* takeEdge(input, rest)) !== undefined);
      if (!isMark(marker) || (yield* peekEdge(input, objectStarts)) === undefined) return input.giveUp();
    }
    // Models write JSON in place of their own notation.
    const strict = /^`|^\w+:/.test(opening.join(''));
    yield* readJsonCalls(input, { ...(notation.kind === 'json' && notation), strict });
  }

  /** Drops the marks right after a call; returns whether more may follow. */
  function* dropClosers(input: AnswerInput): Reading<boolean> {
    for (;;) {
      const space = yield* input.takeSpace();
      const isNext = (yield* peekEdge(input, startEdges)) !== undefined;
      const closer = isNext ? null : yield* input.takeAny(closers);
      if (closer === null) {
        input.putBack(space.length);
        return true;
      }
      input.drop();
      if (lasts.has(closer)) return false;
      yield* input.dropSpace();
    }
  }

  /** Reads calls without a mark: at the beginning of the answer or of a line, or if they call a tool of the request. */
  function* readBare(input: AnswerInput, sign: string): Reading {
    const { notation } = ways.find(({ bare }) => bare === sign)!;
    const isLine = /(?:^|\n)$/.test(input.lastText);
    const isList = sign === '[' && (notation.kind === 'json' || !input.canReadAgain);
    if (!isLine && (isList || insideJson.test(input.lastText))) return input.giveUp();
    const names = input.tools.map(({ name }) => name);
    if (notation.kind === 'items') {
      const isKnown = (yield* input.peekAny(names.map((name) => `${name}(`))) !== null;
      if (!isKnown && (!isLine || !input.canReadAgain)) return input.giveUp();
    }
    // With a grammar, calls start in one way only.
    if (!input.canReadAgain && sign === '{' && (yield* input.peekAny(['"name"'])) === null)
      return input.giveUp();
    input.putBack(1);
    const isAny = isLine || names.length === 0;
    if (notation.kind === 'json')
      yield* readJsonCalls(input, { ...notation, strict: true, names: isAny ? undefined : names });
    else yield* readCalls(input, notation, {});
  }

  function* readNamed(input: AnswerInput): Reading<boolean> {
    const notation = ways.find(({ bare }) => bare === '')?.notation as JsonNotation | undefined;
    if (!notation) return false;
    const { before, text = '' } = notation;
    const found = yield* takeEdge(input, text === '' ? [before] : [before, text]);
    if (found?.edge === before && fill(text, {}).trim() !== found.slots.name)
      yield* readCalls(input, notation, found.slots);
    else if (found) yield* input.dropSpace();
    return input.calls > 0;
  }

  return (tools, options) => {
    const input = new AnswerInput(tools, options);
    return feed(input, readAnswer(input), () => input.takeEvents());
  };
}
