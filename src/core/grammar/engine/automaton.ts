import { grown } from '../../sampling/scratch.ts';
import type { LanguageReader } from '../languages/reader.ts';
import type { Run } from '../languages/language.ts';
import { longer, noRun } from '../languages/run.ts';
import type { Program, Step } from './program.ts';
import { roundsOf, Threads, type Frame, type Thread } from './threads.ts';
import { Triples } from './vocabulary.ts';

/** All possible parses of the text so far, as the set of continuations. */
export interface State {
  readonly id: number;
  /** States of an older generation must be renewed. */
  readonly generation: number;
  readonly threads: readonly Thread[];
  readonly mayEnd: boolean;
  /** The characters that certainly may follow. */
  readonly run: Run;
  /** Whether an item of a `distinct` list may begin here, and whether an item may be complete. */
  readonly startsItem: boolean;
  readonly endsItem: boolean;
}

/** The state without continuations. */
export const dead = 1;
const unknown = 0;

/**
 * Threads per state. A more ambiguous grammar is narrowed: some of its texts become unreachable, but the text stays
 * valid, since every remaining thread can be completed.
 */
const maxThreads = 2048;
/** Maximum steps to find the threads after one byte. */
const maxVisits = 50_000;
/** The cost of a language step, in program steps. */
const costOfStep = 60;
const maxLists = 200_000;
/** Maximum states in memory; beyond it, all states are dropped and recreated on demand. */
const maxStates = 4_000;
/** Per state: its transitions by byte, then the kinds and the length of its run. */
const width = 258;

/**
 * Runs a program byte by byte. States are created on first use, as in a lazy DFA, so most bytes cost one lookup. The
 * depth of the stack isn't limited.
 */
export class Automaton {
  readonly #program: Program;
  #states: (State | undefined)[] = [];
  readonly #threads: Threads;
  /** Lists of threads, each as its prefix and its last thread. */
  #lists = new Triples<State>();
  #transitions = new Int32Array();
  readonly #closure: Closure;
  readonly #readers: ReadonlySet<LanguageReader>;
  generation = 0;
  /** Steps taken so far to create states: the cost of hard grammars. */
  work = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#readers = new Set(program.steps.flatMap((step) => (step.op === 'begin' ? [step.reader] : [])));
    this.#threads = new Threads(program);
    this.#closure = new Closure(program, this.#threads);
    this.#clear();
  }

  start(): State {
    return this.#close([this.#threads.thread(this.#program.start, undefined)]);
  }

  /** @returns the id of the state after `byte`, or `dead` */
  next(state: number, byte: number): number {
    const slot = state * width + byte;
    const known = this.#transitions[slot]!;
    if (known !== unknown) return known;
    return this.#step(state, byte);
  }

  state(id: number): State {
    return this.#states[id]!;
  }

  /** Whether any text of up to `characters` characters of these kinds certainly may follow. */
  covers(state: number, kinds: number, characters: number): boolean {
    const slot = state * width + 256;
    return (kinds & ~this.#transitions[slot]!) === 0 && characters <= this.#transitions[slot + 1]!;
  }

  /** The state after `bytes`, with the id `dead` if there is no continuation; completed items aren't registered. */
  after({ id }: State, bytes: Uint8Array): State {
    for (const byte of bytes) id = this.next(id, byte);
    return this.#states[id]!;
  }

  /** Drops all states beyond the limits. This invalidates ids: states must be `renew`ed. */
  tidy(): void {
    const isFull = this.#states.length > maxStates || this.#lists.size > maxLists;
    if (isFull || this.#threads.isFull) this.#clear();
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return (
      this.#transitions.byteLength +
      200 * this.#states.length +
      50 * this.#lists.size +
      this.#threads.bytes +
      100 * this.#program.steps.length +
      [...this.#readers].reduce((sum, reader) => sum + reader.bytes, 0) +
      [...new Set([...this.#readers].map(({ store }) => store))].reduce((sum, store) => sum + store.bytes, 0)
    );
  }

  /** The same state in the current generation. */
  renew(state: State): State {
    return state.generation === this.generation ? state : this.#keep(state);
  }

  /** Whether the state may be inside free text. */
  isFree({ threads }: State): boolean {
    const { steps, free } = this.#program;
    return threads.some(({ place, frame }) => {
      const step = steps[place]!;
      return step.op === 'read' ? step.reader.isFree(frame!.reading!) : free.has(place);
    });
  }

  #clear(): void {
    if (this.generation++ > 0) for (const reader of this.#readers) reader.clear();
    // Id 0 is reserved for 'unknown'.
    this.#states = [undefined];
    this.#threads.clear();
    this.#lists = new Triples();
    this.#transitions = new Int32Array(64 * width);
    this.#close([]);
    this.#transitions.fill(dead, dead * width, dead * width + 256);
  }

  /** Creates the state after a byte, and stores it for the whole range of bytes that no thread distinguishes. */
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
          thread.next ??= this.#threads.thread(step.next, frame);
          after.push(thread.next);
          // The previous item decides how this one may continue.
        } else if (!frame!.below?.items?.isPending) {
          const { reader } = step;
          const before = reader.store.work;
          const reading = reader.next(frame!.reading!, byte);
          const alike = reader.alike(frame!.reading!, byte);
          low = Math.max(low, alike.low);
          high = Math.min(high, alike.high);
          this.work += costOfStep * (reader.store.work - before);
          if (reading)
            after.push(this.#threads.thread(place, this.#threads.frame(place, 0, frame!.below, { reading })));
        }
      }
    }
    const made = this.#close(after).id;
    this.#transitions.fill(made, id * width + low, id * width + high + 1);
    return made;
  }

  /** Registers the text of a completed item, so that later items of its `distinct` list differ. */
  keepItem(state: State, text: string): State {
    const threads = state.threads.map(({ place, frame }) =>
      this.#threads.thread(place, this.#kept(frame, text)),
    );
    return this.#keep({ ...state, threads: threads.sort(compareThreads), endsItem: false });
  }

  /** Not recursive: the stack can be as deep as the text is long. */
  #kept(top: Frame | undefined, text: string): Frame | undefined {
    const open: Frame[] = [];
    for (let frame = top; frame; frame = frame.below) open.push(frame);
    return open.reduceRight<Frame | undefined>((below, frame) => {
      const { next, rounds, items } = frame;
      const more = items?.isPending && this.#threads.items([...items.texts, text], false);
      if (more) return this.#threads.frame(next, rounds, below, { items: more });
      if (below === frame.below) return frame;
      const step = this.#program.steps[next]!;
      // The item has just begun.
      const isFresh = frame.reading && step.op === 'read' && below?.items;
      const reading = isFresh ? step.reader.startWithout(below.items.texts) : frame.reading;
      return this.#threads.frame(next, rounds, below, { reading, items });
    }, undefined);
  }

  /** The state of all threads that these reach without reading. */
  #close(starts: readonly Thread[]): State {
    const list = this.#listOf(starts, 0);
    const known = this.#lists.values[list];
    if (known) return known;
    const closure = this.#closure;
    closure.follow(starts);
    this.work += closure.visits;
    closure.threads.sort(compareThreads);
    return (this.#lists.values[list] = this.#keep(closure));
  }

  /** The id of a list of threads; each kind of list has separate ids. */
  #listOf(threads: readonly Thread[], kind: number): number {
    return threads.reduce((list, { id }) => this.#lists.idOf(list, id, 0), this.#lists.idOf(0, 0, kind));
  }

  #keep(found: Omit<State, 'id' | 'generation'>): State {
    const { threads, mayEnd, run, startsItem, endsItem } = found;
    const kind = 1 + (mayEnd ? 1 : 0) + (startsItem ? 2 : 0) + (endsItem ? 4 : 0);
    const list = this.#listOf(threads, kind);
    const known = this.#lists.values[list];
    if (known) return known;
    const { generation } = this;
    const id = this.#states.length;
    // No object spread: it would give states different hidden classes, which makes reading several times slower.
    const state = { id, generation, threads, mayEnd, run, startsItem, endsItem };
    this.#states.push(state);
    this.#lists.values[list] = state;
    if (this.#states.length * width > this.#transitions.length)
      this.#transitions = grown(this.#transitions, 2 * this.#transitions.length);
    this.#transitions[id * width + 256] = run.kinds;
    this.#transitions[id * width + 257] = Math.min(run.characters, 2 ** 30);
    return state;
  }
}

function compareThreads(a: Thread, b: Thread): number {
  return a.place - b.place || a.id - b.id;
}

/** Follows all steps that don't read a byte. */
class Closure {
  threads: Thread[] = [];
  mayEnd = false;
  startsItem = false;
  endsItem = false;
  visits = 0;
  run = noRun;
  #number = 0;
  #waiting: Thread[] = [];
  readonly #program: Program;
  readonly #threads: Threads;

  constructor(program: Program, threads: Threads) {
    this.#program = program;
    this.#threads = threads;
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
    this.#waiting.push(this.#threads.thread(place, frame));
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
          isLast ? frame : this.#threads.frame(step.next, 0, frame),
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
        this.#wait(step.next, this.#threads.frame(step.next, 0, frame, { reading }));
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
        this.#wait(
          step.next,
          this.#threads.frame(step.loop, 0, frame, { items: this.#threads.items([], false) }),
        );
        break;
      case 'keep': {
        const { texts, isPending } = frame!.items!;
        if (isPending) break;
        this.endsItem = true;
        const items = this.#threads.items(texts, true);
        this.#wait(step.next, this.#threads.frame(frame!.next, 0, frame!.below, { items }));
        break;
      }
      case 'count':
        this.#wait(step.next, this.#threads.frame(step.next, 0, frame));
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
    const rounds = roundsOf(frame);
    this.run = longer(this.run, { kinds: step.kinds, characters: step.max - rounds });
    if (rounds >= step.min) this.#wait(step.exit, frame.below);
    if (rounds < step.max) this.#wait(step.body, frame);
  }

  /** For a loop without a maximum, rounds are counted only up to the minimum. */
  #round(loop: number, frame: Frame): void {
    const { min, max, nullable } = this.#program.steps[loop] as Extract<Step, { op: 'loop' }>;
    // Repeating a round that read nothing would change nothing.
    if (nullable && this.#threads.thread(loop, frame).seen === this.#number) return;
    const rounds = max === Infinity ? Math.min(frame.rounds + 1, min) : frame.rounds + 1;
    this.#wait(loop, frame.items ? frame : this.#threads.frame(frame.next, rounds, frame.below));
  }
}
