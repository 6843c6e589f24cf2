import { parseExact } from '../../text/exact-json.ts';
import { orElse } from '../../text/or-else.ts';
import { isSchemaObject, type JsonType } from '../../grammar/schemas/json-types.ts';
import { callId, maxTurnLength, sharedStart, type ProbedCall, type TurnRenderer } from './template-turn.ts';
import type { CallNotation, Edge, ItemsNotation, JsonNotation, ValueStyle } from './notation.ts';
import { findMisread } from './verify.ts';
import { toPython, toSpacedJson } from './write-values.ts';

/** A notation, or the reason why the template has no usable one. */
export type Derived =
  | { readonly notation: CallNotation; readonly reason?: undefined }
  | { readonly notation?: undefined; readonly reason: string };

const [n1, n2, k1, k2, v1, v2] = ['alpha_one', 'beta_two', 'key_aa', 'key_bb', 'VALAA', 'VALBB'];

/** Renders a turn with these calls; empty if the template doesn't show them. */
type Probe = (calls: readonly ProbedCall[], content?: string) => string;

/**
 * Derives the notation of calls from renderings of the template: of different names, keys, values and numbers of calls. A slot
 * is a text that differs, an edge is a text that stays. Each rendering may fail without effect.
 * @param thinking marks of thinking that a turn may begin with
 */
export function deriveNotation(turns: TurnRenderer, thinking: readonly string[] = ['</think>']): Derived {
  const write = (calls: readonly ProbedCall[], content?: string): string | undefined => {
    const text = turns.turn(calls, { content })?.text;
    const name = calls[0]?.[0] ?? v1;
    const ends = thinking.map((mark) => {
      const at = text?.lastIndexOf(mark, text.indexOf(name)) ?? -1;
      return at === -1 ? 0 : at + mark.length;
    });
    return text?.slice(Math.max(0, ...ends));
  };
  const probe: Probe = (calls, content) => write(calls, content)?.replace(callId, '⟨id⟩') ?? '';
  const one = probe([[n1, { [k1]: v1 }]]);
  if (!one.includes(v1)) return { reason: 'the template shows no call' };
  if (/[⟨⟩]/.test(one.replaceAll('⟨id⟩', ''))) return { reason: 'the template writes the signs of slots' };
  if (one.length > maxTurnLength) return { reason: 'the template writes too much around a call' };
  const two = probe([
    [n1, { [k1]: v1 }],
    [n2, { [k2]: v2 }],
  ]);
  const object = findObject(one, k1, v1);
  const derived = object ? deriveJson(probe, one, object, two) : deriveItems(probe, one, two);
  const misread = derived.notation && findMisread(derived.notation, write);
  return misread === undefined ? derived : { reason: `a call is not read back: ${misread}` };
}

/** Levels of objects around the arguments of a call. */
const maxWrappers = 4;

interface Span {
  readonly start: number;
  readonly end: number;
  /** The object that holds name and arguments of a call. */
  readonly object?: unknown;
}

/** An object with this one member, as JSON, as Python, or as JSON in a string. */
function findObject(text: string, key: string, value: string): Span | undefined {
  for (const quote of ['"', "'", String.raw`\\"`]) {
    const pattern = String.raw`\{\s*${quote}${key}${quote}:\s*${quote}${value}${quote}\s*\}`;
    const found = new RegExp(quote.length > 1 ? `"${pattern}"` : pattern).exec(text);
    if (found) return { start: found.index, end: found.index + found[0].length };
  }
  return undefined;
}

function deriveJson(probe: Probe, one: string, args: Span, two: string): Derived {
  const call = spanOfCall(one, n1, args);
  if (!call) return { reason: 'the template shows arguments without the name before them' };
  const [args1, args2] = [findObject(two, k1, v1), findObject(two, k2, v2)];
  const call1 = args1 && spanOfCall(two, n1, args1);
  const call2 = args2 && spanOfCall(two, n2, args2);
  const second = call2 && [two.slice(call2.start, args2.start), two.slice(args2.end, call2.end)];
  const [before, firstNumber] = withNumber(one.slice(call.start, args.start), second?.[0]);
  const [behind] = withNumber(one.slice(args.end, call.end), second?.[1]);
  const edges = {
    ...edgesAround(one, call, call1 && call2 && two.slice(call1.end, call2.start)),
    before: toSlot(before),
    behind: toSlot(behind),
    ...(firstNumber !== undefined && { firstNumber }),
  } as const;
  if (call.object === undefined) {
    const text = edges.begin.trim() === '' ? probe([], v1).split(v1, 1)[0] : undefined;
    return { notation: withNamedId({ ...edges, kind: 'name+json', ...(text?.trim() && { text }) }) };
  }
  const nameAt = pathTo(call.object, (value) => value === n1) ?? [];
  const argumentsAt = nameAt.length === 0 ? [] : pathTo(call.object, holdsArguments);
  return { notation: { ...edges, kind: 'json', nameAt, argumentsAt } };
}

const toSlot = (edge: string): Edge => edge.replaceAll(/alpha_one|beta_two/g, '⟨name⟩');

function edgesAround(one: string, { start, end }: Span, between: string | undefined) {
  return {
    origin: 'template',
    begin: toSlot(one.slice(0, start)),
    between: between === undefined ? null : toSlot(between),
    end: toSlot(one.slice(end)),
  } as const;
}

/** A call with these arguments: an object with its name inside, or all from the name before the arguments on. */
function spanOfCall(text: string, name: string, args: Span): Span | undefined {
  const found = enclosingObject(text, args);
  if (found && text.slice(found.start, found.end).includes(name)) return found;
  const start = text.lastIndexOf(name, args.start);
  return start === -1 ? undefined : { start, end: args.end };
}

/** Reads an id as a whole if it has the name in it: some templates identify a call only by its id. */
function withNamedId(notation: JsonNotation): JsonNotation {
  const { begin, between, before } = notation;
  const [start, rest] = ['functions.', '⟨name⟩:⟨number⟩'];
  if (!begin.endsWith(start) || !before.startsWith(rest)) return notation;
  return {
    ...notation,
    begin: begin.slice(0, -start.length),
    between: between && between.slice(0, -start.length),
    before: `⟨id⟩${before.slice(rest.length)}`,
    id: start + rest,
  };
}

/** Replaces numbers that differ in a second call by slots; also returns the first number. */
function withNumber(edge: string, second: string | undefined): readonly [edge: Edge, first?: number] {
  const digits = /\d+/g;
  const bare = (text: string): string => text.replace(/alpha_one|beta_two/g, '').replace(digits, '');
  if (second === undefined || bare(edge) !== bare(second)) return [edge];
  const others = second.match(digits) ?? [];
  const own = edge.match(digits) ?? [];
  const first = own.find((number, index) => number !== others[index]);
  if (first === undefined) return [edge];
  let index = 0;
  return [
    edge.replace(digits, (number) => (others[index++] === number ? number : '⟨number⟩')),
    Number(first),
  ];
}

/** The largest object around a part of a text in which no list holds that part. */
function enclosingObject(text: string, { start, end }: Span): Span | undefined {
  let found: Span | undefined;
  const starts = [...text.slice(0, start).matchAll(/\{/g)].slice(-maxWrappers).toReversed();
  const ends = [...text.slice(end).matchAll(/\}/g)].slice(0, maxWrappers).map(({ index }) => end + index + 1);
  for (const { index: from } of starts) {
    for (const to of ends.filter((one) => one > (found?.end ?? 0))) {
      const json = text.slice(from, to).replace(/'(\w+)'/g, '"$1"');
      const object = orElse(() => parseExact(json), undefined);
      if (object === undefined) continue;
      if (!pathTo(object, holdsArguments)) return found;
      found = { start: from, end: to, object };
      break;
    }
  }
  return found;
}

function holdsArguments(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(v1) || value.includes(v2);
  return isSchemaObject(value) && (k1 in value || k2 in value);
}

function pathTo(object: unknown, test: (value: unknown) => boolean): readonly string[] | undefined {
  for (const [key, value] of Object.entries(object as object)) {
    if (test(value)) return [key];
    const inner = isSchemaObject(value) ? pathTo(value, test) : undefined;
    if (inner) return [key, ...inner];
  }
  return undefined;
}

const samples: Readonly<Record<Exclude<JsonType, 'string'>, unknown>> = {
  integer: 73911,
  number: 7.25,
  boolean: true,
  null: null,
  array: ['zzq', 1, true],
  object: { zzk: { zzl: 'zzv' } },
};

function deriveItems(probe: Probe, one: string, two: string): Derived {
  const value = one.indexOf(v1);
  const key = one.lastIndexOf(k1, value);
  const name = one.lastIndexOf(n1, key);
  if (key === -1 || name === -1)
    return { reason: 'the template shows a value without a key and a name before it' };
  const more = probe([[n1, { [k1]: v1, [k2]: v2 }]]);
  const moreValue = more.indexOf(v1);
  const moreKey = more.indexOf(k2, moreValue);
  if (moreKey === -1) return { reason: 'the template shows no second argument' };
  const first = one.slice(name + n1.length, key);
  let equals = one.slice(key + k1.length, value);
  const gap = more.slice(moreValue + v1.length, moreKey);
  const rest = one.slice(value + v1.length);
  // The shared text after both values belongs to the value, up to the end of a tag.
  let close = gap.slice(0, sharedStart(gap, rest));
  const tag = Math.max(close.lastIndexOf('>'), close.lastIndexOf(']'));
  if (tag >= 0) close = close.slice(0, tag + 1);
  const next = gap.slice(close.length).replaceAll(k2, '⟨key⟩');
  const end = rest.slice(close.length);
  const lastKey = two.lastIndexOf(k2, two.indexOf(v2));
  const secondName = two.lastIndexOf(n2, lastKey);
  const firstEnd = two.indexOf(v1) + v1.length + close.length;
  const between = secondName > 0 ? two.slice(firstEnd, secondName) : undefined;
  const second = secondName > 0 ? two.slice(secondName + n2.length, lastKey) : first;
  const mark = sharedMark(equals, close);
  equals = equals.slice(0, equals.length - mark.length);
  close = close.slice(mark.length);
  if (close.trim() === '' && mark === '') return { reason: 'nothing ends a text value' };
  const isQuoted = /^["']$/.test(mark);
  const style = mark === '' ? 'raw' : isQuoted ? styleOfQuotes(probe, equals) : 'marked';
  const [numbered, firstNumber] = withNumber(first, second);
  const empty = probe([[n1, {}]]);
  const behindName = empty.slice(empty.lastIndexOf(n1) + n1.length).trimEnd();
  const hasEnd = behindName.endsWith(end.trim());
  const none = hasEnd ? behindName.slice(0, behindName.length - end.trim().length).trimEnd() : behindName;
  const notation: ItemsNotation = {
    ...edgesAround(one, { start: name, end: one.length - end.length }, between),
    kind: 'items',
    first: numbered,
    none: firstNumber === undefined ? none : none.replace(/\d+/, '⟨number⟩'),
    next,
    close: close.replaceAll(k1, '⟨key⟩'),
    ...valueTable(probe, { equals, tail: close + end, style }),
    ...(style === 'marked' && { mark }),
    ...(firstNumber !== undefined && { firstNumber }),
  };
  return { notation };
}

function styleOfQuotes(probe: Probe, equals: string): ValueStyle {
  const text = probe([[n1, { [k1]: 'o"d' }]]);
  const at = text.lastIndexOf(k1) + k1.length + equals.length;
  return text.startsWith('"o\\"d"', at) ? 'json' : 'python';
}

/** A quote or a similar mark on both sides of strings. */
function sharedMark(equals: string, close: string): string {
  for (let length = Math.min(equals.length, close.length); length > 0; length--) {
    const mark = close.slice(0, length);
    if (mark.trim() !== '' && equals.endsWith(mark)) return mark;
  }
  return '';
}

const spellings: readonly (readonly [ValueStyle, (value: unknown) => string])[] = [
  ['json', JSON.stringify],
  ['json', toSpacedJson],
  ['python', toPython],
  ['python', (value) => toPython(value).replaceAll('"', "'")],
];

/** The edge before a value, and its style, for each type. @param tail all behind the value of a call */
function valueTable(
  probe: Probe,
  { equals, tail, style }: { readonly equals: string; readonly tail: string; readonly style: ValueStyle },
): Pick<ItemsNotation, 'equals' | 'values'> {
  const before: Record<string, Edge> = { string: equals };
  const values: Record<string, ValueStyle> = { string: style };
  for (const [type, value] of Object.entries(samples)) {
    const text = probe([[n1, { [k1]: value }]]);
    const rest = text.slice(text.indexOf(k1, text.lastIndexOf(n1)) + k1.length);
    const written = spellings.find(([, write]) => rest.trimEnd().endsWith((write(value) + tail).trimEnd()));
    values[type] = written?.[0] ?? (style === 'raw' ? 'json' : style);
    before[type] = written ? rest.slice(0, rest.lastIndexOf(written[1](value) + tail.trimEnd())) : equals;
  }
  return { equals: before, values } as Pick<ItemsNotation, 'equals' | 'values'>;
}
