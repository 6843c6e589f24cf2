import { getOrCreate } from '../get-or-create.ts';
import type { AddedToken } from './added-tokens.ts';
import { codePointAt, codePointBefore, type Piece } from './aligned-text.ts';
import { runEnd } from './patterns/scan.ts';
import { classOf, space, word } from './unicode/character-class.ts';

/** An added token of a text, or a range between two added tokens. */
export interface Segment {
  readonly token?: AddedToken;
  readonly start: number;
  readonly end: number;
}

/**
 * Splits `[start, end)` of a text at its added tokens, from left to right; with `specialAsText`, special tokens count as text.
 */
export type FindAddedTokens = (piece: Piece, specialAsText: boolean) => readonly Segment[];

/** Steps per character, more than any model's tokens need. */
const maxSteps = 256;

interface Node {
  readonly next: Map<number, Node>;
  token?: AddedToken;
}

/** Creates a search for tokens: at every position the longest match wins. */
export function createAddedTokenFinder(tokens: readonly AddedToken[]): FindAddedTokens {
  const root: Node = { next: new Map() };
  for (const token of tokens) if (token.pattern !== '') insert(root, token);
  /** Indexed by the low byte of code units: 0 if no token begins with such a unit. */
  const mayBegin = new Uint8Array(256);
  for (const unit of root.next.keys()) mayBegin[unit & 0xff] = 1;

  return (piece, specialAsText) => {
    const { start, end } = piece;
    const { units } = piece.text;
    const segments: Segment[] = [];
    const budget = { steps: maxSteps * (end - start) };
    let from = start;
    for (let at = start; at < end;) {
      const found = mayBegin[units[at]! & 0xff] === 1 ? findLongestAt(root, piece, at, budget) : undefined;
      if (!found) {
        at++;
        continue;
      }
      const tokenEnd = at + found.pattern.length;
      const isText = found.special && specialAsText;
      if (!isText && (!found.singleWord || isAlone(piece, at, tokenEnd))) {
        const left = found.stripsLeft ? Math.max(from, spaceStart(units, at, from)) : at;
        const right = found.stripsRight ? runEnd(units, Math.max(from, tokenEnd), end, space) : tokenEnd;
        if (from < left) segments.push({ start: from, end: left });
        segments.push({ token: found, start: left, end: right });
        from = right;
      }
      at = tokenEnd;
    }
    if (from < end) segments.push({ start: from, end });
    return segments;
  };
}

function insert(root: Node, token: AddedToken): void {
  let node = root;
  for (let index = 0; index < token.pattern.length; index++) {
    node = getOrCreate(node.next, token.pattern.charCodeAt(index), () => ({ next: new Map<number, Node>() }));
  }
  node.token = token;
}

function findLongestAt(
  root: Node,
  { text: { units }, end }: Piece,
  start: number,
  budget: { steps: number },
): AddedToken | undefined {
  let node: Node | undefined = root;
  let longest: AddedToken | undefined;
  for (let at = start; at < end; at++) {
    node = node.next.get(units[at]!);
    if (!node) break;
    longest = node.token ?? longest;
    if (--budget.steps < 0)
      throw new RangeError(
        `tokenizer.added_tokens: take more than ${maxSteps} steps for each character of a text`,
      );
  }
  return longest;
}

function isAlone({ text: { units }, start, end }: Piece, tokenStart: number, tokenEnd: number): boolean {
  const before = tokenStart > start ? classOf(codePointBefore(units, tokenStart)) : 0;
  const after = tokenEnd < end ? classOf(codePointAt(units, tokenEnd)) : 0;
  return ((before | after) & word) === 0;
}

function spaceStart(units: Uint16Array, at: number, start: number): number {
  let left = at;
  while (left > start && (classOf(units[left - 1]!) & space) !== 0) left--;
  return left;
}
