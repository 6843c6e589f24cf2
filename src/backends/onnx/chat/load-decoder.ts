import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isPastState, embeddingsInput } from '../../../core/onnx/cache-names.ts';
import { orElse } from '../../../core/text/or-else.ts';
import { maxLogitCount } from '../../../core/sampling/largest-logits.ts';
import { fieldError, InferenceError, messageOf } from '../../../errors.ts';
import { localFiles, weightFiles } from '../../../folder/graph-files.ts';
import { chooseRuntime } from '../../../runtime/choose-runtime.ts';
import type { BindableSession, Session } from '../../../contracts/graph.ts';
import { isBindable } from '../../../runtime/bound-graph.ts';
import { createOnnxSession, type OnnxSessionOptions } from '../../../runtime/onnx.ts';
import { defaultThreads } from '../../../runtime/session-options.ts';
import { holdsTensors } from '../../../runtime/native/append-device.ts';
import { prepareGraph, type PreparedGraph, type PrepareOptions } from './prepare-graph.ts';
import { loadPrefilledDecoder, type PrefillOptions } from './load-prefill.ts';
import { createCopyingDecoder } from './copying-decoder.ts';
import type { Decoder, DecoderCache } from '../../../contracts/decoder.ts';
import { assertSizes } from './decoder-layout.ts';
import { createDeviceDecoder } from './device-decoder.ts';
import { checkLongPrompts } from './piecewise-decoder.ts';
import { createResidentDecoder } from './resident-decoder.ts';
import { compareLogits, probeStep, probeTokens } from './graph-probe.ts';
import { releaseOnFailure } from '../../../concurrency/release-on-failure.ts';

export interface DecoderOptions
  extends
    Pick<OnnxSessionOptions, 'device' | 'threads' | 'runtime'>,
    Pick<PrepareOptions, 'optimize' | 'cacheFolder'> {
  /** A second session for prompts; default: none. */
  readonly prefill?: PrefillOptions['prefill'] | undefined;
  /** `config.json`, which must match the graph. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Whether products with 4-bit weights may round their activations to 8 bits; default `true`. */
  readonly int8Activations?: boolean | undefined;
}

/** For smaller models, reading the weights in each step takes less time than probing a rewritten graph at each load. */
const largeModelBytes = 16 * 2 ** 20;

/** Loads a decoder in Hugging Face's ONNX layout, in the fastest way that its graph and this machine support. */
export async function loadDecoder(path: string, options: DecoderOptions = {}): Promise<Decoder> {
  const { device = 'cpu', threads, runtime, prefill, config = {} } = options;
  if (prefill && device !== 'cpu') throw fieldError('prefill', `expected a model on the CPU, got ${device}`);
  if (holdsTensors(device) && (await isNative(options))) {
    const decoder = await loadDeviceDecoder(path, options);
    if (decoder) return decoder;
  }
  let prepared: PreparedGraph | undefined;
  let session: Session;
  try {
    prepared = await prepare(path, options);
    if (options.int8Activations) assertRounded(prepared);
    const { model, weightsFolder } = prepared;
    session = await createOnnxSession(model, { device, threads, runtime, weightsFolder });
  } catch (error) {
    if (InferenceError.isInstance(error) || prepared?.model === path) throw error;
    console.warn(`slashv1: ${path} is loaded as it is: ${messageOf(error)}`);
    prepared = undefined;
    session = await createOnnxSession(path, { device, threads, runtime });
  }
  return releaseOnFailure(async (own) => {
    own(session);
    assertSizes(config, prepared?.signature ?? session);
    return createDecoder(path, session, prepared, options);
  });
}

/** @throws InferenceError `invalid_request` if a setting can't take effect */
async function createDecoder(
  path: string,
  session: Session,
  prepared: PreparedGraph | undefined,
  { prefill, threads, runtime, cacheFolder }: DecoderOptions,
): Promise<Decoder> {
  if (prepared?.cachesInPlace && isBindable(session) && session.device === 'cpu') {
    if (!prefill) return createResidentDecoder(session, prepared.signature);
    const options = { prefill, threads, runtime, cacheFolder, keep: sizeOf(path) >= largeModelBytes };
    return loadPrefilledDecoder(path, session, prepared, options);
  }
  if (prefill) {
    const found = prepared?.skipped.find(({ name }) => name === 'mapped' || name === 'attention');
    const reason = found?.reason ?? 'its attention is not rewritten here';
    throw fieldError('prefill', `expected a graph that changes its caches in place: ${reason}`);
  }
  // The operator counts the used slots itself, and requires that past and new slots are adjacent.
  const ragged = prepared?.signature.operators.has('com.microsoft:GroupQueryAttention') === false;
  const sides = prepared?.signature ?? session;
  const decoder = createCopyingDecoder(session, { ragged, sides });
  if (!ragged || decoder.ragged) return decoder;
  const trial = createCopyingDecoder(session, { findsPositions: true, sides });
  return trial.ragged && (await stepsRaggedRows(trial)) ? trial : decoder;
}

/** Loads a decoder with caches on the device, if its graph and the device support it. */
export async function loadDeviceDecoder(path: string, options: DecoderOptions): Promise<Decoder | undefined> {
  const { device, threads, runtime, optimize, cacheFolder, config = {} } = options;
  const { model, weightsFolder, signature, cachesInPlace } = await prepareGraph(path, {
    optimize,
    rewrites: { attention: true, lastPosition: true, candidates: maxLogitCount, rowLengths: true },
    keep: sizeOf(path) >= largeModelBytes,
    cacheFolder,
    threads,
  });
  assertSizes(config, signature);
  // Embeddings would cross the bus with every token; states of fixed size are only supported in this process.
  const staysHere = signature.inputs.some((input) => input.name === embeddingsInput || isPastState(input));
  if (!cachesInPlace || staysHere) return undefined;
  const create = async (bytes: string | Uint8Array, folder?: string) => {
    const session = await createOnnxSession(bytes, { device, threads, runtime, weightsFolder: folder });
    return session as BindableSession;
  };
  const session = await create(model, weightsFolder);
  let decoder: Decoder | undefined;
  try {
    decoder = createDeviceDecoder(session, { sides: signature, createSession: create });
    return await checkLongPrompts(decoder);
  } catch (error) {
    await (decoder ?? session).release();
    if (InferenceError.isInstance(error)) throw error;
    const reason = messageOf(error);
    console.warn(`slashv1: ${path} runs with its caches in this process: ${reason}`);
    return undefined;
  }
}

async function isNative({ runtime }: DecoderOptions): Promise<boolean> {
  return (runtime ?? (await chooseRuntime()).name) === 'native';
}

async function prepare(path: string, options: DecoderOptions): Promise<PreparedGraph> {
  const { device = 'cpu', optimize, int8Activations = true, cacheFolder } = options;
  const threads = options.threads ?? defaultThreads();
  const isLarge = sizeOf(path) >= largeModelBytes;
  const isRewritten = device === 'cpu' && (optimize ?? isLarge);
  const attention = isRewritten && (await isNative(options));
  const prepared = await prepareGraph(path, {
    optimize,
    rewrites: {
      attention,
      accuracyLevel: isRewritten && int8Activations,
      plainAttention: attention && hasFastPlainAttention() && threads,
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

/**
 * Whether the CPU provider's plain attention kernel is faster than its fused one, which uses SSE for single-token steps
 * on any CPU: the plain one's products use AVX-512, which only helps on Intel CPUs (decision 0081).
 *
 * @param processor text of Linux's `/proc/cpuinfo`; empty elsewhere
 */
export function hasFastPlainAttention(
  processor = orElse(() => readFileSync('/proc/cpuinfo', 'latin1'), ''),
): boolean {
  return /\bGenuineIntel\b.*\bavx512f\b/s.test(processor);
}

/** @throws InferenceError `invalid_request` if the graph has no products that the setting affects */
function assertRounded({ applied, skipped }: PreparedGraph): void {
  if (applied.includes('accuracy-level')) return;
  const found = skipped.find(({ name }) => name === 'accuracy-level');
  throw fieldError('int8Activations', found?.reason ?? 'the graph is not rewritten for the CPU');
}

function sizeOf(path: string): number {
  const folder = dirname(path);
  const names = [basename(path), ...weightFiles(localFiles(folder), basename(path))];
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Tokens of the rows before their shared step. */
const lengths = [9, 4];
/** Maximum difference of logits, relative to the largest logit. */
const tolerance = 1e-3;

/**
 * Tests whether a batch of rows with different lengths has the same logits as separate runs: graphs without
 * `position_ids` may count positions by the mask, by slots, or not at all.
 */
export async function stepsRaggedRows(decoder: Decoder): Promise<boolean> {
  const caches: DecoderCache[] = [];
  const read = async (row: number, length: number): Promise<Float32Array> => {
    const cache = decoder.createCache();
    caches.push(cache);
    return (await probeStep(decoder, cache, probeTokens(decoder, row, length)))[0]!;
  };
  try {
    for (const [row, length] of lengths.entries()) await read(row, length);
    const together = await decoder.gather(caches.map((cache) => ({ cache, row: 0 })));
    caches.push(together);
    const next = lengths.map((length, row) => probeTokens(decoder, row, length + 1)[length]!);
    const inBatch = await probeStep(decoder, together, Int32Array.from(next));
    const alone: Float32Array[] = [];
    for (const [row, length] of lengths.entries()) alone.push(await read(row, length + 1));
    const { difference, largest } = compareLogits(alone, inBatch);
    return difference <= tolerance * Math.max(1, largest);
  } catch {
    return false;
  } finally {
    for (const cache of caches) cache.release();
  }
}
