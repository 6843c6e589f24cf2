import { createJsonScanner } from '../../text/json-scanner.ts';
import type { ToolCallParserEvent } from './parser.ts';

/** Reads one call written as a JSON object. */
export interface JsonCallReader {
  /**
   * `complete` when the object has ended, or when the call is whole and something follows that isn't JSON;
   * `invalid` when this is no call.
   */
  readonly state: 'open' | 'complete' | 'invalid';
  /** The call's progress: whether its `call-start`, and then its `call-end`, has been given out. */
  readonly progress: 'unannounced' | 'announced' | 'ended';
  /** Everything read so far while the call is unannounced, `''` afterwards. */
  readonly raw: string;
  /**
   * Reads `text` from index `from`, adds what it finds to `events` and returns the index of the first unit that it
   * didn't read.
   */
  read(text: string, from: number, events: ToolCallParserEvent[]): number;
}

/**
 * Reads `{"name": "…", "arguments": {…}}`, the form in which most families of models write a call.
 *
 * - The call is announced as soon as its name and the beginning of its arguments object are known; from then on
 *   arguments come out as they are written. Keys may come in either order; arguments before the name wait for it.
 * - Every unit of the arguments is checked before it comes out, so what has come out is always the beginning of
 *   valid JSON; the call ends when the object does.
 * - `parameters` means the same as `arguments`. Arguments given as a string that holds a JSON object are unwrapped,
 *   and come out when the string is complete. No arguments, `null` and `""` are `{}`.
 * - Other keys are skipped; of a repeated key the first counts.
 *
 * @example
 * ```ts
 * const events: ToolCallParserEvent[] = [];
 * createJsonCallReader().read('{"name": "add", "arguments": {"a": 1}}', 0, events); // 38
 * events.map((event) => event.type); // ['call-start', 'arguments', 'call-end']
 * ```
 */
export function createJsonCallReader(): JsonCallReader {
  const scanner = createJsonScanner();
  let state: JsonCallReader['state'] = 'open';
  let progress: JsonCallReader['progress'] = 'unannounced';
  let place: 'open' | 'key-or-end' | 'key' | 'in-key' | 'colon' | 'value' | 'in-value' | 'comma-or-end' =
    'open';
  let role: 'name' | 'arguments' | 'other' = 'other';
  let raw = '';
  /** Text of the key or value in hand, where it is needed as a whole. */
  let buffer = '';
  let isStreaming = false;
  let name: string | null = null;
  let argumentsText: string | null = null;

  function read(text: string, from: number, events: ToolCallParserEvent[]): number {
    let index = from;
    while (index < text.length && state === 'open') {
      if (isInsideValue()) {
        index = readValue(text, index, events);
      } else if (isJsonSpace(text[index]!) && place !== 'open') {
        index++;
      } else if (acceptsSign(text[index]!, events)) {
        if (!isInsideValue()) index++;
      } else {
        fail(events);
      }
    }
    raw = progress === 'unannounced' ? raw + text.slice(from, index) : '';
    return index;
  }

  function isInsideValue(): boolean {
    return place === 'in-key' || place === 'in-value';
  }

  /** Takes what stands between keys and values. A key's or value's first unit is left to the scanner. */
  function acceptsSign(sign: string, events: ToolCallParserEvent[]): boolean {
    switch (place) {
      case 'open':
        place = 'key-or-end';
        return sign === '{';
      case 'colon':
        place = 'value';
        return sign === ':';
      case 'value':
        beginScan('in-value');
        return beginValue(sign, events);
      case 'comma-or-end':
        place = 'key';
        return sign === ',' || (sign === '}' && endObject(events));
      default:
        if (sign === '}' && place === 'key-or-end') return endObject(events);
        beginScan('in-key');
        return sign === '"';
    }
  }

  function beginScan(next: 'in-key' | 'in-value'): void {
    place = next;
    scanner.reset();
    buffer = '';
    isStreaming = false;
  }

  function beginValue(sign: string, events: ToolCallParserEvent[]): boolean {
    if (role === 'name') return sign === '"';
    if (role !== 'arguments') return true;
    if (sign === '{' && name !== null) {
      announce(name, events);
      isStreaming = true;
    }
    return sign === '{' || sign === '"' || sign === 'n';
  }

  function readValue(text: string, from: number, events: ToolCallParserEvent[]): number {
    const index = scanner.scan(text, from);
    const piece = text.slice(from, index);
    if (!isStreaming) buffer += piece;
    else if (piece !== '') events.push({ type: 'arguments', text: piece });
    if (scanner.state === 'invalid') fail(events);
    if (scanner.state === 'complete') {
      if (place === 'in-key') endKey();
      else endValue(events);
    }
    return index;
  }

  function endKey(): void {
    const key = JSON.parse(buffer) as string;
    role = 'other';
    if (key === 'name' && name === null) role = 'name';
    if ((key === 'arguments' || key === 'parameters') && argumentsText === null) role = 'arguments';
    if (progress === 'ended') role = 'other';
    place = 'colon';
  }

  function endValue(events: ToolCallParserEvent[]): void {
    place = 'comma-or-end';
    if (isStreaming) {
      end(events);
    } else if (role === 'name') {
      name = JSON.parse(buffer) as string;
      if (name === '') fail(events);
      else if (argumentsText !== null) emitWhole(name, argumentsText, events);
    } else if (role === 'arguments') {
      argumentsText = buffer.startsWith('{') ? buffer : unwrap(buffer);
      if (argumentsText === null) fail(events);
      else if (name !== null) emitWhole(name, argumentsText, events);
    }
  }

  function endObject(events: ToolCallParserEvent[]): boolean {
    if (progress === 'unannounced') {
      if (name === null) return false;
      emitWhole(name, '{}', events);
    }
    state = 'complete';
    return true;
  }

  function announce(callName: string, events: ToolCallParserEvent[]): void {
    events.push({ type: 'call-start', name: callName });
    progress = 'announced';
  }

  function end(events: ToolCallParserEvent[]): void {
    events.push({ type: 'call-end' });
    progress = 'ended';
  }

  function emitWhole(callName: string, text: string, events: ToolCallParserEvent[]): void {
    announce(callName, events);
    events.push({ type: 'arguments', text });
    end(events);
  }

  function fail(events: ToolCallParserEvent[]): void {
    state = progress === 'ended' ? 'complete' : 'invalid';
    if (progress === 'announced') events.push({ type: 'call-unfinished' });
  }

  return {
    get state() {
      return state;
    },
    get progress() {
      return progress;
    },
    get raw() {
      return raw;
    },
    read,
  };
}

function isJsonSpace(sign: string): boolean {
  return sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t';
}

/** The object's text behind `null` or a JSON string that holds one; `null` where there is none. */
function unwrap(json: string): string | null {
  const text = (JSON.parse(json) as string | null)?.trim() ?? '';
  if (text === '') return '{}';
  const scanner = createJsonScanner();
  const isObject = text.startsWith('{') && scanner.scan(text) === text.length && scanner.state === 'complete';
  return isObject ? text : null;
}
