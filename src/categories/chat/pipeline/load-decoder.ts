import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { localFiles, weightFiles } from '../../../models/graph-files.ts';
import { chooseRuntime } from '../../../runtime/choose-runtime.ts';
import { isBindable } from '../../../runtime/contract.ts';
import { createOnnxSession, type OnnxSessionOptions } from '../../../runtime/onnx.ts';
import { prepareGraph, type PrepareOptions } from '../../../runtime/prepare-graph.ts';
import { createCopyingDecoder } from './copying-decoder.ts';
import type { Decoder } from './decoder.ts';
import { createResidentDecoder } from './resident-decoder.ts';

export interface DecoderOptions
  extends OnnxSessionOptions, Pick<PrepareOptions, 'optimize' | 'cacheFolder'> {}

/** Below it, reading the weights of each step takes less time than a probe of a rewritten graph at each load. */
const largeModelBytes = 16 * 2 ** 20;

/**
 * Loads a decoder in the hub's ONNX layout, the fastest way that its graph and this machine allow.
 *
 * @param path of the `.onnx` file
 * @param options.optimize whether the graph may be rewritten; default: whether the model has 16 MB or more
 * @throws InferenceError `invalid_request` when the graph is no such decoder
 */
export async function loadDecoder(path: string, options: DecoderOptions = {}): Promise<Decoder> {
  const { device = 'cpu', optimize, cacheFolder, ...sessionOptions } = options;
  const isLarge = sizeOf(path) >= largeModelBytes;
  const { name } = await chooseRuntime();
  const runtime = sessionOptions.runtime ?? name;
  const isRewritten = optimize ?? isLarge;
  const { model, weightsFolder, signature, cachesInPlace, skipped } = await prepareGraph(path, {
    optimize,
    rewrites: {
      attention: isRewritten && device === 'cpu' && runtime === 'native',
      accuracyLevel: isRewritten && device === 'cpu',
      lastPosition: isRewritten,
      newSlots: true,
    },
    keep: isLarge,
    cacheFolder,
    threads: options.threads,
  });
  const failures = skipped.filter(({ reason }) => reason.startsWith('logits differ'));
  for (const { name: rewrite, reason } of failures) {
    console.warn(`slashv1: ${path} runs without the rewrite ${rewrite}: ${reason}`);
  }
  const session = await createOnnxSession(model, { ...sessionOptions, device, weightsFolder });
  try {
    if (cachesInPlace && device === 'cpu' && isBindable(session)) {
      return createResidentDecoder(session, signature);
    }
    // The operator counts the used slots itself and wants no unused ones between past and new.
    const ragged = !signature.operators.has('com.microsoft:GroupQueryAttention');
    return createCopyingDecoder(session, { ragged, sides: signature });
  } catch (error) {
    await session.release();
    throw error;
  }
}

function sizeOf(path: string): number {
  const folder = dirname(path);
  const names = [basename(path), ...weightFiles(localFiles(folder), basename(path))];
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
