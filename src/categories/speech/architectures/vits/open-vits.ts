import type { ModelSpec } from '../../../../contracts/model.ts';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { symbolBounds } from '../../../../core/speech/timing/symbol-bounds.ts';
import type { SpeechSettings } from '../../settings.ts';
import type { Synthesizer } from '../../synthesizer.ts';
import { openHubVoice } from './hub-voice.ts';
import { openPiperVoice } from './piper-voice.ts';
import { openSpeechGraph } from '../../pipeline/open-graph.ts';
import { createVitsGraph, vitsDurations } from './vits-graph.ts';

/** Marks that no symbol needs to stand for: texts are cut after them. */
const mark = /[\p{P}\s]/u;

/** @throws InferenceError `invalid_request` naming the file or setting that doesn't fit */
export async function openVits(
  spec: ModelSpec<SpeechSettings>,
  sessions: SessionBackend,
): Promise<Synthesizer> {
  const voice = (await openPiperVoice(spec)) ?? (await openHubVoice(spec));
  const { sampleRateHz, voices, speakers, scales } = voice;
  const session = await openSpeechGraph(voice.graph, spec, { sessions, durations: vitsDurations });
  try {
    const graph = createVitsGraph(session);
    if (graph.hasSpeakers !== speakers.size > 0) {
      throw sourceError(
        `the graph has ${graph.hasSpeakers ? 'several speakers' : 'one speaker'}, its config differs`,
      );
    }
    return {
      sampleRateHz,
      voices,
      hasSpeed: graph.hasSpeed,
      hasWordTimes: graph.hasDurations && voice.hasPlaces,
      mixesVoices: false,
      findSpeaker: async ([share]) => ({
        prepare: (text) => voice.prepare(text),
        async pronounce(sentence) {
          const symbols = Array.from(await voice.pronounce(sentence));
          return symbols.filter((symbol) => voice.knows(symbol) || mark.test(symbol)).join('');
        },
        async speak(piece, options) {
          const { ids, places } = voice.toIds(piece);
          if (ids.length === 0) return { samples: new Float32Array() };
          const speaker = speakers.get(share!.voice) ?? 0;
          const { samples, durations } = await graph.speak(ids, { ...options, scales, speaker });
          if (!durations || !places) return { samples };
          const symbols = Array.from(piece).length;
          return { samples, bounds: symbolBounds({ durations, places, symbols, samples: samples.length }) };
        },
      }),
      release: () => session.release(),
    };
  } catch (error) {
    await session.release();
    throw error;
  }
}
