import { quote } from '../text/quote.ts';
import { tableOf } from './table-of.ts';

/** A voice, as described by its id. */
export interface VoiceDescription {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** BCP 47, such as `en-US`. */
  readonly language: string;
}

export interface VoiceShare {
  readonly voice: string;
  /** Above 0; the weights of a mix need not sum to 1. */
  readonly weight: number;
}

/** First letter of a Kokoro voice → its language. */
const languages: Readonly<Record<string, readonly [tag: string, name: string]>> = {
  a: ['en-US', 'American English'],
  b: ['en-GB', 'British English'],
  e: ['es', 'Spanish'],
  f: ['fr-FR', 'French'],
  h: ['hi', 'Hindi'],
  i: ['it', 'Italian'],
  j: ['ja', 'Japanese'],
  p: ['pt-BR', 'Brazilian Portuguese'],
  z: ['zh', 'Mandarin Chinese'],
};

const kinds: Readonly<Record<string, string>> = { f: 'female', m: 'male' };

const maxVoices = 16;

/** Reads language and gender from Kokoro's voice ids; any other id is treated as American English. */
export function describeVoice(id: string): VoiceDescription {
  const [, prefix = '', kind = '', name = ''] = /^([a-z])([fm])_(.+)$/.exec(id) ?? [];
  const language = languages[prefix];
  if (!language) return { id, name: id, language: 'en-US' };
  const title = name.split('_').map(capitalize).join(' ');
  return { id, name: `${title} (${language[1]}, ${kinds[kind]})`, language: language[0] };
}

/** Parses a voice or a mix: names joined by `+`, each with a weight in parentheses unless it is 1. */
export function parseVoiceMix(voice: string): readonly VoiceShare[] {
  const parts = voice.split('+', maxVoices + 1);
  if (parts.length > maxVoices) throw new RangeError(`voice: expected at most ${maxVoices} voices in a mix`);
  return parts.map((part) => {
    const match = /^([^\s()]+)(?:\((\d{1,4}(?:\.\d{1,4})?)\))?$/.exec(part.trim());
    const weight = Number(match?.[2] ?? 1);
    if (match && weight > 0) return { voice: match[1]!, weight };
    throw new RangeError(
      `voice: expected a name or a mix such as af_heart(2)+am_adam(1), got ${quote(voice)}`,
    );
  });
}

/** The weighted mean of several voices' styles. */
export function mixStyles(
  styles: readonly { readonly style: Float32Array; readonly weight: number }[],
): Float32Array {
  const total = styles.reduce((sum, { weight }) => sum + weight, 0);
  const mixed = new Float32Array(styles[0]?.style.length ?? 0);
  for (const { style, weight } of styles) {
    for (let at = 0; at < mixed.length; at++) mixed[at]! += (weight / total) * style[at]!;
  }
  return mixed;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** OpenAI's built-in voices and their gender in Kokoro's notation. */
const builtInVoices = tableOf(
  'alloy:f, ash:m, ballad:m, cedar:m, coral:f, echo:m, fable:m, marin:f, nova:f, onyx:m, sage:f, shimmer:f, verse:m',
);

/**
 * Maps OpenAI's voice names to the given voices: to the namesake (`af_nova`), else to a voice of the same gender,
 * English if available, each as rarely as possible. A name that is itself a voice gets no alias.
 */
export function aliasVoices(voices: readonly string[]): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  if (voices.length === 0) return aliases;
  const names = Object.keys(builtInVoices).filter((name) => !voices.includes(name));
  const namesake = (name: string): string | undefined =>
    voices.find((id) => /^[a-z][fm]_/.test(id) && id.slice(3) === name);
  const taken = new Set(names.map(namesake));
  const turns = { f: 0, m: 0 };
  for (const name of names) {
    const kind = builtInVoices[name] === 'f' ? 'f' : 'm';
    const pool = poolOf(voices, kind);
    const free = pool.filter((id) => !taken.has(id));
    const candidates = free.length > 0 ? free : pool;
    aliases.set(name, namesake(name) ?? candidates[turns[kind]++ % candidates.length]!);
  }
  return aliases;
}

function poolOf(voices: readonly string[], kind: 'f' | 'm'): readonly string[] {
  const pools = [new RegExp(`^[ab]${kind}_`), new RegExp(`^[a-z]${kind}_`)].map((pattern) =>
    voices.filter((id) => pattern.test(id)),
  );
  return pools.find((pool) => pool.length > 0) ?? voices;
}
