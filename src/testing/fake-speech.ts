import type { SpeechEvent, SpeechModelInfo, SpokenWord } from '../categories/speech/events.ts';
import { writeWavHeader } from '../core/audio/containers/wav-header.ts';
import type { CallOptions } from '../contracts/run.ts';
import { aliasVoices } from '../core/speech/voices.ts';
import { fieldError } from '../errors.ts';
import type { SpeechRequest } from '../categories/speech/request.ts';
import { createSteps, type FakeRun, wordsOf } from './fake-run.ts';
import { readScript, type Scripted } from './scripts.ts';
import { describeValue, quote } from '../core/text/quote.ts';

/** Speech of a fake model: each word is a tenth of a second of silence. */
export type FakeSpeech = FakeRun;

/** Speech of a fake model, or a function that returns it. */
export type FakeSpeaker = Scripted<FakeSpeech, SpeechRequest>;

const sampleRateHz = 24_000;
const samplesOfWord = sampleRateHz / 10;
const bytesOfSample = 2;

/** Plays what a speech model would send: a piece of audio for each word, as 16-bit samples. */
export async function* playSpeech(
  speaker: FakeSpeaker,
  request: SpeechRequest,
  model: Pick<SpeechModelInfo, 'voices' | 'voiceAliases'>,
  options: CallOptions,
): AsyncGenerator<SpeechEvent> {
  assertVoice(request.voice, model);
  const { format } = request;
  if (format !== 'wav' && format !== 'pcm')
    throw fieldError('response_format', `expected wav or pcm, got ${describeValue(format)}`);
  const steps = createSteps(await readScript('speech', speaker, request, options), options.signal);
  const words = wordsOf(request.input);
  yield { type: 'speech-start', mediaType: format === 'wav' ? 'audio/wav' : 'audio/pcm', sampleRateHz };
  const dataBytes = words.length * samplesOfWord * bytesOfSample;
  if (format === 'wav')
    yield { type: 'audio', bytes: writeWavHeader({ encoding: 's16', sampleRateHz, dataBytes }) };
  for (const index of words.keys()) {
    await steps.step();
    yield { type: 'audio', bytes: new Uint8Array(samplesOfWord * bytesOfSample) };
    if (request.wordTimestamps && words[index]!.trim() !== '')
      yield { type: 'words', words: [timed(words, index)] };
  }
  steps.end();
  yield { type: 'speech-end', durationSeconds: (words.length * samplesOfWord) / sampleRateHz };
}

function timed(words: readonly string[], index: number): SpokenWord {
  const seconds = samplesOfWord / sampleRateHz;
  const word = words[index]!.trimStart();
  const offset = words.slice(0, index + 1).join('').length - word.length;
  return { word, offset, startSeconds: index * seconds, endSeconds: (index + 1) * seconds };
}

function assertVoice(
  voice: string,
  { voices, voiceAliases = true }: Pick<SpeechModelInfo, 'voices' | 'voiceAliases'>,
): void {
  const known = voices?.map(({ id }) => id);
  const aliases = aliasVoices(voiceAliases ? (known ?? []) : []);
  if (known === undefined || voice.split('+').every((id) => known.includes(id) || aliases.has(id))) return;
  throw fieldError('voice', `expected one of ${known.join(', ')}, got ${quote(voice)}`);
}
