import { describeValue } from '../../../../core/text/quote.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { readJson } from '../../../../folder/model-folder.ts';

type Json = Readonly<Record<string, unknown>>;
type Check = readonly [expected: string, fits: (value: unknown) => boolean];

const aText: Check = ['text', (value) => typeof value === 'string'];
const aNumber: Check = ['a number', (value) => Number.isFinite(value)];
const aPositive: Check = ['a number above 0', (value) => Number.isFinite(value) && (value as number) > 0];
const anInteger: Check = ['an integer', Number.isSafeInteger];

const integers = (value: unknown): boolean => Array.isArray(value) && value.every(Number.isSafeInteger);
const values = (value: unknown): readonly unknown[] => Object.values(value ?? {});
const idMap: Check = [
  'lists of ids, those of _, ^ and $ included',
  (value) => values(value).every(integers) && ['_', '^', '$'].every((one) => Object.hasOwn(value ?? {}, one)),
];
const speakerMap: Check = ['names with integers', (value) => values(value).every(Number.isSafeInteger)];
const clusterList: Check = [
  'lists of symbols',
  (value) => Array.isArray(value) && value.every((one) => Array.isArray(one) && one.every(aText[1])),
];

export type PiperConfig = Awaited<ReturnType<typeof readPiperConfig>>;

/** Missing members get the defaults of `piper-tts`. */
export async function readPiperConfig(path: string, file: string) {
  const config = await readJson(path, file);
  const read = <T>(member: string, [expected, fits]: Check, fallback?: T): T => {
    const ofKey = (value: unknown, key: string): unknown => (value as Json | undefined)?.[key];
    const value = member.split('.').reduce(ofKey, config) ?? fallback;
    if (fits(value)) return value as T;
    throw sourceError(`${file}: ${member}: expected ${expected}, got ${describeValue(value)}`);
  };
  const espeakVoice = read<string>('espeak.voice', aText);
  const count = read('num_speakers', aPositive, 1);
  const named = Object.entries(read<Record<string, number>>('speaker_id_map', speakerMap, {}));
  const initial = read('default_speaker_id', anInteger, 0);
  const speakers =
    named.length > 0 ? named : Array.from({ length: count }, (_, id) => [String(id), id] as const);
  return {
    sampleRateHz: read<number>('audio.sample_rate', aPositive),
    /** eSpeak NG's name. */
    espeakVoice,
    /** BCP 47. */
    language: read('language.code', aText, espeakVoice).replace('_', '-'),
    scales: {
      noise: read('inference.noise_scale', aNumber, 0.667),
      length: read('inference.length_scale', aPositive, 1),
      durationNoise: read('inference.noise_w', aNumber, 0.8),
    },
    /** Source of the symbols that the voice was trained on. */
    phonemeType: read('phoneme_type', aText, 'espeak'),
    /** Ids of each symbol, including `_`, `^` and `$`. */
    ids: new Map(Object.entries(read<Record<string, readonly number[]>>('phoneme_id_map', idMap))),
    /** Symbols of several code points. */
    clusters: read<readonly (readonly string[])[]>('vowel_clusters', clusterList, []).map((one) =>
      one.join(''),
    ),
    /** Number of each speaker, default first; empty for a single speaker. */
    speakers: new Map(
      count === 1
        ? []
        : speakers.toSorted(([, one], [, other]) => Number(other === initial) - Number(one === initial)),
    ),
  };
}
