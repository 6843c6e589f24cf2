import { readMembers, readString } from '../definition.ts';
import { type Pattern, pushSegment } from './pattern.ts';
import { toUnits } from '../code-units.ts';
import { isHighSurrogate, isLowSurrogate, stringOf } from '../aligned-text.ts';
import { cl100kSource, createCl100kPattern, gpt2Pattern, gpt2Source } from './known-patterns.ts';
import { translateOniguruma } from './oniguruma/translate.ts';

/** Reads `{ String: … }` or `{ Regex: … }`. */
export function readPattern(label: string, value: unknown): Pattern {
  const members = readMembers(label, value);
  if (members['Regex'] !== undefined) {
    const at = `${label}.Regex`;
    return createRegularExpressionPattern(at, readString(at, members['Regex']));
  }
  const literal = readString(`${label}.String`, members['String']);
  return literal === '' ? createRegularExpressionPattern(label, '') : createLiteralPattern(literal);
}

/** Matches a text as it stands, from left to right. */
export function createLiteralPattern(literal: string): Pattern {
  const wanted = toUnits(literal);
  const { length } = wanted;
  return ({ units }, start, end, segments) => {
    let from = start;
    for (let at = start; at + length <= end;) {
      let matching = 0;
      while (matching < length && units[at + matching] === wanted[matching]) matching++;
      if (matching < length) {
        at++;
        continue;
      }
      if (from < at) pushSegment(segments, at, 0);
      at += length;
      pushSegment(segments, at, 1);
      from = at;
    }
    if (from < end) pushSegment(segments, end, 0);
  };
}

/** Patterns of well-known models, which are found faster by hand. */
const handWritten: ReadonlyMap<string, Pattern> = new Map([
  [gpt2Source, gpt2Pattern],
  [cl100kSource(3), createCl100kPattern(3)],
  [cl100kSource(1), createCl100kPattern(1)],
]);

/** Matches a regular expression in Oniguruma's syntax. */
export function createRegularExpressionPattern(label: string, source: string): Pattern {
  const pattern = handWritten.get(source);
  if (pattern) return pattern;
  const { global, sticky } = compile(label, source);
  return (text, start, end, segments) => {
    const whole = start === 0 && end === text.length;
    const string = whole ? stringOf(text) : stringOf(text).slice(start, end);
    let from = 0;
    let lastMatchEnd = -1;
    for (let at = 0; at <= string.length;) {
      let matchStart = at;
      sticky.lastIndex = at;
      if (sticky.test(string)) {
        global.lastIndex = sticky.lastIndex;
      } else {
        global.lastIndex = at;
        const match = global.exec(string);
        if (match === null) break;
        matchStart = match.index;
      }
      const matchEnd = global.lastIndex;
      if (matchEnd === matchStart && (matchEnd === lastMatchEnd || isInsidePair(string, matchEnd))) {
        at = matchEnd + (string.codePointAt(matchEnd)! > 0xff_ff ? 2 : 1);
        continue;
      }
      if (from < matchStart) pushSegment(segments, start + matchStart, 0);
      pushSegment(segments, start + matchEnd, 1);
      from = matchEnd;
      lastMatchEnd = matchEnd;
      at = matchEnd;
    }
    if (from < string.length) pushSegment(segments, end, 0);
  };
}

/** Engines find empty matches there, which are none. */
function isInsidePair(string: string, at: number): boolean {
  return at > 0 && isLowSurrogate(string.charCodeAt(at)) && isHighSurrogate(string.charCodeAt(at - 1));
}

function compile(label: string, source: string): { global: RegExp; sticky: RegExp } {
  try {
    const translated = translateOniguruma(source);
    return { global: new RegExp(translated, 'gv'), sticky: new RegExp(translated, 'yv') };
  } catch (error) {
    throw new RangeError(`${label}: ${(error as Error).message}`, { cause: error });
  }
}
