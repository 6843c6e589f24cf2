/** Why `fetch` failed, preferably as the system's code: messages contain host names, which callers needn't see. */
export function reasonOfFetch(error: unknown): string {
  const { message, cause } = error as Error;
  if (!(cause instanceof Error)) return message;
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}
