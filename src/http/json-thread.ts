import { parentPort } from 'node:worker_threads';
import { InferenceError } from '../errors.ts';
import type { ParsedJson } from './parse-in-thread.ts';
import { parseWithTexts } from './parse-json.ts';

// Runs beside the event loop of the host, which a large body would hold.
parentPort!.on('message', (bytes: Uint8Array) => parentPort!.postMessage(parse(bytes)));
parentPort!.postMessage('ready');

function parse(bytes: Uint8Array): ParsedJson {
  try {
    return parseWithTexts(bytes);
  } catch (error) {
    return { error: InferenceError.from(error).serialize() };
  }
}
