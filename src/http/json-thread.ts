import { parentPort } from 'node:worker_threads';
import { InferenceError } from '../errors.ts';
import type { ParsedJson } from './parse-in-thread.ts';
import { parseWithTexts } from './parse-json.ts';

// In a thread, because a large body would block the host's event loop.
parentPort!.on('message', (bytes: Uint8Array) => parentPort!.postMessage(parse(bytes)));
parentPort!.postMessage('ready');

function parse(bytes: Uint8Array): ParsedJson {
  try {
    return parseWithTexts(bytes);
  } catch (error) {
    return { error: InferenceError.from(error).serialize() };
  }
}
