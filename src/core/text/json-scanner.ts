/** Follows one JSON value through text that comes in pieces. */
export interface JsonScanner {
  /** `complete` once the value has ended, `invalid` once the text can't be JSON any more. */
  readonly state: 'open' | 'complete' | 'invalid';
  /**
   * Reads `text` from index `from` (default 0). Returns the index after the value when it is complete, the index of
   * the first code unit that can't be JSON when it is invalid, else the text's length. White space before the value
   * is part of it. A number is complete only when something after it was seen.
   */
  scan(text: string, from?: number): number;
}

type Expectation =
  | 'value'
  | 'value-or-end'
  | 'key'
  | 'key-or-end'
  | 'colon'
  | 'comma-or-end'
  | 'string'
  | 'escape'
  | 'hex-digit'
  | 'literal'
  | NumberPart;

type NumberPart =
  'sign' | 'zero' | 'integer' | 'point' | 'fraction' | 'exponent' | 'exponent-sign' | 'exponent-digits';

/**
 * Tells where a JSON value (RFC 8259) ends, and checks it on the way: a value that comes out `complete` is accepted by
 * `JSON.parse`, and one that is `invalid` is refused by it whatever follows. Nothing is parsed or kept but one number per
 * nesting level.
 */
export function createJsonScanner(): JsonScanner {
  /** Closing brackets that are due, innermost last. */
  const closers: number[] = [];
  let state: JsonScanner['state'] = 'open';
  let expectation: Expectation = 'value';
  let isKey = false;
  let hexDigits = 0;
  let literal = '';

  function scan(text: string, from = 0): number {
    let index = from;
    while (index < text.length && isOpen()) {
      if (expectation === 'string') {
        index = skipPlainUnits(text, index);
        if (index === text.length) break;
      }
      if (accepts(text.charCodeAt(index))) index++;
    }
    return index;
  }

  function isOpen(): boolean {
    return state === 'open';
  }

  /** Takes the next code unit; false leaves it unread: it is invalid, or stands after a number. */
  function accepts(unit: number): boolean {
    switch (expectation) {
      case 'value':
      case 'value-or-end':
        if (isSpace(unit)) return true;
        if (expectation === 'value-or-end' && unit === closeBracket) return close();
        return beginValue(unit);
      case 'key':
      case 'key-or-end':
        if (isSpace(unit)) return true;
        if (expectation === 'key-or-end' && unit === closeBrace) return close();
        if (unit !== quote) return refuse();
        isKey = true;
        return expect('string');
      case 'colon':
        if (isSpace(unit)) return true;
        return unit === colon ? expect('value') : refuse();
      case 'comma-or-end':
        if (isSpace(unit)) return true;
        if (unit === closers.at(-1)) return close();
        if (unit !== comma) return refuse();
        return expect(closers.at(-1) === closeBrace ? 'key' : 'value');
      case 'string':
        if (unit === backslash) return expect('escape');
        if (unit !== quote) return refuse();
        if (!isKey) return endValue();
        isKey = false;
        return expect('colon');
      case 'escape':
        if (unit === lowerU) {
          hexDigits = 0;
          return expect('hex-digit');
        }
        return isSimpleEscape(unit) ? expect('string') : refuse();
      case 'hex-digit':
        if (!isHexDigit(unit)) return refuse();
        return ++hexDigits === 4 ? expect('string') : true;
      case 'literal':
        if (unit !== literal.charCodeAt(0)) return refuse();
        literal = literal.slice(1);
        return literal === '' ? endValue() : true;
      default: {
        const character = toNumberCharacter(unit);
        const part = character && nextParts[expectation][character];
        if (part !== undefined) return expect(part);
        if (!isWholeNumber(expectation)) return refuse();
        endValue();
        return false;
      }
    }
  }

  function beginValue(unit: number): boolean {
    switch (unit) {
      case openBrace:
        closers.push(closeBrace);
        return expect('key-or-end');
      case openBracket:
        closers.push(closeBracket);
        return expect('value-or-end');
      case quote:
        return expect('string');
      case minus:
        return expect('sign');
      case lowerT:
        return expectLiteral('rue');
      case lowerF:
        return expectLiteral('alse');
      case lowerN:
        return expectLiteral('ull');
      default:
        if (!isDigit(unit)) return refuse();
        return expect(unit === zero ? 'zero' : 'integer');
    }
  }

  function close(): true {
    closers.pop();
    return endValue();
  }

  function endValue(): true {
    if (closers.length === 0) state = 'complete';
    else expectation = 'comma-or-end';
    return true;
  }

  function expect(next: Expectation): true {
    expectation = next;
    return true;
  }

  function expectLiteral(rest: string): true {
    literal = rest;
    return expect('literal');
  }

  function refuse(): false {
    state = 'invalid';
    return false;
  }

  return {
    get state() {
      return state;
    },
    scan,
  };
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const lowerF = 0x66;
const lowerN = 0x6e;
const lowerT = 0x74;
const lowerU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const simpleEscapes = '"\\/bfnrt';

/** Index of the next unit of a string that is not simply part of it. */
function skipPlainUnits(text: string, from: number): number {
  let index = from;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (unit === quote || unit === backslash || unit < 0x20) break;
    index++;
  }
  return index;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

function isDigit(unit: number): boolean {
  return unit >= zero && unit <= 0x39;
}

function isHexDigit(unit: number): boolean {
  const lower = unit | 0x20;
  return isDigit(unit) || (lower >= 0x61 && lower <= 0x66);
}

function isSimpleEscape(unit: number): boolean {
  return simpleEscapes.includes(String.fromCharCode(unit));
}

function isWholeNumber(part: Expectation): boolean {
  return part === 'zero' || part === 'integer' || part === 'fraction' || part === 'exponent-digits';
}

type NumberCharacter = 'zero' | 'digit' | 'point' | 'sign' | 'e';

/** How a number goes on, by its part so far. */
const nextParts: Readonly<Record<NumberPart, Readonly<Partial<Record<NumberCharacter, NumberPart>>>>> = {
  sign: { zero: 'zero', digit: 'integer' },
  zero: { point: 'point', e: 'exponent' },
  integer: { zero: 'integer', digit: 'integer', point: 'point', e: 'exponent' },
  point: { zero: 'fraction', digit: 'fraction' },
  fraction: { zero: 'fraction', digit: 'fraction', e: 'exponent' },
  exponent: { sign: 'exponent-sign', zero: 'exponent-digits', digit: 'exponent-digits' },
  'exponent-sign': { zero: 'exponent-digits', digit: 'exponent-digits' },
  'exponent-digits': { zero: 'exponent-digits', digit: 'exponent-digits' },
};

function toNumberCharacter(unit: number): NumberCharacter | undefined {
  if (unit === zero) return 'zero';
  if (isDigit(unit)) return 'digit';
  if (unit === 0x2e) return 'point';
  if (unit === minus || unit === 0x2b) return 'sign';
  return (unit | 0x20) === 0x65 ? 'e' : undefined;
}
