import { quote } from '../../text/quote.ts';
import { readMembers, readString } from '../definition.ts';
import { Matcher } from './matcher.ts';
import { parseOniguruma } from './oniguruma/parse.ts';
import { quote as quoteInClass } from './oniguruma/reader.ts';
import { classOf, sequence } from './parts.ts';
import type { Part } from './program.ts';
import { createCharacterPattern, type Pattern } from './pattern.ts';

/** Reads `{ String: … }` or `{ Regex: … }`. */
export function readPattern(label: string, value: unknown): Pattern {
  const members = readMembers(label, value);
  if (members['Regex'] !== undefined) {
    const at = `${label}.Regex`;
    return createRegularExpressionPattern(at, readString(at, members['Regex']));
  }
  const literal = readString(`${label}.String`, members['String']);
  const codePoints = Array.from(literal, (character) => character.codePointAt(0)!);
  if (codePoints.length === 1) return createCharacterPattern((codePoint) => codePoint === codePoints[0]);
  return createPattern(`${label}.String`, literal, (text) =>
    sequence(...Array.from(text, (character) => classOf(quoteInClass(character)))),
  );
}

export function createRegularExpressionPattern(label: string, source: string): Pattern {
  return createPattern(label, source, parseOniguruma);
}

function createPattern(label: string, source: string, parse: (source: string) => Part): Pattern {
  try {
    const matcher = new Matcher(`${label}: the pattern ${quote(source)}`, parse(source));
    return matcher.findAll.bind(matcher);
  } catch (error) {
    throw new RangeError(`${label}: ${(error as Error).message}`, { cause: error });
  }
}
