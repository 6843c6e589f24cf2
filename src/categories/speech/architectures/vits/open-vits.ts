import { basename, join } from 'node:path';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { espeakEnglishSymbols, toEspeakPhonemes } from '../../../../core/speech/espeak-phonemes.ts';
import { symbolBounds } from '../../../../core/speech/timing/symbol-bounds.ts';
import { describeValue, quote } from '../../../../core/text/quote.ts';
import { fieldError } from '../../../../errors.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { singleGraph, sourceError } from '../../../../folder/model-files.ts';
import { readJson } from '../../../../folder/model-folder.ts';
import { locateModel } from '../../../../folder/source.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { openSpeechGraph } from '../../pipeline/open-graph.ts';
import { createEnglishPhonemizer, loadEspeak } from '../../pipeline/pronunciation.ts';
import { espeakMissing, isEnglish, preparationOf } from '../../pipeline/readers.ts';
import type { SpeechSettings } from '../../settings.ts';
import type { Synthesizer } from '../../synthesizer.ts';
import { piperGraph } from './files.ts';
import { readPiperConfig, type PiperConfig } from './piper-config.ts';
import { createVitsGraph, vitsDurations } from './vits-graph.ts';
import type { VitsVoice } from './vits-voice.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';

interface PiperReaderOptions {
  readonly name: string;
  /** Default: eSpeak NG, which the voices were trained with, if installed. */
  readonly phonemizer?: string | undefined;
  knows(symbol: string): boolean;
}

/** Converts texts to a Piper voice's symbols. */
export async function createPiperReader(
  config: Pick<PiperConfig, 'phonemeType' | 'espeakVoice' | 'language'>,
  { name, phonemizer, knows }: PiperReaderOptions,
): Promise<Pick<VitsVoice, 'prepare' | 'pronounce'>> {
  const { phonemeType: type, espeakVoice: voice, language } = config;
  const prepare = preparationOf(language);
  if (type === 'text') return { prepare, pronounce: (sentence) => sentence.normalize('NFD') };
  if (type !== 'espeak')
    throw sourceError(`phoneme_type of ${name}: expected espeak or text, got ${quote(type)}`);
  const english = isEnglish(language);
  const isCovered = Array.from(espeakEnglishSymbols).every(knows);
  if (english && phonemizer === 'built-in' && !isCovered)
    throw fieldError('phonemizer', `built-in uses symbols that ${name} doesn't have, expected espeak`);
  const espeak = english && phonemizer === 'built-in' ? undefined : await loadEspeak();
  if (espeak) {
    const transcribe = (text: string): string | undefined => espeak.transcribe(text, voice)?.normalize('NFD');
    if (transcribe('a') === undefined)
      throw sourceError(`${name} speaks ${quote(voice)}, which eSpeak NG of piper-phonemize doesn't have`);
    return { prepare, pronounce: (sentence) => transcribe(sentence) ?? '' };
  }
  if (phonemizer === 'espeak') throw espeakMissing();
  if (!english || !isCovered) {
    const reason = `${name} speaks ${language}, which needs eSpeak NG; install it with \`npm install piper-phonemize\``;
    throw sourceError(reason);
  }
  const { phonemize } = await createEnglishPhonemizer('en-US');
  return { prepare, pronounce: async (sentence) => toEspeakPhonemes(await phonemize(sentence)) };
}

/** Its symbols are the characters of a text. */
async function openHubVoice({ source, dtype }: ModelSpec<SpeechSettings>): Promise<VitsVoice> {
  const path = locateModel(source);
  const config = await readJson(path, 'config.json');
  const tokenizerConfig = await readJson(path, 'tokenizer_config.json', {});
  const { encode } = createTextTokenizer({
    tokenizer: await readJson(path, 'tokenizer.json'),
    tokenizerConfig,
  });
  for (const name of ['phonemize', 'is_uroman']) {
    if (tokenizerConfig[name] === true)
      throw sourceError(`expected characters as symbols, got "${name}": true in tokenizer_config.json`);
  }
  const { sampling_rate: sampleRateHz, num_speakers: speakers = 1 } = config;
  if (typeof sampleRateHz !== 'number' || !(sampleRateHz > 0))
    throw sourceError(`sampling_rate in config.json: expected hertz, got ${describeValue(sampleRateHz)}`);
  if (speakers !== 1)
    throw sourceError(`num_speakers in config.json: expected 1, got ${describeValue(speakers)}`);
  const code = String(tokenizerConfig['language']);
  // Converts ISO 639-3, such as `eng`, to BCP 47; `und` for an invalid code.
  const language = /^[a-z]{2,3}$/.test(code) ? Intl.getCanonicalLocales(code)[0]! : 'und';
  return {
    graph: join(path, singleGraph(localFiles(path), dtype)),
    sampleRateHz,
    voices: [{ id: 'default', name: 'default', language }],
    speakers: new Map(),
    scales: { noise: 0, length: 1, durationNoise: 0 },
    prepare: preparationOf(language),
    pronounce: (sentence) => sentence,
    knows: (symbol) => encode(symbol).length > 0,
    hasPlaces: false,
    toIds: (symbols) => ({ ids: encode(symbols) }),
  };
}

/** A padding after each id, between start and end. Symbols without an id are skipped; capitals may use the ids of lower-case letters. */
export function createPiperSymbols({
  ids,
  clusters,
}: Pick<PiperConfig, 'ids' | 'clusters'>): Pick<VitsVoice, 'knows' | 'toIds'> {
  const [padding, beginning, end] = [ids.get('_')!, ids.get('^')!, ids.get('$')!];
  const byLength = clusters.toSorted((one, other) => other.length - one.length);
  const find = (symbol: string): readonly number[] | undefined =>
    ids.get(symbol) ?? ids.get(symbol.toLowerCase());
  return {
    knows: (symbol) => find(symbol) !== undefined || clusters.some((cluster) => cluster.includes(symbol)),
    toIds(symbols) {
      const found: (readonly number[])[] = [];
      const places: number[] = [];
      let place = 0;
      for (const part of divide(symbols, byLength)) {
        const own = find(part);
        if (own) {
          const withPadding = [...own, ...padding];
          found.push(withPadding);
          places.push(...withPadding.map(() => place));
        }
        place += Array.from(part).length;
      }
      if (found.length === 0) return { ids: [] };
      const before = [...beginning, ...padding];
      return {
        ids: [...before, ...found.flat(), ...end],
        places: [...before.map(() => -1), ...places, ...end.map(() => place)],
      };
    },
  };
}

/** @param clusters of code points that are one symbol, longest first */
function divide(symbols: string, clusters: readonly string[]): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < symbols.length; at += parts.at(-1)!.length) {
    const cluster = clusters.find((one) => symbols.startsWith(one, at));
    parts.push(cluster ?? String.fromCodePoint(symbols.codePointAt(at)!));
  }
  return parts;
}

/** Reads a Piper voice, `name.onnx.json` next to `name.onnx`. */
export async function openPiperVoice(spec: ModelSpec<SpeechSettings>): Promise<VitsVoice | undefined> {
  const { source, phonemizer } = spec;
  const path = locateModel(source);
  const graph = source.endsWith('.onnx') ? basename(source) : piperGraph(localFiles(path));
  if (graph === undefined) return undefined;
  const config = await readPiperConfig(path, `${graph}.json`);
  const { language, sampleRateHz, scales } = config;
  const name = basename(graph, '.onnx');
  const speakers = new Map(Array.from(config.speakers, ([speaker, id]) => [`${name}/${speaker}`, id]));
  const symbols = createPiperSymbols(config);
  return {
    graph: join(path, graph),
    sampleRateHz,
    voices: (speakers.size > 0 ? [...speakers.keys()] : [name]).map((id) => ({ id, name: id, language })),
    speakers,
    scales,
    ...(await createPiperReader(config, { name, phonemizer, knows: symbols.knows })),
    ...symbols,
    hasPlaces: true,
  };
}

/** Punctuation and spaces, which may lack a symbol: texts are cut after them. */
const mark = /[\p{P}\s]/u;

export async function openVits(
  spec: ModelSpec<SpeechSettings>,
  sessions: SessionBackend,
): Promise<Synthesizer> {
  const voice = (await openPiperVoice(spec)) ?? (await openHubVoice(spec));
  const { sampleRateHz, voices, speakers, scales } = voice;
  return releaseOnFailure(async (own) => {
    const session = own(await openSpeechGraph(voice.graph, spec, { sessions, durations: vitsDurations }));
    const graph = createVitsGraph(session);
    if (graph.hasSpeakers !== speakers.size > 0) {
      const reason = `the graph has ${graph.hasSpeakers ? 'several speakers' : 'one speaker'}, its config differs`;
      throw sourceError(reason);
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
  });
}
