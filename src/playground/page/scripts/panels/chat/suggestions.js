import { element, quietButton } from '../../dom/element.js';

/** Questions that the bundled model can answer, with the tool that it needs. */
const suggestions = [
  { text: 'Hello, who are you?' },
  { text: 'What is 27 + 58?' },
  { text: 'Describe a scene with two shapes.' },
  { text: 'What is the weather in Paris?', tool: 'get_weather' },
  { text: 'Draw a scene with two shapes.', tool: 'draw_scene' },
];

/** @param {(text: string, tool: string | undefined) => void} onChoose @returns {HTMLElement} */
export function createSuggestions(onChoose) {
  return element(
    'div',
    { class: 'suggestions' },
    element('h3', {}, 'To begin with'),
    element(
      'ul',
      {},
      ...suggestions.map(({ text, tool }) =>
        element(
          'li',
          {},
          quietButton(text, () => onChoose(text, tool)),
        ),
      ),
    ),
  );
}
