import { readChoice, readInteger, readMembers, readString } from './definition.ts';
import { concatenateEncodings, toConstantEncoding, type Encoding } from './encoding.ts';

/** Padding of an encoding. */
export interface Padding {
  /** Minimum number of tokens; default: no minimum. */
  readonly length?: number | undefined;
  /** The length is rounded up to a multiple of this. */
  readonly multipleOf?: number | undefined;
  /** The side of the padding; default `right`. */
  readonly direction?: 'left' | 'right' | undefined;
  /** Default 0. */
  readonly id?: number | undefined;
  /** Default 0. */
  readonly typeId?: number | undefined;
  /** Default `[PAD]`. */
  readonly token?: string | undefined;
}

/** Padding beyond this length can only be a mistake. */
const maxPadding = 2 ** 20;

/** Reads the member `padding` of a definition. */
export function readPadding(label: string, value: unknown): Padding {
  const members = readMembers(label, value);
  const strategy = members['strategy'];
  if (typeof strategy === 'string') readChoice(`${label}.strategy`, strategy, ['BatchLongest']);
  const length = typeof strategy === 'string' ? undefined : readFixed(label, strategy);
  const direction = readChoice(`${label}.direction`, members['direction'] ?? 'Right', ['Left', 'Right']);
  return {
    length,
    multipleOf: readInteger(`${label}.pad_to_multiple_of`, members['pad_to_multiple_of'] ?? 0, 0, maxPadding),
    direction: direction === 'Left' ? 'left' : 'right',
    id: readInteger(`${label}.pad_id`, members['pad_id'] ?? 0),
    typeId: readInteger(`${label}.pad_type_id`, members['pad_type_id'] ?? 0),
    token: readString(`${label}.pad_token`, members['pad_token'] ?? '[PAD]'),
  };
}

function readFixed(label: string, strategy: unknown): number {
  const { Fixed: length } = readMembers(`${label}.strategy`, strategy);
  return readInteger(`${label}.strategy.Fixed`, length, 0, maxPadding);
}

/** @throws TypeError or RangeError for a malformed definition */
export function padEncoding(encoding: Encoding, padding: Padding): Encoding {
  const { multipleOf = 0, direction = 'right', id = 0, typeId = 0, token = '[PAD]' } = padding;
  readInteger('padding.multipleOf', multipleOf, 0, maxPadding);
  readChoice('padding.direction', direction, ['left', 'right']);
  readInteger('padding.id', id);
  readInteger('padding.typeId', typeId);
  let length = readInteger(
    'padding.length',
    padding.length ?? encoding.ids.length,
    0,
    Number.MAX_SAFE_INTEGER,
  );
  if (multipleOf > 0) length = Math.ceil(length / multipleOf) * multipleOf;
  readInteger('padding.length', length, 0, Math.max(maxPadding, encoding.ids.length + multipleOf));
  return padTo(encoding, length, { direction, id, typeId, token });
}

function padTo(
  encoding: Encoding,
  length: number,
  padding: { direction: 'left' | 'right'; id: number; typeId: number; token: string },
): Encoding {
  const overflowing = encoding.overflowing.map((part) => padTo(part, length, padding));
  const missing = length - encoding.ids.length;
  if (missing <= 0) return { ...encoding, overflowing };
  const filling = toConstantEncoding(
    Array.from({ length: missing }, () => padding.id),
    Array.from({ length: missing }, () => padding.token),
    { typeId: padding.typeId, attention: 0 },
  );
  const bare = { ...encoding, overflowing: [] };
  const padded = concatenateEncodings(padding.direction === 'left' ? [filling, bare] : [bare, filling]);
  return { ...padded, overflowing };
}
