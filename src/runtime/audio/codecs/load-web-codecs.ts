import type * as NodeWebCodecs from 'node-webcodecs';

export type WebCodecs = typeof NodeWebCodecs;

let loaded: Promise<WebCodecs | undefined> | undefined;

/** Loads the optional package `node-webcodecs` once. */
export function loadWebCodecs(): Promise<WebCodecs | undefined> {
  return (loaded ??= load());
}

async function load(): Promise<WebCodecs | undefined> {
  const { env } = process;
  const { NODE_WEBCODECS_FORCE: before } = env;
  try {
    // Selects the build with bundled libraries, independent of the machine's; read while the package loads.
    env['NODE_WEBCODECS_FORCE'] = 'static';
    const codecs = await import('node-webcodecs');
    new codecs.AudioDecoder({ output: () => {}, error: () => {} }).close();
    return codecs;
  } catch {
    return undefined;
  } finally {
    if (before === undefined) delete env['NODE_WEBCODECS_FORCE'];
    else env['NODE_WEBCODECS_FORCE'] = before;
  }
}
