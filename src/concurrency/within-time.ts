/** The answer to a question, if it comes in time; a question that throws is one that failed. */
export async function withinTime<Answer>(
  ask: () => Answer | Promise<Answer>,
  timeoutMs: number,
): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}
