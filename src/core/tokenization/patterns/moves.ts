import { getOrCreate } from '../../get-or-create.ts';
import { grown } from '../../sampling/scratch.ts';
import { codePointAt, isHighSurrogate } from '../aligned-text.ts';
import { deadEnd, type Program } from './program.ts';

/** 32 MB. */
const maxMoves = 2 ** 24;
/** Marks an entry that isn't computed yet. */
const unknown = 0xff_ff;

/**
 * Where each instruction leads for the next character: past everything that the character decides, to an instruction
 * that takes it, branches or looks elsewhere. Characters of the same classes share a row.
 */
export class Moves {
  readonly size: number;
  table: Uint16Array;
  readonly #program: Program;
  readonly #sets: readonly RegExp[];
  /** Row numbers by the classes of a character. No row has the number 0. */
  readonly #rows = new Map<string, number>();
  /** Row numbers of characters with one code unit, 0 if not computed yet. */
  readonly #rowOfUnit = new Uint16Array(0x1_00_00);
  readonly #rowOfPair = new Map<number, number>();
  /** Offset of the row of an empty text. */
  readonly #emptyRow: number;

  /** @throws SyntaxError for a class that the engine doesn't support */
  constructor(program: Program) {
    this.#program = program;
    this.#sets = Array.from(program.sets.keys(), (source) => new RegExp(`^[${source}]$`, 'v'));
    this.size = program.instructions.length;
    this.table = new Uint16Array(8 * this.size);
    this.#emptyRow = this.#findRow('') * this.size;
  }

  /**
   * Writes the row offset of each character of `units[start, end)`, with an empty row before and after. @returns the
   * number of characters
   */
  read(units: Uint16Array, start: number, end: number, rows: Int32Array): number {
    const rowOfUnit = this.#rowOfUnit;
    let count = 0;
    rows[0] = this.#emptyRow;
    for (let at = start; at < end; at++) {
      const unit = units[at]!;
      let row = rowOfUnit[unit]!;
      if (row === 0) {
        if (isHighSurrogate(unit)) {
          const pair = codePointAt(units, at++);
          row = getOrCreate(this.#rowOfPair, pair, () => this.#findRow(String.fromCodePoint(pair)));
        } else {
          row = this.#findRow(String.fromCodePoint(unit));
          rowOfUnit[unit] = row;
        }
      }
      rows[++count] = row * this.size;
    }
    rows[count + 1] = this.#emptyRow;
    return count;
  }

  /** The row of a character, or of an empty text. */
  #findRow(character: string): number {
    const isIn = this.#sets.map((set) => set.test(character));
    return getOrCreate(this.#rows, isIn.join(), () => this.#addRow(isIn));
  }

  #addRow(isIn: readonly boolean[]): number {
    const number = this.#rows.size + 1;
    const row = number * this.size;
    if (row > maxMoves) throw new RangeError('regular expression: tells too many kinds of characters apart');
    if (row + this.size > this.table.length) this.table = grown(this.table, 2 * row);
    this.table.fill(unknown, row, row + this.size);
    // Most instructions lead to later ones.
    for (let place = this.size - 1; place >= 0; place--) this.#resolve(place, row, isIn);
    return number;
  }

  #resolve(place: number, row: number, isIn: readonly boolean[]): number {
    const known = this.table[row + place]!;
    if (known !== unknown) return known;
    const found = this.#follow(place, (next) => this.#resolve(next, row, isIn), isIn);
    this.table[row + place] = found;
    return found;
  }

  #follow(place: number, resolve: (next: number) => number, isIn: readonly boolean[]): number {
    const { kind, target, other, set, isNegated, isLoop } = this.#program.instructions[place]!;
    const takes = isIn[set] === true;
    const ifLeads = (next: number): number => (resolve(next) === deadEnd ? deadEnd : place);
    switch (kind) {
      case 'takeOne':
        return takes ? place : deadEnd;
      case 'takeMost':
      case 'takeAll':
        return takes ? place : resolve(place + 1);
      case 'fork':
        if (isLoop) return resolve(target) === deadEnd ? ifLeads(other) : place;
        if (resolve(target) === deadEnd) return resolve(other);
        return resolve(other) === deadEnd ? resolve(target) : place;
      case 'either':
        return resolve(target) === deadEnd ? resolve(other) : resolve(target);
      case 'jump':
        return resolve(target);
      case 'lookAhead':
        return takes === isNegated ? deadEnd : resolve(place + 1);
      case 'lookBack':
        return ifLeads(place + 2);
      case 'assert':
        return ifLeads(target);
      case 'commit':
        return ifLeads(place + 1);
      default:
        return place;
    }
  }
}
