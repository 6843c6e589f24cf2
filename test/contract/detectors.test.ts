import { detectors } from '../../src/categories/detection/models.ts';
import { onnxSessions } from '../../src/backends/onnx/sessions.ts';
import type { DetectionSettings } from '../../src/categories/detection/settings.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  Detection,
  DetectionEvent,
  DetectionModelInfo,
  DetectionResult,
} from '../../src/categories/detection/events.ts';
import type { ModelSpec } from '../../src/contracts/model.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import {
  completeDetectionRequest,
  type DetectionRequestInput,
  type DetectionRequest,
} from '../../src/categories/detection/request.ts';
import { loadDetectionPipeline } from '../../src/categories/detection/pipeline/detection-pipeline.ts';

interface Expected {
  readonly classId: number;
  readonly confidence: number;
  /** x1, y1, x2, y2 in pixels of the picture; beyond its edges, too. */
  readonly box: readonly [number, number, number, number];
}

interface Golden {
  readonly cases: readonly {
    readonly picture: string;
    /** Width and height of what the reference makes of the picture. */
    readonly input: readonly [number, number];
    readonly queries: number;
    /** All above 0.01, best first. */
    readonly detections: readonly Expected[];
  }[];
}

const families = ['detr', 'conditional-detr', 'yolos', 'rt-detr-v2', 'd-fine'] as const;

interface Tolerance {
  /** In shares of the picture's longer side. */
  readonly box: number;
  readonly confidence: number;
}
const numeric: Tolerance = { box: 1e-5, confidence: 5e-5 };
/** A few of the values of pixels differ by one between Pillow and sharp, by more where they become less than half as many. */
const resampled: Tolerance = { box: 1e-3, confidence: 0.01 };

describe.each(families)('%s', async (family) => {
  const { cases } = JSON.parse(await readFile(join(folderOf(family), 'golden.json'), 'utf8')) as Golden;
  let pipeline: Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>;
  beforeAll(async () => {
    pipeline = await load(family);
  });
  afterAll(() => pipeline.close());

  it.each(cases)(
    'finds in $picture what transformers finds',
    async ({ picture, input, queries, detections }) => {
      const { detections: got, image } = await detect(pipeline, picture, { maxDetections: queries });
      const isResized = input[0] !== image.width || input[1] !== image.height;
      expect(difference(got, detections.slice(0, queries), image, isResized ? resampled : numeric)).toEqual(
        [],
      );
    },
  );

  it('finds something else in every picture', async () => {
    const [first, ...others] = cases;
    const { detections, image } = await detect(pipeline, first!.picture, { maxDetections: first!.queries });
    for (const other of others)
      expect(difference(detections, other.detections.slice(0, other.queries), image, resampled)).not.toEqual(
        [],
      );
  });

  it('leaves out what is below the threshold', async () => {
    const { picture, queries, detections } = cases[0]!;
    const confidence = widestGap(detections.slice(0, queries));
    const { detections: got, image } = await detect(pipeline, picture, {
      confidence,
      maxDetections: queries,
    });
    const expected = detections.filter((one) => one.confidence >= confidence).slice(0, queries);
    expect(difference(got, expected, image, resampled)).toEqual([]);
  });
});

/** A threshold that no score is near to. */
function widestGap(detections: readonly Expected[]): number {
  const scores = detections.map((one) => one.confidence);
  const gaps = scores.slice(1).map((score, index) => scores[index]! - score);
  const widest = gaps.indexOf(Math.max(...gaps));
  return (scores[widest]! + scores[widest + 1]!) / 2;
}

/** What is on one side alone. */
function difference(
  got: readonly Detection[],
  expected: readonly Expected[],
  image: DetectionResult['image'],
  tolerance: Tolerance,
): readonly object[] {
  const wanted = expected
    .map((one) => clip(one, image))
    .filter(({ box: { x1, y1, x2, y2 } }) => x1 < x2 && y1 < y2);
  const longerSide = Math.max(image.width, image.height);
  const areAlike = (one: Found, other: Found): boolean =>
    one.classId === other.classId &&
    Math.abs(one.confidence - other.confidence) < tolerance.confidence &&
    sides.every((side) => Math.abs(one.box[side] - other.box[side]) < tolerance.box * longerSide);
  const alone = (some: readonly Found[], others: readonly Found[]): readonly Found[] =>
    some.filter((one) => !others.some((other) => areAlike(one, other)));
  return got.length === wanted.length ? [...alone(wanted, got), ...alone(got, wanted)] : [...wanted, ...got];
}

const sides = ['x1', 'y1', 'x2', 'y2'] as const;
type Found = Pick<Detection, 'classId' | 'confidence' | 'box'>;

/** The reference leaves boxes beyond the edges of a picture as they are. */
function clip({ box, ...rest }: Expected, { width, height }: DetectionResult['image']): Found {
  const within = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
  const [x1, y1, x2, y2] = box;
  return {
    ...rest,
    box: { x1: within(x1, width), y1: within(y1, height), x2: within(x2, width), y2: within(y2, height) },
  };
}

function folderOf(family: string): string {
  return new URL(`models/${family}`, import.meta.url).pathname;
}

function load(
  family: string,
  spec: Partial<ModelSpec<DetectionSettings>> = {},
): Promise<Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>> {
  return loadDetectionPipeline(
    {
      id: family,
      category: 'detection',
      source: folderOf(family),
      threads: 1,
      ...spec,
    },
    onnxSessions,
    detectors[0]!,
  );
}

async function detect(
  pipeline: Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>,
  picture: string,
  request: Partial<DetectionRequestInput>,
): Promise<DetectionResult> {
  const bytes = await readFile(new URL(`pictures/${picture}.png`, import.meta.url));
  const complete = completeDetectionRequest({
    model: pipeline.info.id,
    image: bytes.toString('base64'),
    confidence: 0.01,
    ...request,
  });
  for await (const event of pipeline.run(complete)) return event;
  throw new Error('nothing came');
}
