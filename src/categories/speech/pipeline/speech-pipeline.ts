import type { SpeechSettings } from '../settings.ts';
import { setImmediate } from 'node:timers/promises';
import { fadeEdgesInPlace, restAfter, trimSilence } from '../../../core/speech/piece-audio.ts';
import { describeVoice } from '../../../core/speech/voices.ts';
import { assertWanted, fieldError } from '../../../errors.ts';
import { locateModel } from '../../../models/source.ts';
import { openSpeechFolder, type SpeechFolder } from './speech-folder.ts';
import { createEncoderFinder, type FindEncoder } from '../../../runtime/audio-encode/encoders.ts';
import { createOnnxSession } from '../../../runtime/onnx.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../contract.ts';
import type { SpeechEvent, SpeechModelInfo } from '../events.ts';
import type { SpeechRequest } from '../request.ts';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import { OpenRuns } from '../../../concurrency/open-runs.ts';
import { toPhonemePieces, type PhonemePiece } from './phoneme-pieces.ts';
import { createReaders, type Reader } from './readers.ts';
import { createSynthesizer, type Synthesizer } from './synthesizer.ts';
import { VoiceShelf, type Speaker } from './voice-shelf.ts';

/** Sample rate of Kokoro's output, in Hz. */
const sampleRateHz = 24_000;
/** Long texts take turns with short ones, piece by piece. */
const concurrency = 4;
/** Texts of other owners. */
const reserve = 4;

/** −54 dB of full scale. */
const silenceThreshold = 0.002;
const keptSilence = 0.04 * sampleRateHz;
const fadeLength = 0.005 * sampleRateHz;

/**
 * Loads a text-to-speech model: a Kokoro in the hub's ONNX layout, `voices/*.bin` included.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadSpeechPipeline(
  spec: ModelSpec<SpeechSettings>,
): Promise<Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>> {
  const folder = await openSpeechFolder(locateModel(spec.source), spec);
  const readers = await createReaders({
    phonemizer: spec.phonemizer,
    preferred: folder.config['phonemizer'],
    languages: [...folder.voices.keys()].map((id) => describeVoice(id).language),
  });
  const session = await createOnnxSession(folder.graph, { device: spec.device, threads: spec.threads });
  try {
    const synthesizer = createSynthesizer(session);
    const shelf = new VoiceShelf(folder.voices, {
      styleSize: synthesizer.styleSize,
      languages: readers,
      aliases: spec.voiceAliases,
    });
    const findEncoder = createEncoderFinder({ ffmpegPath: spec.ffmpegPath });
    return new SpeechPipeline({ spec, folder, readers, synthesizer, shelf, findEncoder });
  } catch (error) {
    await session.release();
    throw error;
  }
}

interface LoadedModel {
  readonly spec: ModelSpec<SpeechSettings>;
  readonly folder: SpeechFolder;
  /** Keyed by language. */
  readonly readers: ReadonlyMap<string, Reader>;
  readonly synthesizer: Synthesizer;
  readonly shelf: VoiceShelf;
  readonly findEncoder: FindEncoder;
}

/** Options for speaking the pieces of one request. */
interface Delivery {
  readonly speaker: Speaker;
  readonly speed: number;
  readonly signal: AbortSignal | undefined;
  readonly owner: string | undefined;
}

interface Turn {
  readonly piece: PhonemePiece;
  readonly isLast: boolean;
}

class SpeechPipeline implements Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo> {
  readonly info: SpeechModelInfo;
  readonly concurrency = concurrency;
  readonly reserve = reserve;
  readonly #model: LoadedModel;
  readonly #oneByOne = limitConcurrency(1);
  readonly #runs = new OpenRuns();

  constructor(model: LoadedModel) {
    const { spec, folder, shelf } = model;
    this.#model = model;
    this.info = {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'speech',
      contextLength: 0,
      voices: shelf.voices,
      voiceAliases: spec.voiceAliases,
      created: folder.created,
      ownedBy: 'slashv1',
    };
  }

  run(request: SpeechRequest, options: RunOptions = {}): AsyncGenerator<SpeechEvent> {
    return this.#runs.track(this.#run(request, options));
  }

  async close(): Promise<void> {
    await this.#runs.ended();
    await this.#model.synthesizer.release();
  }

  async *#run(request: SpeechRequest, { signal, owner }: RunOptions): AsyncGenerator<SpeechEvent> {
    const { folder, readers, synthesizer, shelf, findEncoder } = this.#model;
    const { voice, speed, format, input } = request;
    if (speed !== 1 && !synthesizer.hasSpeed)
      throw fieldError('speed', `expected 1 for this model, got ${speed}`);
    const [encoder, speaker] = await Promise.all([findEncoder(format), shelf.find(voice)]);
    const { vocabulary, maxPhonemes } = folder;
    const reader = readers.get(speaker.language)!;
    const turns = markLast(toPhonemePieces(input, { reader, vocabulary, maxPhonemes }));
    const { value: first } = await turns.next();
    if (!first) throw fieldError('input', 'expected a text with something to speak');

    let samples = 0;
    const spoken = this.#speak(first, turns, { speaker, speed, signal, owner });
    const counted = (async function* () {
      for await (const audio of spoken) {
        samples += audio.length;
        yield audio;
      }
    })();
    let hasStarted = false;
    for await (const bytes of encoder.encode(counted, { sampleRateHz, isWhole: first.isLast, signal })) {
      // Not before there is something to hear: until then, a failure is the answer to the request.
      if (!hasStarted) yield { type: 'speech-start', mediaType: encoder.mediaType, sampleRateHz };
      hasStarted = true;
      yield { type: 'audio', bytes };
    }
    yield { type: 'speech-end', durationSeconds: samples / sampleRateHz };
  }

  /** Each piece as it is made, with the rest after it. */
  async *#speak(
    first: Turn,
    others: AsyncIterator<Turn, undefined>,
    delivery: Delivery,
  ): AsyncGenerator<Float32Array> {
    for (let turn: Turn | undefined = first; turn; turn = (await others.next()).value) {
      // Others get their turn, and the news that the caller has gone gets through.
      await setImmediate();
      assertWanted(delivery.signal);
      yield await this.#oneByOne(() => this.#speakPiece(turn!, delivery), delivery);
    }
  }

  async #speakPiece({ piece, isLast }: Turn, { speaker, speed, signal }: Delivery): Promise<Float32Array> {
    const { ids, phonemes } = piece;
    const samples = await this.#model.synthesizer.speak(ids, speaker.styleFor(ids.length), speed, {
      signal,
    });
    const spoken = trimSilence(samples, { threshold: silenceThreshold, margin: keptSilence });
    fadeEdgesInPlace(spoken, fadeLength);
    if (isLast) return spoken;
    const restLength = Math.round((restAfter(phonemes) / speed) * sampleRateHz);
    const withRest = new Float32Array(spoken.length + restLength);
    withRest.set(spoken);
    return withRest;
  }
}

/** Tells of each piece whether it is the last, for which the one after it has to be known. */
async function* markLast(pieces: AsyncIterable<PhonemePiece>): AsyncGenerator<Turn, undefined> {
  let held: PhonemePiece | undefined;
  for await (const piece of pieces) {
    if (held) yield { piece: held, isLast: false };
    held = piece;
  }
  if (held) yield { piece: held, isLast: true };
  return undefined;
}
