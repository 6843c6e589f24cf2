import { createJsonScanner } from '../../text/json-scanner.ts';
import type { ToolCallParserEvent } from './parser.ts';

/** An event that belongs to a call. */
export type CallEvent = Exclude<ToolCallParserEvent, { type: 'text' }>;

export interface JsonCallOptions {
  /** The keys that hold the name, in place of `name`. */
  readonly nameKeys?: readonly string[] | undefined;
  /** The keys that hold the arguments, in place of `arguments` and `parameters`. */
  readonly argumentsKeys?: readonly string[] | undefined;
  /**
   * Whether nothing but its keys tells a call from any other JSON object: then it may have no others than those of
   * a call, and needs arguments. Default false.
   */
  readonly strict?: boolean | undefined;
  /** The only names that count; any where left out. */
  readonly names?: readonly string[] | undefined;
}

/** Reads one call written as a JSON object. */
export interface JsonCallReader {
  /**
   * `complete` when the object has ended, or when the call is whole and something follows that isn't JSON;
   * `invalid` when this is no call.
   */
  readonly state: 'open' | 'complete' | 'invalid';
  /** The call's progress: whether its `call-start`, and then its `call-end`, has been given out. */
  readonly progress: 'unannounced' | 'announced' | 'ended';
  /**
   * Reads `text` from index `from`, adds what it finds to `events` and returns the index of the first unit that it
   * didn't read.
   */
  read(text: string, from: number, events: CallEvent[]): number;
}

/**
 * Reads `{"name": "…", "arguments": {…}}`, the form in which most families of models write a call. - The call is announced as
 * soon as its name and the beginning of its arguments object are known; from then on arguments come out as they are written.
 */
export function createJsonCallReader(options: JsonCallOptions = {}): JsonCallReader {
  const { nameKeys = ['name'], argumentsKeys = usualArgumentsKeys, strict = false, names } = options;
  const scanner = createJsonScanner();
  let state: JsonCallReader['state'] = 'open';
  let progress: JsonCallReader['progress'] = 'unannounced';
  let place: 'open' | 'key-or-end' | 'key' | 'in-key' | 'colon' | 'value' | 'in-value' | 'comma-or-end' =
    'open';
  let role: 'name' | 'arguments' | 'other' = 'other';
  /** Text of the key or value in hand, where it is needed as a whole. */
  let buffer = '';
  let isStreaming = false;
  let name: string | null = null;
  let argumentsText: string | null = null;

  function read(text: string, from: number, events: CallEvent[]): number {
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
    return index;
  }

  function isInsideValue(): boolean {
    return place === 'in-key' || place === 'in-value';
  }

  /** Takes what stands between keys and values. A key's or value's first unit is left to the scanner. */
  function acceptsSign(sign: string, events: CallEvent[]): boolean {
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

  function beginValue(sign: string, events: CallEvent[]): boolean {
    if (role === 'name') return sign === '"';
    if (role !== 'arguments') return true;
    if (sign === '{' && name !== null) {
      announce(name, events);
      isStreaming = true;
    }
    return sign === '{' || sign === '"' || sign === 'n';
  }

  function readValue(text: string, from: number, events: CallEvent[]): number {
    const index = scanner.scan(text, from);
    const piece = text.slice(from, index);
    if (!isStreaming) buffer += piece;
    else if (piece !== '') events.push({ type: 'arguments', text: piece });
    if (scanner.state === 'invalid') fail(events);
    if (scanner.state === 'complete') {
      if (place === 'in-key') endKey(events);
      else endValue(events);
    }
    return index;
  }

  function endKey(events: CallEvent[]): void {
    const key = JSON.parse(buffer) as string;
    role = 'other';
    if (nameKeys.includes(key) && name === null) role = 'name';
    if (argumentsKeys.includes(key) && argumentsText === null) role = 'arguments';
    if (progress === 'ended') role = 'other';
    place = 'colon';
    const isCallKey = nameKeys.includes(key) || argumentsKeys.includes(key) || companionKeys.has(key);
    if (strict && !isCallKey) fail(events);
  }

  function endValue(events: CallEvent[]): void {
    place = 'comma-or-end';
    if (isStreaming) {
      end(events);
    } else if (role === 'name') {
      name = JSON.parse(buffer) as string;
      if (name === '' || names?.includes(name) === false) fail(events);
      else if (argumentsText !== null) emitWhole(name, argumentsText, events);
    } else if (role === 'arguments') {
      argumentsText = buffer.startsWith('{') ? buffer : unwrapArguments(buffer);
      if (argumentsText === null) fail(events);
      else if (name !== null) emitWhole(name, argumentsText, events);
    }
  }

  function endObject(events: CallEvent[]): boolean {
    if (progress === 'unannounced') {
      if (name === null || strict) return false;
      emitWhole(name, '{}', events);
    }
    state = 'complete';
    return true;
  }

  function announce(callName: string, events: CallEvent[]): void {
    events.push({ type: 'call-start', name: callName });
    progress = 'announced';
  }

  function end(events: CallEvent[]): void {
    events.push({ type: 'call-end' });
    progress = 'ended';
  }

  function emitWhole(callName: string, text: string, events: CallEvent[]): void {
    announce(callName, events);
    events.push({ type: 'arguments', text });
    end(events);
  }

  function fail(events: CallEvent[]): void {
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
    read,
  };
}

export const usualArgumentsKeys: readonly string[] = ['arguments', 'parameters'];

/** Keys that some models write beside a call's name and arguments. */
const companionKeys: ReadonlySet<string> = new Set(['id', 'type']);

function isJsonSpace(sign: string): boolean {
  return sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t';
}

/** The object's text after `null` or a JSON string that holds one; `null` where there is none. */
export function unwrapArguments(json: string): string | null {
  const text = (JSON.parse(json) as string | null)?.trim() ?? '';
  if (text === '') return '{}';
  const scanner = createJsonScanner();
  const isObject = text.startsWith('{') && scanner.scan(text) === text.length && scanner.state === 'complete';
  return isObject ? text : null;
}
