/** Reason why `fetch` failed, preferably the system's code: messages name hosts that callers needn't know. */
export function reasonOfFetch(error: unknown): string {
  const { message, cause } = error as Error;
  if (!(cause instanceof Error)) return message;
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}
