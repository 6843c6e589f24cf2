import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createInference,
  detection,
  type DetectionRequestInput,
  type DetectionResult,
  type Inference,
} from '../../dist/src/index.js';

// The bundled detector on drawings of known content.
let inference: Inference;
let image: string;

const scene = {
  'red circle': { x1: 90, y1: 90, x2: 210, y2: 210 },
  'blue square': { x1: 380, y1: 220, x2: 500, y2: 340 },
  'green triangle': { x1: 440, y1: 30, x2: 580, y2: 150 },
};

beforeAll(async () => {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
    <rect width="640" height="480" fill="#e8e0d0"/>
    <circle cx="150" cy="150" r="60" fill="#dc1e1e"/>
    <rect x="380" y="220" width="120" height="120" fill="#2040d8"/>
    <polygon points="510,30 580,150 440,150" fill="#1e9632"/>
  </svg>`;
  image = (await sharp(Buffer.from(drawing)).png().toBuffer()).toString('base64');
  inference = createInference({
    models: { 'tiny-detect': detection({ source: 'tiny-detect' }) },
    isolation: 'inline',
  });
  await inference.ready();
});
afterAll(() => inference.close());

const detect = (request: Partial<DetectionRequestInput> = {}): Promise<DetectionResult> =>
  inference.detect({ model: 'tiny-detect', image, ...request });
const namesIn = ({ detections }: DetectionResult) => detections.map(({ className }) => className).toSorted();

describe('tiny-detect', () => {
  it.each([undefined, 480, 640, 960])(
    'finds coloured shapes where they are (image size %s)',
    async (imageSize) => {
      const { detections, image: size } = await detect({
        ...(imageSize !== undefined && { imageSize }),
        confidence: 0.4,
      });
      expect(size).toEqual({ width: 640, height: 480 });
      expect(namesIn({ detections, image: size })).toEqual(Object.keys(scene).toSorted());
      for (const { className, box } of detections) {
        const drawn = scene[className as keyof typeof scene];
        for (const edge of ['x1', 'y1', 'x2', 'y2'] as const) {
          expect(Math.abs(box[edge] - drawn[edge]), `${className} ${edge}`).toBeLessThan(16);
        }
      }
    },
  );

  it('looks for some classes only', async () => {
    expect(namesIn(await detect({ classes: 'RED CIRCLE, 13' }))).toEqual(['blue square', 'red circle']);
    await expect(detect({ classes: 'dog' })).rejects.toThrow(
      /there is no "dog"; there are red circle, red square/,
    );
  });

  it('finds nothing on an empty sheet', async () => {
    const sheet = sharp({ create: { width: 400, height: 300, channels: 3, background: '#e8e0d0' } });
    const { detections } = await detect({ image: (await sheet.png().toBuffer()).toString('base64') });
    expect(detections).toEqual([]);
  });
});
