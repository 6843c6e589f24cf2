import { feed, TextInput, type Reading } from '../text-input.ts';
import type { ToolDefinition } from '../messages.ts';
import { fitsTool, type MendedJson } from './mend-json.ts';
import type { ToolCallParser, ToolCallParserEvent, ToolCallParserOptions } from './parser.ts';

export type { Reading };

/** A way to read a broken call once more. */
interface Mending {
  /** Length of the text that was held before the call. */
  readonly length: number;
  /** @param hasEnd whether a marker follows that ends calls */
  mend(text: string, hasEnd: boolean): (MendedJson & { readonly name?: string }) | undefined;
  readonly id?: string | undefined;
  /** Markers that can't be part of the call. */
  readonly ends?: readonly string[] | undefined;
}

/** An event that belongs to a call. */
type CallEvent = Exclude<ToolCallParserEvent, { type: 'text' }>;

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
  /** Events of the call in hand. */
  #waiting: CallEvent[] = [];
  readonly #events: ToolCallParserEvent[] = [];
  /** Text that was taken and is not accounted for. */
  held = '';
  #isInCall = false;
  /** Number of announced calls. */
  calls = 0;
  /** The end of the answer's text so far. */
  lastText = '';

  constructor(tools: readonly ToolDefinition[], { isConstrained = false }: ToolCallParserOptions) {
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

  override take(length: number): string {
    const taken = super.take(length);
    this.held += taken;
    return taken;
  }

  /** Takes back the last `length` units that were taken and are still held. */
  putBack(length: number): void {
    if (length === 0) return;
    this.giveBack(this.held.slice(-length));
    this.held = this.held.slice(0, -length);
  }

  /** Holds the text before the marker, too. */
  override *takeUntil(
    markers: readonly string[],
    emit?: (text: string) => void,
    dropped?: readonly string[],
  ): Reading<string | null> {
    const hold = (text: string): void => {
      this.held += text;
      emit?.(text);
    };
    const marker = yield* super.takeUntil(markers, hold, dropped);
    this.held += marker ?? '';
    return marker;
  }

  /** Like `takeUntil`, and emits the text as text of the answer. */
  *takeTextUntil(markers: readonly string[], dropped: readonly string[]): Reading<string | null> {
    const marker = yield* super.takeUntil(markers, (text) => this.#push({ type: 'text', text }), dropped);
    this.held += marker ?? '';
    return marker;
  }

  /** @param id the call's id, if the model writes it */
  startCall(name: string, id?: string): void {
    this.#emit({ type: 'call-start', name, ...(id !== undefined && { id }) });
  }

  addArguments(text: string): void {
    this.#emit({ type: 'arguments', text });
  }

  endCall(): void {
    this.#emit({ type: 'call-end' });
  }

  /** Emits a whole call. */
  addCall(name: string, json: string, id?: string): void {
    this.startCall(name, id);
    this.addArguments(json);
    this.endCall();
  }

  /** Emits an event of a call; the end of the call accounts for the held text. */
  #emit(event: CallEvent): void {
    this.#isInCall = event.type === 'call-start' || event.type === 'arguments';
    if (event.type === 'call-start') this.calls++;
    this.#waiting.push(event);
    if (this.#isInCall && this.canReadAgain) return;
    this.#release();
    this.held = '';
  }

  /** Drops the current call, and puts back the text that was taken since `length` units were held. */
  #restart(length: number): void {
    if (this.#isInCall) this.calls--;
    this.#isInCall = false;
    this.#waiting = [];
    this.putBack(this.held.length - length);
  }

  /**
   * Reads the broken call that begins where `length` units were held, up to the next marker that ends a call; false if that is
   * not safe, or the arguments don't fit.
   */
  *mendCall(name: string, { length, mend, id, ends = this.callEnds }: Mending): Reading<boolean> {
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

  #release(): void {
    for (const event of this.#waiting.splice(0)) this.#push(event);
  }

  /** Drops the held text, which means nothing, such as a close marker. */
  drop(): void {
    if (!this.#isInCall || !this.canReadAgain) this.held = '';
  }

  /** Takes and drops white space. */
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
    if (this.isCutOff || !this.canReadAgain) {
      const isReported = this.#isInCall || this.isCutOff;
      this.#release();
      if (isReported) this.#push({ type: 'call-unfinished' });
    } else {
      this.#restart(text.length);
    }
    this.#isInCall = false;
    if (text !== '' && !this.isCutOff) this.#push({ type: 'text', text });
    this.held = '';
  }

  #push(event: ToolCallParserEvent): void {
    if (event.type === 'text') this.lastText = (this.lastText + event.text).slice(-maxLastTextLength);
    this.#events.push(event);
  }
}

const maxLastTextLength = 64;

/** Makes a parser of a routine that reads one answer from beginning to end. */
export function createScriptedParser(
  readAnswer: (input: AnswerInput) => Reading,
  tools: readonly ToolDefinition[] = [],
  options: ToolCallParserOptions = {},
): ToolCallParser {
  const input = new AnswerInput(tools, options);
  return feed(input, readAnswer(input), () => input.takeEvents());
}
