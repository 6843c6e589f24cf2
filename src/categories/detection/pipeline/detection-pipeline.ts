import type { DetectionSettings } from '../settings.ts';
import { detectionParameters } from '../parameters.ts';
import { createCandidates, type Candidates } from '../../../core/vision/candidates.ts';
import { selectClasses } from '../../../core/vision/class-filter.ts';
import type { Size } from '../../../core/vision/box.ts';
import { decodeCustomInto, type CustomHead } from '../../../core/vision/heads/custom-head.ts';
import { findHead, hasQueries, type Head } from '../../../core/vision/heads/find-head.ts';
import { headNames, type HeadName, type HeadOutput } from '../../../core/vision/heads/head.ts';
import { toInputTensorInto } from '../../../core/vision/input-tensor.ts';
import { toImageBox, type Placement } from '../../../core/vision/letterbox.ts';
import { selectDetections } from '../../../core/vision/select-detections.ts';
import { assertWanted, fieldError, fieldErrorOf } from '../../../errors.ts';
import { openDetectorFolder, type DetectorFolder } from './detector-folder.ts';
import type { Session, TensorMap } from '../../../runtime/contract.ts';
import { openImage } from '../../../runtime/image.ts';
import type { Detection, DetectionEvent, DetectionModelInfo } from '../events.ts';
import type { DetectionRequest } from '../request.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../contract.ts';
import { limitConcurrency, type Limiter } from '../../../concurrency/limit-concurrency.ts';
import type { SessionBackend } from '../../../backends/contract.ts';
import { decodeOutputsInto, toHeadOutput } from './decode-outputs.ts';
import { loadCustomHead } from './load-custom-head.ts';
import { readInputs, toFeeds, type DetectorInputs } from './detector-inputs.ts';
import { readImageSource } from '../../../runtime/image-source.ts';
import { chooseSize, readInputSizes, type InputSizes } from './input-sizes.ts';
import { layOut, preprocessingOf, type InputLayout, type Preprocessing } from './preprocessing.ts';
import { readResizing } from './resizing.ts';

/** While some wait for a server or have their images decoded, one runs. */
const concurrency = 8;
/** Images of other owners. */
const reserve = 8;
const mostDecodes = 2;

/** Families whose scores are a softmax with a class for "nothing". */
const softmaxModelTypes = new Set(['detr', 'yolos', 'table-transformer']);
const foreignTasks = new Set(['classify', 'obb']);

/**
 * Loads a detection model: a YOLO or a model of the DETR family as an ONNX graph.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadDetectionPipeline(
  spec: ModelSpec<DetectionSettings>,
  backend: SessionBackend,
): Promise<Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>> {
  assertCount('maxPixels', spec.maxPixels);
  assertCount('maxSide', spec.maxSide);
  assertCount('imageFetch.maxBytes', spec.imageFetch?.maxBytes);
  assertCount('imageFetch.timeoutMs', spec.imageFetch?.timeoutMs);
  const folder = await openDetectorFolder(spec.source, { ...spec, hasGraphs: backend.hasGraphs });
  assertTask(folder);
  const session = await backend.openSession({ graph: folder.graph }, spec);
  // Servers have queues of their own.
  const runInTurn = limitConcurrency(backend.hasGraphs ? 1 : Infinity);
  try {
    return await createDetectionPipeline(spec, folder, { session, runInTurn });
  } catch (error) {
    await session.release();
    throw error;
  }
}

/** Runs the graph once, on nothing: the shapes of its outputs show how to read them. */
async function createDetectionPipeline(
  spec: ModelSpec<DetectionSettings>,
  folder: DetectorFolder,
  { session, runInTurn }: Pick<LoadedModel, 'session' | 'runInTurn'>,
): Promise<DetectionPipeline> {
  const inputs = readInputs(session);
  const resizing = hasQueries(session.outputs) ? readResizing(folder.preprocessor) : undefined;
  const sizes = readInputSizes(inputs.pixels, folder, resizing);
  const size = sizes.fixed ?? probeSize(sizes);
  const nothing = new Float32Array(3 * size.width * size.height);
  const outputs = await session.run(toFeeds(inputs, nothing, size));
  const isNamed = spec.head === undefined || (headNames as readonly string[]).includes(spec.head);
  const custom = isNamed ? undefined : await loadCustomHead(spec.head);
  const head = custom ? ownHead(custom, folder, outputs) : readHead(spec, folder, outputs, size);
  const classNames =
    folder.classNames ?? Array.from({ length: head.classCount }, (_, classId) => `class_${classId}`);
  if (!folder.classNames) {
    console.warn(
      `slashv1: no file of ${spec.source} names the classes of its objects, which are called class_0 to class_${head.classCount - 1}; the setting classNames gives them names`,
    );
  }
  if (classNames.length === 0) {
    throw fieldError('classNames', 'expected names, since neither the config nor the graph has them');
  }
  const preprocessing = preprocessingOf(custom?.like ?? head.name, folder.preprocessor);
  return new DetectionPipeline({
    spec,
    folder,
    session,
    runInTurn,
    inputs,
    sizes,
    head,
    custom,
    classNames,
    preprocessing,
  });
}

interface LoadedModel {
  readonly spec: ModelSpec<DetectionSettings>;
  readonly folder: DetectorFolder;
  readonly session: Session;
  readonly runInTurn: Limiter;
  readonly inputs: DetectorInputs;
  readonly sizes: InputSizes;
  readonly head: Head;
  /** In place of the head. */
  readonly custom: CustomHead | undefined;
  readonly classNames: readonly string[];
  readonly preprocessing: Preprocessing;
}

class DetectionPipeline implements Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo> {
  readonly info: DetectionModelInfo;
  readonly concurrency = concurrency;
  readonly reserve = reserve;
  readonly #model: LoadedModel;
  readonly #candidates = createCandidates();
  readonly #inTurn = limitConcurrency(mostDecodes);
  /** A large image takes up to 550 MB while it is decoded. */
  readonly #oneByOne = limitConcurrency(1);
  readonly #running = new Set<Promise<unknown>>();

  constructor(model: LoadedModel) {
    const { spec, folder, sizes } = model;
    this.#model = model;
    this.info = {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'detection',
      contextLength: 0,
      imageSizes: { default: sizes.default, min: sizes.min, max: sizes.max, step: sizes.step },
      created: folder.created,
      ownedBy: 'slashv1',
    };
  }

  async *run(request: DetectionRequest, options: RunOptions = {}): AsyncGenerator<DetectionEvent> {
    const detected = this.#detect(request, options);
    this.#running.add(detected);
    try {
      yield await detected;
    } finally {
      this.#running.delete(detected);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#model.session.release();
  }

  async #detect(request: DetectionRequest, runOptions: RunOptions): Promise<DetectionEvent> {
    const { signal } = runOptions;
    const { session, runInTurn, inputs, sizes, head, custom, classNames } = this.#model;
    const classMask = readClassMask(request.classes, classNames);
    const longerSide = chooseSize(request.imageSize, sizes);
    const { image, input, placement, tensor } = await this.#readImage(request.image, longerSide, runOptions);
    const wanted = custom ? undefined : outputsOf(head);
    const feeds = toFeeds(inputs, tensor, input);
    const outputs = await runInTurn(() => session.run(feeds, wanted, { signal }), runOptions);
    const { confidence, maxDetections, iouThreshold = ownThreshold(head, custom) } = request;
    const { classCount } = head;
    const options = { classCount, confidence, classMask, input };
    const candidates = custom
      ? decodeCustomInto(this.#candidates, toHeadOutputs(outputs), custom, options)
      : decodeOutputsInto(this.#candidates, outputs, head, options);
    const kept = selectDetections(candidates, { iouThreshold, maxDetections });
    const detections = Array.from(kept, (index) =>
      toDetection(candidates, index, classNames, placement, image),
    );
    return { type: 'detections', detections: detections.filter(hasArea), image };
  }

  async #readImage(
    source: string | Uint8Array,
    longerSide: number,
    options: RunOptions,
  ): Promise<InputLayout & { readonly image: Size; readonly tensor: Float32Array }> {
    const { spec, sizes, preprocessing } = this.#model;
    const { signal } = options;
    const bytes = await readImageSource(source, { fetch: spec.imageFetch, signal });
    assertWanted(signal);
    const opened = await openImage(bytes, spec);
    const image = { width: opened.width, height: opened.height };
    const layout = layOut(image, preprocessing.fit, { ...sizes, longerSide });
    const { input, placement } = layout;
    const inTurn = opened.isLarge ? this.#oneByOne : this.#inTurn;
    const pixels = await inTurn(() => {
      assertWanted(signal);
      return opened.toPixels({ width: placement.width, height: placement.height });
    }, options);
    assertWanted(signal);
    const tensor = new Float32Array(3 * input.width * input.height);
    toInputTensorInto(tensor, pixels, placement, input, preprocessing.format);
    return { ...layout, image, tensor };
  }
}

/** Models without a square of their own take one that is small, but not too small for their strides. */
function probeSize({ edges, default: side }: InputSizes): Size {
  const longest = edges ? detectionParameters.imageSize.min : side;
  return { width: longest, height: longest };
}

function readHead(spec: DetectionSettings, folder: DetectorFolder, outputs: TensorMap, input: Size): Head {
  const shapes = Object.entries(outputs).map(([name, { dims }]) => ({ name, dims }));
  const usual = softmaxModelTypes.has(String(folder.config['model_type'])) ? 'detr-softmax' : undefined;
  try {
    return findHead({
      outputs: shapes,
      input,
      classCount: folder.classNames?.length,
      head: (spec.head as HeadName | undefined) ?? usual,
    });
  } catch (error) {
    throw fieldErrorOf('head', error);
  }
}

function assertCount(param: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) return;
  throw fieldError(param, `expected an integer of at least 1, got ${value}`);
}

function assertTask({ metadata }: DetectorFolder): void {
  const task = metadata.get('task') ?? '';
  if (foreignTasks.has(task))
    throw fieldError('source', `expected a model for detection, got one for ${task}`);
}

function readClassMask(classes: string | undefined, names: readonly string[]): Uint8Array | undefined {
  if (classes === undefined) return undefined;
  try {
    return selectClasses(classes, names);
  } catch (error) {
    throw fieldErrorOf('classes', error);
  }
}

/** Stands for a head of the user's own, which sees all outputs. */
function ownHead(custom: CustomHead, { classNames }: DetectorFolder, outputs: TensorMap): Head {
  const shapes = Object.entries(outputs).map(([name, { dims }]) => ({ name, dims }));
  const classCount = classNames?.length ?? custom.classCount?.(shapes) ?? 0;
  return { name: 'yolov8', output: '', classCount };
}

function toHeadOutputs(outputs: TensorMap): Readonly<Record<string, HeadOutput>> {
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, toHeadOutput(tensor)]));
}

function outputsOf({ output, boxes, labels, count, maps = [] }: Head): string[] {
  const all = new Set([output, boxes, labels, count, ...maps]);
  return [...all].filter((name) => name !== undefined);
}

/** Heads whose boxes are picked already. */
const picking: ReadonlySet<HeadName> = new Set([
  'detr',
  'detr-softmax',
  'end-to-end',
  'nms',
  'nms-rows',
  'yolo26',
]);

/** Models that pick their boxes themselves have none. */
function ownThreshold({ name }: Head, custom: CustomHead | undefined): number | undefined {
  const picks = custom ? custom.picksBoxes === true : picking.has(name);
  return picks ? undefined : detectionParameters.iouThreshold.default;
}

function toDetection(
  { boxes, scores, classIds }: Candidates,
  index: number,
  classNames: readonly string[],
  placement: Placement,
  image: Size,
): Detection {
  const [x1, y1, x2, y2] = boxes.subarray(index * 4, index * 4 + 4) as unknown as [
    number,
    number,
    number,
    number,
  ];
  const classId = classIds[index]!;
  return {
    className: classNames[classId]!,
    classId,
    confidence: scores[index]!,
    box: toImageBox({ x1, y1, x2, y2 }, placement, image),
  };
}

/** Boxes in the padding have none in the image. */
function hasArea({ box }: Detection): boolean {
  return box.x2 > box.x1 && box.y2 > box.y1;
}
