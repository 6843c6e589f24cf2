/** Calls run on koffi's own stacks, and graphs need more than its default of 128 KiB. */
const stackBytes = 8 * 2 ** 20;

export type Koffi = Awaited<ReturnType<typeof importKoffi>>;

export async function loadKoffi(): Promise<Koffi> {
  const koffi = await importKoffi();
  const { sync_stack_size: current = 0, async_stack_size: currentAsync = 0 } = koffi.config();
  if (Math.min(current, currentAsync) < stackBytes)
    koffi.config({ sync_stack_size: stackBytes, async_stack_size: stackBytes });
  return koffi;
}

/** A function of a library; `async` calls it on a separate thread. */
export interface NativeFunction<Argument, Result> {
  (...values: Argument[]): Result;
  async(...values: [...Argument[], (error: Error | null, result: Result) => void]): void;
}

/** Calls a function on a separate thread. The caller must keep array arguments alive until it returns. */
export function callOnThread<Argument, Result>(
  native: NativeFunction<Argument, Result>,
  values: readonly Argument[],
): Promise<Result> {
  return new Promise((resolve, reject) => {
    native.async(...values, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

async function importKoffi() {
  return (await import('koffi')).default;
}
