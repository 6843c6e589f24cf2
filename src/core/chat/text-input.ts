import { createMarkerScanner } from '../text/marker-scanner.ts';

/** A routine that reads a text; it stops at `yield` until more text arrives or the text ends. */
export type Reading<T = void> = Generator<undefined, T, undefined>;

/** State at the end of a text. */
export interface FlushOptions {
  /** Whether a token limit or a stop sequence cut the text off, and its writer didn't end it. Default false. */
  readonly cutOff?: boolean | undefined;
}

/** Reads a text that arrives in pieces. */
export interface PieceReader<Found> {
  push(text: string): readonly Found[];
  /** Ends the text and returns what was held back. */
  flush(options?: FlushOptions): readonly Found[];
}

/** A text that arrives in pieces, for a routine that reads it from beginning to end. */
export class TextInput {
  #text = '';
  #index = 0;
  /** Text that was taken and is not accounted for. */
  held = '';
  hasEnded = false;
  /** Whether the text was cut off, by a limit or a stop sequence. */
  isCutOff = false;

  /** The text that has arrived and was not taken yet. */
  get rest(): string {
    return this.#text.slice(this.#index);
  }

  /** Whether all text was taken and its writer has ended it. */
  get isComplete(): boolean {
    return this.hasEnded && !this.isCutOff && this.#index === this.#text.length;
  }

  append(text: string): void {
    this.#text = this.rest + text;
    this.#index = 0;
  }

  /** Waits for text; false at the end of the text. */
  *hasMore(): Reading<boolean> {
    while (this.#index === this.#text.length && !this.hasEnded) yield;
    return this.#index < this.#text.length;
  }

  /** Takes at most `length` units of the text that has arrived. */
  take(length: number): string {
    const taken = this.#text.slice(this.#index, this.#index + length);
    this.#index += taken.length;
    this.held += taken;
    return taken;
  }

  /** Takes back the last `length` units that were taken and are still held. */
  putBack(length: number): void {
    if (length === 0) return;
    this.#text = this.held.slice(-length) + this.rest;
    this.#index = 0;
    this.held = this.held.slice(0, -length);
  }

  /** Takes units that match, at most `limit`. */
  *takeWhile(unit: RegExp, limit = Infinity): Reading<string> {
    let taken = '';
    while (taken.length < limit && (yield* this.hasMore()) && unit.test(this.#text.charAt(this.#index)))
      taken += this.take(1);
    return taken;
  }

  takeSpace(): Reading<string> {
    return this.takeWhile(/\s/);
  }

  /** The longest of the texts that is next, or `null`; takes nothing. */
  *peekAny(texts: readonly string[]): Reading<string | null> {
    let longest: string | null = null;
    for (const text of texts) {
      while (!this.hasEnded && text.length > this.rest.length && text.startsWith(this.rest)) yield;
      if (text.length > (longest?.length ?? -1) && this.rest.startsWith(text)) longest = text;
    }
    return longest;
  }

  *takeAny(texts: readonly string[]): Reading<string | null> {
    const text = yield* this.peekAny(texts);
    if (text !== null) this.take(text.length);
    return text;
  }

  /**
   * Hands on everything before the first of the markers, as it comes, and takes the marker. Returns `null` when the text
   * ended without one.
   */
  *takeUntil(
    markers: readonly string[],
    emit?: (text: string) => void,
    dropped: readonly string[] = [],
  ): Reading<string | null> {
    const scanner = createMarkerScanner(markers);
    while (yield* this.hasMore()) {
      const { text, marker, end } = scanner.scan(this.#text, this.#index);
      this.#index = end;
      this.held += text;
      if (text !== '') emit?.(text);
      this.held += marker ?? '';
      if (marker !== null) return marker;
    }
    const rest = scanner.flush();
    if (rest === '' || (this.isCutOff && dropped.some((marker) => marker.startsWith(rest)))) return null;
    this.held += rest;
    emit?.(rest);
    return null;
  }
}

/** Runs a routine over a text that arrives in pieces; `take` returns the routine's finds since its last call. */
export function feed<Found>(input: TextInput, reading: Reading, take: () => Found) {
  return {
    push(text: string): Found {
      input.append(text);
      reading.next();
      return take();
    },
    flush({ cutOff = false }: FlushOptions = {}): Found {
      input.hasEnded = true;
      input.isCutOff = cutOff;
      reading.next();
      return take();
    },
  };
}
