import type { LanguageReader, Reading } from '../languages/reader.ts';
import { longer, noRun, type Run } from '../languages/run.ts';
import type { Program, Step } from './program.ts';
import { Triples } from './triples.ts';

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
  /** The closure in which the round of this loop has begun: going round again would change nothing. */
  begun: number;
}

interface Items {
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

/** Everything that may have been written so far, as what may follow. */
export interface State {
  readonly id: number;
  /** States of an older generation have to be brought in again. */
  readonly generation: number;
  readonly threads: readonly Thread[];
  /** Whether the text may end here. */
  readonly mayEnd: boolean;
  /** The characters that may certainly follow. */
  readonly run: Run;
  /** Whether an item of a list of different items may begin here, and whether one may have been completed. */
  readonly startsItem: boolean;
  readonly endsItem: boolean;
}

/** No way goes on from here. */
export const dead = 1;
const unknown = 0;

/**
 * Threads of one state. A grammar that is ambiguous beyond is narrowed: some of its texts can't be written any more,
 * but what is written is still right, since every thread can be brought to an end.
 */
const maxThreads = 2048;
/** Steps taken to find the threads after one byte. */
const maxVisits = 50_000;
/** Steps of a language are dearer than those of a program. */
const costOfStep = 60;
/** Threads, parts of the lists of threads, and frames. */
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
  /** Transitions by class, then the run of the state. */
  readonly #width: number;
  #states: State[] = [];
  #frames = new Triples<Frame>();
  #threads = new Triples<Thread>();
  /** Lists of threads, each as the list without its last thread and that one. */
  #lists = new Triples<State>();
  #itemLists = new Map<string, Items>();
  #transitions: Int32Array;
  /** Never used again, since states of an older generation are brought in with their threads. */
  #ids = 0;
  readonly #closure: Closure;
  readonly #readers: readonly LanguageReader[];
  generation = 0;
  /** Steps followed so far to make states: what hard grammars cost. */
  work = 0;

  constructor(program: Program) {
    this.#program = program;
    const { classOfByte, classes, readers } = byteClasses(program);
    this.#readers = readers;
    this.#classOfByte = classOfByte;
    this.#classes = classes;
    this.#width = this.#classes + 2;
    this.#transitions = new Int32Array(64 * this.#width);
    this.#closure = new Closure(program, {
      frame: (next, rounds, below, held) => this.#frame(next, rounds, below, held),
      items: (texts, isPending) => this.#items(texts, isPending),
      thread: (place, frame) => this.#thread(place, frame),
    });
    this.#clear();
  }

  start(): State {
    return this.#close([this.#thread(this.#program.start, undefined)]);
  }

  /** @returns the id of the state after a byte, `dead` if there is none */
  next(state: number, byte: number): number {
    const slot = state * this.#width + this.#classOfByte[byte]!;
    const known = this.#transitions[slot]!;
    if (known !== unknown) return known;
    return this.#step(state, byte);
  }

  state(id: number): State {
    return this.#states[id]!;
  }

  /** Whether any text of so many characters of these kinds may follow for certain. */
  covers(state: number, kinds: number, characters: number): boolean {
    const slot = state * this.#width + this.#classes;
    return (kinds & ~this.#transitions[slot]!) === 0 && characters <= this.#transitions[slot + 1]!;
  }

  /** The state after bytes, that with the id `dead` if there is none; nothing is told of items that they complete. */
  after({ id }: State, bytes: Uint8Array): State {
    for (const byte of bytes) id = this.next(id, byte);
    return this.#states[id]!;
  }

  /** Forgets states when there are too many. Ids are void then, and states have to be `renew`ed. */
  tidy(): void {
    const threads = Math.max(this.#threads.size, this.#lists.size);
    const isFull = this.#states.length > maxStates || threads > maxKeptThreads;
    if (isFull || this.#frames.size > maxFrames) this.#clear();
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return (
      this.#transitions.byteLength +
      200 * this.#states.length +
      150 * this.#threads.size +
      50 * this.#lists.size +
      200 * this.#frames.size +
      100 * this.#program.steps.length +
      this.#readers.reduce((sum, reader) => sum + reader.bytes, 0) +
      [...new Set(this.#readers.map(({ store }) => store))].reduce((sum, store) => sum + store.bytes, 0)
    );
  }

  /** The same state in this generation. */
  renew(state: State): State {
    return state.generation === this.generation ? state : this.#keep(state);
  }

  /** Whether it may be inside of free text. */
  isFree({ threads }: State): boolean {
    const { steps, free } = this.#program;
    return threads.some(({ place, frame }) => {
      const step = steps[place]!;
      return step.op === 'read' ? step.reader.isFree(frame!.reading!) : free.has(place);
    });
  }

  #clear(): void {
    if (this.generation++ > 0) for (const reader of this.#readers) reader.clear();
    // None has the id that stands for what is unknown.
    this.#states = new Array<State>(1);
    this.#frames = new Triples();
    this.#threads = new Triples();
    this.#lists = new Triples();
    this.#itemLists = new Map();
    this.#transitions = new Int32Array(64 * this.#width);
    this.#close([]);
    this.#transitions.fill(dead, this.#width, this.#width + this.#classes);
  }

  /** Makes the state after a byte, and keeps it for all bytes around that no thread tells apart. */
  #step(id: number, byte: number): number {
    const { steps } = this.#program;
    const { threads } = this.#states[id]!;
    this.work += threads.length;
    let low = 0;
    let high = 255;
    const after: Thread[] = [];
    for (const thread of threads) {
      const { place, frame } = thread;
      if (byte < thread.low) high = Math.min(high, thread.low - 1);
      else if (byte > thread.high) low = Math.max(low, thread.high + 1);
      else {
        const step = steps[place] as Extract<Step, { op: 'byte' | 'read' }>;
        if (step.op === 'byte') {
          low = Math.max(low, step.low);
          high = Math.min(high, step.high);
          thread.next ??= this.#thread(step.next, frame);
          after.push(thread.next);
          // The item before decides on how this one may go on.
        } else if (!frame!.below?.items?.isPending) {
          const { reader } = step;
          const before = reader.work;
          const reading = reader.next(frame!.reading!, byte);
          const alike = reader.alike(frame!.reading!, byte);
          low = Math.max(low, alike.low);
          high = Math.min(high, alike.high);
          this.work += costOfStep * (reader.work - before);
          if (reading) after.push(this.#thread(place, this.#frame(place, 0, frame!.below, { reading })));
        }
      }
    }
    const made = this.#close(after).id;
    const first = id * this.#width;
    this.#transitions[first + this.#classOfByte[byte]!] = made;
    const start = (this.#classOfByte[low - 1] ?? -1) + 1;
    const end = this.#classOfByte[high + 1] ?? this.#classes;
    if (start < end) this.#transitions.fill(made, first + start, first + end);
    return made;
  }

  /** Tells what the item is that has just been completed, for lists of different items. */
  keepItem(state: State, text: string): State {
    const threads = state.threads.map(({ place, frame }) => this.#thread(place, this.#kept(frame, text)));
    return this.#keep({ ...state, threads: threads.sort(compareThreads), endsItem: false });
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

  #items(texts: readonly string[], isPending: boolean): Items {
    const key = JSON.stringify([isPending, texts]);
    let items = this.#itemLists.get(key);
    if (!items) {
      items = { id: ++this.#ids, texts, isPending };
      this.#itemLists.set(key, items);
    }
    return items;
  }

  /** The state of all that these threads lead to without reading. */
  #close(starts: readonly Thread[]): State {
    const list = this.#listOf(starts, 0);
    let state = this.#lists.get(list);
    if (!state) {
      const closure = this.#closure;
      closure.follow(starts);
      this.work += closure.visits;
      closure.threads.sort(compareThreads);
      state = this.#keep(closure);
      this.#lists.set(list, state);
    }
    return state;
  }

  /** The number of a list of threads, each kind of list with its own. */
  #listOf(threads: readonly Thread[], kind: number): number {
    return threads.reduce((list, { id }) => this.#lists.idOf(list, id, 0), this.#lists.idOf(0, 0, kind));
  }

  #keep(found: Omit<State, 'id' | 'generation'>): State {
    const { threads, mayEnd, run, startsItem, endsItem } = found;
    const kind = 1 + (mayEnd ? 1 : 0) + (startsItem ? 2 : 0) + (endsItem ? 4 : 0);
    const list = this.#listOf(threads, kind);
    const known = this.#lists.get(list);
    if (known) return known;
    const { generation } = this;
    const id = this.#states.length;
    // Spread, states would have several shapes, and reading them would take several times as long.
    const state = { id, generation, threads, mayEnd, run, startsItem, endsItem };
    this.#states.push(state);
    this.#lists.set(list, state);
    if (this.#states.length * this.#width > this.#transitions.length) {
      const larger = new Int32Array(2 * this.#transitions.length);
      larger.set(this.#transitions);
      this.#transitions = larger;
    }
    this.#transitions[id * this.#width + this.#classes] = run.kinds;
    this.#transitions[id * this.#width + this.#classes + 1] = Math.min(run.characters, 2 ** 30);
    return state;
  }

  #frame(next: number, rounds: number, below: Frame | undefined, held: Held = {}): Frame {
    const { reading, items } = held;
    const number = reading ? -reading.id : items ? 2 ** 40 + items.id : rounds;
    const own = this.#frames.idOf(next, number, below?.id ?? 0);
    let frame = this.#frames.get(own);
    if (!frame) {
      frame = { id: ++this.#ids, next, rounds, reading, items, below, begun: 0 };
      this.#frames.set(own, frame);
    }
    return frame;
  }

  #thread(place: number, frame: Frame | undefined): Thread {
    const own = this.#threads.idOf(place, frame?.id ?? 0, 0);
    let thread = this.#threads.get(own);
    if (!thread) {
      const step = this.#program.steps[place]!;
      const [low, high] = step.op === 'byte' ? [step.low, step.high] : [0, 255];
      thread = { id: ++this.#ids, place, frame, low, high, next: undefined, seen: 0 };
      this.#threads.set(own, thread);
    }
    return thread;
  }
}

function compareThreads(a: Thread, b: Thread): number {
  return a.place - b.place || a.id - b.id;
}

interface Held {
  readonly reading?: Reading | undefined;
  readonly items?: Items | undefined;
}

interface Makers {
  frame(next: number, rounds: number, below: Frame | undefined, held?: Held): Frame;
  items(texts: readonly string[], isPending: boolean): Items;
  thread(place: number, frame: Frame | undefined): Thread;
}

/** Follows all steps that read nothing. */
class Closure {
  threads: Thread[] = [];
  mayEnd = false;
  startsItem = false;
  endsItem = false;
  visits = 0;
  /** The characters that may certainly follow. */
  run = noRun;
  #number = 0;
  #waiting: Thread[] = [];
  readonly #program: Program;
  readonly #make: Makers;

  constructor(program: Program, make: Makers) {
    this.#program = program;
    this.#make = make;
  }

  follow(starts: readonly Thread[]): void {
    this.#number++;
    this.threads = [];
    this.mayEnd = this.startsItem = this.endsItem = false;
    this.visits = 0;
    this.run = noRun;
    for (const start of starts) {
      this.#waiting = [start];
      for (let thread = this.#waiting.pop(); thread; thread = this.#waiting.pop()) {
        if (thread.seen === this.#number) continue;
        if (this.threads.length >= maxThreads || ++this.visits > maxVisits) {
          this.run = noRun;
          return;
        }
        thread.seen = this.#number;
        this.#follow(thread);
      }
    }
  }

  #wait(place: number, frame: Frame | undefined): void {
    this.#waiting.push(this.#make.thread(place, frame));
  }

  #follow(thread: Thread): void {
    const { place, frame } = thread;
    const step = this.#program.steps[place]!;
    switch (step.op) {
      case 'byte':
        this.threads.push(thread);
        break;
      case 'split':
        this.run = longer(this.run, { kinds: step.kinds, characters: Infinity });
        for (let index = step.next.length - 1; index >= 0; index--) this.#wait(step.next[index]!, frame);
        break;
      case 'call': {
        const isLast = this.#program.steps[step.next]!.op === 'return';
        this.#wait(
          this.#program.entries.get(step.rule)!,
          isLast ? frame : this.#make.frame(step.next, 0, frame),
        );
        break;
      }
      case 'return':
        this.#wait(frame!.next, frame!.below);
        break;
      case 'begin': {
        const items = frame?.items;
        if (items) this.startsItem = true;
        const reading = items && !items.isPending ? step.reader.startWithout(items.texts) : step.reader.start;
        this.#wait(step.next, this.#make.frame(step.next, 0, frame, { reading }));
        break;
      }
      case 'read': {
        const reading = frame!.reading!;
        if (step.reader.mayEnd(reading)) this.#wait(step.exit, frame!.below);
        if (step.reader.mayGoOn(reading)) this.threads.push(thread);
        this.run = longer(this.run, step.reader.run(reading));
        break;
      }
      case 'distinct':
        this.#wait(step.next, this.#make.frame(step.next, 0, frame, { items: this.#make.items([], false) }));
        break;
      case 'keep': {
        const { texts, isPending } = frame!.items!;
        if (isPending) break;
        this.endsItem = true;
        const items = this.#make.items(texts, true);
        this.#wait(step.next, this.#make.frame(frame!.next, 0, frame!.below, { items }));
        break;
      }
      case 'more':
        if (countOf(frame!.items!) < step.max) this.#wait(step.next, frame);
        break;
      case 'leave':
        if (countOf(frame!.items!) >= step.min) this.#wait(step.next, frame!.below);
        break;
      case 'count':
        this.#wait(step.next, this.#make.frame(step.next, 0, frame));
        break;
      case 'loop':
        this.#loop(step, frame!);
        break;
      case 'round':
        this.#round(step.next, frame!);
        break;
      case 'accept':
        this.mayEnd = true;
        break;
    }
  }

  #loop(step: Extract<Step, { op: 'loop' }>, frame: Frame): void {
    this.run = longer(this.run, { kinds: step.kinds, characters: step.max - frame.rounds });
    if (frame.rounds >= step.min) this.#wait(step.exit, frame.below);
    if (frame.rounds >= step.max) return;
    if (step.nullable) frame.begun = this.#number;
    this.#wait(step.body, frame);
  }

  /** Rounds of a loop without an upper bound are counted up to its lower one only. */
  #round(loop: number, frame: Frame): void {
    if (frame.begun === this.#number) return;
    const { min, max } = this.#program.steps[loop] as Extract<Step, { op: 'loop' }>;
    const rounds = max === Infinity ? Math.min(frame.rounds + 1, min) : frame.rounds + 1;
    this.#wait(loop, this.#make.frame(frame.next, rounds, frame.below));
  }
}

function countOf({ texts, isPending }: Items): number {
  return texts.length + (isPending ? 1 : 0);
}

/** Bytes that no step tells apart share a class, which keeps the table of transitions small. */
function byteClasses({ steps }: Program): {
  readonly classOfByte: Uint8Array;
  readonly classes: number;
  readonly readers: readonly LanguageReader[];
} {
  const begins = new Uint8Array(257);
  begins[0] = 1;
  const readers = new Set<LanguageReader>();
  for (const step of steps) {
    if (step.op === 'begin') readers.add(step.reader);
    if (step.op === 'byte') begins[step.low] = begins[step.high + 1] = 1;
  }
  const visited = new Set<unknown>();
  for (const reader of readers) reader.markClasses(begins, visited);
  const classOfByte = new Uint8Array(256);
  let classes = 0;
  for (let byte = 0; byte < 256; byte++) {
    if (begins[byte]) classes++;
    classOfByte[byte] = classes - 1;
  }
  return { classOfByte, classes, readers: [...readers] };
}
