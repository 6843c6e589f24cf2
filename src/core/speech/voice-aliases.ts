import { tableOf } from './table-of.ts';

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
