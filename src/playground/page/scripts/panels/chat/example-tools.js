import { blobFromBase64 } from '../../dom/bytes.js';
import { element, quietButton } from '../../dom/element.js';

/**
 * @typedef {import('../workspace.js').PanelContext} PanelContext
 * @typedef {Record<string, unknown>} Arguments
 */

/**
 * * @typedef {object} ToolResult
 * @property {string} content for the model
 * @property {HTMLElement} [shown] extra output for the user
 */

/**
 * * @typedef {object} ExampleTool
 * @property {string} label
 * @property {string} name
 * @property {object} definition as it is sent
 * @property {(values: Arguments, signal: AbortSignal, place: (shown: HTMLElement) => void) => Promise<ToolResult>} answer `place` shows an element with the call until the result arrives
 */

const skies = ['sunny', 'rainy', 'cloudy', 'windy', 'snowy', 'foggy', 'clear'];

/**
 * * Tools that the page runs itself, to demonstrate the whole round trip.
 *
 * @param {PanelContext} context
 * @returns {ExampleTool[]}
 */
export function exampleTools(context) {
  const painter = context.modelOf('image');
  return [weather, time, ...(painter ? [drawing(context, painter.id)] : [])];
}

/** @type {ExampleTool} */
const weather = {
  label: 'Weather (made up)',
  name: 'get_weather',
  definition: definition('get_weather', 'Get the weather for a city.', 'city', 'The city.'),
  async answer({ city }) {
    const name = textOf(city, 'city');
    const dice = [...name.toLowerCase()].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
    return { content: JSON.stringify({ weather: `${dice % 30} degrees and ${skies[dice % skies.length]}` }) };
  },
};

/** @type {ExampleTool} */
const time = {
  label: 'Time',
  name: 'get_time',
  definition: definition('get_time', 'Get the time in a city.', 'city', 'The city.'),
  async answer({ city }) {
    const name = textOf(city, 'city').trim().replaceAll(' ', '_').toLowerCase();
    const timeZone = Intl.supportedValuesOf('timeZone').find((zone) =>
      zone.toLowerCase().endsWith(`/${name}`),
    );
    if (timeZone === undefined) return { content: JSON.stringify({ error: 'unknown city' }) };
    const now = new Date().toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
    return { content: JSON.stringify({ time: now }) };
  },
};

/** @param {PanelContext} context @param {string} model @returns {ExampleTool} */
function drawing({ client, modelOf, handOver }, model) {
  return {
    label: 'Draw a scene',
    name: 'draw_scene',
    definition: definition('draw_scene', 'Draw a picture of a scene.', 'scene', 'The scene in words.'),
    async answer({ scene }, signal) {
      const prompt = textOf(scene, 'scene');
      const json = { model, prompt, size: '512x512' };
      const response = await client.send({ path: '/images/generations', json }, signal);
      const { data } = /** @type {import('../../../../../categories/image/wire/schema.ts').ImageResponse} */ (
        await response.json()
      );
      const blob = blobFromBase64(data[0]?.b64_json ?? '', 'image/png');
      const picture = element('img', { class: 'drawn', src: URL.createObjectURL(blob), alt: prompt });
      const shown = element('div', { class: 'drawn-block' }, picture);
      if (modelOf('detection')) {
        const file = new File([blob], 'drawn.png', { type: 'image/png' });
        shown.append(quietButton('Find objects in it', () => handOver('detection', file)));
      }
      return { content: JSON.stringify({ status: 'ok' }), shown };
    },
  };
}

/** @param {string} name @param {string} description @param {string} parameter @param {string} meaning */
function definition(name, description, parameter, meaning) {
  const parameters = {
    type: 'object',
    properties: { [parameter]: { type: 'string', description: meaning } },
    required: [parameter],
  };
  return { type: 'function', function: { name, description, parameters } };
}

/** @param {unknown} value @param {string} name */
function textOf(value, name) {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name}: expected a text`);
  return value;
}

/**
 * * Runs a call; errors become results too.
 *
 * @param {readonly ExampleTool[]} tools
 * @param {import('./messages.js').ToolCall} call
 * @param {AbortSignal} signal
 * @param {(shown: HTMLElement) => void} place
 * @returns {Promise<ToolResult>}
 */
export async function answerCall(tools, { function: { name, arguments: json } }, signal, place) {
  const tool = tools.find((candidate) => candidate.name === name);
  try {
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    const values = /** @type {unknown} */ (JSON.parse(json));
    return await tool.answer(/** @type {Arguments} */ (values ?? {}), signal, place);
  } catch (error) {
    signal.throwIfAborted();
    return { content: JSON.stringify({ error: error instanceof Error ? error.message : String(error) }) };
  }
}
