import type { State } from './automaton.ts';
import type { Frame, Thread } from './threads.ts';
import { plainestOf } from '../languages/shortest.ts';
import { utf8Text } from '../languages/utf8.ts';
import type { Program } from './program.ts';

/** Beyond so many bytes, or steps that write them, no ending is looked for. */
const maxBytes = 8192;
const maxSteps = 100_000;
/** Passes over a program; what isn't known by then has no ending. */
const maxPasses = 32;

/**
 * Finds the shortest texts that complete what has been written: every step of a program knows how many bytes it takes from
 * there to the end of its rule or round, and the stack tells which rules and rounds are open. Lists of items that differ
 * are measured as if they needed one item more at most, but written to their end.
 */
export class ShortestEndings {
  readonly #program: Program;
  /** Bytes from each step to the end of its rule, round or grammar. */
  readonly #lengths: Float64Array;
  /** The shortest way on from each split. */
  readonly #ways: Int32Array;
  readonly #rests = new WeakMap<Frame, number>();

  constructor(program: Program) {
    this.#program = program;
    const { length } = program.steps;
    this.#lengths = new Float64Array(length).fill(Infinity);
    this.#ways = new Int32Array(length);
  }

  /** Learns the lengths, before anything is asked. In slices: yields after each pass. */
  *learn(): Generator<void, void> {
    const { partEnds } = this.#program;
    let changes = true;
    for (let pass = 0; changes && pass < maxPasses; pass++) {
      changes = false;
      // Rules mostly stand before those that they call, and steps behind those that they lead to.
      for (let part = partEnds.length - 1; part >= 0; part--) {
        const end = partEnds[part]!;
        for (let place = partEnds[part - 1] ?? 0; place < end; place++)
          changes = this.#shorten(place) || changes;
      }
      yield;
    }
  }

  /** Bytes of the shortest ending; Infinity where none is known. */
  lengthFrom(state: State): number {
    return state.mayEnd ? 0 : Math.min(...state.threads.map((thread) => this.#lengthOf(thread)));
  }

  /** Whether a list of items that differ may be open, so that its length isn't known. */
  isInList(state: State): boolean {
    return state.threads.some(({ frame }) => {
      for (let open = frame; open; open = open.below) if (open.items) return true;
      return false;
    });
  }

  /**
   * @param item bytes of the item of a list of different items that is being written
   * @returns `undefined` where no ending is known
   */
  from(state: State, item?: readonly number[]): Uint8Array | undefined {
    if (state.mayEnd) return new Uint8Array();
    const length = this.lengthFrom(state);
    if (length > maxBytes) return undefined;
    return this.#write(
      state.threads.find((thread) => this.#lengthOf(thread) === length)!,
      item,
    );
  }

  /** @returns whether a shorter way was found */
  #shorten(place: number): boolean {
    const lengths = this.#lengths;
    const step = this.#program.steps[place]!;
    let length = 0;
    let way = -1;
    switch (step.op) {
      case 'byte':
        length = 1 + lengths[step.next]!;
        break;
      case 'split':
        length = Infinity;
        for (const next of step.next) if (lengths[next]! < length) [length, way] = [lengths[next]!, next];
        break;
      case 'call':
        length = lengths[this.#program.entries.get(step.rule)!]! + lengths[step.next]!;
        break;
      case 'loop':
        length = this.#roundsLength(step, 0);
        break;
      case 'begin':
        length = (step.reader.ending(step.reader.start)?.length ?? Infinity) + lengths[step.next]!;
        break;
      case 'read':
        length = lengths[step.exit]!;
        break;
      case 'more':
        length = Infinity;
        break;
      case 'count':
      case 'distinct':
      case 'keep':
      case 'leave':
        length = lengths[step.next]!;
        break;
      case 'return':
      case 'round':
      case 'accept':
        break;
    }
    if (length >= lengths[place]!) return false;
    lengths[place] = length;
    this.#ways[place] = way;
    return true;
  }

  /** Bytes of the rounds that a loop still needs, and of what follows it. */
  #roundsLength(
    { min, body, exit }: { readonly min: number; readonly body: number; readonly exit: number },
    rounds: number,
  ): number {
    const missing = min - rounds;
    return (missing > 0 ? missing * this.#lengths[body]! : 0) + this.#lengths[exit]!;
  }

  #lengthOf({ place, frame }: Thread): number {
    const step = this.#program.steps[place]!;
    if (step.op !== 'read') return this.#lengths[place]! + this.#restOf(frame);
    const text = step.reader.ending(frame!.reading!);
    return (text?.length ?? Infinity) + this.#lengths[place]! + this.#restOf(frame!.below);
  }

  /** Bytes from the end of the rule or round that is open to the end of the text. */
  #restOf(top: Frame | undefined): number {
    const open: Frame[] = [];
    for (let frame = top; frame && !this.#rests.has(frame); frame = frame.below) open.push(frame);
    for (const frame of open.toReversed()) {
      const step = this.#program.steps[frame.next]!;
      let rest = frame.below ? this.#rests.get(frame.below)! : 0;
      if (step.op === 'loop') rest += this.#roundsLength(step, frame.rounds + 1);
      else if (!frame.items) rest += this.#lengths[frame.next]!;
      this.#rests.set(frame, rest);
    }
    return top ? this.#rests.get(top)! : 0;
  }

  #write(thread: Pick<Thread, 'place' | 'frame'>, begun: readonly number[] = []): Uint8Array | undefined {
    const { steps, entries } = this.#program;
    const bytes: number[] = [];
    /** The bytes before `bytes` that belong to the item, and its place in them. */
    let before = begun;
    let itemStart = 0;
    let { place, frame } = thread;
    const push = (next: number, held: Partial<Frame> = {}): void => {
      frame = { id: 0, next, rounds: 0, reading: undefined, items: undefined, below: frame, ...held };
    };
    for (let count = 0; count < maxSteps && bytes.length <= maxBytes; count++) {
      const step = steps[place]!;
      switch (step.op) {
        case 'byte':
          bytes.push(plainestOf(step.low, step.high));
          place = step.next;
          break;
        case 'split':
          place = this.#ways[place]!;
          break;
        case 'call':
          push(step.next);
          place = entries.get(step.rule)!;
          break;
        case 'return':
          ({ next: place, below: frame } = frame!);
          break;
        case 'count':
          push(step.next);
          place = step.next;
          break;
        case 'loop':
          place = frame!.rounds < step.min ? step.body : step.exit;
          if (place === step.exit) frame = frame!.below;
          break;
        case 'round':
          frame = { ...frame!, rounds: frame!.rounds + 1 };
          place = step.next;
          break;
        case 'begin': {
          const texts = frame?.items?.texts ?? [];
          if (frame?.items) [before, itemStart] = [[], bytes.length];
          push(step.next, { reading: step.reader.startWithout(texts) });
          place = step.next;
          break;
        }
        case 'read': {
          const text = step.reader.ending(frame!.reading!);
          if (!text) return undefined;
          bytes.push(...text);
          place = step.exit;
          frame = frame!.below;
          break;
        }
        case 'distinct':
          push(step.next, { items: { id: 0, texts: [], isPending: false } });
          place = step.next;
          break;
        case 'keep': {
          const texts = [...frame!.items!.texts, itemText([...before, ...bytes.slice(itemStart)])];
          frame = { ...frame!, items: { ...frame!.items!, texts } };
          place = step.next;
          break;
        }
        case 'leave':
          if (frame!.items!.texts.length < step.min) place = step.more;
          else [place, frame] = [step.next, frame!.below];
          break;
        case 'more':
          place = step.next;
          break;
        case 'accept':
          return Uint8Array.from(bytes);
      }
    }
    return undefined;
  }
}

/**
 * An item as JSON, from its bytes: of a string those after the quote that opens it, of anything else all.
 */
export function itemText(bytes: readonly number[]): string {
  const isString = bytes.at(-1) === 0x22 && (bytes[0] !== 0x22 || bytes.length === 1);
  const written = utf8Text(isString ? [0x22, ...bytes] : bytes);
  return isString ? JSON.stringify(JSON.parse(written)) : written;
}
