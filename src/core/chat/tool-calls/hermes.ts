import { createMarkerScanner } from '../../text/marker-scanner.ts';
import { createJsonCallReader, type JsonCallReader } from './json-call.ts';
import type { ToolCallParser, ToolCallParserEvent, ToolCallParserFlushOptions } from './parser.ts';

const openMarker = '<tool_call>';
const closeMarker = '</tool_call>';

/**
 * Reads calls as Hermes and Qwen models write them, any number of them, with text before, between and behind:
 *
 * ```text
 * <tool_call>
 * {"name": "get_weather", "arguments": {"city": "Paris"}}
 * </tool_call>
 * ```
 *
 * A call is announced when its name and the beginning of its arguments object have been seen; from then on arguments
 * come out as they are written (see `createJsonCallReader` for keys, order and arguments inside a string). Markers
 * inside of JSON strings mean nothing. A missing close marker does no harm, and several objects may stand between
 * one pair of markers.
 *
 * What turns out not to be a call before it was announced comes back as text, markers included. When arguments turn
 * out to be no JSON after that, `call-unfinished` follows the part that was valid, and the rest comes as text. White
 * space between the markers, and the close marker of a call, are dropped.
 *
 * @example
 * ```ts
 * const parser = createHermesToolCallParser();
 * parser.push('<tool_call>\n{"name": "add", "argum'); // []
 * parser.push('ents": {"a": 1'); // [{ type: 'call-start', name: 'add' }, { type: 'arguments', text: '{"a": 1' }]
 * parser.push('}}\n</tool_call>'); // [{ type: 'arguments', text: '}' }, { type: 'call-end' }]
 * ```
 */
export function createHermesToolCallParser(): ToolCallParser {
  const outside = createMarkerScanner([openMarker]);
  const behindCall = createMarkerScanner([openMarker, closeMarker]);
  let place: 'text' | 'opened' | 'call' | 'closing' | 'behind-call' = 'text';
  let call: JsonCallReader = createJsonCallReader();
  /** What was read since the marker and is text if no call follows. */
  let opening = '';

  function push(text: string): readonly ToolCallParserEvent[] {
    const events: ToolCallParserEvent[] = [];
    let index = 0;
    while (index < text.length) index = readOn(text, index, events);
    return events;
  }

  function readOn(text: string, from: number, events: ToolCallParserEvent[]): number {
    switch (place) {
      case 'text':
      case 'behind-call':
        return readText(text, from, events);
      case 'opened':
      case 'closing':
        return readGap(text, from, events);
      case 'call':
        return readCall(text, from, events);
    }
  }

  function readText(text: string, from: number, events: ToolCallParserEvent[]): number {
    const scan = (place === 'text' ? outside : behindCall).scan(text, from);
    emitText(scan.text, events);
    if (scan.marker === openMarker) {
      place = 'opened';
      opening = openMarker;
    } else if (scan.marker === closeMarker) {
      place = 'text';
    }
    return scan.end;
  }

  /** Between a marker, or the end of an object, and what follows: white space, then an object or not. */
  function readGap(text: string, from: number, events: ToolCallParserEvent[]): number {
    let index = from;
    while (index < text.length && text[index]!.trim() === '') index++;
    if (place === 'opened') opening += text.slice(from, index);
    if (index === text.length) return index;
    if (text[index] === '{') {
      place = 'call';
      call = createJsonCallReader();
    } else {
      emitText(opening, events);
      opening = '';
      place = place === 'opened' ? 'text' : 'behind-call';
    }
    return index;
  }

  function readCall(text: string, from: number, events: ToolCallParserEvent[]): number {
    const index = call.read(text, from, events);
    if (call.progress !== 'unannounced') opening = '';
    if (call.state === 'complete') {
      place = 'closing';
    } else if (call.state === 'invalid') {
      place = call.progress === 'unannounced' && opening !== '' ? 'text' : 'behind-call';
      emitText(opening + call.raw, events);
      opening = '';
    }
    return index;
  }

  function flush({ cutOff = false }: ToolCallParserFlushOptions = {}): readonly ToolCallParserEvent[] {
    const events: ToolCallParserEvent[] = [];
    if (place === 'text') emitText(outside.flush(), events);
    if (place === 'behind-call') emitText(behindCall.flush(), events);
    if (place === 'opened' || (place === 'call' && call.progress !== 'ended')) {
      const isAnnounced = place === 'call' && call.progress === 'announced';
      if (isAnnounced || cutOff) events.push({ type: 'call-unfinished' });
      else emitText(place === 'call' ? opening + call.raw : opening, events);
    }
    place = 'text';
    opening = '';
    return events;
  }

  return { push, flush };
}

function emitText(text: string, events: ToolCallParserEvent[]): void {
  if (text !== '') events.push({ type: 'text', text });
}
