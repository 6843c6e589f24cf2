import { TextInput, type Reading } from '../text-input.ts';
import type { ToolDefinition } from '../messages.ts';
import { fitsTool, type MendedJson } from './mend-json.ts';
import type { ToolCallParserEvent, ToolCallParserOptions } from './parser.ts';

/** A way to read a broken call once more. */
interface Mending {
  readonly name?: string;
  readonly id?: string | undefined;
  /** Length of the text that was held before the call. */
  readonly length: number;
  /** Markers that can't be part of the call. */
  readonly ends?: readonly string[];
  /** @param hasEnd whether a marker follows that ends calls */
  mend(text: string, hasEnd: boolean): (MendedJson & { readonly name?: string }) | undefined;
}

/**
 * The input of a format's reading routine, and the events that it emits. No text gets lost: taken text is held until a whole call
 * or `drop` accounts for it, and `giveUp` emits it as text. The events of a call wait for its end, so that a broken call leaves
 * no trace; under a grammar, calls can't break, and their events are emitted immediately.
 */
export class AnswerInput extends TextInput {
  readonly tools: readonly ToolDefinition[];
  /** Whether a broken call can be read again, since none of its events was emitted. */
  readonly canReadAgain: boolean;
  /** Markers of the format that can't be part of a call: the text of a broken call ends before them. */
  callEnds: readonly string[] = [];
  readonly #events: ToolCallParserEvent[] = [];
  /** Events that wait for the end of their call. */
  readonly #waiting: ToolCallParserEvent[] = [];
  #isInCall = false;
  calls = 0;
  /** The end of the answer's text so far. */
  lastText = '';

  constructor(tools: readonly ToolDefinition[] = [], { isConstrained = false }: ToolCallParserOptions = {}) {
    super();
    this.tools = tools;
    this.canReadAgain = !isConstrained;
  }

  toolNamed(name: string): ToolDefinition | undefined {
    return this.tools.find((tool) => tool.name === name);
  }

  /** The function that is meant by a name: prompts that list `f` as `f.*` make models write `f.f`. */
  nameOf(written: string): string {
    const name = written.replace(/(?:\\n)+$/, '').replace(/^:|^functions\./, '');
    const [first = '', second, third] = name.split('.');
    const isDouble = first === second && third === undefined && !this.toolNamed(name);
    return isDouble && this.toolNamed(first) ? first : name;
  }

  /** Whether a mended call counts: it fits the tool that it names, or the tools are unknown. */
  fits(json: string, name: string): boolean {
    const tool = this.toolNamed(name);
    return (tool !== undefined || this.tools.length === 0) && fitsTool(json, tool);
  }

  takeEvents(): readonly ToolCallParserEvent[] {
    return this.#events.splice(0);
  }

  startCall(name: string, id?: string): void {
    this.emit({ type: 'call-start', name, ...(id !== undefined && { id }) });
  }

  addArguments(text: string): void {
    this.emit({ type: 'arguments', text });
  }

  addCall(name: string, json: string, id?: string): void {
    this.startCall(name, id);
    this.addArguments(json);
    this.emit({ type: 'call-end' });
  }

  /** Emits an event; the end of a call accounts for the held text. */
  emit(event: ToolCallParserEvent): void {
    this.#isInCall = event.type === 'call-start' || event.type === 'arguments';
    if (event.type === 'call-start') this.calls++;
    if (event.type === 'text') this.lastText = (this.lastText + event.text).slice(-maxLastTextLength);
    this.#waiting.push(event);
    if (this.#isInCall && this.canReadAgain) return;
    this.#events.push(...this.#waiting.splice(0));
    this.held = '';
  }

  /** Drops the current call, and puts back the text that was taken since `length` units were held. */
  #restart(length: number): void {
    if (this.#isInCall) this.calls--;
    this.#isInCall = false;
    this.#waiting.length = 0;
    this.putBack(this.held.length - length);
  }

  /**
   * Reads the broken call that begins where `length` units were held, up to the next marker that ends a call; false if that is
   * not safe, or the arguments don't fit.
   */
  *mendCall({ name = '', id, length, mend, ends = this.callEnds }: Mending): Reading<boolean> {
    if (!this.canReadAgain || this.isCutOff) return false;
    this.#restart(length);
    const marker = yield* this.takeUntil(ends);
    if (marker !== null) this.putBack(marker.length);
    const text = this.held.slice(length);
    const mended = this.isCutOff ? undefined : mend(text, marker !== null);
    const called = mended?.name ?? name;
    if (mended === undefined || !this.fits(mended.json, called)) return false;
    this.putBack(text.length - mended.end);
    this.addCall(called, mended.json, id);
    return true;
  }

  /** Drops the held text, which means nothing, such as a close marker. */
  drop(): void {
    if (!this.#isInCall || !this.canReadAgain) this.held = '';
  }

  *dropSpace(): Reading {
    yield* this.takeSpace();
    this.drop();
  }

  /**
   * The held text does not continue as a call and becomes text, with all of the current call. Where the answer was
   * cut off, with its continuation unknown, the call stays unfinished and the rest is dropped.
   */
  giveUp(): void {
    if (this.hasEnded) this.take(this.rest.length);
    const text = this.held;
    if (this.canReadAgain && !this.isCutOff) this.#restart(text.length);
    else if (this.#isInCall || this.isCutOff) this.emit({ type: 'call-unfinished' });
    if (text !== '' && !this.isCutOff) this.emit({ type: 'text', text });
    this.#isInCall = false;
    this.held = '';
  }
}

const maxLastTextLength = 64;
