import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Session, Tensor, TensorMap, TensorSignature } from '../../../../contracts/graph.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import { builtInSize, filled } from '../../../../runtime/tensors.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import type { Size } from '../../../../core/vision/box.ts';
import { decodeCustomInto, type CustomHead } from '../../../../core/vision/heads/custom-head.ts';
import { hasQueries } from '../../../../core/vision/heads/detr.ts';
import type { DetectorHead, FoundOutputs, HeadOutput } from '../../../../core/vision/heads/head.ts';
import { defaultPreprocessing } from '../../../../core/vision/heads/head.ts';
import {
  detectorHeads,
  findHead,
  headNamed,
  headNames,
  type HeadName,
} from '../../../../core/vision/heads/registry.ts';
import { toInputTensorInto } from '../../../../core/vision/input-tensor.ts';
import { fieldError, inField } from '../../../../errors.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import type { Detector } from '../../detector.ts';
import { detectionParameters } from '../../parameters.ts';
import type { DetectionSettings } from '../../settings.ts';
import { openDetectorFolder, type DetectorFolder } from './detector-folder.ts';
import { layOut, readInputSizes, readResizing } from './input-sizes.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';

interface DetectorInputs {
  /** `[1, 3, height, width]` */
  readonly pixels: TensorSignature;
  /** `[1, height, width]`: which pixels belong to the image. Some DETR graphs have it, with a fixed size. */
  readonly mask: TensorSignature | undefined;
}

const maskName = 'pixel_mask';

export function readInputs({ inputs }: Session): DetectorInputs {
  const mask = inputs.find(({ name, dims }) => name === maskName && dims.length === 3);
  const [pixels, ...others] = inputs.filter((input) => input !== mask);
  if (pixels && others.length === 0 && takesImages(pixels)) return { pixels, mask };
  const got = inputs.map(({ name, type, dims }) => `${name} ${type}[${dims.join(', ')}]`).join(' and ');
  const reason = `expected a graph with one input, float32[1, 3, height, width], or also with a ${maskName}, got ${got}`;
  throw sourceError(reason);
}

/** One image that fills its input. */
export function toFeeds(
  { pixels, mask }: DetectorInputs,
  data: Float32Array,
  { width, height }: Size,
): TensorMap {
  const image: Tensor = { type: 'float32', dims: [1, 3, height, width], data };
  return { [pixels.name]: image, ...(mask && { [mask.name]: fullMask(mask, { width, height }) }) };
}

function takesImages({ type, dims: [batch, channels, ...rest] }: TensorSignature): boolean {
  return (
    type === 'float32' &&
    rest.length === 2 &&
    (typeof channels === 'string' || channels === 3 || channels === -1) &&
    (batch === 1 || typeof batch !== 'number' || batch < 1)
  );
}

function fullMask({ name, type, dims }: TensorSignature, { width, height }: Size): Tensor {
  if (type !== 'int64' && type !== 'bool' && type !== 'float32')
    throw sourceError(`${name} is ${type}, expected int64, bool or float32`);
  return filled(type, [1, builtInSize(dims[1]) ?? height, builtInSize(dims[2]) ?? width], 1);
}

/** Converts an output of any type to numbers. */
export function toHeadOutput(tensor: Tensor): HeadOutput {
  const { type, data, dims } = tensor;
  if (type === 'float32' || type === 'float16') return { data: toFloat32(tensor), dims };
  if (type === 'int64' || type === 'int32')
    return { data: Float32Array.from(data as ArrayLike<number | bigint>, Number), dims };
  throw new TypeError(`output: expected float32, float16, int64 or int32, got ${type}`);
}

const foreignTasks = new Set(['classify', 'obb']);

type ReadyHead = FoundOutputs & Pick<DetectorHead, 'picksBoxes' | 'preprocessing' | 'decode'>;

export async function openGraphDetector(
  spec: ModelSpec<DetectionSettings>,
  sessions: SessionBackend,
): Promise<Detector> {
  const folder = await openDetectorFolder(spec.source, { ...spec, hasGraphs: sessions.hasGraphs });
  const task = folder.metadata.get('task') ?? '';
  if (foreignTasks.has(task)) throw sourceError(`expected a model for detection, got one for ${task}`);
  return releaseOnFailure(async (own) =>
    createGraphDetector(spec, folder, own(await sessions.openSession({ graph: folder.graph }, spec))),
  );
}

/** A run on zeros: its output shapes show how to read them. */
async function createGraphDetector(
  spec: ModelSpec<DetectionSettings>,
  folder: DetectorFolder,
  session: Session,
): Promise<Detector> {
  const inputs = readInputs(session);
  const resizing = hasQueries(session.outputs) ? readResizing(folder.preprocessor) : undefined;
  const sizes = readInputSizes(inputs.pixels, folder, resizing);
  // Without a default square, use a small one that still fits the strides.
  const side = sizes.edges ? detectionParameters.imageSize.min : sizes.default;
  const size = sizes.fixed ?? { width: side, height: side };
  const nothing = new Float32Array(3 * size.width * size.height);
  const head = await readHead(spec.head, folder, await session.run(toFeeds(inputs, nothing, size)), size);
  const { fit, format } = head.preprocessing?.(folder.preprocessor) ?? defaultPreprocessing;
  const { outputs: names, classCount, picksBoxes = false } = head;
  const classNames = folder.classNames ?? numberedClasses(spec.source, classCount);
  if (classNames.length === 0)
    throw fieldError('classNames', 'expected names, since neither the config nor the graph has them');
  return {
    classNames,
    imageSizes: { default: sizes.default, min: sizes.min, max: sizes.max, step: sizes.step },
    picksBoxes,
    created: folder.created,
    layOut: (image, longerSide) => layOut(image, fit, { ...sizes, longerSide }),
    async run({ pixels, input, placement }, { signal }) {
      const tensor = new Float32Array(3 * input.width * input.height);
      toInputTensorInto(tensor, pixels, placement, input, format);
      const outputs = await session.run(toFeeds(inputs, tensor, input), names, { signal });
      const read = names.map((name) => toHeadOutput(outputs[name]!)) as [HeadOutput, ...HeadOutput[]];
      return (candidates, options) => head.decode(candidates, read, { ...options, classCount, input });
    },
    release: () => session.release(),
  };
}

async function readHead(
  wanted: string | undefined,
  { classNames, config }: DetectorFolder,
  probe: TensorMap,
  input: Size,
): Promise<ReadyHead> {
  const outputs = Object.entries(probe).map(([name, { dims }]) => ({ name, dims }));
  const chosen: DetectorHead<HeadName> | undefined =
    wanted === undefined
      ? detectorHeads.find(({ modelTypes }: DetectorHead) =>
          modelTypes?.includes(String(config['model_type'])),
        )
      : headNamed(wanted);
  if (wanted !== undefined && !chosen) {
    const custom = await loadCustomHead(wanted);
    const names = outputs.map(({ name }) => name);
    return {
      ...headNamed(custom.like ?? 'yolov8')!,
      picksBoxes: custom.picksBoxes === true,
      outputs: names,
      classCount: classNames?.length ?? custom.classCount?.(outputs) ?? 0,
      decode(candidates, read, options) {
        const byName = Object.fromEntries(read.map((output, index) => [names[index], output]));
        return decodeCustomInto(candidates, byName, custom, options);
      },
    };
  }
  const wish = { outputs, input, classCount: classNames?.length, head: chosen?.name };
  const found = inField('head', () => findHead(wish));
  return { ...headNamed(found.name)!, ...found };
}

function numberedClasses(source: string, count: number): readonly string[] {
  if (count === 0) return [];
  console.warn(
    `slashv1: the files of ${source} have no class names, so its classes are class_0 to class_${count - 1}; set classNames to name them`,
  );
  return Array.from({ length: count }, (_, classId) => `class_${classId}`);
}

async function loadCustomHead(path: string): Promise<CustomHead> {
  const url = path.startsWith('file:') ? path : pathToFileURL(resolve(path)).href;
  const exported = (await import(url).catch((cause: unknown) => {
    throw fieldError('head', `the module ${path} can't be imported: ${(cause as Error).message}`, { cause });
  })) as { readonly default?: unknown };
  const head = exported.default as Partial<CustomHead> | undefined;
  if (typeof head?.decode !== 'function')
    throw fieldError('head', `expected the default export of ${path} to be an object with a function decode`);
  if (head.like === undefined || headNames.includes(head.like)) return head as CustomHead;
  throw fieldError('head', `expected \`like\` of ${path} to be one of ${headNames.join(', ')}`);
}
