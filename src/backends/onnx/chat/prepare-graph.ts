import { createHash } from 'node:crypto';
import { existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isPastState } from '../../../core/onnx/cache-names.ts';
import { activationsOf } from '../../../core/onnx/rewrites/accuracy-level.ts';
import { hasInPlaceCaches } from '../../../core/onnx/has-in-place-caches.ts';
import { liftConstants } from '../../../core/onnx/graph-draft.ts';
import { modelSignature, type ModelSignature } from '../../../core/onnx/model-signature.ts';
import type { OnnxModel } from '../../../core/onnx/model.ts';
import {
  rewriteDecoderGraph,
  type RewriteOptions,
  type RewrittenModel,
} from '../../../core/onnx/rewrite-decoder-graph.ts';
import { resolveCacheSizes } from '../../../core/onnx/projection-size.ts';
import { writeOnnxModel } from '../../../core/onnx/messages.ts';
import { messageOf } from '../../../errors.ts';
import { makeFolder } from '../../../folder/file-system.ts';
import { readAttentionWindows } from '../../../runtime/attention-windows.ts';
import { compareLogits, probeDecoder } from './graph-probe.ts';
import {
  locateWeights,
  renameWeights,
  stampFile,
  type FileStamp,
  type WeightFiles,
} from '../../../runtime/mapped-weights.ts';
import { createOnnxSession, type OnnxSessionOptions } from '../../../runtime/onnx.ts';
import { readOnnxFile } from '../../../runtime/onnx-file.ts';

/** Rewrites to apply; rewrites whose pattern the graph lacks are skipped. */
export interface GraphRewrites extends Omit<RewriteOptions, 'attention'> {
  readonly attention?: boolean;
}

export interface PrepareOptions {
  /** `false`: the file is loaded unchanged. Default `true`. */
  readonly optimize?: boolean | undefined;
  /** Rewrites of a decoder's graph; without them, only its weights are mapped. */
  readonly rewrites?: GraphRewrites | undefined;
  /** Folder for prepared graphs if the model's folder is read-only; without it they are prepared again at each load. */
  readonly cacheFolder?: string | undefined;
  /** Whether to keep the prepared graph in a file; default `true`. */
  readonly keep?: boolean | undefined;
  /** Threads of the probe. */
  readonly threads?: number | undefined;
}

/** A model that is ready to be loaded. */
export interface PreparedGraph {
  /** The graph of a session: the path of a file, or bytes if no file could be written. */
  readonly model: string | Uint8Array;
  /** The folder of the weights, which the session needs. */
  readonly weightsFolder: string;
  /** Signature of the prepared graph. */
  readonly signature: ModelSignature;
  /** Whether past and present of each cache may share a tensor, see `hasInPlaceCaches`. */
  readonly cachesInPlace: boolean;
  /** Names of the applied rewrites; `mapped` if the weights stay in the original file. */
  readonly applied: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** Increment it when the result for the same model changes, so that older files are replaced. */
const rewriterVersion = 5;
const metadataKey = 'slashv1.prepared';

/** Maximum difference from the original's logits, relative to the largest logit: rounding in a different order. */
const exactTolerance = { float32: 1e-3, float16: 2e-2 } as const;
/** Maximum difference with 8-bit activations: root mean square of the differences relative to the logits'. */
const roundedTolerance = 0.1;

/**
 * Creates a small file next to a model with its rewritten graph, but without weights: a session maps them from the
 * original file. The file is kept, and replaced when the model changes. A rewritten graph must agree with the original
 * on short prompts; rewrites are reverted until it does.
 */
export async function prepareGraph(path: string, options: PrepareOptions = {}): Promise<PreparedGraph> {
  if (options.optimize === false) return asItIs(path, readOnnxFile(path), 'turned off');
  const file = realpathSync(path);
  const wanted = describeRewrites(options.rewrites);
  const { keep = true, cacheFolder } = options;
  const places = keep ? cachePlaces(path, file, wanted, cacheFolder) : [];
  for (const place of places) {
    const found = readPrepared(place, { file, wanted });
    if (found) return found;
  }
  const original = readOnnxFile(path);
  const weights = locateWeights(path, original);
  if (!weights) return asItIs(path, original, 'the weights are in several folders');
  const graph = resolveCacheSizes(renameWeights(liftConstants(original.graph), weights.names));
  const { model, applied, skipped } = await rewriteAndProbe({ ...original, graph }, weights, options);
  const done = ['mapped', ...applied];
  const notes: Notes = { version: rewriterVersion, wanted, files: weights.stamps, applied: done, skipped };
  const metadata = new Map([...original.metadata, [metadataKey, JSON.stringify(notes)]]);
  const bytes = writeOnnxModel({ ...model, metadata }, { location: basename(file) });
  const written = await writeFirst(places, bytes);
  return prepared(model, { model: written, weightsFolder: weights.folder, applied: done, skipped });
}

/** Metadata in a prepared file. */
interface Notes extends Pick<PreparedGraph, 'applied' | 'skipped'> {
  readonly version: number;
  readonly wanted: string;
  readonly files: readonly FileStamp[];
}

function asItIs(path: string, model: OnnxModel, reason: string): PreparedGraph {
  const graph = resolveCacheSizes(liftConstants(model.graph));
  const skipped = [{ name: 'mapped', reason }];
  return prepared({ ...model, graph }, { model: path, weightsFolder: dirname(path), applied: [], skipped });
}

function prepared(
  model: OnnxModel,
  facts: Omit<PreparedGraph, 'signature' | 'cachesInPlace'>,
): PreparedGraph {
  return { ...facts, signature: modelSignature(model), cachesInPlace: hasInPlaceCaches(model.graph) };
}

/** A short name of the requested rewrites, for the file name. */
function describeRewrites(rewrites: GraphRewrites | undefined): string {
  const wanted = Object.entries({ lastPosition: rewrites !== undefined, ...rewrites });
  const names = wanted.map(([name, one]) => (one === true ? name : one && name + one));
  return names.filter(Boolean).join('-') || 'mapped';
}

/** Possible paths of the prepared file, best first. */
function cachePlaces(path: string, file: string, wanted: string, cacheFolder?: string): readonly string[] {
  const name = `${basename(path)}.${wanted}.slashv1`;
  const beside = join(dirname(path), name);
  if (cacheFolder === undefined) return [beside];
  const owner = createHash('sha256').update(file).digest('hex').slice(0, 16);
  return [beside, join(cacheFolder, 'graphs', owner, name)];
}

/** The prepared file of a model, if it exists and the model is unchanged. */
function readPrepared(
  place: string,
  { file, wanted }: { readonly file: string; readonly wanted: string },
): PreparedGraph | undefined {
  if (!existsSync(place)) return undefined;
  const folder = dirname(file);
  try {
    const model = readOnnxFile(place);
    const notes = JSON.parse(model.metadata.get(metadataKey) ?? '{}') as Partial<Notes>;
    const { version, files = [], applied = [], skipped = [] } = notes;
    const isCurrent =
      version === rewriterVersion &&
      notes.wanted === wanted &&
      files[0]?.name === basename(file) &&
      files.every((stamp) => {
        const { bytes, modifiedMs } = stampFile(folder, stamp.name);
        return bytes === stamp.bytes && modifiedMs === stamp.modifiedMs;
      });
    if (!isCurrent) return undefined;
    const metadata = new Map([...model.metadata].filter(([name]) => name !== metadataKey));
    return prepared({ ...model, metadata }, { model: place, weightsFolder: folder, applied, skipped });
  } catch {
    // An unreadable file is replaced.
    return undefined;
  }
}

/** @returns the first writable path, else the bytes */
async function writeFirst(places: readonly string[], bytes: Uint8Array): Promise<string | Uint8Array> {
  for (const place of places) {
    const temporary = `${place}.${process.pid}`;
    try {
      await makeFolder(dirname(place));
      writeFileSync(temporary, bytes);
      renameSync(temporary, place);
      return place;
    } catch {
      rmSync(temporary, { force: true });
    }
  }
  return bytes;
}

/** Rewrites a model, and reverts rewrites, the most aggressive first, until it agrees with the original. */
async function rewriteAndProbe(
  source: OnnxModel,
  weights: WeightFiles,
  { rewrites, threads }: PrepareOptions,
): Promise<RewrittenModel> {
  const skipped: { name: string; reason: string }[] = [];
  if (!rewrites) return { model: source, applied: [], skipped };
  const sessionOptions = { threads, weightsFolder: weights.folder };
  const location = weights.stamps[0]!.name;
  const windows = rewrites.attention ? await readAttentionWindows(source) : undefined;
  let expected: readonly Float32Array[] | undefined;
  const refused = new Set<string>();
  for (;;) {
    const result = rewriteDecoderGraph(source, {
      ...rewrites,
      attention: windows && !refused.has('attention') ? { windows } : false,
      lastPosition: rewrites.lastPosition !== false && !refused.has('last-position'),
      accuracyLevel: rewrites.accuracyLevel === true && !refused.has('accuracy-level'),
      rowLengths: rewrites.rowLengths === true && !refused.has('row-lengths'),
      plainAttention: !refused.has('plain-attention') && (rewrites.plainAttention ?? false),
    });
    const finished = { ...result, skipped: [...result.skipped, ...skipped] };
    // Additional outputs don't affect the existing ones.
    if (result.applied.every((name) => name === 'new-slots')) return finished;
    let reason: string;
    try {
      assertInPlace(result);
      expected ??= await probeModel(source, { location, sessionOptions });
      const actual = await probeModel(result.model, { location, sessionOptions });
      const disagreement = describeDisagreement(expected, actual, result.model);
      if (disagreement === undefined) return finished;
      reason = disagreement;
    } catch (error) {
      reason = messageOf(error);
    }
    const next = ['plain-attention', 'row-lengths', 'accuracy-level', 'attention', 'last-position'].find(
      (name) => result.applied.includes(name),
    );
    if (next === undefined) return { model: source, applied: [], skipped: [{ name: 'all', reason }] };
    refused.add(next);
    skipped.push({ name: next, reason });
  }
}

/** For graphs with states, rewriting attention without in-place caches would prevent ragged batches. */
function assertInPlace({ model: { graph }, applied }: RewrittenModel): void {
  if (!applied.includes('attention') || !graph.inputs.some(isPastState) || hasInPlaceCaches(graph)) return;
  throw new RangeError('attention_mask: expected it to be only for attention');
}

async function probeModel(
  model: OnnxModel,
  { location, sessionOptions }: { readonly location: string; readonly sessionOptions: OnnxSessionOptions },
): Promise<readonly Float32Array[]> {
  const session = await createOnnxSession(writeOnnxModel(model, { location }), sessionOptions);
  try {
    const cachesInPlace = hasInPlaceCaches(model.graph);
    return await probeDecoder(session, modelSignature(model), { cachesInPlace });
  } finally {
    await session.release();
  }
}

function describeDisagreement(
  expected: readonly Float32Array[],
  actual: readonly Float32Array[],
  model: OnnxModel,
): string | undefined {
  const { difference, largest, relative } = compareLogits(expected, actual);
  if (activationsOf(model.graph) === 'int8') {
    return relative <= roundedTolerance ? undefined : `logits differ by ${relative} of their size`;
  }
  const isHalf = modelSignature(model).inputs.some(({ type }) => type === 'float16');
  const tolerance = exactTolerance[isHalf ? 'float16' : 'float32'] * Math.max(1, largest);
  return difference <= tolerance ? undefined : `logits differ by ${difference}, more than ${tolerance}`;
}
