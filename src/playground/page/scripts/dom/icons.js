const namespace = 'http://www.w3.org/2000/svg';

/** Strokes on a grid of 24. */
const icons = {
  chat: [
    'M5 5h14a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 19 17h-7l-4.5 3.5V17H5a1.5 1.5 0 0 1-1.5-1.5v-9A1.5 1.5 0 0 1 5 5z',
  ],
  image: ['M4.5 4.5h15v15h-15z', 'M4.5 16l4.5-4.5 4 4 2-2 4.5 4', 'M15 8.6h.01'],
  detection: ['M4 8V4h4', 'M16 4h4v4', 'M20 16v4h-4', 'M8 20H4v-4', 'M9 9h6v6H9z'],
  transcription: [
    'M12 3.5a2.5 2.5 0 0 1 2.5 2.5v5.5a2.5 2.5 0 0 1-5 0V6A2.5 2.5 0 0 1 12 3.5z',
    'M6 11.5a6 6 0 0 0 12 0',
    'M12 17.5v3',
  ],
  speech: ['M4.5 9.5v5H8l4.5 3.5V6L8 9.5z', 'M15.5 9.5a3.5 3.5 0 0 1 0 5', 'M18 7a7 7 0 0 1 0 10'],
  embedding: [
    'M7 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
    'M17.5 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
    'M9.5 19.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
    'M7.6 9 9 15.5M15.9 11.3 11 16',
  ],
  reference: ['M8.5 7 3.5 12l5 5', 'M15.5 7l5 5-5 5', 'M13.5 5l-3 14'],
  voice: ['M4 10v4', 'M8 7v10', 'M12 4v16', 'M16 7v10', 'M20 10v4'],
  rerank: ['M4.5 6.5h15', 'M4.5 12h10', 'M4.5 17.5h5'],
};

/**
 * * @param {keyof typeof icons} name
 * @returns {SVGElement} decorative; the adjacent text has the meaning
 */
export function icon(name) {
  const drawing = document.createElementNS(namespace, 'svg');
  for (const [attribute, value] of Object.entries({
    viewBox: '0 0 24 24',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '1.6',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
  })) {
    drawing.setAttribute(attribute, value);
  }
  for (const d of icons[name]) {
    const path = document.createElementNS(namespace, 'path');
    path.setAttribute('d', d);
    drawing.append(path);
  }
  return drawing;
}
