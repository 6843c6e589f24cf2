import { describeVoice, mixStyles, parseVoiceMix, type VoiceShare } from '../../../core/speech/voices.ts';
import { aliasVoices } from '../../../core/speech/voice-aliases.ts';
import { fieldError, fieldErrorOf } from '../../../errors.ts';
import { readVoice } from './speech-folder.ts';
import { isReadByEspeak } from '../../../models/pronunciation.ts';
import type { Voice } from '../events.ts';
import { quote } from '../../../core/text/quote.ts';

/** A voice or a mix of several, ready to speak. */
export interface Speaker {
  /** BCP 47, of the first voice of a mix. */
  readonly language: string;
  /** Gives the style in which a text of so many phonemes is spoken. */
  styleFor(phonemes: number): Float32Array;
}

export interface VoiceShelfOptions {
  readonly styleSize: number;
  /** In BCP 47; voices of other languages can't be used. */
  readonly languages: { has(language: string): boolean };
  /** Whether names that clients have built in stand for voices; default true. */
  readonly aliases?: boolean | undefined;
}

/** The voices of a model; each is read when it is first asked for. */
export class VoiceShelf {
  /** Usable voices. */
  readonly voices: readonly Voice[];
  readonly #files: ReadonlyMap<string, string>;
  readonly #styleSize: number;
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #tables = new Map<string, Promise<Float32Array>>();

  /** @param files voice id → path of its table of styles */
  constructor(
    files: ReadonlyMap<string, string>,
    { styleSize, languages, aliases = true }: VoiceShelfOptions,
  ) {
    this.#files = files;
    this.#styleSize = styleSize;
    this.voices = [...files.keys()].map(describeVoice).filter(({ language }) => languages.has(language));
    this.#aliases = aliasVoices(aliases ? this.voices.map(({ id }) => id) : []);
  }

  /**
   * Finds the voice of a request.
   *
   * @param voice the name of one, one that clients have built in, or a mix such as `af_heart+am_adam`
   * @throws InferenceError `invalid_request` for a voice that the model doesn't have or whose language can't be read
   */
  async find(voice: string): Promise<Speaker> {
    const shares = readShares(voice).map(({ voice: name, weight }) => ({
      voice: this.#aliases.get(name) ?? name,
      weight,
    }));
    for (const share of shares) this.#assertUsable(share.voice);
    const tables = await Promise.all(
      shares.map(async (share) => ({ styles: await this.#read(share.voice), weight: share.weight })),
    );
    return {
      language: describeVoice(shares[0]!.voice).language,
      styleFor: (phonemes) =>
        mixStyles(tables.map(({ styles, weight }) => ({ style: this.#row(styles, phonemes), weight }))),
    };
  }

  #assertUsable(voice: string): void {
    if (this.voices.some(({ id }) => id === voice)) return;
    const offered = this.voices.map(({ id }) => id).join(', ');
    if (!this.#files.has(voice)) throw fieldError('voice', `expected one of ${offered}, got ${quote(voice)}`);
    const { language } = describeVoice(voice);
    const remedy = isReadByEspeak(language)
      ? 'which needs eSpeak NG; install it with `npm install piper-phonemize`, or take'
      : "which can't be read here; expected";
    throw fieldError('voice', `${voice} speaks ${language}, ${remedy} one of ${offered}`);
  }

  #read(voice: string): Promise<Float32Array> {
    let table = this.#tables.get(voice);
    if (!table) {
      table = readVoice(this.#files.get(voice)!, this.#styleSize);
      this.#tables.set(voice, table);
    }
    return table;
  }

  /** Texts longer than the table is are spoken in its last style. */
  #row(styles: Float32Array, phonemes: number): Float32Array {
    const row = Math.min(phonemes, styles.length / this.#styleSize - 1);
    return styles.subarray(row * this.#styleSize, (row + 1) * this.#styleSize);
  }
}

function readShares(voice: string): readonly VoiceShare[] {
  try {
    return parseVoiceMix(voice);
  } catch (error) {
    throw fieldErrorOf('voice', error);
  }
}
