/** @typedef {{ shape: 'circle' | 'square' | 'triangle', color: string, x: number, y: number, size: number }} Drawn */

/** Side in pixels. */
const side = 512;

/** Scenes that the bundled models recognize. @type {readonly { label: string, shapes: readonly Drawn[] }[]} */
const scenes = [
  {
    label: 'Two shapes',
    shapes: [
      { shape: 'circle', color: '#d62828', x: 170, y: 170, size: 160 },
      { shape: 'square', color: '#1d4ed8', x: 340, y: 350, size: 150 },
    ],
  },
  {
    label: 'Three shapes',
    shapes: [
      { shape: 'triangle', color: '#15803d', x: 140, y: 360, size: 170 },
      { shape: 'square', color: '#ffd500', x: 370, y: 370, size: 130 },
      { shape: 'circle', color: '#7c3aed', x: 280, y: 150, size: 150 },
    ],
  },
];

/** Pictures drawn by the page. @type {readonly import('../dom/samples.js').Sample[]} */
export const samplePictures = scenes.map(({ label, shapes }) => ({
  label,
  isPicture: true,
  make: () => draw(label, shapes),
}));

/** @param {string} label @param {readonly Drawn[]} shapes @returns {Promise<File>} */
async function draw(label, shapes) {
  const canvas = new OffscreenCanvas(side, side);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.fillStyle = '#f4f4f5';
  context.fillRect(0, 0, side, side);
  for (const { shape, color, x, y, size } of shapes) {
    const half = size / 2;
    context.fillStyle = color;
    context.beginPath();
    if (shape === 'circle') context.arc(x, y, half, 0, 2 * Math.PI);
    else if (shape === 'square') context.rect(x - half, y - half, size, size);
    else {
      context.moveTo(x, y - half);
      context.lineTo(x + half, y + half);
      context.lineTo(x - half, y + half);
    }
    context.fill();
  }
  const blob = await canvas.convertToBlob({ type: 'image/png' });
  return new File([blob], `${label.toLowerCase().replaceAll(' ', '-')}.png`, { type: 'image/png' });
}
