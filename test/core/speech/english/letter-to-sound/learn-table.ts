import { getOrCreate } from '../../../../../src/core/get-or-create.ts';
import type { Pronunciation } from '../../../../../src/core/speech/english/arpabet-sounds.ts';
import type { LetterToSoundTable } from '../../../../../src/core/speech/english/letter-to-sound-model.ts';
import { countRuns } from './count-runs.ts';
import { learnAlignment, toSpokenWords } from './letter-sounds.ts';
import { packRuns } from './pack-runs.ts';
import { pruneRuns } from './prune-runs.ts';

/** A pair in fewer than one of this many words is an error of the dictionary, or foreign; words with it are left out. */
const rarest = 50_000;

/**
 * Learns a table of letter-to-sound rules from a dictionary.
 *
 * @param dictionary words in lower case and their ARPABET, as `dictionary` of the package `cmu-pronouncing-dictionary`
 * @param leastLoss relative entropy below which a run is left out
 * @throws RangeError for a sound that isn't ARPABET
 */
export function learnTable(
  dictionary: Readonly<Record<string, Pronunciation>>,
  leastLoss: number,
): LetterToSoundTable {
  const words = toSpokenWords(dictionary);
  const align = learnAlignment(words);
  const uses = new Map<string, number>();
  const aligned: string[][] = [];
  for (const spoken of words) {
    const split = align(spoken);
    if (split === undefined) continue;
    let said = 0;
    const pairs = Array.from(split, (length, at) => {
      const sounds = spoken.sounds.slice(said, said + length);
      said += length;
      return `${spoken.word[at]!}:${sounds.join(' ')}`;
    });
    for (const pair of pairs) uses.set(pair, getOrCreate(uses, pair, () => 0) + 1);
    aligned.push(pairs);
  }
  const usual = aligned.filter((all) => all.every((pair) => uses.get(pair)! > words.length / rarest));
  const pairs = [...new Set(usual.flat())].sort((one, other) => uses.get(other)! - uses.get(one)!);
  const symbols = new Map(pairs.map((pair, index) => [pair, index + 1]));
  const sequences = usual.map((all) => [0, ...all.map((pair) => symbols.get(pair)!), 0]);
  const runs = countRuns(sequences, pairs.length + 1);
  return { pairs: pairs.join(','), runs: packRuns(runs, pruneRuns(runs, leastLoss)) };
}
