import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { InferenceError } from '../../../errors.ts';
import { localFiles, weightFiles } from '../../../models/graph-files.ts';
import { chooseRuntime } from '../../../runtime/choose-runtime.ts';
import { isBindable, type Session } from '../../../runtime/contract.ts';
import { createOnnxSession, type OnnxSessionOptions } from '../../../runtime/onnx.ts';
import { prepareGraph, type PreparedGraph, type PrepareOptions } from '../../../runtime/prepare-graph.ts';
import { createCopyingDecoder } from './copying-decoder.ts';
import type { Decoder } from '../../../runtime/decoder.ts';
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
  const { optimize: _optimize, cacheFolder: _cacheFolder, ...sessionOptions } = options;
  let prepared: PreparedGraph | undefined;
  let session: Session;
  try {
    prepared = await prepare(path, options);
    const { model, weightsFolder } = prepared;
    session = await createOnnxSession(model, { ...sessionOptions, weightsFolder });
  } catch (error) {
    if (InferenceError.isInstance(error) || prepared?.model === path) throw error;
    console.warn(
      `slashv1: ${path} is loaded as it is: ${error instanceof Error ? error.message : String(error)}`,
    );
    prepared = undefined;
    session = await createOnnxSession(path, sessionOptions);
  }
  try {
    return createDecoder(session, prepared);
  } catch (error) {
    await session.release();
    throw error;
  }
}

function createDecoder(session: Session, prepared: PreparedGraph | undefined): Decoder {
  if (prepared?.cachesInPlace && isBindable(session) && session.device === 'cpu') {
    return createResidentDecoder(session, prepared.signature);
  }
  // The operator counts the used slots itself and wants no unused ones between past and new.
  const ragged = prepared?.signature.operators.has('com.microsoft:GroupQueryAttention') === false;
  return createCopyingDecoder(session, { ragged, sides: prepared?.signature ?? session });
}

async function prepare(
  path: string,
  { device = 'cpu', optimize, cacheFolder, threads, runtime }: DecoderOptions,
): Promise<PreparedGraph> {
  const isLarge = sizeOf(path) >= largeModelBytes;
  const isRewritten = device === 'cpu' && (optimize ?? isLarge);
  const isNative = (runtime ?? (await chooseRuntime()).name) === 'native';
  const prepared = await prepareGraph(path, {
    optimize,
    rewrites: {
      attention: isRewritten && isNative,
      accuracyLevel: isRewritten,
      lastPosition: optimize ?? isLarge,
      newSlots: true,
    },
    keep: isLarge,
    cacheFolder,
    threads,
  });
  for (const { name, reason } of prepared.skipped) {
    if (!reason.startsWith('logits differ')) continue;
    console.warn(`slashv1: ${path} runs without the rewrite ${name}: ${reason}`);
  }
  return prepared;
}

function sizeOf(path: string): number {
  const folder = dirname(path);
  const names = [basename(path), ...weightFiles(localFiles(folder), basename(path))];
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
