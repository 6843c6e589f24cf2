import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

/** Functions whose last bit differs between engines and machines; roots and arithmetic are exact to it. */
const inexact = [
  'acos',
  'acosh',
  'asin',
  'asinh',
  'atan',
  'atan2',
  'atanh',
  'cbrt',
  'cos',
  'cosh',
  'exp',
  'expm1',
  'hypot',
  'log',
  'log10',
  'log1p',
  'log2',
  'pow',
  'sin',
  'sinh',
  'tan',
  'tanh',
] as const;

const number = new Float64Array(1);
const bits = new BigInt64Array(number.buffer);

/** The number itself, or the next one above or below it; by a hash of its bits, so always the same. */
function moved(value: number, seed: number): number {
  // What every engine has exactly: signs, ones, whole powers, and what has no neighbour.
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  number[0] = value;
  let hash = Number(BigInt.asUintN(32, bits[0]! ^ (bits[0]! >> 32n))) ^ Math.imul(seed, 0x9e3779b9);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 13), 0x45d9f3b);
  bits[0]! += BigInt((((hash >>> 16) % 3) + 3) % 3) - 1n;
  return number[0];
}

/** `Math` with its last bits moved, as another engine may have them. */
export function perturbedMath(seed: number): Math {
  const math = Object.create(Math) as Math;
  for (const name of inexact) {
    const exact = Math[name] as (...values: number[]) => number;
    Object.defineProperty(math, name, { value: (...values: number[]) => moved(exact(...values), seed) });
  }
  return math;
}

const built = new Map<string, Promise<string>>();

/** A module of `src` as a function of `Math`, which powers written as `**` take, too. */
export async function withMath(source: string): Promise<(math: Math) => unknown> {
  if (!built.has(source)) built.set(source, bundle(join(import.meta.dirname, '../../src', source)));
  const code = await built.get(source)!;
  // oxlint-disable-next-line typescript/no-implied-eval
  return (math) => new Function('Math', `${code}; return subject;`)(math) as unknown;
}

async function bundle(entry: string): Promise<string> {
  const [result] = (await build({
    configFile: false,
    // It warns of the big integers that the target doesn't know, and leaves them as they are.
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2015',
      lib: { entry, formats: ['iife'], name: 'subject' },
    },
  })) as Rolldown.RolldownOutput[];
  return result!.output[0].code;
}
