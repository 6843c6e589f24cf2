import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import { OpenRuns } from '../../../concurrency/open-runs.ts';
import { tidyText } from '../../../core/speech/normalization/tidy-text.ts';
import { restAfter } from '../../../core/speech/piece-audio.ts';
import { splitPhonemes } from '../../../core/speech/pieces.ts';
import { splitSentences } from '../../../core/speech/sentences.ts';
import { quote } from '../../../core/text/quote.ts';
import { assertWanted, fieldError } from '../../../errors.ts';
import { locateModel } from '../../../models/source.ts';
import { createEncoderFinder } from '../../../runtime/audio-encode/encoders.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../../categories/contract.ts';
import type { SpeechEvent, SpeechModelInfo } from '../../../categories/speech/events.ts';
import { speechParameters } from '../../../categories/speech/parameters.ts';
import type { SpeechRequest } from '../../../categories/speech/request.ts';
import type { SpeechSettings } from '../../../categories/speech/settings.ts';
import { readChangeTime } from '../../../models/model-folder.ts';
import { loadSynthesizer } from './load-synthesizer.ts';
import type { TextSynthesizer } from './synthesizer.ts';

/** Long texts take turns with short ones, piece by piece. */
const concurrency = 4;
/** Characters, about fifteen seconds: nothing can be cancelled while a piece is made. */
const longestPiece = 200;
const speakable = /[\p{L}\p{N}]/u;

/**
 * Loads a text-to-speech model of an architecture of `@huggingface/transformers`.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadTransformersSpeech(
  spec: ModelSpec<SpeechSettings>,
): Promise<Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>> {
  const path = locateModel(spec.source);
  const synthesizer = await loadSynthesizer(path, spec);
  const { sampleRateHz } = synthesizer;
  const findEncoder = createEncoderFinder({ ffmpegPath: spec.ffmpegPath });
  const runs = new OpenRuns();
  const inTurn = limitConcurrency(1);

  async function* run(request: SpeechRequest, signal: AbortSignal | undefined): AsyncGenerator<SpeechEvent> {
    const { speed, format } = request;
    const voice = readVoice(request.voice, synthesizer);
    if (speed !== 1 && !synthesizer.hasSpeed) {
      throw fieldError('speed', `expected 1 for this model, got ${speed}`, { code: 'unsupported_feature' });
    }
    const encoder = await findEncoder(format);
    const pieces = splitSentences(tidyText(request.input))
      .flatMap((sentence) => splitPhonemes(sentence, { limit: longestPiece }))
      .filter((piece) => speakable.test(piece));
    if (pieces.length === 0) throw fieldError('input', 'expected a text with something to speak');

    let samples = 0;
    const spoken = (async function* () {
      for (const [index, piece] of pieces.entries()) {
        // Others get their turn, and the news that the caller has gone gets through.
        await setImmediate();
        const audio = await inTurn(() => {
          assertWanted(signal);
          return synthesizer.speak(piece, voice, speed);
        });
        const rest = index === pieces.length - 1 ? 0 : (restAfter(piece) / speed) * sampleRateHz;
        const withRest = new Float32Array(audio.length + Math.round(rest));
        withRest.set(audio);
        samples += withRest.length;
        yield withRest;
      }
    })();
    let hasStarted = false;
    for await (const bytes of encoder.encode(spoken, {
      sampleRateHz,
      isWhole: pieces.length === 1,
      signal,
    })) {
      if (!hasStarted) yield { type: 'speech-start', mediaType: encoder.mediaType, sampleRateHz };
      hasStarted = true;
      yield { type: 'audio', bytes };
    }
    yield { type: 'speech-end', durationSeconds: samples / sampleRateHz };
  }

  return {
    concurrency,
    info: {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'speech',
      contextLength: 0,
      voices: synthesizer.voices.map((id) => ({ id, name: id, language: 'und' })),
      voiceAliases: false,
      created: await readChangeTime(join(path, 'config.json')),
      ownedBy: 'slashv1',
    },
    run: (request, { signal }: RunOptions = {}) => runs.track(run(request, signal)),
    async close() {
      await runs.ended();
      await synthesizer.release();
    },
  };
}

/** The voice of a request; the usual name of one stands for the first where the model has none of that name. */
function readVoice(voice: string, { voices }: TextSynthesizer): string {
  if (voices.includes(voice)) return voice;
  if (voice === speechParameters.voice.default) return voices[0]!;
  throw fieldError('voice', `expected one of ${voices.join(', ')}, got ${quote(voice)}`);
}
