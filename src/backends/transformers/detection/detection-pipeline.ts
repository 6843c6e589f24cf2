import { join } from 'node:path';
import { limitConcurrency } from '../../../concurrency/limit-concurrency.ts';
import { OpenRuns } from '../../../concurrency/open-runs.ts';
import { createCandidates } from '../../../core/vision/candidates.ts';
import { decodeGroundedInto } from '../../../core/vision/heads/grounded.ts';
import { selectDetections } from '../../../core/vision/select-detections.ts';
import { assertWanted, fieldError } from '../../../errors.ts';
import { locateModel } from '../../../models/source.ts';
import { openImage } from '../../../runtime/image.ts';
import { readImageSource } from '../../../runtime/image-source.ts';
import type { ModelSpec, Pipeline, RunOptions } from '../../../categories/contract.ts';
import type { Detection, DetectionEvent, DetectionModelInfo } from '../../../categories/detection/events.ts';
import type { DetectionRequest } from '../../../categories/detection/request.ts';
import type { DetectionSettings } from '../../../categories/detection/settings.ts';
import { readChangeTime } from '../../../models/model-folder.ts';
import { loadZeroShotModel } from './zero-shot-model.ts';

/** While one runs, others wait for servers or decode. */
const concurrency = 8;
/** Larger pictures are made smaller first: the models read less than this. */
const longestSide = 1536;
const mostWords = 256;

/**
 * Loads a detector that is asked in words: OWL-ViT, OWLv2 or Grounding DINO.
 *
 * @throws InferenceError `invalid_request` naming the file or setting that doesn't fit
 */
export async function loadTransformersDetection(
  spec: ModelSpec<DetectionSettings>,
): Promise<Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>> {
  const { imageFetch } = spec;
  if (typeof spec.classNames === 'string') throw fieldError('classNames', 'expected a list of words');
  const usualWords = spec.classNames;
  const path = locateModel(spec.source);
  const model = await loadZeroShotModel(path, spec);
  const candidates = createCandidates();
  const inTurn = limitConcurrency(1);
  const runs = new OpenRuns();

  async function* run(
    request: DetectionRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<DetectionEvent> {
    const { confidence, iouThreshold, maxDetections, imageSize } = request;
    const words = readWords(request.classes, usualWords);
    if (imageSize !== undefined) {
      throw fieldError('image_size', 'the model has a size of its own', { code: 'unsupported_feature' });
    }
    const bytes = await readImageSource(request.image, { fetch: imageFetch, signal });
    const opened = await openImage(bytes, spec);
    const image = { width: opened.width, height: opened.height };
    const detections = await inTurn(async () => {
      assertWanted(signal);
      const scale = Math.min(1, longestSide / Math.max(image.width, image.height));
      const width = Math.max(1, Math.round(image.width * scale));
      const height = Math.max(1, Math.round(image.height * scale));
      const found = await model.find(await opened.toPixels({ width, height }), { width, height }, words);
      const input = {
        width: (found.frame.width * image.width) / width,
        height: (found.frame.height * image.height) / height,
      };
      decodeGroundedInto(candidates, found, { spans: found.spans, confidence, input });
      return Array.from(selectDetections(candidates, { iouThreshold, maxDetections }), (index): Detection => {
        const [x1, y1, x2, y2] = candidates.boxes.subarray(index * 4, index * 4 + 4);
        const classId = candidates.classIds[index]!;
        return {
          className: words[classId]!,
          classId,
          confidence: candidates.scores[index]!,
          box: {
            x1: within(x1!, image.width),
            y1: within(y1!, image.height),
            x2: within(x2!, image.width),
            y2: within(y2!, image.height),
          },
        };
      });
    });
    yield {
      type: 'detections',
      detections: detections.filter(({ box }) => box.x2 > box.x1 && box.y2 > box.y1),
      image,
    };
  }

  return {
    concurrency,
    info: {
      id: spec.id,
      name: spec.name ?? spec.id,
      category: 'detection',
      contextLength: 0,
      foreignParameters: ['imageSize'],
      created: await readChangeTime(join(path, 'config.json')),
      ownedBy: 'slashv1',
    },
    run: (request, { signal }: RunOptions = {}) => runs.track(run(request, signal)),
    async close() {
      await runs.ended();
      await model.release();
    },
  };
}

function readWords(classes: string | undefined, usual: readonly string[] | undefined): readonly string[] {
  const words = classes?.split(',').map((word) => word.trim()) ?? usual ?? [];
  const given = words.filter((word) => word !== '');
  if (given.length === 0) {
    throw fieldError(
      'classes',
      'expected words for what to find, separated by commas, such as "cat, remote control"',
    );
  }
  if (given.length <= mostWords) return given;
  throw fieldError('classes', `expected at most ${mostWords} words, got ${given.length}`);
}

function within(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}
