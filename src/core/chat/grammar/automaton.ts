import type { LanguageReader, Reading } from './language-reader.ts';
import type { Program, Step } from './program.ts';

/** Where to return to, or how many rounds of a loop are done, and what is below on the stack. Equal frames are one. */
interface Frame {
  readonly id: number;
  readonly next: number;
  readonly rounds: number;
  /** What has been read of a text of a language. */
  readonly reading: Reading | undefined;
  readonly below: Frame | undefined;
}

/** A byte that can be read. */
interface Thread {
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
  /** So many characters of `plainText` may follow for certain, whichever they are. */
  readonly plainCharacters: number;
}

/** No way goes on from here. */
export const dead = 0;
const unknown = -1;

/**
 * Threads of one state. A grammar that is ambiguous beyond is narrowed: some of its texts can't be written any more,
 * but what is written is still right, since every thread can be brought to an end.
 */
const maxThreads = 2048;
/** Steps taken to find the threads behind one byte. */
const maxVisits = 50_000;
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
  #transitions: Int32Array;
  #frameCount = 0;
  generation = 0;
  /** Steps followed so far to make states: what hard grammars cost. */
  work = 0;

  constructor(program: Program) {
    this.#program = program;
    const { classOfByte, byteOfClass } = byteClasses(program);
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

  /** @returns the id of the state behind a byte, `dead` if there is none */
  next(state: number, byte: number): number {
    const slot = state * this.#classes + this.#classOfByte[byte]!;
    const known = this.#transitions[slot]!;
    if (known !== unknown) return known;
    const made = this.#step(state, this.#byteOfClass[this.#classOfByte[byte]!]!);
    this.#transitions[slot] = made;
    return made;
  }

  state(id: number): State {
    return this.#states[id]!;
  }

  /** Forgets states when there are too many. Ids are void then, and states have to be `renew`ed. */
  tidy(): void {
    if (this.#states.length > maxStates) this.#clear();
  }

  /** The same state in this generation. */
  renew(state: State): State {
    if (state.generation === this.generation) return state;
    const { threads, mayEnd, plainCharacters } = state;
    return this.#keep(threads, mayEnd, plainCharacters);
  }

  #clear(): void {
    this.generation++;
    this.#states = [];
    this.#stateIds = new Map();
    this.#frames = new Map();
    this.#transitions.fill(unknown);
    this.#keep([], false, 0);
    this.#transitions.fill(dead, 0, this.#classes);
  }

  #step(id: number, byte: number): number {
    const { steps } = this.#program;
    const closure = this.#closure();
    const { threads } = this.#states[id]!;
    this.work += threads.length;
    for (const { place, frame } of threads) {
      const step = steps[place]!;
      if (step.op === 'byte') {
        if (byte >= step.low && byte <= step.high) closure.visit(step.next, frame);
      } else if (step.op === 'read') {
        const { reader } = step;
        const before = reader.work;
        const reading = reader.next(frame!.reading!, byte);
        this.work += reader.work - before;
        if (reading) closure.visit(place, this.#frame(place, 0, frame!.below, reading));
      }
    }
    return this.#intern(closure).id;
  }

  #closure(): Closure {
    return new Closure(this.#program, (next, rounds, below, reading) =>
      this.#frame(next, rounds, below, reading),
    );
  }

  #intern({ threads, mayEnd, plainCharacters, visits }: Closure): State {
    this.work += visits;
    threads.sort((a, b) => a.place - b.place || (a.frame?.id ?? 0) - (b.frame?.id ?? 0));
    return this.#keep(threads, mayEnd, plainCharacters);
  }

  #keep(threads: readonly Thread[], mayEnd: boolean, plainCharacters: number): State {
    const key = `${mayEnd}${threads.map(({ place, frame }) => `,${place}:${frame?.id ?? 0}`).join('')}`;
    const known = this.#stateIds.get(key);
    if (known !== undefined) return this.#states[known]!;
    const id = this.#states.length;
    const state: State = { id, generation: this.generation, threads, mayEnd, plainCharacters };
    this.#states.push(state);
    this.#stateIds.set(key, id);
    if (this.#states.length * this.#classes > this.#transitions.length) {
      const larger = new Int32Array(2 * this.#transitions.length).fill(unknown);
      larger.set(this.#transitions);
      this.#transitions = larger;
    }
    return state;
  }

  #frame(next: number, rounds: number, below: Frame | undefined, reading?: Reading): Frame {
    const key = `${next},${reading ? -reading.id : rounds},${below?.id ?? 0}`;
    let frame = this.#frames.get(key);
    if (!frame) {
      frame = { id: ++this.#frameCount, next, rounds, reading, below };
      this.#frames.set(key, frame);
    }
    return frame;
  }
}

type MakeFrame = (
  next: number,
  rounds: number,
  below: Frame | undefined,
  reading?: Reading,
) => Frame;

/** Follows all steps that read nothing. */
class Closure {
  readonly threads: Thread[] = [];
  mayEnd = false;
  visits = 0;
  #plainCharacters = 0;
  #isNarrowed = false;
  readonly #program: Program;
  readonly #makeFrame: MakeFrame;
  readonly #seen = new Set<number>();
  /** Loop rounds that have read nothing yet: going round again would change nothing. */
  readonly #begun = new Set<Frame>();

  constructor(program: Program, makeFrame: MakeFrame) {
    this.#program = program;
    this.#makeFrame = makeFrame;
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

  /** So many characters of `plainText` may follow for certain, whichever they are. */
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
          isLast ? frame : this.#makeFrame(step.next, 0, frame),
        );
        break;
      }
      case 'return':
        waiting.push(frame!.next, frame!.below);
        break;
      case 'begin': {
        waiting.push(step.next, this.#makeFrame(step.next, 0, frame, step.reader.start));
        break;
      }
      case 'read': {
        const reading = frame!.reading!;
        if (step.reader.mayEnd(reading)) waiting.push(step.exit, frame!.below);
        if (step.reader.mayGoOn(reading)) this.threads.push({ place, frame });
        this.#plainCharacters = Math.max(this.#plainCharacters, step.reader.plainCharacters(reading));
        break;
      }
      case 'count':
        waiting.push(step.next, this.#makeFrame(step.next, 0, frame));
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
    waiting.push(loop, this.#makeFrame(frame.next, rounds, frame.below));
  }
}

/** Bytes that no step tells apart share a class, which keeps the table of transitions small. */
function byteClasses({ steps }: Program): { classOfByte: Uint8Array; byteOfClass: Uint8Array } {
  const begins = new Uint8Array(257);
  begins[0] = 1;
  const readers = new Set<LanguageReader>();
  for (const step of steps) {
    if (step.op === 'begin') readers.add(step.reader);
    if (step.op !== 'byte') continue;
    begins[step.low] = 1;
    begins[step.high + 1] = 1;
  }
  for (const reader of readers) reader.markClasses(begins);
  const classOfByte = new Uint8Array(256);
  const first: number[] = [];
  for (let byte = 0; byte < 256; byte++) {
    if (begins[byte]) first.push(byte);
    classOfByte[byte] = first.length - 1;
  }
  return { classOfByte, byteOfClass: Uint8Array.from(first) };
}
