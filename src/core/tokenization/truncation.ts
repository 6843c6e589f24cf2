import { readChoice, readInteger, readMembers } from './definition.ts';
import { emptyEncoding, sliceEncoding, type PartialEncoding } from './encoding.ts';

/** Truncation of an encoding. */
export interface Truncation {
  /** Maximum number of tokens, including special tokens. */
  readonly maxLength: number;
  /** Number of tokens that an overflowing part shares with the previous part; below `maxLength`. Default 0. */
  readonly stride?: number | undefined;
  /** The side to truncate; default `right`. */
  readonly direction?: 'left' | 'right' | undefined;
  /** Which of two texts to truncate; default `longest_first`. */
  readonly strategy?: 'longest_first' | 'only_first' | 'only_second' | undefined;
}

/** Reads the member `truncation` of a definition. */
export function readTruncation(label: string, value: unknown): Truncation {
  const members = readMembers(label, value);
  const strategies = {
    LongestFirst: 'longest_first',
    OnlyFirst: 'only_first',
    OnlySecond: 'only_second',
  } as const;
  const names = Object.keys(strategies) as (keyof typeof strategies)[];
  const strategy = readChoice(`${label}.strategy`, members['strategy'] ?? 'LongestFirst', names);
  const direction = readChoice(`${label}.direction`, members['direction'] ?? 'Right', ['Left', 'Right']);
  return {
    maxLength: readInteger(`${label}.max_length`, members['max_length'], 0, Number.MAX_SAFE_INTEGER),
    stride: readInteger(`${label}.stride`, members['stride'] ?? 0, 0, Number.MAX_SAFE_INTEGER),
    direction: direction === 'Left' ? 'left' : 'right',
    strategy: strategies[strategy],
  };
}

export function truncateEncodings(
  encodings: readonly PartialEncoding[],
  truncation: Truncation,
  added: number,
): PartialEncoding[] {
  const { maxLength, stride = 0, direction = 'right', strategy = 'longest_first' } = truncation;
  readInteger('truncation.maxLength', maxLength, added, Number.MAX_SAFE_INTEGER);
  readInteger('truncation.stride', stride, 0, Number.MAX_SAFE_INTEGER);
  readChoice('truncation.direction', direction, ['left', 'right']);
  readChoice('truncation.strategy', strategy, ['longest_first', 'only_first', 'only_second']);
  const room = maxLength - added;
  const lengths = encodings.map(({ ids }) => ids.length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total <= room) return [...encodings];
  const cut = (index: number, length: number): PartialEncoding =>
    truncate(encodings[index]!, length, stride, direction);
  if (room === 0) return encodings.map((_, index) => cut(index, 0));
  if (strategy === 'longest_first') {
    if (encodings.length === 1) return [cut(0, room)];
    const [first, second] = share(lengths[0]!, lengths[1]!, room);
    return [cut(0, first), cut(1, second)];
  }
  const target = strategy === 'only_first' ? 0 : 1;
  const length = lengths[target];
  if (length === undefined) throw new RangeError('truncation.strategy: only_second needs a second text');
  if (length <= total - room) {
    throw new RangeError(
      `truncation.maxLength: ${maxLength} can't be reached by cutting one text of ${length} tokens`,
    );
  }
  return encodings.map((encoding, index) =>
    index === target ? cut(index, length - (total - room)) : encoding,
  );
}

/** The shorter text keeps all its tokens, up to half of the room. */
function share(first: number, second: number, room: number): [number, number] {
  const shorter = Math.min(first, second);
  let longer = shorter > room ? shorter : Math.max(shorter, room - shorter);
  let kept = shorter;
  if (kept + longer > room) {
    kept = Math.floor(room / 2);
    longer = kept + (room % 2);
  }
  return first > second ? [longer, kept] : [kept, longer];
}

function truncate(
  encoding: PartialEncoding,
  length: number,
  stride: number,
  direction: 'left' | 'right',
): PartialEncoding {
  const total = encoding.ids.length;
  if (length >= total) return encoding;
  if (length === 0) return { ...emptyEncoding, overflowing: [encoding] };
  if (stride >= length) {
    throw new RangeError(
      `truncation.stride: expected less than the ${length} tokens that are left of a text, got ${stride}`,
    );
  }
  const parts: PartialEncoding[] = [];
  for (let from = 0; ; from += length - stride) {
    const to = Math.min(from + length, total);
    parts.push(
      direction === 'right'
        ? sliceEncoding(encoding, from, to)
        : sliceEncoding(encoding, total - to, total - from),
    );
    if (to === total) break;
  }
  return { ...parts[0]!, overflowing: parts.slice(1) };
}
