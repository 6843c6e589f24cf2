import { getOrCreate } from '../../get-or-create.ts';
import { isVowel, namesOfSounds, withLessStress, type Pronunciation } from './arpabet-sounds.ts';
import { learnAlignment, toSpokenWords } from './letter-sounds.ts';
import { createSequenceModel, type Context } from './sequence-model.ts';

/** Predicts the pronunciation of words that the dictionary lacks. */
export interface LetterToSoundModel {
  /**
   * @param word in the letters a to z
   * @param candidates pronunciations from the word's parts; one wins if it is about as likely as the best
   * @returns ARPABET with one main stress; empty if the likeliest pronunciation has no vowel
   */
  pronounce(word: string, candidates?: Iterable<Pronunciation>): Pronunciation;
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
  /** Log probability. */
  readonly score: number;
  readonly context: Context;
  /** Number of sounds. */
  readonly length: number;
  readonly pair: Pair;
  readonly before: Hypothesis | undefined;
}

const beamWidth = 24;
/** Hypotheses whose log probability is lower than the best by more than this are dropped. */
const beamDepth = 10;
/** Log probability bonus for pronunciations from known parts, which are right more often than the model's. */
const knownPartsBonus = 4;
const maxCandidates = 12;
/** A pair in fewer than one of this many words is an error of the dictionary, or foreign. */
const rarest = 50_000;
const end = toPair(0, '');

/**
 * Learns letter-to-sound rules from a dictionary: each letter with its sounds is a symbol, and a word's pronunciation
 * is the likeliest sequence of symbols (joint-sequence model). Learning takes about a second and 16 MB for 125,000
 * words.
 *
 * Source: M. Bisani, H. Ney: Joint-sequence models for grapheme-to-phoneme conversion (2008)
 *
 * @param dictionary words in lower case and their ARPABET, as `dictionary` of the package `cmu-pronouncing-dictionary`
 * @throws RangeError for a sound that isn't ARPABET
 *
 * @example
 * ```ts
 * const dictionary = { bat: 'B AE1 T', tab: 'T AE1 B', bit: 'B IH1 T' };
 * learnLetterToSound(dictionary).pronounce('tib'); // 'T IH1 B'
 * ```
 */
export function learnLetterToSound(dictionary: Readonly<Record<string, Pronunciation>>): LetterToSoundModel {
  const words = toSpokenWords(dictionary);
  const align = learnAlignment(words);
  const model = createSequenceModel(words.reduce((total, { word }) => total + word.length + 2, 0));
  /** Letter → its sounds → the pair. */
  const pairsOf = new Map<string, Map<string, Pair>>();
  /** How often each pair occurred, by its symbol. */
  const uses = [0];
  const symbols = new Uint16Array(64);
  for (const spoken of words) {
    const split = align(spoken);
    if (split === undefined) continue;
    let said = 0;
    for (let at = 0; at < split.length; at++) {
      const length = split[at]!;
      const letter = spoken.word[at]!;
      const first = length === 0 ? '' : spoken.sounds[said]!;
      const sounds = length === 2 ? `${first} ${spoken.sounds[said + 1]!}` : first;
      const known = getOrCreate(pairsOf, letter, () => new Map<string, Pair>());
      const pair = getOrCreate(known, sounds, () => toPair(uses.push(0) - 1, sounds));
      uses[pair.symbol]! += 1;
      symbols[at + 1] = pair.symbol;
      said += length;
    }
    symbols[split.length + 1] = 0;
    model.add(symbols, split.length + 2);
  }
  const usual = new Map(
    Array.from(pairsOf, ([letter, known]) => [
      letter,
      [...known.values()].filter(({ symbol }) => uses[symbol]! > words.length / rarest),
    ]),
  );

  /** @param wanted if given, the only pronunciation allowed, without stress digits */
  const decode = (word: string, wanted?: readonly string[]): Hypothesis | undefined => {
    let beam: Hypothesis[] = [{ score: 0, context: model.start, length: 0, pair: end, before: undefined }];
    for (let at = 0; at <= word.length; at++) {
      const possible = at < word.length ? (usual.get(word[at]!) ?? []) : [end];
      const next = beam.flatMap((before) => {
        const fitting = wanted ? possible.filter((pair) => fits(pair, before.length, wanted)) : possible;
        return fitting.map((pair) => ({
          score: before.score + Math.log(model.probability(before.context, pair.symbol)),
          pair,
          before,
        }));
      });
      next.sort((one, other) => other.score - one.score);
      const least = (next[0]?.score ?? 0) - beamDepth;
      beam = [];
      const seen = new Set<string>();
      for (const { score, pair, before } of next) {
        if (beam.length === beamWidth || score < least) break;
        const context = model.advance(before.context, pair.symbol);
        // Hypotheses with the same context have the same continuations, so the best of them is enough.
        const length = before.length + pair.sounds.length;
        const place = `${context.at(-1)!} ${wanted ? length : ''}`;
        if (seen.has(place)) continue;
        seen.add(place);
        beam.push({ score, context, length, pair, before });
      }
    }
    return beam[0];
  };

  return {
    pronounce(word, candidates = []) {
      const likeliest = decode(word);
      let best = { pronunciation: read(likeliest), score: (likeliest?.score ?? -Infinity) - knownPartsBonus };
      let left = maxCandidates;
      for (const pronunciation of candidates) {
        const score = decode(word, namesOfSounds(pronunciation))?.score ?? -Infinity;
        if (score >= best.score) best = { pronunciation, score };
        left--;
        if (left === 0) break;
      }
      return withOneStress(best.pronunciation);
    },
  };
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
