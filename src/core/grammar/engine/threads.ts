import { getOrCreate } from '../../get-or-create.ts';
import type { Reading } from '../languages/reader.ts';
import type { Program } from './program.ts';
import { Triples } from './vocabulary.ts';

/** Return address, or number of finished rounds of a loop, and the frame below on the stack. Equal frames are one. */
export interface Frame {
  readonly id: number;
  readonly next: number;
  readonly rounds: number;
  /** The part of a text of a language that has been read. */
  readonly reading: Reading | undefined;
  /** Items of a list that differ, as JSON. */
  readonly items: Items | undefined;
  readonly below: Frame | undefined;
}

export interface Items {
  readonly id: number;
  readonly texts: readonly string[];
  /** Whether one more is complete that has not been passed to `keepItem` yet. */
  readonly isPending: boolean;
}

/** A place and its stack. Equal threads are one. */
export interface Thread {
  readonly id: number;
  readonly place: number;
  readonly frame: Frame | undefined;
  /** The bytes of a step that reads one. */
  readonly low: number;
  readonly high: number;
  /** The thread after one of these bytes, once it is known. */
  next: Thread | undefined;
  /** The last closure that came by. */
  seen: number;
}

interface Held {
  readonly reading?: Reading | undefined;
  readonly items?: Items | undefined;
}

const maxFrames = 50_000;
const maxThreads = 200_000;

/** The threads of a program, and their frames and lists of items. */
export class Threads {
  readonly #program: Program;
  #frames = new Triples<Frame>();
  #threads = new Triples<Thread>();
  #itemLists = new Map<string, Items>();
  /** Never used again: threads that are held stay good. */
  #ids = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  clear(): void {
    this.#frames = new Triples();
    this.#threads = new Triples();
    this.#itemLists = new Map();
  }

  get isFull(): boolean {
    return this.#frames.size > maxFrames || this.#threads.size > maxThreads;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return 200 * this.#frames.size + 150 * this.#threads.size;
  }

  items(texts: readonly string[], isPending: boolean): Items {
    const key = JSON.stringify([isPending, texts]);
    return getOrCreate(this.#itemLists, key, () => ({ id: ++this.#ids, texts, isPending }));
  }

  frame(next: number, rounds: number, below: Frame | undefined, held: Held = {}): Frame {
    const { reading, items } = held;
    const number = reading ? -reading.id : items ? 2 ** 40 + items.id : rounds;
    const own = this.#frames.idOf(next, number, below?.id ?? 0);
    return (this.#frames.values[own] ??= { id: ++this.#ids, next, rounds, reading, items, below });
  }

  thread(place: number, frame: Frame | undefined): Thread {
    const own = this.#threads.idOf(place, frame?.id ?? 0, 0);
    const known = this.#threads.values[own];
    if (known) return known;
    const step = this.#program.steps[place]!;
    const [low, high] = step.op === 'byte' ? [step.low, step.high] : [0, 255];
    const thread = { id: ++this.#ids, place, frame, low, high, next: undefined, seen: 0 };
    this.#threads.values[own] = thread;
    return thread;
  }
}

/** The number of finished rounds of a loop; those of a list of different items are its items. */
export function roundsOf({ rounds, items }: Frame): number {
  return items ? items.texts.length + (items.isPending ? 1 : 0) : rounds;
}
