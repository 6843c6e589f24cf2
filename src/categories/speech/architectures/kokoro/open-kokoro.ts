import { getOrCreate } from '../../../../core/get-or-create.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { describeVoice, mixStyles, type VoiceShare } from '../../../../core/speech/voices.ts';
import { locateModel } from '../../../../folder/source.ts';
import { openSpeechGraph } from '../../pipeline/open-graph.ts';
import { isReadByEspeak } from '../../pipeline/pronunciation.ts';
import { createReaders } from '../../pipeline/readers.ts';
import type { SpeechSettings } from '../../settings.ts';
import type { Synthesizer } from '../../synthesizer.ts';
import { openKokoroFolder, readVoice } from './kokoro-folder.ts';
import { createKokoroGraph, kokoroDurations } from './kokoro-graph.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';

interface VoiceShelfOptions {
  readonly styleSize: number;
  /** BCP 47 tags of the supported languages. */
  readonly languages: { has(language: string): boolean };
}

/** @param files voice id → path of its style table, read on first use */
export function createVoiceShelf(
  files: ReadonlyMap<string, string>,
  { styleSize, languages }: VoiceShelfOptions,
) {
  const tables = new Map<string, Promise<Float32Array>>();
  const read = (voice: string): Promise<Float32Array> =>
    getOrCreate(tables, voice, () => readVoice(files.get(voice)!, styleSize));
  /** Texts longer than the table use its last style. */
  const rowOf = (styles: Float32Array, phonemes: number): Float32Array => {
    const row = Math.min(phonemes, styles.length / styleSize - 1);
    return styles.subarray(row * styleSize, (row + 1) * styleSize);
  };
  return {
    voices: [...files.keys()].map(describeVoice).filter(({ language }) => languages.has(language)),
    /** `undefined` for an unknown voice; the caller appends the list of usable voices. */
    explain(voice: string): string | undefined {
      if (!files.has(voice)) return undefined;
      const { language } = describeVoice(voice);
      const remedy = isReadByEspeak(language)
        ? 'which needs eSpeak NG; install it with `npm install piper-phonemize`, or take'
        : "which can't be read here; expected";
      return `${voice} speaks ${language}, ${remedy}`;
    },
    /** @returns the style for a number of phonemes */
    async mix(shares: readonly VoiceShare[]): Promise<(phonemes: number) => Float32Array> {
      const mixed = shares.map(async ({ voice, weight }) => ({ styles: await read(voice), weight }));
      const all = await Promise.all(mixed);
      return (phonemes) =>
        mixStyles(all.map(({ styles, weight }) => ({ style: rowOf(styles, phonemes), weight })));
    },
  };
}

const sampleRateHz = 24_000;

export async function openKokoro(
  spec: ModelSpec<SpeechSettings>,
  sessions: SessionBackend,
): Promise<Synthesizer> {
  const folder = await openKokoroFolder(locateModel(spec.source), spec);
  const { config, vocabulary, maxPhonemes } = folder;
  const readers = await createReaders({
    phonemizer: spec.phonemizer,
    preferred: config['phonemizer'],
    languages: [...folder.voices.keys()].map((id) => describeVoice(id).language),
  });
  return releaseOnFailure(async (own) => {
    const session = own(await openSpeechGraph(folder.graph, spec, { sessions, durations: kokoroDurations }));
    const graph = createKokoroGraph(session);
    const shelf = createVoiceShelf(folder.voices, { styleSize: graph.styleSize, languages: readers });
    return {
      sampleRateHz,
      voices: shelf.voices,
      hasSpeed: graph.hasSpeed,
      hasWordTimes: graph.hasWordTimes,
      mixesVoices: true,
      explainVoice: (voice) => shelf.explain(voice),
      async findSpeaker(shares) {
        const styleFor = await shelf.mix(shares);
        const { prepare, phonemizer } = readers.get(describeVoice(shares[0]!.voice).language)!;
        return {
          prepare,
          maxPieceLength: maxPhonemes,
          async pronounce(sentence) {
            const phonemes = Array.from(await phonemizer.phonemize(sentence));
            return phonemes.filter((phoneme) => vocabulary.has(phoneme)).join('');
          },
          speak(piece, options) {
            const ids = Array.from(piece, (phoneme) => vocabulary.get(phoneme)!);
            return graph.speak(ids, styleFor(ids.length), options);
          },
        };
      },
      release: () => session.release(),
    };
  });
}
