import { getOrCreate } from '../../get-or-create.ts';
import type { Reading } from '../languages/reader.ts';
import type { Program } from './program.ts';
import { Triples } from './vocabulary.ts';

/** A stack frame: a return address, or the number of completed rounds of a loop. Equal frames are one object. */
export interface Frame {
  readonly id: number;
  readonly next: number;
  readonly rounds: number;
  /** The partially read text of a language. */
  readonly reading: Reading | undefined;
  /** Items of a `distinct` list, as JSON. */
  readonly items: Items | undefined;
  readonly below: Frame | undefined;
}

export interface Items {
  readonly id: number;
  readonly texts: readonly string[];
  /** Whether a further item is complete, but not yet passed to `keepItem`. */
  readonly isPending: boolean;
}

/** A step and its stack. Equal threads are one object. */
export interface Thread {
  readonly id: number;
  readonly place: number;
  readonly frame: Frame | undefined;
  /** The byte range of a `byte` step. */
  readonly low: number;
  readonly high: number;
  /** The thread after one of these bytes, once computed. */
  next: Thread | undefined;
  /** Number of the last closure that visited the thread. */
  seen: number;
}

interface Held {
  readonly reading?: Reading | undefined;
  readonly items?: Items | undefined;
}

const maxFrames = 50_000;
const maxThreads = 200_000;

/** Interns the threads of a program, their frames and their lists of items. */
export class Threads {
  readonly #program: Program;
  #frames = new Triples<Frame>();
  #threads = new Triples<Thread>();
  #itemLists = new Map<string, Items>();
  /** Never reused, so that threads held elsewhere remain valid. */
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

  /** Approximate memory in bytes. */
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

/** The number of a loop's completed rounds; for a `distinct` list, the number of its items. */
export function roundsOf({ rounds, items }: Frame): number {
  return items ? items.texts.length + (items.isPending ? 1 : 0) : rounds;
}
