import { element, quietButton } from '../../dom/element.js';
import { sampleButton } from '../../dom/samples.js';
import { samplePictures } from '../sample-pictures.js';

/** Questions for the bundled model, with the required tool. */
const questions = [
  { text: 'Hello, who are you?' },
  { text: 'What is 27 + 58?' },
  { text: 'Describe a scene with two shapes.' },
  { text: 'What is the weather in Paris?', tool: 'get_weather' },
  { text: 'Draw a scene with two shapes.', tool: 'draw_scene' },
];

const aboutPictures = 'What is in this picture?';

/**
 * * Conversation starters.
 *
 * @param {object} options
 * @param {(text: string, tool: string | undefined) => void} options.onQuestion
 * @param {((picture: File, text: string) => void) | undefined} options.onPicture `undefined` without a vision model
 * @param {(error: unknown) => void} options.onError
 * @param {readonly import('../../dom/samples.js').Sample[]} options.recordings
 * @param {(recording: File) => void} options.onRecording
 * @returns {HTMLElement}
 */
export function createSuggestions({ onQuestion, onPicture, onError, recordings, onRecording }) {
  const buttons = [
    ...questions.map(({ text, tool }) => quietButton(text, () => onQuestion(text, tool))),
    ...recordings.map((sample) => sampleButton(sample, sample.label, onRecording, onError)),
  ];
  return element(
    'div',
    { class: 'suggestions' },
    element('h3', {}, 'To begin with'),
    element('ul', {}, ...buttons.map((button) => element('li', {}, button))),
    onPicture ? pictureButtons(onPicture, onError) : null,
  );
}

/**
 * *
 *
 * @param {(picture: File, text: string) => void} onPicture
 * @param {(error: unknown) => void} onError
 */
function pictureButtons(onPicture, onError) {
  const choose = (/** @type {File} */ file) => onPicture(file, aboutPictures);
  const buttons = samplePictures.map((sample) =>
    element('li', {}, sampleButton(sample, `${aboutPictures} ${sample.label}`, choose, onError)),
  );
  return element(
    'div',
    { class: 'picture-questions' },
    element('p', { class: 'hint' }, aboutPictures),
    element('ul', {}, ...buttons),
  );
}
