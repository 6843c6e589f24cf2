import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import type { Size } from '../../../../core/vision/box.ts';
import { decodeCustomInto, type CustomHead } from '../../../../core/vision/heads/custom-head.ts';
import { hasQueries } from '../../../../core/vision/heads/detr.ts';
import type { DetectorHead, FoundOutputs, HeadOutput } from '../../../../core/vision/heads/head.ts';
import { usualPreprocessing } from '../../../../core/vision/heads/preprocessing.ts';
import {
  detectorHeads,
  findHead,
  headNamed,
  type HeadName,
  headNames,
} from '../../../../core/vision/heads/registry.ts';
import { toInputTensorInto } from '../../../../core/vision/input-tensor.ts';
import { fieldError, fieldErrorOf } from '../../../../errors.ts';
import type { Session, TensorMap } from '../../../../contracts/graph.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { Detector } from '../../detector.ts';
import { detectionParameters } from '../../parameters.ts';
import type { DetectionSettings } from '../../settings.ts';
import { openDetectorFolder, type DetectorFolder } from './detector-folder.ts';
import { readInputs, toFeeds, toHeadOutput } from './detector-inputs.ts';
import { readInputSizes, type InputSizes, readResizing, layOut } from './input-sizes.ts';

const foreignTasks = new Set(['classify', 'obb']);

/** A head that has found its outputs. */
type ReadyHead = FoundOutputs & Pick<DetectorHead, 'picksBoxes' | 'preprocessing' | 'decode'>;

/** Opens a YOLO or a model of the DETR family. */
export async function openGraphDetector(
  spec: ModelSpec<DetectionSettings>,
  sessions: SessionBackend,
): Promise<Detector> {
  const folder = await openDetectorFolder(spec.source, { ...spec, hasGraphs: sessions.hasGraphs });
  const task = folder.metadata.get('task') ?? '';
  if (foreignTasks.has(task)) {
    throw fieldError('source', `expected a model for detection, got one for ${task}`);
  }
  const session = await sessions.openSession({ graph: folder.graph }, spec);
  try {
    return await createGraphDetector(spec, folder, session);
  } catch (error) {
    await session.release();
    throw error;
  }
}

/** Runs the graph once, on nothing: the shapes of its outputs show how to read them. */
async function createGraphDetector(
  spec: ModelSpec<DetectionSettings>,
  folder: DetectorFolder,
  session: Session,
): Promise<Detector> {
  const inputs = readInputs(session);
  const resizing = hasQueries(session.outputs) ? readResizing(folder.preprocessor) : undefined;
  const sizes = readInputSizes(inputs.pixels, folder, resizing);
  const size = sizes.fixed ?? probeSize(sizes);
  const nothing = new Float32Array(3 * size.width * size.height);
  const head = await readHead(spec.head, folder, await session.run(toFeeds(inputs, nothing, size)), size);
  const { fit, format } = head.preprocessing?.(folder.preprocessor) ?? usualPreprocessing;
  const { outputs: names, classCount, picksBoxes = false } = head;
  const classNames = folder.classNames ?? numberedClasses(spec.source, classCount);
  if (classNames.length === 0) {
    throw fieldError('classNames', 'expected names, since neither the config nor the graph has them');
  }
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

/** Models without a square of their own take one that is small, but not too small for their strides. */
function probeSize({ edges, default: side }: InputSizes): Size {
  const longest = edges ? detectionParameters.imageSize.min : side;
  return { width: longest, height: longest };
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
  try {
    const found = findHead({ outputs, input, classCount: classNames?.length, head: chosen?.name });
    return { ...headNamed(found.name)!, ...found };
  } catch (error) {
    throw fieldErrorOf('head', error);
  }
}

/** Names for classes that have none. */
function numberedClasses(source: string, count: number): readonly string[] {
  if (count === 0) return [];
  console.warn(
    `slashv1: no file of ${source} names the classes of its objects, which are called class_0 to class_${count - 1}; the setting classNames gives them names`,
  );
  return Array.from({ length: count }, (_, classId) => `class_${classId}`);
}

/** Imports a head of the user's own. */
async function loadCustomHead(path: string): Promise<CustomHead> {
  const url = path.startsWith('file:') ? path : pathToFileURL(resolve(path)).href;
  let exported: { readonly default?: unknown };
  try {
    exported = (await import(url)) as { readonly default?: unknown };
  } catch (error) {
    throw fieldError('head', `the module ${path} can't be imported: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const head = exported.default as Partial<CustomHead> | undefined;
  if (typeof head?.decode !== 'function') {
    throw fieldError('head', `expected ${path} to export by default an object with a function decode`);
  }
  if (head.like === undefined || headNames.includes(head.like)) return head as CustomHead;
  throw fieldError('head', `expected \`like\` of ${path} to be one of ${headNames.join(', ')}`);
}
