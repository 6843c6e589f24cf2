import { createNativeSession } from './native/create-native-session.ts';
import { loadApi } from './native/load-api.ts';

/** The model `y = x + x` over float32 `[n]`, opset 17. */
export const doublingModel: Uint8Array = Buffer.from(
  'CAg6PgoOCgF4CgF4EgF5IgNBZGQSCGRvdWJsaW5nWhAKAXgSCwoJCAESBQoDEgFuYhAKAXkSCwoJCAESBQoDEgFuQgIQEQ==',
  'base64',
);

/** Runs a graph of one node in the native runtime. */
export async function tryNativeRuntime(): Promise<string> {
  const { version } = await loadApi();
  const session = await createNativeSession(doublingModel, { threads: 1 });
  try {
    const names = [...session.inputs, ...session.outputs].map(
      ({ name, type, dims }) => `${type} ${name}[${dims}]`,
    );
    const { y } = await session.run({ x: { type: 'float32', dims: [3], data: Float32Array.of(1.5, -2, 3) } });
    const got = `${names.join(' → ')} = ${y!.data.join(' ')}`;
    const expected = 'float32 x[n] → float32 y[n] = 3 -4 6';
    if (got !== expected) throw new Error(`a trial run gave ${got}, expected ${expected}`);
  } finally {
    await session.release();
  }
  return version;
}
