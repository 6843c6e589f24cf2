import { getOrCreate } from '../../get-or-create.ts';

/** The operation of an instruction. The last three are never executed: the next character resolves them in advance. */
export type Kind =
  /** Fails. */
  | 'deadEnd'
  /** Takes one character of a class. */
  | 'takeOne'
  /** Takes as many characters of a class as possible, and backtracks one by one. */
  | 'takeMost'
  /** Takes as many characters of a class as possible, without backtracking. */
  | 'takeAll'
  /** Continues at `target`, and at `other` if that fails. */
  | 'fork'
  /** Checks the previous character against the class of the next instruction. */
  | 'lookBack'
  /** Runs the following instructions up to `done` as an assertion, then continues at `target`. */
  | 'assert'
  /** Runs the following instructions up to `done` without backtracking into them, then continues at `target`. */
  | 'commit'
  | 'done'
  /** Continues at `target`. */
  | 'jump'
  /** Continues at `target` if the next character allows it, else at `other`. */
  | 'either'
  /** Checks the next character. */
  | 'lookAhead';

/** Indexes of the first two instructions. */
export const deadEnd = 0;
export const entry = 1;

export interface Instruction {
  readonly kind: Kind;
  target: number;
  other: number;
  /** Index of a class. */
  readonly set: number;
  readonly isNegated: boolean;
  /** Whether an assertion reads backwards. */
  readonly isBehind: boolean;
  /** Memo slot for failures of a choice; its successes use the next slot; −1 for other instructions. */
  readonly slot: number;
  readonly isAsserted: boolean;
  /** Whether it starts the next iteration, so that a run stops here even without alternatives. */
  readonly isLoop: boolean;
}

/** The context that a part's instructions depend on. */
export interface Context {
  /** Whether the text is read backwards. */
  readonly isBack: boolean;
  /** Whether only the existence of a match matters, not its end. */
  readonly isAsserted: boolean;
}

/** A part of a regular expression. */
export interface Part {
  /** The class, if the part is a single character of it, in JavaScript's syntax with the flag `v`. */
  readonly set?: string;
  readonly mayBeEmpty: boolean;
  /** Emits the part's instructions. */
  readonly emit: (program: Program, context: Context) => void;
}

/** Far more than any tokenizer's pattern needs. */
const maxWork = 8192;

export class Program {
  readonly instructions: Instruction[] = [];
  readonly sets = new Map<string, number>();
  slots = 0;
  #work = 0;

  /** @throws RangeError for an expression that is too large */
  constructor(whole: Part) {
    this.add('deadEnd');
    this.emit(whole, { isBack: false, isAsserted: false });
    this.add('done');
  }

  /** Index of the next instruction. */
  get end(): number {
    return this.instructions.length;
  }

  emit(part: Part, context: Context): void {
    if (++this.#work > maxWork) throw new RangeError('regular expression: too large');
    part.emit(this, context);
  }

  add(kind: Kind, options: Partial<Instruction> = {}): Instruction {
    const none = { target: 0, other: 0, set: 0, slot: -1, isLoop: false };
    const added = { ...none, isNegated: false, isBehind: false, isAsserted: false, kind, ...options };
    this.instructions.push(added);
    return added;
  }

  addClass(kind: Kind, source: string, options: Partial<Instruction> = {}): void {
    this.add(kind, { ...options, set: this.indexOf(source) });
  }

  indexOf(source: string): number {
    return getOrCreate(this.sets, source, () => this.sets.size);
  }

  /** Adds an instruction with alternatives. */
  addChoice(kind: Kind, { isAsserted }: Context, options: Partial<Instruction> = {}): Instruction {
    const slot = this.slots;
    this.slots += isAsserted ? 2 : 1;
    return this.add(kind, { ...options, slot, isAsserted });
  }

  /** Adds a part that runs as a separate run. */
  addApart(kind: Kind, part: Part, context: Context, options: Partial<Instruction> = {}): void {
    const start = this.add(kind, options);
    this.emit(part, context);
    this.add('done');
    start.target = this.end;
  }
}
