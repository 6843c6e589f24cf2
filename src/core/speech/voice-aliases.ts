/** Names of voices that clients have built in, and how they sound, as Kokoro writes it. */
const builtInVoices: Readonly<Record<string, 'f' | 'm'>> = {
  alloy: 'f',
  ash: 'm',
  ballad: 'm',
  cedar: 'm',
  coral: 'f',
  echo: 'm',
  fable: 'm',
  marin: 'f',
  nova: 'f',
  onyx: 'm',
  sage: 'f',
  shimmer: 'f',
  verse: 'm',
};

/**
 * Finds voices for the names that clients have built in: the one of that name (`af_nova`), else women for women and men for
 * men, English ones where there are some, each as seldom as can be. Names that the voices have themselves stay theirs.
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
    const kind = builtInVoices[name]!;
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
