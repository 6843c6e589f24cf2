import { grown } from '../../sampling/scratch.ts';
import { type AlignedText, codePointAt, unitsOf } from '../aligned-text.ts';
import { keptCapacity } from '../token-buffer.ts';
import { Moves } from './moves.ts';
import { pushSegment, type Segments } from './pattern.ts';
import { deadEnd, entry, type Instruction, type Kind, type Part, Program } from './program.ts';

/** Steps per character before the outcomes of choices are memoized. Typical texts take a few. */
const stepsWithoutMemory = 16;
/** Steps per character once outcomes are memoized. */
const maxSteps = 256;
/** Additional steps, for any length. */
const extraSteps = 1024;
/** 64 MB. */
const maxMemoryBits = 2 ** 29;

const noMatch = -1;
/** Outcomes of a choice at a position. */
const fails = 0;
const succeeds = 1;
/** Options of a fork. */
const untried = 0;
const tried = 1;
/** Stack entries per choice: its instruction, its position, the current option, the farthest option. */
const choiceSize = 4;

/**
 * Matches a regular expression in the order of a backtracking engine, in linear time. The outcome of a choice depends
 * only on its position: if a text takes long, outcomes are memoized.
 */
export class Matcher {
  readonly #title: string;
  readonly #instructions: readonly Instruction[];
  readonly #kinds: readonly Kind[];
  readonly #slots: number;
  readonly #moves: Moves;
  /** Row offset of each character of the text, with an empty row before and after. */
  #rows = new Int32Array(256);
  #length = 0;
  #stack = new Int32Array(256);
  #top = 0;
  /** Where the run continues after a retry. */
  #place = 0;
  #stepsLeft = 0;
  #isMemoizing = false;
  /** `[(length + 1) × slots]` One bit each. */
  #memory: Uint32Array | undefined;

  /** @param title subject of the error for a text that takes too long */
  constructor(title: string, whole: Part) {
    const program = new Program(whole);
    this.#title = title;
    this.#instructions = program.instructions;
    this.#kinds = program.instructions.map(({ kind }) => kind);
    this.#slots = program.slots;
    this.#moves = new Moves(program);
  }

  /** Appends the matches in a part of a text, and the gaps between them. */
  findAll({ units }: AlignedText, start: number, end: number, segments: Segments): void {
    if (this.#rows.length < end - start + 2) this.#rows = new Int32Array(end - start + 2);
    const length = this.#moves.read(units, start, end, this.#rows);
    this.#length = length;
    this.#top = 0;
    this.#stepsLeft = stepsWithoutMemory * length + extraSteps;
    this.#isMemoizing = false;
    this.#memory = undefined;
    const isNarrow = length === end - start;
    let character = 0;
    let unit = start;
    const unitAt = (place: number): number => {
      if (isNarrow) return start + place;
      for (; character < place; character++) unit += unitsOf(codePointAt(units, unit));
      return Math.min(unit, end);
    };
    let from = 0;
    let lastEnd = noMatch;
    for (let at = this.#nextStart(0); at <= length; at = this.#nextStart(at)) {
      const matchEnd = this.#run(entry, at, false);
      if (matchEnd === noMatch || (matchEnd === at && matchEnd === lastEnd)) {
        at++;
        continue;
      }
      if (from < at) pushSegment(segments, unitAt(at), 0);
      pushSegment(segments, unitAt(matchEnd), 1);
      from = matchEnd;
      lastEnd = matchEnd;
      at = matchEnd;
    }
    if (from < length) pushSegment(segments, end, 0);
    // Free the memory of long texts.
    this.#memory = undefined;
    if (this.#rows.length > keptCapacity) this.#rows = new Int32Array(256);
    if (this.#stack.length > keptCapacity) this.#stack = new Int32Array(256);
  }

  /** The next position where a match may begin. */
  #nextStart(from: number): number {
    const { table } = this.#moves;
    let at = from;
    while (at < this.#length && table[this.#rows[at + 1]! + entry] === deadEnd) at++;
    return at;
  }

  /** The end of a match that starts with instruction `first` at `start`. */
  #run(first: number, start: number, isBack: boolean): number {
    const { table } = this.#moves;
    const rows = this.#rows;
    const kinds = this.#kinds;
    const instructions = this.#instructions;
    const step = isBack ? -1 : 1;
    /** Offset from a position to the row of the character to read. */
    const ahead = isBack ? 0 : 1;
    const base = this.#top;
    let at = first;
    let place = start;
    /** Characters taken since the last call of `#spend`. */
    let taken = 1;
    for (;;) {
      at = table[rows[place + ahead]! + at]!;
      if (this.#memory !== undefined) {
        if (this.#knows(at, place, succeeds)) return this.#succeed(base, place);
        if (this.#knows(at, place, fails)) at = deadEnd;
      }
      switch (kinds[at]) {
        case 'takeOne':
          place += step;
          taken++;
          at++;
          continue;
        case 'fork':
          this.#push(at, place, untried, place);
          at = instructions[at]!.target;
          continue;
        case 'takeMost':
        case 'takeAll': {
          let last = place + step;
          if (this.#memory === undefined) while (table[rows[last + ahead]! + at] === at) last += step;
          else while (table[rows[last + ahead]! + at] === at && !this.#hasFate(at, last)) last += step;
          this.#spend(Math.abs(last - place));
          if (this.#knows(at, last, succeeds)) return this.#succeed(base, place);
          const next = table[rows[last + ahead]! + at + 1]!;
          if (kinds[next] === 'done' && this.#memory === undefined) return this.#succeed(base, last);
          this.#push(at, place, last, last);
          if (next === deadEnd || this.#knows(at, last, fails)) break;
          place = last;
          at++;
          continue;
        }
        case 'lookBack': {
          const isOf = table[rows[place + 1 - ahead]! + at + 1] === at + 1;
          at = isOf === instructions[at]!.isNegated ? deadEnd : at + 2;
          continue;
        }
        case 'assert': {
          const { isBehind, isNegated, target } = instructions[at]!;
          const isFound = this.#run(at + 1, place, isBehind) !== noMatch;
          at = isFound === isNegated ? deadEnd : target;
          continue;
        }
        case 'commit': {
          const end = this.#run(at + 1, place, isBack);
          at = end === noMatch ? deadEnd : instructions[at]!.target;
          if (end !== noMatch) place = end;
          continue;
        }
        case 'done':
          this.#spend(taken);
          return this.#succeed(base, place);
        default:
      }
      this.#spend(taken);
      taken = 0;
      at = this.#retry(base, step, ahead);
      if (at === noMatch) return noMatch;
      place = this.#place;
    }
  }

  /** Pushes a choice whose options up to `option` have been tried. */
  #push(at: number, place: number, option: number, farthest: number): void {
    this.#spend(1);
    const top = this.#top;
    if (top === this.#stack.length) this.#stack = grown(this.#stack, 2 * top);
    const stack = this.#stack;
    stack[top] = at;
    stack[top + 1] = place;
    stack[top + 2] = option;
    stack[top + 3] = farthest;
    this.#top = top + choiceSize;
  }

  /** Backtracks to the next untried option: the instruction that continues at `#place`. */
  #retry(base: number, step: number, ahead: number): number {
    while (this.#top > base) {
      this.#spend(1);
      const stack = this.#stack;
      const choice = this.#top - choiceSize;
      const at = stack[choice]!;
      const place = stack[choice + 1]!;
      if (this.#kinds[at] !== 'fork') {
        this.#place = this.#nextOption(choice, step, ahead);
        if (this.#place !== noMatch) return at + 1;
      } else if (stack[choice + 2] === untried) {
        stack[choice + 2] = tried;
        if (this.#memory === undefined) this.#top = choice;
        this.#place = place;
        return this.#instructions[at]!.other;
      }
      this.#remember(at, place, stack[choice + 3]!, fails);
      this.#top = choice;
    }
    return noMatch;
  }

  /** The next position, backwards, at which the part after a repeated class can continue. */
  #nextOption(choice: number, step: number, ahead: number): number {
    const { table } = this.#moves;
    const stack = this.#stack;
    const at = stack[choice]!;
    let option = stack[choice + 2]!;
    do {
      this.#spend(1);
      if (option === stack[choice + 1] || this.#kinds[at] === 'takeAll') return noMatch;
      option -= step;
    } while (table[this.#rows[option + ahead]! + at + 1] === deadEnd);
    stack[choice + 2] = option;
    return option;
  }

  #hasFate(at: number, place: number): boolean {
    return this.#knows(at, place, fails) || this.#knows(at, place, succeeds);
  }

  #knows(at: number, place: number, fate: number): boolean {
    if (this.#memory === undefined) return false;
    const { slot, isAsserted } = this.#instructions[at]!;
    if (slot === -1 || (fate === succeeds && !isAsserted)) return false;
    const bit = place * this.#slots + slot + fate;
    return ((this.#memory[bit >>> 5]! >>> (bit & 31)) & 1) === 1;
  }

  /** @param to the outcome is the same for all positions from `from` to `to` */
  #remember(at: number, from: number, to: number, fate: number): void {
    if (this.#memory === undefined) return;
    const slot = this.#instructions[at]!.slot + fate;
    for (let place = Math.min(from, to); place <= Math.max(from, to); place++) {
      const bit = place * this.#slots + slot;
      this.#memory[bit >>> 5]! |= 1 << (bit & 31);
    }
  }

  /** Ends a run that led to a match. */
  #succeed(base: number, end: number): number {
    const stack = this.#stack;
    const top = this.#memory === undefined ? base : this.#top;
    for (let choice = base; choice < top; choice += choiceSize) {
      const at = stack[choice]!;
      const to = stack[choice + (this.#kinds[at] === 'fork' ? 3 : 2)]!;
      if (this.#instructions[at]!.isAsserted) this.#remember(at, stack[choice + 1]!, to, succeeds);
    }
    this.#top = base;
    return end;
  }

  #spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) this.#startMemoizing();
  }

  /** @throws RangeError if memoization isn't enough */
  #startMemoizing(): void {
    if (this.#isMemoizing)
      throw new RangeError(`${this.#title} takes more than ${maxSteps} steps for each character of a text`);
    this.#isMemoizing = true;
    this.#stepsLeft += maxSteps * this.#length;
    const bits = this.#slots * (this.#length + 1);
    if (bits <= maxMemoryBits) this.#memory = new Uint32Array(Math.ceil(bits / 32));
  }
}
