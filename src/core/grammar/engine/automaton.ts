import type { LanguageReader, Reading } from '../languages/reader.ts';
import type { Program, Step } from './program.ts';

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

interface Items {
  readonly id: number;
  readonly texts: readonly string[];
  /** Whether one more is complete that has not been passed to `keepItem` yet. */
  readonly isPending: boolean;
}

/** A byte that can be read. */
export interface Thread {
  readonly place: number;
  readonly frame: Frame | undefined;
}

/** Everything that may have been written so far, as what may follow. */
export interface State {
  readonly id: number;
  /** States of an older generation have to be brought in again. */
  readonly generation: number;
  readonly threads: readonly Thread[];
  /** Whether the text may end here. */
  readonly mayEnd: boolean;
  /** Number of arbitrary characters of `plainText` that may certainly follow. */
  readonly plainCharacters: number;
  /** Whether an item of a list of different items may begin here, and whether one may have been completed. */
  readonly startsItem: boolean;
  readonly endsItem: boolean;
  /** Whether it may be inside of free text. */
  readonly isFree: boolean;
}

/** No way goes on from here. */
export const dead = 0;
const unknown = -1;

/**
 * Threads of one state. A grammar that is ambiguous beyond is narrowed: some of its texts can't be written any more,
 * but what is written is still right, since every thread can be brought to an end.
 */
const maxThreads = 2048;
/** Steps taken to find the threads after one byte. */
const maxVisits = 50_000;
/** Steps of a language are dearer than those of a program. */
const costOfStep = 60;
/** Threads of all states, and frames. */
const maxKeptThreads = 200_000;
const maxFrames = 50_000;
/** States kept; then all are forgotten and made anew as they are needed. */
const maxStates = 8_000;

/**
 * Reads text byte by byte by a program. States are made when they are first reached, as in a lazy DFA, so a byte
 * mostly costs one look-up. The stack may be as deep as the text asks for.
 */
export class Automaton {
  readonly #program: Program;
  readonly #classOfByte: Uint8Array;
  readonly #classes: number;
  readonly #byteOfClass: Uint8Array;
  #states: State[] = [];
  #stateIds = new Map<string, number>();
  #frames = new Map<string, Frame>();
  #itemLists = new Map<string, Items>();
  #transitions: Int32Array;
  #frameCount = 0;
  #threadCount = 0;
  readonly #readers: readonly LanguageReader[];
  generation = 0;
  /** Steps followed so far to make states: what hard grammars cost. */
  work = 0;

  constructor(program: Program) {
    this.#program = program;
    const { classOfByte, byteOfClass, readers } = byteClasses(program);
    this.#readers = readers;
    this.#classOfByte = classOfByte;
    this.#byteOfClass = byteOfClass;
    this.#classes = byteOfClass.length;
    this.#transitions = new Int32Array(64 * this.#classes);
    this.#clear();
  }

  start(): State {
    const closure = this.#closure();
    closure.visit(this.#program.start, undefined);
    return this.#intern(closure);
  }

  /** @returns the id of the state after a byte, `dead` if there is none */
  next(state: number, byte: number): number {
    const slot = state * this.#classes + this.#classOfByte[byte]!;
    const known = this.#transitions[slot]!;
    if (known !== unknown) return known;
    return this.#step(state, byte);
  }

  state(id: number): State {
    return this.#states[id]!;
  }

  /** The state after bytes, that with the id `dead` if there is none; nothing is told of items that they complete. */
  after({ id }: State, bytes: Uint8Array): State {
    for (const byte of bytes) id = this.next(id, byte);
    return this.#states[id]!;
  }

  /** Forgets states when there are too many. Ids are void then, and states have to be `renew`ed. */
  tidy(): void {
    const isFull = this.#states.length > maxStates || this.#threadCount > maxKeptThreads;
    if (isFull || this.#frames.size > maxFrames) this.#clear();
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return (
      this.#transitions.byteLength +
      200 * this.#states.length +
      40 * this.#threadCount +
      200 * this.#frames.size +
      100 * this.#program.steps.length +
      this.#readers.reduce((sum, reader) => sum + reader.bytes, 0) +
      [...new Set(this.#readers.map(({ store }) => store))].reduce((sum, store) => sum + store.bytes, 0)
    );
  }

  /** The same state in this generation. */
  renew(state: State): State {
    if (state.generation === this.generation) return state;
    return this.#keep(state);
  }

  #clear(): void {
    if (this.generation++ > 0) for (const reader of this.#readers) reader.clear();
    this.#states = [];
    this.#threadCount = 0;
    this.#stateIds = new Map();
    this.#frames = new Map();
    this.#itemLists = new Map();
    this.#transitions = new Int32Array(64 * this.#classes).fill(unknown);
    this.#keep({
      threads: [],
      mayEnd: false,
      plainCharacters: 0,
      startsItem: false,
      endsItem: false,
      isFree: false,
    });
    this.#transitions.fill(dead, 0, this.#classes);
  }

  /** Makes the state after a byte, and keeps it for all bytes around that no thread tells apart. */
  #step(id: number, byte: number): number {
    const { steps } = this.#program;
    const closure = this.#closure();
    const { threads } = this.#states[id]!;
    this.work += threads.length;
    let low = 0;
    let high = 255;
    for (const { place, frame } of threads) {
      const step = steps[place]!;
      if (step.op === 'byte') {
        if (byte < step.low) high = Math.min(high, step.low - 1);
        else if (byte > step.high) low = Math.max(low, step.high + 1);
        else {
          low = Math.max(low, step.low);
          high = Math.min(high, step.high);
          closure.visit(step.next, frame);
        }
        // The item before decides on how this one may go on.
      } else if (step.op === 'read' && !frame!.below?.items?.isPending) {
        const { reader } = step;
        const before = reader.work;
        const reading = reader.next(frame!.reading!, byte);
        const alike = reader.alike(frame!.reading!, byte);
        low = Math.max(low, alike.low);
        high = Math.min(high, alike.high);
        this.work += costOfStep * (reader.work - before);
        if (reading) closure.visit(place, this.#frame(place, 0, frame!.below, { reading }));
      }
    }
    const made = this.#intern(closure).id;
    const first = id * this.#classes;
    this.#transitions[first + this.#classOfByte[byte]!] = made;
    for (let own = this.#classOfByte[low]!; own < this.#classes; own++) {
      if (this.#byteOfClass[own]! < low) continue;
      if ((this.#byteOfClass[own + 1] ?? 256) > high + 1) break;
      this.#transitions[first + own] = made;
    }
    return made;
  }

  /** Tells what the item is that has just been completed, for lists of different items. */
  keepItem(state: State, text: string): State {
    const threads = state.threads.map(({ place, frame }) => ({ place, frame: this.#kept(frame, text) }));
    threads.sort((a, b) => a.place - b.place || (a.frame?.id ?? 0) - (b.frame?.id ?? 0));
    return this.#keep({ ...state, threads, endsItem: false });
  }

  #kept(frame: Frame | undefined, text: string): Frame | undefined {
    if (!frame) return undefined;
    const below = this.#kept(frame.below, text);
    if (frame.items?.isPending) {
      const items = this.#items([...frame.items.texts, text], false);
      return this.#frame(frame.next, frame.rounds, below, { items });
    }
    if (below === frame.below) return frame;
    const step = this.#program.steps[frame.next]!;
    // It has read nothing yet.
    const reading =
      frame.reading && step.op === 'read' && below?.items
        ? step.reader.startWithout(below.items.texts)
        : frame.reading;
    return this.#frame(frame.next, frame.rounds, below, { reading, items: frame.items });
  }

  #closure(): Closure {
    return new Closure(this.#program, {
      frame: (next, rounds, below, held) => this.#frame(next, rounds, below, held),
      items: (texts, isPending) => this.#items(texts, isPending),
    });
  }

  #items(texts: readonly string[], isPending: boolean): Items {
    const key = JSON.stringify([isPending, texts]);
    let items = this.#itemLists.get(key);
    if (!items) {
      items = { id: ++this.#frameCount, texts, isPending };
      this.#itemLists.set(key, items);
    }
    return items;
  }

  #intern(closure: Closure): State {
    this.work += closure.visits;
    closure.threads.sort((a, b) => a.place - b.place || (a.frame?.id ?? 0) - (b.frame?.id ?? 0));
    return this.#keep(closure);
  }

  #keep(found: Omit<State, 'id' | 'generation'>): State {
    const { threads, mayEnd, plainCharacters, startsItem, endsItem, isFree } = found;
    const key = `${mayEnd}${startsItem}${endsItem}${threads.map(({ place, frame }) => `,${place}:${frame?.id ?? 0}`).join('')}`;
    const known = this.#stateIds.get(key);
    if (known !== undefined) return this.#states[known]!;
    const id = this.#states.length;
    const state: State = {
      id,
      generation: this.generation,
      threads,
      mayEnd,
      plainCharacters,
      startsItem,
      endsItem,
      isFree,
    };
    this.#states.push(state);
    this.#stateIds.set(key, id);
    this.#threadCount += threads.length;
    if (this.#states.length * this.#classes > this.#transitions.length) {
      const larger = new Int32Array(2 * this.#transitions.length).fill(unknown);
      larger.set(this.#transitions);
      this.#transitions = larger;
    }
    return state;
  }

  #frame(next: number, rounds: number, below: Frame | undefined, held: Held = {}): Frame {
    const { reading, items } = held;
    const key = `${next},${reading ? -reading.id : items ? `i${items.id}` : rounds},${below?.id ?? 0}`;
    let frame = this.#frames.get(key);
    if (!frame) {
      frame = { id: ++this.#frameCount, next, rounds, reading, items, below };
      this.#frames.set(key, frame);
    }
    return frame;
  }
}

interface Held {
  readonly reading?: Reading | undefined;
  readonly items?: Items | undefined;
}

interface Makers {
  frame(next: number, rounds: number, below: Frame | undefined, held?: Held): Frame;
  items(texts: readonly string[], isPending: boolean): Items;
}

/** Follows all steps that read nothing. */
class Closure {
  readonly threads: Thread[] = [];
  mayEnd = false;
  startsItem = false;
  endsItem = false;
  visits = 0;
  #plainCharacters = 0;
  #isNarrowed = false;
  readonly #program: Program;
  readonly #make: Makers;
  readonly #seen = new Set<number>();
  /** Loop rounds that have read nothing yet: going round again would change nothing. */
  readonly #begun = new Set<Frame>();

  constructor(program: Program, make: Makers) {
    this.#program = program;
    this.#make = make;
  }

  visit(place: number, frame: Frame | undefined): void {
    const waiting: (number | Frame | undefined)[] = [place, frame];
    while (waiting.length > 0) {
      const below = waiting.pop() as Frame | undefined;
      const at = waiting.pop() as number;
      const key = at + (below?.id ?? 0) * 2 ** 20;
      if (this.#seen.has(key)) continue;
      if (this.threads.length >= maxThreads || ++this.visits > maxVisits) {
        this.#isNarrowed = true;
        return;
      }
      this.#seen.add(key);
      this.#follow(at, below, waiting);
    }
  }

  get isFree(): boolean {
    const { steps, free } = this.#program;
    return this.threads.some(({ place, frame }) => {
      const step = steps[place]!;
      return step.op === 'read' ? step.reader.isFree(frame!.reading!) : free.has(place);
    });
  }

  /** Number of arbitrary characters of `plainText` that may certainly follow. */
  get plainCharacters(): number {
    return this.#isNarrowed ? 0 : this.#plainCharacters;
  }

  #follow(place: number, frame: Frame | undefined, waiting: (number | Frame | undefined)[]): void {
    const step = this.#program.steps[place]!;
    switch (step.op) {
      case 'byte':
        this.threads.push({ place, frame });
        break;
      case 'split':
        if (step.plain) this.#plainCharacters = Infinity;
        for (let index = step.next.length - 1; index >= 0; index--) waiting.push(step.next[index], frame);
        break;
      case 'call': {
        const isLast = this.#program.steps[step.next]!.op === 'return';
        waiting.push(
          this.#program.entries.get(step.rule),
          isLast ? frame : this.#make.frame(step.next, 0, frame),
        );
        break;
      }
      case 'return':
        waiting.push(frame!.next, frame!.below);
        break;
      case 'begin': {
        const items = frame?.items;
        if (items) this.startsItem = true;
        const reading = items && !items.isPending ? step.reader.startWithout(items.texts) : step.reader.start;
        waiting.push(step.next, this.#make.frame(step.next, 0, frame, { reading }));
        break;
      }
      case 'read': {
        const reading = frame!.reading!;
        if (step.reader.mayEnd(reading)) waiting.push(step.exit, frame!.below);
        if (step.reader.mayGoOn(reading)) this.threads.push({ place, frame });
        this.#plainCharacters = Math.max(this.#plainCharacters, step.reader.plainCharacters(reading));
        break;
      }
      case 'distinct':
        waiting.push(
          step.next,
          this.#make.frame(step.next, 0, frame, { items: this.#make.items([], false) }),
        );
        break;
      case 'keep': {
        const { texts, isPending } = frame!.items!;
        if (isPending) break;
        this.endsItem = true;
        const items = this.#make.items(texts, true);
        waiting.push(step.next, this.#make.frame(frame!.next, 0, frame!.below, { items }));
        break;
      }
      case 'more':
        if (countOf(frame!.items!) < step.max) waiting.push(step.next, frame);
        break;
      case 'leave':
        if (countOf(frame!.items!) >= step.min) waiting.push(step.next, frame!.below);
        break;
      case 'count':
        waiting.push(step.next, this.#make.frame(step.next, 0, frame));
        break;
      case 'loop':
        this.#loop(step, frame!, waiting);
        break;
      case 'round':
        this.#round(step.next, frame!, waiting);
        break;
      case 'accept':
        this.mayEnd = true;
        break;
    }
  }

  #loop(step: Extract<Step, { op: 'loop' }>, frame: Frame, waiting: (number | Frame | undefined)[]): void {
    if (step.plain) this.#plainCharacters = Math.max(this.#plainCharacters, step.max - frame.rounds);
    if (frame.rounds >= step.min) waiting.push(step.exit, frame.below);
    if (frame.rounds >= step.max) return;
    if (step.nullable) this.#begun.add(frame);
    waiting.push(step.body, frame);
  }

  /** Rounds of a loop without an upper bound are counted up to its lower one only. */
  #round(loop: number, frame: Frame, waiting: (number | Frame | undefined)[]): void {
    if (this.#begun.has(frame)) return;
    const { min, max } = this.#program.steps[loop] as Extract<Step, { op: 'loop' }>;
    const rounds = max === Infinity ? Math.min(frame.rounds + 1, min) : frame.rounds + 1;
    waiting.push(loop, this.#make.frame(frame.next, rounds, frame.below));
  }
}

function countOf({ texts, isPending }: Items): number {
  return texts.length + (isPending ? 1 : 0);
}

/** Bytes that no step tells apart share a class, which keeps the table of transitions small. */
function byteClasses({ steps }: Program): {
  readonly classOfByte: Uint8Array;
  readonly byteOfClass: Uint8Array;
  readonly readers: readonly LanguageReader[];
} {
  const begins = new Uint8Array(257);
  begins[0] = 1;
  const readers = new Set<LanguageReader>();
  for (const step of steps) {
    if (step.op === 'begin') readers.add(step.reader);
    if (step.op !== 'byte') continue;
    begins[step.low] = 1;
    begins[step.high + 1] = 1;
  }
  const visited = new Set<unknown>();
  for (const reader of readers) reader.markClasses(begins, visited);
  const classOfByte = new Uint8Array(256);
  const first: number[] = [];
  for (let byte = 0; byte < 256; byte++) {
    if (begins[byte]) first.push(byte);
    classOfByte[byte] = first.length - 1;
  }
  return { classOfByte, byteOfClass: Uint8Array.from(first), readers: [...readers] };
}
