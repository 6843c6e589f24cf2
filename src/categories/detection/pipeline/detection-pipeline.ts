import type { SessionBackend } from '../../../contracts/sessions.ts';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import { createCandidates } from '../../../core/vision/candidates.ts';
import { selectClasses } from '../../../core/vision/class-filter.ts';
import { toImageBox } from '../../../core/vision/letterbox.ts';
import { selectDetections } from '../../../core/vision/select-detections.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import { assertWanted, fieldError, inField, unsupportedError } from '../../../errors.ts';
import { openImage } from '../../../runtime/image.ts';
import { readImageSource } from '../../../runtime/image-source.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { Pipeline } from '../../../contracts/category.ts';
import type { Detector } from '../detector.ts';
import type { Detection, DetectionEvent, DetectionModelInfo, ImageSizes } from '../events.ts';
import { detectionParameters } from '../parameters.ts';
import type { DetectionRequest } from '../request.ts';
import type { DetectionSettings } from '../settings.ts';
import { servePipeline } from '../../serve-pipeline.ts';

const maxDecodes = 2;
const maxWords = 256;

export async function loadDetectionPipeline(
  spec: ModelSpec<DetectionSettings>,
  sessions: SessionBackend,
  architecture: Architecture<Detector, DetectionSettings>,
): Promise<Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>> {
  const detector = await architecture.open(spec, sessions);
  const { imageSizes, picksBoxes } = detector;
  const candidates = createCandidates();
  const inTurn = limitConcurrency(maxDecodes, 1);
  /** Decoding a large image takes up to 550 MB. */
  const oneByOne = limitConcurrency(1);
  // Servers queue on their own.
  const runInTurn = limitConcurrency(sessions.hasGraphs ? 1 : Infinity);

  return servePipeline(spec, {
    /** One runs while more wait for a server or have their images decoded. */
    concurrency: 8,
    /** Slots for more owners. */
    reserve: 24,
    info: {
      category: 'detection',
      contextLength: 0,
      ...(imageSizes ? { imageSizes } : { foreignParameters: ['imageSize'] }),
      created: detector.created,
    },
    async *run(request, options) {
      const { signal } = options;
      const { classNames, classMask } = readClasses(request.classes, detector, spec.classNames);
      const longerSide = chooseSize(request.imageSize, imageSizes);
      const bytes = await readImageSource(request.image, { fetch: spec.imageFetch, signal });
      assertWanted(signal);
      const opened = await openImage(bytes, spec);
      const image = { width: opened.width, height: opened.height };
      const layout = detector.layOut(image, longerSide);
      const { placement } = layout;
      const pixels = await (opened.isLarge ? oneByOne : inTurn)(() => {
        assertWanted(signal);
        return opened.toPixels({ width: placement.width, height: placement.height });
      }, options);
      assertWanted(signal);
      const decode = await runInTurn(
        () => detector.run({ ...layout, pixels, classNames }, { signal }),
        options,
      );
      const { confidence, maxDetections } = request;
      decode(candidates, { confidence, classMask });
      const defaultThreshold = picksBoxes ? undefined : detectionParameters.iouThreshold.default;
      const iouThreshold = request.iouThreshold ?? defaultThreshold;
      const detections = Array.from(
        selectDetections(candidates, { iouThreshold, maxDetections }),
        (index): Detection => {
          const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = candidates.boxes.subarray(index * 4, index * 4 + 4);
          const classId = candidates.classIds[index]!;
          return {
            className: classNames[classId]!,
            classId,
            confidence: candidates.scores[index]!,
            box: toImageBox({ x1, y1, x2, y2 }, placement, image),
          };
        },
      );
      // Boxes in the padding have no area in the image.
      const inImage = detections.filter(({ box }) => box.x2 > box.x1 && box.y2 > box.y1);
      yield { type: 'detections', detections: inImage, image };
    },
    models: [detector],
  });
}

/** Rounded up to a multiple of the stride. */
export function chooseSize(wanted: number | undefined, sizes: ImageSizes | undefined): number {
  if (!sizes) {
    if (wanted === undefined) return 0;
    throw unsupportedError('image_size', 'the model has a size of its own');
  }
  if (wanted === undefined || wanted === sizes.default) return sizes.default;
  if (sizes.min < sizes.max) return Math.min(Math.ceil(wanted / sizes.step) * sizes.step, sizes.max);
  throw fieldError('image_size', `the model takes only ${sizes.default}, got ${wanted}`);
}

function readClasses(
  classes: string | undefined,
  { classNames }: Detector,
  defaultNames: DetectionSettings['classNames'],
): { classNames: readonly string[]; classMask?: Uint8Array } {
  if (!classNames) return { classNames: readWords(classes?.split(',') ?? defaultNames ?? []) };
  if (classes === undefined) return { classNames };
  return { classNames, classMask: inField('classes', () => selectClasses(classes, classNames)) };
}

function readWords(given: string | readonly string[]): readonly string[] {
  const words = [given]
    .flat()
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) {
    const reason = 'expected words for what to find, separated by commas, such as "cat, remote control"';
    throw fieldError('classes', reason);
  }
  if (words.length <= maxWords) return words;
  throw fieldError('classes', `expected at most ${maxWords} words, got ${words.length}`);
}
