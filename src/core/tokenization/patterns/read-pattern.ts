import { readMembers, readString } from '../definition.ts';
import { createLiteralPattern } from './literal-pattern.ts';
import type { Pattern } from './pattern.ts';
import { createRegularExpressionPattern } from './regular-expression.ts';

/**
 * Reads `{ String: … }` or `{ Regex: … }`.
 *
 * @throws TypeError or RangeError for anything else
 */
export function readPattern(label: string, value: unknown): Pattern {
  const members = readMembers(label, value);
  if (members['Regex'] !== undefined) {
    const at = `${label}.Regex`;
    return createRegularExpressionPattern(at, readString(at, members['Regex']));
  }
  const literal = readString(`${label}.String`, members['String']);
  return literal === '' ? createRegularExpressionPattern(label, '') : createLiteralPattern(literal);
}
