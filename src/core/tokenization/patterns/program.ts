import { getOrCreate } from '../../get-or-create.ts';

/** The work of an instruction. No run comes to the last three: the next character tells where they lead. */
export type Kind =
  /** There is no way on. */
  | 'deadEnd'
  /** Takes one character of a class. */
  | 'takeOne'
  /** Takes as many characters of a class as there are, and gives them back one by one. */
  | 'takeMost'
  /** Takes as many characters of a class as there are, and gives none back. */
  | 'takeAll'
  /** Goes on at `target`, and at `other` if that fails. */
  | 'fork'
  /** Looks at the character that was read last, for the class of the next instruction. */
  | 'lookBack'
  /** Runs what follows up to `done` as an assertion, then goes on at `target`. */
  | 'assert'
  /** Runs what follows up to `done`, of which nothing is given back, then goes on at `target`. */
  | 'commit'
  | 'done'
  /** Goes on at `target`. */
  | 'jump'
  /** Goes on at `target` if the next character lets it, else at `other`. */
  | 'either'
  /** Looks at the next character. */
  | 'lookAhead';

/** Places of the first two instructions. */
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
  /** Where failures of a choice are remembered, and successes in the slot after it; −1 for what isn't a choice. */
  readonly slot: number;
  readonly isAsserted: boolean;
  /** Whether it begins another round, so that a run stops here even if there is one way on alone. */
  readonly isLoop: boolean;
}

/** Circumstances that the instructions of a part depend on. */
export interface Context {
  /** Whether the text is read backwards. */
  readonly isBack: boolean;
  /** Whether it only counts that there is a match, not where it ends. */
  readonly isAsserted: boolean;
}

/** A part of a regular expression. */
export interface Part {
  /** The class of which it is one character, as JavaScript writes it with the flag `v`. */
  readonly set?: string;
  readonly mayBeEmpty: boolean;
  /** Adds its instructions. */
  readonly emit: (program: Program, context: Context) => void;
}

/** Far beyond any tokenizer's pattern. */
const maxWork = 8192;

/** The instructions of a regular expression. */
export class Program {
  readonly instructions: Instruction[] = [];
  /** Index of each class of characters. */
  readonly sets = new Map<string, number>();
  slots = 0;
  #work = 0;

  /** @throws RangeError for an expression that is too large */
  constructor(whole: Part) {
    this.add('deadEnd');
    this.emit(whole, { isBack: false, isAsserted: false });
    this.add('done');
  }

  /** Where the next instruction will be. */
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

  /** Adds an instruction with more than one way on. */
  addChoice(kind: Kind, { isAsserted }: Context, options: Partial<Instruction> = {}): Instruction {
    const slot = this.slots;
    this.slots += isAsserted ? 2 : 1;
    return this.add(kind, { ...options, slot, isAsserted });
  }

  /** Adds a part that runs on its own. */
  addApart(kind: Kind, part: Part, context: Context, options: Partial<Instruction> = {}): void {
    const start = this.add(kind, options);
    this.emit(part, context);
    this.add('done');
    start.target = this.end;
  }
}
