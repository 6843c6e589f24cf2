import { setImmediate } from 'node:timers/promises';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import { fadeEdgesInPlace, restAfter, trimSilence } from '../../../core/speech/piece-audio.ts';
import { readMarkup, type MarkedText } from '../../../core/speech/markup/read-markup.ts';
import { parseVoiceMix, type VoiceShare, aliasVoices } from '../../../core/speech/voices.ts';
import { quote } from '../../../core/text/quote.ts';
import { assertWanted, fieldError, inField, type InferenceError, unsupportedError } from '../../../errors.ts';
import { readChangeTime } from '../../../folder/model-folder.ts';
import { findMainFile, locateModel } from '../../../folder/source.ts';
import { createEncoderFinder } from '../../../runtime/audio-encode/encoders.ts';
import type { SpeechEvent, SpeechModelInfo, SpokenWord } from '../events.ts';
import { speechParameters } from '../parameters.ts';
import type { SpeechRequest } from '../request.ts';
import type { SpeechSettings } from '../settings.ts';
import type { Speaker, SpeakOptions, Synthesizer, Utterance } from '../synthesizer.ts';
import { toPieces, type Piece } from './to-pieces.ts';
import { timedPieces, type TimedPiece } from './word-times.ts';
import { servePipeline } from '../../serve-pipeline.ts';

export function readVoice(
  voice: string,
  synthesizer: Pick<Synthesizer, 'voices' | 'mixesVoices' | 'explainVoice'>,
  aliases: ReadonlyMap<string, string>,
): readonly VoiceShare[] {
  const names = synthesizer.voices.map(({ id }) => id);
  const resolve = (name: string): string => {
    const resolved = aliases.get(name) ?? name;
    if (names.includes(resolved)) return resolved;
    const offered = names.join(', ');
    const reason = synthesizer.explainVoice?.(resolved);
    if (reason !== undefined) throw fieldError('voice', `${reason} one of ${offered}`);
    throw fieldError('voice', `expected one of ${offered}, got ${quote(name)}`);
  };
  const isMissingDefault = voice === speechParameters.voice.default && !names.includes(voice);
  const whole = isMissingDefault ? names[0] : names.find((name) => name === voice);
  if (whole !== undefined) return [{ voice: whole, weight: 1 }];
  const shares = inField('voice', () => parseVoiceMix(voice));
  if (shares.length > 1 && !synthesizer.mixesVoices)
    throw unsupportedError('voice', `the model can't mix voices, got ${quote(voice)}`);
  return shares.map(({ voice: name, weight }) => ({ voice: resolve(name), weight }));
}

/** −54 dB of full scale. */
const silenceThreshold = 0.002;
const keptSilenceSeconds = 0.04;
const fadeSeconds = 0.005;

export async function loadSpeechPipeline(
  spec: ModelSpec<SpeechSettings>,
  sessions: SessionBackend,
  architecture: Architecture<Synthesizer>,
): Promise<Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>> {
  const synthesizer = await architecture.open(spec, sessions);
  const { sampleRateHz, voices } = synthesizer;
  const aliases = aliasVoices(spec.voiceAliases === false ? [] : voices.map(({ id }) => id));
  const findEncoder = createEncoderFinder({ ffmpegPath: spec.ffmpegPath });
  const oneByOne = limitConcurrency(1);

  return servePipeline(spec, {
    /** Long texts take turns with short texts, piece by piece. */
    concurrency: 4,
    /** Slots for more owners. */
    reserve: 12,
    info: {
      category: 'speech',
      contextLength: 0,
      voices,
      voiceAliases: spec.voiceAliases,
      created: await readChangeTime(findMainFile(locateModel(spec.source))!),
    },
    async *run(request, options) {
      const { signal } = options;
      const { speed, format, input, markup } = request;
      if (speed !== 1 && !synthesizer.hasSpeed)
        throw unsupportedError('speed', `expected 1 for this model, got ${speed}`);
      if (request.wordTimestamps && synthesizer.hasWordTimes !== true) throw noWordTimes();
      const shares = readVoice(request.voice, synthesizer, aliases);
      const [encoder, speaker] = await Promise.all([findEncoder(format), synthesizer.findSpeaker(shares)]);
      const marked: MarkedText = markup
        ? readMarkup(input)
        : { spans: [{ text: input, phonemes: [], pauseSeconds: undefined }], shown: input };
      const pieces = request.wordTimestamps
        ? timedPieces(marked, { speaker, signal, sampleRateHz })
        : toPieces(marked.spans, speaker);
      const { value: first } = await pieces.next();
      if (!first) throw fieldError('input', 'expected a text with something to speak');

      let samples = 0;
      const words: SpokenWord[] = [];
      const spoken = (async function* () {
        for (let piece: TimedPiece | undefined = first; piece; piece = (await pieces.next()).value) {
          // Lets requests run and abort signals arrive.
          await setImmediate();
          assertWanted(signal);
          const spokenPiece = piece;
          const { samples: audio, bounds } = await oneByOne(
            () => speakPiece(spokenPiece, speaker, { speed, signal, sampleRateHz }),
            options,
          );
          const start = samples;
          if (piece.wordsOf) {
            if (!bounds) throw noWordTimes();
            words.push(...piece.wordsOf(bounds.map((bound) => start + bound)));
          }
          samples += audio.length;
          yield audio;
        }
      })();
      let hasStarted = false;
      for await (const bytes of encoder.encode(spoken, { sampleRateHz, isWhole: first.isLast, signal })) {
        // Wait for the first audio: until then, a failure can become an error response.
        if (!hasStarted) yield { type: 'speech-start', mediaType: encoder.mediaType, sampleRateHz };
        hasStarted = true;
        yield { type: 'audio', bytes };
        if (words.length > 0) yield { type: 'words', words: words.splice(0) };
      }
      if (words.length > 0) yield { type: 'words', words };
      yield { type: 'speech-end', durationSeconds: samples / sampleRateHz };
    },
    models: [synthesizer],
  });
}

function noWordTimes(): InferenceError {
  const reason =
    'not supported: the graph of this model has no output for durations, see the setting wordTimes';
  return unsupportedError('timestamp_granularities', reason);
}

/** Speaks a piece without clicks, followed by its pause. */
async function speakPiece(
  { symbols, isLast, pauseSeconds }: Piece,
  speaker: Speaker,
  { sampleRateHz, ...options }: SpeakOptions & { readonly sampleRateHz: number },
): Promise<Utterance> {
  const { samples, bounds: untrimmed } = await speaker.speak(symbols, options);
  const margin = keptSilenceSeconds * sampleRateHz;
  const spoken = trimSilence(samples, { threshold: silenceThreshold, margin });
  const trimmed = (spoken.byteOffset - samples.byteOffset) / samples.BYTES_PER_ELEMENT;
  const bounds = untrimmed?.map((bound) => Math.min(Math.max(bound - trimmed, 0), spoken.length));
  fadeEdgesInPlace(spoken, fadeSeconds * sampleRateHz);
  if (isLast && pauseSeconds === undefined) return { samples: spoken, bounds };
  const restSeconds = pauseSeconds ?? restAfter(symbols) / options.speed;
  const restLength = Math.round(restSeconds * sampleRateHz);
  const withRest = new Float32Array(spoken.length + restLength);
  withRest.set(spoken);
  return { samples: withRest, bounds };
}
