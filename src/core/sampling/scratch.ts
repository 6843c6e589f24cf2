/**
 * Buffers that the samplers share. Sampling is synchronous, so one set serves every sampler of the thread, and a sampler itself
 * stays a few kilobytes. They grow to the largest vocabulary met and are never given back.
 */
export function createScratch<T>(create: (length: number) => T): (length: number) => T {
  let capacity = 0;
  let buffer = create(capacity);
  return (length) => {
    if (length > capacity) {
      buffer = create(length);
      capacity = length;
    }
    return buffer;
  };
}

const createFloats = (length: number): Float64Array => new Float64Array(length);

/** One weight for each candidate. */
export const weightScratch = createScratch(createFloats);
/** Values being sorted or selected from. */
export const valueScratch = createScratch(createFloats);
