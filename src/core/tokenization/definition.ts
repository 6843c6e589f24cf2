import { describeValue } from '../text/quote.ts';

/** Readers of the parts of a `tokenizer.json`: each checks one value and names its path in errors. */

/** A part of a definition with unchecked members. */
export type Members = Readonly<Record<string, unknown>>;

/** @throws TypeError unless `value` is a plain object */
export function readMembers(label: string, value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(label, 'an object', value);
  return value as Members;
}

/** @throws TypeError unless `value` is an array */
export function readList(label: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(label, 'an array', value);
  return value;
}

/** @throws TypeError unless `value` is a string */
export function readString(label: string, value: unknown): string {
  if (typeof value !== 'string') throw wrong(label, 'a string', value);
  return value;
}

/** @throws TypeError unless `value` is a string, null or undefined */
export function readOptionalString(label: string, value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : readString(label, value);
}

/** @throws TypeError unless `value` is a boolean; null and undefined yield `fallback` */
export function readBoolean(label: string, value: unknown, fallback?: boolean): boolean {
  if ((value === undefined || value === null) && fallback !== undefined) return fallback;
  if (typeof value !== 'boolean') throw wrong(label, 'true or false', value);
  return value;
}

/** @throws TypeError unless `value` is a number, RangeError unless it is an integer from `min` to `max` */
export function readInteger(label: string, value: unknown, min = 0, max = 0xff_ff_ff_ff): number {
  if (typeof value !== 'number') throw wrong(label, 'an integer', value);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new RangeError(`${label}: expected an integer from ${min} to ${max}, got ${value}`);
  return value;
}

/** @throws TypeError unless `value` is a string, RangeError unless it is a single character */
export function readCharacter(label: string, value: unknown): number {
  const text = readString(label, value);
  const codePoint = text.codePointAt(0);
  if (codePoint === undefined || text.length !== String.fromCodePoint(codePoint).length)
    throw new RangeError(`${label}: expected one character, got ${JSON.stringify(text)}`);
  return codePoint;
}

/** @throws RangeError unless `value` is one of `choices` */
export function readChoice<Choice extends string>(
  label: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined)
    throw new RangeError(`${label}: expected one of ${choices.join(', ')}, got ${describe(value)}`);
  return choice;
}

/** Creates a reader of parts by type. @param guessType infers the type of a part without one */
export function byType<Part>(
  readers: Readonly<Record<string, (label: string, members: Members) => Part>>,
  guessType: (members: Members) => string | undefined = () => undefined,
): (label: string, value: unknown) => Part {
  return (label, value) => {
    const members = readMembers(label, value);
    const name = members['type'] ?? guessType(members);
    const read = typeof name === 'string' && Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read) return read(label, members);
    throw new RangeError(
      `${label}.type: expected one of ${Object.keys(readers).join(', ')}, got ${describe(name)}`,
    );
  };
}

/** Sequences of parts can be nested: deeper than any real file, and shallow enough for every stack. */
const maxDepth = 16;

/**
 * Reads the parts of a sequence from the member `name`.
 * @throws RangeError for too deep nesting; the label grows by one member per level
 */
export function readSequence<Part>(
  label: string,
  members: Members,
  name: string,
  read: (label: string, value: unknown) => Part,
): Part[] {
  if (label.split('[').length > maxDepth) throw new RangeError(`${label}: nested too deeply`);
  const at = `${label}.${name}`;
  return readList(at, members[name]).map((item, index) => read(`${at}[${index}]`, item));
}

function wrong(label: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${label}: expected ${expected}, got ${describe(value)}`);
}

function describe(value: unknown): string {
  return value === undefined ? 'undefined' : describeValue(value);
}
