import { getOrCreate } from '../../get-or-create.ts';
import type { Reading, TextInput } from '../text-input.ts';
import type { Edge, ItemsNotation } from './notation.ts';
import { sharedEnd } from './template-turn.ts';

type Slot = 'name' | 'key' | 'id' | 'number';

export type SlotValues<Value = string> = Readonly<Partial<Record<Slot, Value | undefined>>>;

const slot = /⟨(name|key|id|number)⟩/g;

/** Writes values into the slots of an edge; a slot without one stays. */
export function fill(edge: Edge, values: SlotValues<string | number>): string {
  return edge.replaceAll(slot, (whole, kind: Slot) => String(values[kind] ?? whole));
}

/**
 * The tags of an edge, each with the white space before it; a word in front of a tag belongs to it.
 * @param mark text that is a part of the tag behind it
 */
export function partsOf(edge: Edge, mark = '\0'): readonly string[] {
  const parts = edge
    .replaceAll(mark, '\0')
    .split(/(?<=[>\]`}⟩])(?=\s*[\0<[])|(?<=[>\]`}])(?=\s+\S)|(?<=[^\s\0])(?=\s*\n\s*[\0<[])/);
  return parts.map((part) => part.replaceAll('\0', mark)).filter((part) => part !== '');
}

/** The tags of an edge, without white space around them. */
export function tagsOf(edge: Edge): readonly string[] {
  return partsOf(edge.trim()).map((part) => part.trim());
}

/** The edges between a key and its value; if they depend on the type, also with any word for the type, or none. */
export function equalsOf({ equals }: ItemsNotation): readonly Edge[] {
  const [own = '', ...others] = new Set(Object.values(equals));
  if (others.length === 0) return [own];
  const valueOpen = others.reduce(sharedEnd, own);
  const start = own.slice(0, -valueOpen.length).replace(/\w+$/, '');
  return [own, ...others, `${start}⟨key⟩${valueOpen}`, valueOpen];
}

/** Some models write the escape of a line break, or the vocabulary's sign for a space. */
const space = String.raw`(?:\s|\\n|Ġ)*`;
/** Bounded, since an unfinished slot is read again with every piece. */
const patterns: Readonly<Record<Slot, string>> = {
  name: '[^\\s<>[\\]{}()"\'`=,;|]{1,256}?',
  key: '[^<>"\\n{}]{1,1024}?',
  id: '[\\w.:-]{1,256}?',
  number: '\\d{1,16}',
};
const matchers = new Map<Edge, ReturnType<typeof createMatcher>>();
/** A host may load models with ever new notations. */
const maxMatchers = 4096;

function matcherOf(edge: Edge) {
  if (matchers.size > maxMatchers) matchers.clear();
  return getOrCreate(matchers, edge, createMatcher);
}

function createMatcher(edge: Edge) {
  const atoms: string[] = [space];
  const parts = [...edge.trim().matchAll(/⟨(name|key|id|number)⟩|\s+|[^]/gu)];
  for (const [index, [part, kind]] of parts.entries()) {
    const [before, behind] = [parts[index - 1], parts[index + 1]];
    if (before && (/[>\]}{[]$/.test(before[0]) || /^[<[{]/.test(part))) atoms.push(space);
    if (kind !== undefined) atoms.push(slotPattern(kind as Slot, parts.slice(0, index), behind));
    else if (part.trim() === '') atoms.push(before?.[1] && behind?.[1] ? String.raw`\s+` : space);
    else atoms.push(part.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  }
  const unnamed = atoms.map((atom) => atom.replace(/^\(\?<\w+>/, '(?:'));
  const isOpen = edge.trimEnd().endsWith('⟩');
  // A backslash may be the beginning of an escape.
  const beginning = unnamed.reduceRight(
    (rest, atom) => String.raw`(?:\\?$|${atom}${rest})`,
    isOpen ? '$' : '(?!)',
  );
  return {
    whole: new RegExp(`^${atoms.join('')}`, 'u'),
    /** Matches a text that may be the beginning of the edge. */
    beginning: new RegExp(`^${beginning}`, 'u'),
    anywhere: new RegExp(unnamed.slice(1).join(''), 'u'),
  };
}

/** Pattern of a slot; the first slot of each kind is captured, and a slot at the end is greedy. */
function slotPattern(kind: Slot, before: readonly RegExpMatchArray[], behind?: RegExpMatchArray): string {
  const pattern = behind ? patterns[kind] : patterns[kind].replace(/\?$/, '');
  const isFirst = before.every(([, other]) => other !== kind);
  return isFirst ? `(?<${kind}>${pattern})` : `(?:${pattern})`;
}

export interface FoundEdge {
  readonly edge: Edge;
  readonly length: number;
  readonly slots: SlotValues;
}

/** Finds the edge that comes next, the longest of several, with the white space before it; takes nothing. */
export function* peekEdge(input: TextInput, edges: readonly Edge[]): Reading<FoundEdge | undefined> {
  const beginnings = edges.map((edge) => matcherOf(edge).beginning);
  while (!input.hasEnded && beginnings.some((beginning) => beginning.test(input.rest))) yield;
  return findLongestEdge(input.rest, edges);
}

/** The longest of several edges at the start of a text, with the white space before it. */
export function findLongestEdge(text: string, edges: readonly Edge[]): FoundEdge | undefined {
  let longest: FoundEdge | undefined;
  for (const edge of edges) {
    const match = matcherOf(edge).whole.exec(text);
    const length = match?.[0].length ?? -1;
    if (match && length > (longest?.length ?? -1)) longest = { edge, length, slots: match.groups ?? {} };
  }
  return longest;
}

export function* takeEdge(input: TextInput, edges: readonly Edge[]): Reading<FoundEdge | undefined> {
  const found = yield* peekEdge(input, edges);
  if (found) input.take(found.length);
  return found;
}

export function splitAtEdge(text: string, edge: Edge): readonly string[] {
  return text.split(matcherOf(edge).anywhere);
}

/** Texts in a mark that may be special tokens of their own. */
export function tokensIn(mark: string): readonly string[] {
  return mark.match(/<[^<>\s"=]+>|\[\/?[A-Z_]{2,}\]/g) ?? [];
}
