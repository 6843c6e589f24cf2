/** The tokens of a text or of a text pair. All lists have one entry per token. */
export interface Encoding {
  readonly ids: Uint32Array;
  /** The texts of the tokens. */
  readonly tokens: readonly string[];
  /**
   * `[n × 2]` Start and end of each token in the text, as indexes of code units: `text.slice(start, end)`. 0, 0 for
   * tokens outside the text.
   */
  readonly offsets: Uint32Array;
  /** 0 for the first text, 1 for the second, or as the post-processor defines. */
  readonly typeIds: Uint32Array;
  /** The index of the token's word in the text; −1 without a word. */
  readonly wordIds: Int32Array;
  /** 1 for special tokens added around the texts, and for padding. */
  readonly specialTokensMask: Uint8Array;
  /** 0 for padding. */
  readonly attentionMask: Uint8Array;
  /** The tokens cut by truncation, in parts that overlap by the stride. */
  readonly overflowing: readonly Encoding[];
}

/** An encoding inside the post-processor. */
export interface PartialEncoding extends Encoding {
  /** The text of the offsets. */
  readonly source?: string | undefined;
}

export const emptyEncoding: Encoding = toConstantEncoding([], [], { typeId: 0 });

/** An encoding of tokens outside any text. */
export function toConstantEncoding(
  ids: readonly number[],
  tokens: readonly string[],
  { typeId, attention = 1 }: { typeId: number; attention?: 0 | 1 },
): Encoding {
  const count = ids.length;
  return {
    ids: Uint32Array.from(ids),
    tokens,
    offsets: new Uint32Array(2 * count),
    typeIds: new Uint32Array(count).fill(typeId),
    wordIds: new Int32Array(count).fill(-1),
    specialTokensMask: new Uint8Array(count).fill(1),
    attentionMask: new Uint8Array(count).fill(attention),
    overflowing: [],
  };
}

export function withTypeId(encoding: PartialEncoding, typeId: number): PartialEncoding {
  return { ...encoding, typeIds: new Uint32Array(encoding.ids.length).fill(typeId) };
}

/** A part of an encoding, without its overflow. */
export function sliceEncoding(encoding: PartialEncoding, start: number, end: number): PartialEncoding {
  return {
    source: encoding.source,
    ids: encoding.ids.slice(start, end),
    tokens: encoding.tokens.slice(start, end),
    offsets: encoding.offsets.slice(2 * start, 2 * end),
    typeIds: encoding.typeIds.slice(start, end),
    wordIds: encoding.wordIds.slice(start, end),
    specialTokensMask: encoding.specialTokensMask.slice(start, end),
    attentionMask: encoding.attentionMask.slice(start, end),
    overflowing: [],
  };
}

/** Concatenates encodings. Each overflowing part of an encoding is combined with every part of the next one. */
export function concatenateEncodings(encodings: readonly Encoding[]): Encoding {
  return encodings.reduce(concatenate, emptyEncoding);
}

function concatenate(first: Encoding, second: Encoding): Encoding {
  const overflowing: Encoding[] = [];
  for (const part of first.overflowing) {
    overflowing.push(concatenate(part, second));
    for (const other of second.overflowing) overflowing.push(concatenate(part, other));
  }
  for (const other of second.overflowing) overflowing.push(concatenate({ ...first, overflowing: [] }, other));
  return {
    ids: join(first.ids, second.ids, Uint32Array),
    tokens: first.tokens.length === 0 ? second.tokens : first.tokens.concat(second.tokens),
    offsets: join(first.offsets, second.offsets, Uint32Array),
    typeIds: join(first.typeIds, second.typeIds, Uint32Array),
    wordIds: join(first.wordIds, second.wordIds, Int32Array),
    specialTokensMask: join(first.specialTokensMask, second.specialTokensMask, Uint8Array),
    attentionMask: join(first.attentionMask, second.attentionMask, Uint8Array),
    overflowing,
  };
}

function join<T extends Uint32Array | Int32Array | Uint8Array>(
  first: T,
  second: T,
  List: new (size: number) => T,
): T {
  if (first.length === 0) return second;
  const joined = new List(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
