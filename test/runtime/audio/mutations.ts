/** A file that was damaged, and how. */
export interface Mutation {
  readonly name: string;
  readonly bytes: Uint8Array;
}

type Damage = (bytes: Uint8Array, random: (below: number) => number) => Uint8Array;

const damages: Readonly<Record<string, Damage>> = {
  bits(bytes, random) {
    for (let count = 1 + random(20); count > 0; count--) bytes[random(bytes.length)]! ^= 1 << random(8);
    return bytes;
  },
  header(bytes, random) {
    for (let count = 1 + random(6); count > 0; count--)
      bytes[random(Math.min(300, bytes.length))] = random(256);
    return bytes;
  },
  sizes(bytes, random) {
    const start = random(Math.min(400, bytes.length));
    bytes.fill(random(2) * 255, start, start + 4);
    return bytes;
  },
  noise(bytes, random) {
    const start = random(bytes.length);
    return bytes.map((byte, index) => (index >= start && index < start + 500 ? random(256) : byte));
  },
  cut(bytes, random) {
    return bytes.subarray(0, random(bytes.length));
  },
  hole(bytes, random) {
    const start = random(bytes.length);
    return Uint8Array.from([...bytes.subarray(0, start), ...bytes.subarray(start + 1 + random(2000))]);
  },
  swap(bytes, random) {
    const [from, to] = [random(bytes.length), random(bytes.length)];
    const piece = bytes.slice(from, from + random(3000));
    bytes.set(piece.subarray(0, bytes.length - to), to);
    return bytes;
  },
  twice(bytes, random) {
    const start = random(bytes.length);
    return Uint8Array.from([...bytes.subarray(0, start), ...bytes]);
  },
};

/** `count` damaged copies of the files, the same ones for the same seed. */
export function* mutations(
  files: ReadonlyMap<string, Uint8Array>,
  { count, seed }: { readonly count: number; readonly seed: number },
): Generator<Mutation> {
  const random = createRandom(seed);
  const names = [...files.keys()];
  const kinds = Object.keys(damages);
  for (let index = 0; index < count; index++) {
    const name = names[index % names.length]!;
    const kind = kinds[random(kinds.length)]!;
    // A copy, of a buffer as well.
    const bytes = damages[kind]!(new Uint8Array(files.get(name)!), random);
    yield { name: `${index}: ${name}, ${kind}`, bytes };
  }
}

/** Numbers below a bound, by a linear congruential generator. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
