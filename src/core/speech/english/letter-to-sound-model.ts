import { getOrCreate } from '../../get-or-create.ts';
import { isVowel, namesOfSounds, withLessStress, type Pronunciation } from './arpabet-sounds.ts';
import { RunTree } from './run-tree.ts';

/** Predicts the pronunciation of words that the dictionary lacks. */
export interface LetterToSoundModel {
  /**
   * @param word in the letters a to z
   * @param candidates pronunciations from the word's parts; one wins if it is about as likely as the best
   * @returns ARPABET with one main stress; empty if the likeliest pronunciation has no vowel
   */
  pronounce(word: string, candidates?: Iterable<Pronunciation>): Pronunciation;
}

/** Parameters of a model. */
export interface LetterToSoundTable {
  /** Letters with their sounds, such as `a:AE1`, with commas between them; the first one is symbol 1. */
  readonly pairs: string;
  /** The runs of pairs, for a {@link RunTree}. */
  readonly runs: string;
}

/** A letter with its sounds. */
interface Pair {
  readonly symbol: number;
  readonly sounds: readonly string[];
  /** The sounds without stress. */
  readonly names: readonly string[];
}

/** A pronunciation of the beginning of a word. */
interface Hypothesis {
  readonly cost: number;
  /** The run of the tree that it ends with. */
  readonly run: number;
  /** Number of sounds. */
  readonly length: number;
  readonly pair: Pair;
  readonly before: Hypothesis | undefined;
}

const beamWidth = 24;
/** Hypotheses that cost more than the best by more than this are dropped. */
const beamDepth = 14;
/** Pronunciations from known parts may cost more by this: they are right more often than the model's. */
const knownPartsBonus = 6;
const maxCandidates = 12;
/** More than the sounds of any candidate. */
const maxSounds = 1 << 12;
const end = toPair(0, '');

/**
 * Loads letter-to-sound rules of English: each letter with its sounds is a symbol, and a word's pronunciation is the likeliest
 * sequence of symbols (joint-sequence model), learned from the 125,000 words of CMUdict. It takes two tenths of a second and 4 MB.
 *
 * Source: M. Bisani, H. Ney: Joint-sequence models for grapheme-to-phoneme conversion (2008)
 *
 * @example
 * ```ts
 * const rules = await letterToSound();
 * rules.pronounce('blarning'); // 'B L AA1 R N IH0 NG'
 * ```
 */
export function letterToSound(): Promise<LetterToSoundModel> {
  return (loaded ??= import('./letter-to-sound-table.ts').then(createLetterToSound));
}

let loaded: Promise<LetterToSoundModel> | undefined;

export function createLetterToSound(table: LetterToSoundTable): LetterToSoundModel {
  return new JointSequences(table);
}

class JointSequences implements LetterToSoundModel {
  readonly #pairsOf: ReadonlyMap<string, readonly Pair[]>;
  readonly #tree: RunTree;

  constructor({ pairs, runs }: LetterToSoundTable) {
    this.#pairsOf = readPairs(pairs);
    this.#tree = new RunTree(runs, pairs.split(',').length + 1);
  }

  pronounce(word: string, candidates: Iterable<Pronunciation> = []): Pronunciation {
    const likeliest = this.#decode(word);
    let best = { pronunciation: read(likeliest), cost: (likeliest?.cost ?? Infinity) + knownPartsBonus };
    let left = maxCandidates;
    for (const pronunciation of candidates) {
      const cost = this.#decode(word, namesOfSounds(pronunciation))?.cost ?? Infinity;
      if (cost <= best.cost) best = { pronunciation, cost };
      left--;
      if (left === 0) break;
    }
    return withOneStress(best.pronunciation);
  }

  /** @param wanted if given, the only pronunciation allowed, without stress digits */
  #decode(word: string, wanted?: readonly string[]): Hypothesis | undefined {
    const { run } = this.#tree.follow(0, end.symbol);
    let beam: Hypothesis[] = [{ cost: 0, run, length: 0, pair: end, before: undefined }];
    for (let at = 0; at <= word.length; at++) {
      const possible = at < word.length ? (this.#pairsOf.get(word[at]!) ?? []) : [end];
      beam = prune(this.#extend(beam, possible, wanted), wanted !== undefined);
    }
    return beam[0];
  }

  #extend(beam: readonly Hypothesis[], possible: readonly Pair[], wanted?: readonly string[]): Hypothesis[] {
    return beam.flatMap((before) => {
      const fitting = wanted ? possible.filter((pair) => fits(pair, before.length, wanted)) : possible;
      return fitting.map((pair) => {
        const { run, cost } = this.#tree.follow(before.run, pair.symbol);
        return { cost: before.cost + cost, run, length: before.length + pair.sounds.length, pair, before };
      });
    });
  }
}

/** The likeliest hypotheses. Of those with the same continuations the best is enough. */
function prune(hypotheses: Hypothesis[], isBound: boolean): Hypothesis[] {
  hypotheses.sort((one, other) => one.cost - other.cost);
  const most = (hypotheses[0]?.cost ?? 0) + beamDepth;
  const seen = new Set<number>();
  const beam: Hypothesis[] = [];
  for (const hypothesis of hypotheses) {
    if (beam.length === beamWidth || hypothesis.cost > most) break;
    const place = hypothesis.run * maxSounds + (isBound ? hypothesis.length : 0);
    if (seen.has(place)) continue;
    seen.add(place);
    beam.push(hypothesis);
  }
  return beam;
}

function readPairs(pairs: string): Map<string, Pair[]> {
  const pairsOf = new Map<string, Pair[]>();
  for (const [index, pair] of pairs.split(',').entries()) {
    getOrCreate(pairsOf, pair.charAt(0), () => []).push(toPair(index + 1, pair.slice(2)));
  }
  return pairsOf;
}

function toPair(symbol: number, sounds: Pronunciation): Pair {
  if (sounds === '') return { symbol, sounds: [], names: [] };
  return { symbol, sounds: sounds.split(' '), names: namesOfSounds(sounds) };
}

function fits({ symbol, names }: Pair, at: number, wanted: readonly string[]): boolean {
  if (symbol === 0) return at === wanted.length;
  return names.every((name, index) => name === wanted[at + index]);
}

function read(hypothesis: Hypothesis | undefined): Pronunciation {
  const sounds: string[] = [];
  for (let at = hypothesis; at; at = at.before) sounds.unshift(...at.pair.sounds);
  return sounds.some(isVowel) ? sounds.join(' ') : '';
}

/** Keeps the last main stress, or else promotes a secondary stress or the first vowel. */
function withOneStress(pronunciation: Pronunciation): Pronunciation {
  const main = [pronunciation.lastIndexOf('1'), pronunciation.indexOf('2'), pronunciation.indexOf('0')].find(
    (at) => at >= 0,
  );
  if (main === undefined) return pronunciation;
  return `${withLessStress(pronunciation.slice(0, main))}1${pronunciation.slice(main + 1)}`;
}
