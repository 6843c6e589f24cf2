/**
 * An answer, if it comes in time.
 *
 * @param timeoutMs at least 1
 * @throws what the answer rejects with, or an Error that says how long it has taken
 *
 * @example
 * ```ts
 * await withinTime(Promise.resolve('Hello'), 1000); // 'Hello'
 * ```
 */
export async function withinTime<Answer>(answer: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
