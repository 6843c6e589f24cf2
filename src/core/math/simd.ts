/** Loops that SIMD accelerates, over one memory. All positions are in bytes. */
export interface Simd {
  /** The same memory in different types. */
  readonly bytes: Uint8Array;
  readonly integers: Int32Array;
  readonly floats: Float32Array;
  readonly numbers: Float64Array;
  /** Current owner of the shared memory; a new owner must refill it. */
  holder: unknown;
  /** The dot product of `length` numbers, a multiple of 4. */
  dot(first: number, second: number, length: number): number;
  /**
   * Writes `count` pixels of three bytes. Pixel `i` is the sum of the pixels of `line` from `firsts[i]` on, with the
   * weights from `starts[i]` to `starts[i + 1]`, in units of 2⁻²².
   */
  mixPixels(to: number, count: number, line: number, firsts: number, starts: number, weights: number): void;
  /** Adds `count` bytes times `weight` to the integers at `sums`. May continue to the next multiple of 16. */
  addWeighted(sums: number, bytes: number, count: number, weight: number): void;
  /** Writes sums in units of 2⁻²² as `count` bytes. May continue to the next multiple of 8. */
  toBytes(bytes: number, sums: number, count: number): void;
  /**
   * Position of the first group of 16 floats of which any is at least `least`; `end` if there is no such group.
   * `end − from` must be a multiple of 64.
   */
  findAtLeast(from: number, end: number, least: number): number;
}

/** Fraction bits of a weight: sums of products with eight bits fit into 32. */
export const weightBits = 22;

/** Enough for a filter of the resampler with its samples, and for pictures of 100,000 pixels per line. */
const sharedBytes = 5 * 2 ** 20;

/** `simd.wat`, assembled. */
const assembled =
  'AGFzbQEAAAABJQVgA39/fwF8YAZ/f39/f38AYAR/f39/AGADf39/AGADf399AX8DBgUAAQIDBAUDAQBQB0IGBm1lbW9yeQIAA2RvdAAACW1peFBpeGVscw' +
  'ABC2FkZFdlaWdodGVkAAIHdG9CeXRlcwADC2ZpbmRBdExlYXN0AAQK/QQFawIBfwJ7IAAgAkEDdGohAwNAIAQgAP0ABAAgAf0ABAD98gH98AEhBCAFIAD9' +
  'AAQQIAH9AAQQ/fIB/fABIQUgAUEgaiEBIABBIGohACAAIANJDQALIAT9IQAgBP0hAaAgBf0hACAF/SEBoKALvQECBH8BeyADIAFBAnRqIQYDQCACIAMoAg' +
  'BBA2xqIQcgBSAEKAIAQQJ0aiEIIAUgBCgCBEECdGohCf0MAAAgAAAAIAAAACAAAAAgACEKA0AgCiAI/QkCACAH/VwCAP2JAf2pAf21Af2uASEKIAdBA2oh' +
  'ByAIQQRqIQggCCAJSQ0ACyAKQRb9rAEhCiAKIAr9hQEhCiAAIAogCv1m/VoCAAAgAEEDaiEAIANBBGohAyAEQQRqIQQgAyAGSQ0ACwumAQIBfwN7IAP9ES' +
  'EFIAEgAmohBANAIAH9AAQAIQcgB/2JASEGIAf9igEhByAAIAD9AAQAIAUgBv2pAf21Af2uAf0LBAAgACAA/QAEECAFIAb9qgH9tQH9rgH9CwQQIAAgAP0A' +
  'BCAgBSAH/akB/bUB/a4B/QsEICAAIAD9AAQwIAUgB/2qAf21Af2uAf0LBDAgAEHAAGohACABQRBqIQEgASAESQ0ACwtNAgF/AXsgACACaiEDA0AgAf0ABA' +
  'BBFv2sASAB/QAEEEEW/awB/YUBIQQgACAEIAT9Zv1bAwAAIAFBIGohASAAQQhqIQAgACADSQ0ACwtaAQF7IAL9EyEDA0AgACABTwRAIAAPCyAA/QAEACAD' +
  '/UYgAP0ABBAgA/1G/VAgAP0ABCAgA/1GIAD9AAQwIAP9Rv1Q/VD9UwRAIAAPCyAAQcAAaiEADAALIAAL';

/** Only the part used here: TypeScript declares WebAssembly only in the DOM types. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer } } & Omit<Simd, keyof Memory>;
  };
};

type Memory = Pick<Simd, 'bytes' | 'integers' | 'floats' | 'numbers' | 'holder'>;

let shared: Simd | undefined;

/** Up to 5 MiB, callers share one memory: V8 reserves gigabytes of address space for each WebAssembly memory. */
export function openSimd(byteLength = 0): Simd {
  if (byteLength > sharedBytes) return withoutSimd(byteLength);
  return (shared ??= instantiate() ?? withoutSimd(sharedBytes));
}

/** Bit-identical results without WebAssembly, which `--jitless` and some hosts disable. */
export function withoutSimd(byteLength: number): Simd {
  const memory = viewsOf(new ArrayBuffer(Math.ceil(byteLength / 8) * 8));
  const { bytes, integers, floats, numbers } = memory;
  const clamped = new Uint8ClampedArray(bytes.buffer);
  return {
    ...memory,
    // Four sums in parallel, so that no addition waits for the previous one.
    dot(first, second, length) {
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let left = first / 8, right = second / 8, end = left + length; left < end; left += 4, right += 4) {
        a += numbers[left]! * numbers[right]!;
        b += numbers[left + 1]! * numbers[right + 1]!;
        c += numbers[left + 2]! * numbers[right + 2]!;
        d += numbers[left + 3]! * numbers[right + 3]!;
      }
      return a + b + (c + d);
    },
    mixPixels(to, count, line, firsts, starts, weights) {
      for (let pixel = 0, at = to; pixel < count; pixel++) {
        const first = line + 3 * integers[firsts / 4 + pixel]!;
        const start = integers[starts / 4 + pixel]!;
        const end = integers[starts / 4 + pixel + 1]!;
        for (let channel = 0; channel < 3; channel++) {
          let sum = 2 ** (weightBits - 1);
          for (let index = start, from = first + channel; index < end; index++, from += 3)
            sum = (sum + Math.imul(integers[weights / 4 + index]!, bytes[from]!)) | 0;
          clamped[at++] = sum >> weightBits;
        }
      }
    },
    addWeighted(sums, from, count, weight) {
      for (let at = 0; at < count; at++) integers[sums / 4 + at]! += Math.imul(weight, bytes[from + at]!);
    },
    toBytes(to, sums, count) {
      for (let at = 0; at < count; at++) clamped[to + at] = integers[sums / 4 + at]! >> weightBits;
    },
    findAtLeast(from, end, least) {
      const wanted = Math.fround(least);
      let at = from;
      while (at < end && !(floats[at / 4]! >= wanted)) at += 4;
      return at - ((at - from) % 64);
    },
  };
}

function instantiate(): Simd | undefined {
  try {
    const code = Uint8Array.from(atob(assembled), (letter) => letter.charCodeAt(0));
    const { memory, ...functions } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
    return { ...viewsOf(memory.buffer), ...functions };
  } catch {
    return undefined;
  }
}

function viewsOf(buffer: ArrayBuffer): Memory {
  return {
    bytes: new Uint8Array(buffer),
    integers: new Int32Array(buffer),
    floats: new Float32Array(buffer),
    numbers: new Float64Array(buffer),
    holder: undefined,
  };
}
