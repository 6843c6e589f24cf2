import { limitConcurrency } from '../../../../src/concurrency/limit-concurrency.ts';
import type { LogMel } from '../../../../src/core/audio/log-mel.ts';
import type { VoiceRegion } from '../../../../src/core/audio/voice-activity.ts';
import type { WhisperFolder } from '../../../../src/categories/transcription/architectures/whisper/whisper-folder.ts';
import { createWindowDecoder } from '../../../../src/categories/transcription/architectures/whisper/window-decoder.ts';
import type { WhisperTools } from '../../../../src/categories/transcription/architectures/whisper/recognition.ts';
import type { TranscriptionTools } from '../../../../src/categories/transcription/pipeline/transcriber.ts';
import type {
  WhisperModel,
  WhisperText,
} from '../../../../src/categories/transcription/architectures/whisper/whisper-model.ts';
import type { EncodedAudio } from '../../../../src/categories/transcription/pipeline/text-decoder.ts';
import type { Tensor } from '../../../../src/contracts/graph.ts';
import { folderOf } from '../../../folder/folders.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz. ';

export const vocabulary = {
  endOfText: 30,
  startOfTranscript: 31,
  languages: new Map([
    ['en', 32],
    ['de', 33],
  ]),
  transcribe: 34,
  translate: undefined,
  startOfPrevious: 35,
  noSpeech: 36,
  noTimestamps: 37,
  timestampBegin: 38,
  maxInitialPosition: undefined,
};

export const secondsPerWindow = 10;
const windowFrames = 100 * secondsPerWindow;
const vocabularySize = vocabulary.timestampBegin + windowFrames / 2 + 1;

/** A text with times: `[0, 'hi.', 1.5]` → tokens. */
export function tokensOf(parts: readonly (string | number)[]): number[] {
  return parts.flatMap((part) =>
    typeof part === 'number'
      ? [vocabulary.timestampBegin + Math.round(part * 50)]
      : Array.from(part, (letter) => letters.indexOf(letter)),
  );
}

/** What a model says about one window. */
export interface WindowScript {
  readonly text: readonly (string | number)[];
  /** How much it prefers each token of the text; default 20. */
  readonly certainty?: number;
  /** A letter that it likes nearly as much as every other of the text. */
  readonly alternative?: string;
  /** Default 0. */
  readonly noSpeech?: number;
  /** Default `en`. */
  readonly language?: string;
  /** Said where any text comes before; default `text`. */
  readonly prompted?: readonly (string | number)[];
}

/** The start of a text whose language is known. */
const startLength = 3;

/** A model that says what it is told to, and remembers what it was asked. */
export class ScriptedModel implements WhisperModel {
  readonly alignmentLayers = [0];
  /** What came before the text, window by window. */
  readonly prefixes: number[][] = [];
  encodings = 0;
  detections = 0;
  steps = 0;
  /** Audio and texts that nobody has released. */
  held = 0;
  onStep?: () => void;
  readonly #scripts: readonly WindowScript[];

  constructor(scripts: readonly WindowScript[]) {
    this.#scripts = scripts;
  }

  async encode(): Promise<EncodedAudio> {
    const data = Float32Array.of(this.encodings++);
    const tensor: Tensor = { type: 'float32', dims: [], data };
    this.held++;
    return { ...tensor, device: 'cpu', read: () => tensor, release: () => void this.held-- };
  }

  async start({ data }: EncodedAudio, tokens: readonly number[]): Promise<WhisperText> {
    if (tokens.length === 1) this.detections++;
    else this.prefixes.push([...tokens]);
    const window = Number(data![0]);
    const { length } = tokens;
    const { logits, atStart } = this.#logits(window, length, 0);
    let place = 0;
    this.held++;
    return {
      length,
      logits,
      logitsBefore: () => atStart,
      step: async () => {
        this.steps++;
        this.onStep?.();
        return this.#logits(window, length, ++place).logits;
      },
      rewind: () => (place = 0),
      release: () => void this.held--,
    };
  }

  /** Everything looks at one place: the beginning of the second half. */
  async attend(_: unknown, tokens: readonly number[]): Promise<Float32Array[]> {
    const columns = windowFrames / 2;
    const weights = new Float32Array(tokens.length * columns).fill(0.001);
    tokens.forEach((_token, row) => (weights[row * columns + row * 20] = 1));
    return [weights];
  }

  async release(): Promise<void> {}

  #logits(window: number, prefix: number, place: number) {
    const script = this.#scripts[window] ?? { text: [] };
    const { certainty = 20, alternative, noSpeech = 0, language = 'en' } = script;
    const tokens = tokensOf((prefix > startLength ? script.prompted : undefined) ?? script.text);
    // Times that are not wanted are far off, so that together they don't prevail over the text.
    const logits = new Float32Array(vocabularySize).fill(-20, vocabulary.timestampBegin);
    const wanted = tokens[place] ?? vocabulary.endOfText;
    logits[wanted] = certainty;
    if (alternative !== undefined && wanted < vocabulary.endOfText)
      logits[letters.indexOf(alternative)] = certainty - 0.01;
    const atStart = new Float32Array(vocabularySize);
    atStart[vocabulary.noSpeech] = Math.log((noSpeech * (vocabularySize - 1)) / (1 - noSpeech));
    atStart[vocabulary.languages.get(language)!] = 1;
    return { logits: prefix === 1 ? atStart : logits, atStart };
  }
}

export function toolsFor(
  model: WhisperModel,
  {
    find = async (samples) => [{ startSeconds: 0, endSeconds: samples.length / 16_000 }],
    ...changes
  }: Partial<WhisperFolder> & { find?: (samples: Float32Array) => Promise<readonly VoiceRegion[]> } = {},
): { readonly whisper: WhisperTools; readonly tools: TranscriptionTools } {
  const decode = (ids: readonly number[]) => {
    if (ids.length === 0) throw new Error('no ids'); // as a real tokenizer does
    return ids.map((id) => letters[id]).join('');
  };
  const folder: WhisperFolder = {
    ...folderOf({}),
    encoder: '',
    decoder: { first: '', next: '' },
    textTokenizer: { decode } as WhisperFolder['textTokenizer'],
    vocabulary,
    vocabularySize,
    suppressTokens: [],
    beginSuppressTokens: [],
    onlyLanguage: undefined,
    conditionsOnPrevious: true,
    melBins: 1,
    windowFrames,
    contextLength: 200,
    decoderLayers: 1,
    decoderHeads: 1,
    headSize: 1,
    encoderAttention: { heads: 1, size: 1 },
    alignmentHeads: [[0, 0]],
    ...changes,
  };
  const logMel = { compute: () => new Float32Array() } as unknown as LogMel;
  const gate = { find, release: async () => {} };
  return {
    whisper: { folder, model, logMel, decoder: createWindowDecoder(folder) },
    tools: { maxSeconds: secondsPerWindow, gate, inTurn: limitConcurrency(2) },
  };
}

/** Blocks of one second. */
export async function* secondsOf(count: number, value = 0.1): AsyncGenerator<Float32Array> {
  for (let rest = count; rest > 0; rest--)
    yield new Float32Array(Math.round(16_000 * Math.min(1, rest))).fill(value);
}
