import { parseExact } from '../../text/exact-json.ts';
import { createJsonScanner } from '../../text/json-scanner.ts';
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
type Words = readonly [name: string, key: string, value: string];

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
  const derived = findObject(one, [n1, k1, v1]) ? deriveJson(probe, one, two) : deriveItems(probe, one, two);
  const misread = derived.notation && findMisread(derived.notation, write);
  return misread === undefined ? derived : { reason: `a call is not read back: ${misread}` };
}

/** Levels of objects around the arguments of a call. */
const maxWrappers = 4;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** An object with this one member, as JSON, as Python, or as JSON in a string. */
function findObject(text: string, [, key, value]: Words): Span | undefined {
  for (const quote of ['"', "'", String.raw`\\"`]) {
    const pattern = String.raw`\{\s*${quote}${key}${quote}:\s*${quote}${value}${quote}\s*\}`;
    const found = new RegExp(quote.length > 1 ? `"${pattern}"` : pattern).exec(text);
    if (found) return { start: found.index, end: found.index + found[0].length };
  }
  return undefined;
}

function deriveJson(probe: Probe, one: string, two: string): Derived {
  const call = findCall(one, [n1, k1, v1]);
  if (!call) return { reason: 'the template shows arguments without the name before them' };
  const [call1, call2] = [findCall(two, [n1, k1, v1]), findCall(two, [n2, k2, v2])];
  const [before, firstNumber] = withSlots(call.before, call2?.before);
  const [behind] = withSlots(call.behind, call2?.behind);
  const edges = {
    ...edgesAround(one, call, call1 && call2 && two.slice(call1.end, call2.start)),
    before,
    behind,
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

/** A call: an object with its name inside, or all from the name before the arguments on. */
function findCall(text: string, words: Words) {
  const args = findObject(text, words);
  if (!args) return undefined;
  const found = enclosingObject(text, args);
  const isInside = found && text.slice(found.start, found.end).includes(words[0]);
  const { start, end, object } = isInside
    ? found
    : { start: text.lastIndexOf(words[0], args.start), end: args.end };
  if (start === -1) return undefined;
  return { start, end, object, before: text.slice(start, args.start), behind: text.slice(args.end, end) };
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

/** Puts slots in place of names, and of numbers that differ in a second call; also returns the first number. */
function withSlots(edge: string, second = edge): readonly [edge: Edge, first?: number | undefined] {
  // Every other part is a number.
  const [own, other] = [edge, second].map((text) => toSlot(text).split(/(\d+)/)) as [string[], string[]];
  const isSame = own.length === other.length && own.every((part, at) => at % 2 === 1 || part === other[at]);
  const first = isSame ? own.find((part, at) => part !== other[at]) : undefined;
  if (first === undefined) return [toSlot(edge)];
  return [own.map((part, at) => (part === other[at] ? part : '⟨number⟩')).join(''), Number(first)];
}

/** The largest object around a part of a text in which no list holds that part. */
function enclosingObject(text: string, { start, end }: Span): (Span & { object?: unknown }) | undefined {
  const json = text.replace(/'(\w+)'/g, '"$1"');
  for (const { index } of [...text.slice(0, start).matchAll(/\{/g)].slice(-maxWrappers)) {
    const to = createJsonScanner().scan(json, index);
    const object = orElse(() => parseExact(json.slice(index, to)), undefined);
    if (to >= end && pathTo(object, holdsArguments)) return { start: index, end: to, object };
  }
  return undefined;
}

function holdsArguments(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(v1) || value.includes(v2);
  return isSchemaObject(value) && (k1 in value || k2 in value);
}

function pathTo(object: unknown, test: (value: unknown) => boolean): readonly string[] | undefined {
  for (const [key, value] of Object.entries(object ?? {})) {
    if (test(value)) return [key];
    const inner = isSchemaObject(value) ? pathTo(value, test) : undefined;
    if (inner) return [key, ...inner];
  }
  return undefined;
}

const samples: Readonly<Record<JsonType, unknown>> = {
  string: 'o"d',
  integer: 73911,
  number: 7.25,
  boolean: true,
  null: null,
  array: ['zzq', 1, true],
  object: { zzk: { zzl: 'zzv' } },
};

function deriveItems(probe: Probe, one: string, two: string): Derived {
  const item = findItem(one, [n1, k1, v1]);
  if (!item) return { reason: 'the template shows a value without a key and a name before it' };
  const more = probe([[n1, { [k1]: v1, [k2]: v2 }]]);
  const moreEnd = more.indexOf(v1) + v1.length;
  const moreKey = more.indexOf(k2, moreEnd);
  if (moreKey === -1) return { reason: 'the template shows no second argument' };
  let { equals } = item;
  const gap = more.slice(moreEnd, moreKey);
  const rest = one.slice(item.end);
  // The shared text after both values belongs to the value, up to the end of a tag.
  let close = gap.slice(0, sharedStart(gap, rest));
  const tag = Math.max(close.lastIndexOf('>'), close.lastIndexOf(']'));
  if (tag >= 0) close = close.slice(0, tag + 1);
  const next = gap.slice(close.length).replaceAll(k2, '⟨key⟩');
  const end = rest.slice(close.length);
  const second = findItem(two, [n2, k2, v2]);
  const between = second && two.slice(two.indexOf(v1) + v1.length + close.length, second.start);
  const mark = sharedMark(equals, close);
  equals = equals.slice(0, equals.length - mark.length);
  close = close.slice(mark.length);
  if (close.trim() === '' && mark === '') return { reason: 'nothing ends a text value' };
  const quoted = /^["']$/.test(mark) ? 'python' : 'marked';
  const style = mark === '' ? 'raw' : quoted;
  const [numbered, firstNumber] = withSlots(item.first, second?.first);
  const empty = probe([[n1, {}]]) || n1 + item.first.split(next.trim(), 1)[0]! + end;
  const behindName = empty.slice(empty.lastIndexOf(n1) + n1.length).trimEnd();
  const hasEnd = behindName.endsWith(end.trim());
  const none = hasEnd ? behindName.slice(0, behindName.length - end.trim().length).trimEnd() : behindName;
  const notation: ItemsNotation = {
    ...edgesAround(one, { start: item.start, end: one.length - end.length }, between),
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

/** A value with its key and name before it, and the texts between them. */
function findItem(text: string, [name, key, value]: Words) {
  const valueAt = text.indexOf(value);
  const keyAt = text.lastIndexOf(key, valueAt);
  const start = text.lastIndexOf(name, keyAt);
  if (keyAt === -1 || start === -1) return undefined;
  const first = text.slice(start + name.length, keyAt);
  return { start, end: valueAt + value.length, first, equals: text.slice(keyAt + key.length, valueAt) };
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

/**
 * The edge before a value, and its style, for each type.
 * @param tail all behind the value of a call
 * @param style of strings that aren't JSON
 */
function valueTable(
  probe: Probe,
  { equals, tail, style }: { readonly equals: string; readonly tail: string; readonly style: ValueStyle },
): Pick<ItemsNotation, 'equals' | 'values'> {
  const before: Record<string, Edge> = {};
  const values: Record<string, ValueStyle> = {};
  for (const [type, value] of Object.entries(samples)) {
    const text = probe([[n1, { [k1]: value }]]);
    const rest = text.slice(text.indexOf(k1, text.lastIndexOf(n1)) + k1.length);
    const written = spellings.find(([, write]) => rest.trimEnd().endsWith((write(value) + tail).trimEnd()));
    values[type] = written?.[0] ?? (style === 'raw' && type !== 'string' ? 'json' : style);
    before[type] = written ? rest.slice(0, rest.lastIndexOf(written[1](value) + tail.trimEnd())) : equals;
  }
  return { equals: before, values } as Pick<ItemsNotation, 'equals' | 'values'>;
}
