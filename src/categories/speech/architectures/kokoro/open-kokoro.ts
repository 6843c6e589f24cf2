import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { describeVoice } from '../../../../core/speech/voices.ts';
import { locateModel } from '../../../../folder/source.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { createReaders } from '../../pipeline/readers.ts';
import type { SpeechSettings } from '../../settings.ts';
import type { Synthesizer } from '../../synthesizer.ts';
import { openKokoroFolder } from './kokoro-folder.ts';
import { openSpeechGraph } from '../../pipeline/open-graph.ts';
import { createKokoroGraph, kokoroDurations } from './kokoro-graph.ts';
import { VoiceShelf } from './voice-shelf.ts';

/** Sample rate of Kokoro's output, in Hz. */
const sampleRateHz = 24_000;

/** @throws InferenceError `invalid_request` naming the file or setting that doesn't fit */
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
  const session = await openSpeechGraph(folder.graph, spec, { sessions, durations: kokoroDurations });
  try {
    const graph = createKokoroGraph(session);
    const shelf = new VoiceShelf(folder.voices, { styleSize: graph.styleSize, languages: readers });
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
          longestPiece: maxPhonemes,
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
  } catch (error) {
    await session.release();
    throw error;
  }
}
