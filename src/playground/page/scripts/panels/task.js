import { element } from '../dom/element.js';

/**
 * * The start/stop button of a panel's work.
 *
 * @typedef {object} Task
 * @property {HTMLButtonElement} button
 * @property {() => boolean} isRunning
 * @property {(work: (signal: AbortSignal) => Promise<void>) => Promise<void>} run no effect while work is running
 * @property {() => void} stop
 * @property {() => Promise<void>} idle resolves when no work is running
 */

/**
 * * @param {object} options
 * @param {string} options.label
 * @param {() => void} options.onStart start requested
 * @param {(error: unknown) => void} options.onError
 * @param {(isBusy: boolean) => void} options.onBusy
 * @returns {Task}
 */
export function createTask({ label, onStart, onError, onBusy }) {
  /** @type {AbortController | undefined} */
  let running;
  let ended = Promise.resolve();
  const button = element('button', { type: 'button', class: 'button' }, label);
  const show = () => {
    const isBusy = running !== undefined;
    button.dataset['busy'] = String(isBusy);
    if (isBusy) button.replaceChildren(element('span', { class: 'spinner', 'aria-hidden': 'true' }), 'Stop');
    else button.replaceChildren(label);
    onBusy(isBusy);
  };
  /** @param {AbortController} controller @param {(signal: AbortSignal) => Promise<void>} work */
  const finish = async (controller, work) => {
    show();
    try {
      await work(controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) onError(error);
    } finally {
      running = undefined;
      show();
    }
  };
  button.addEventListener('click', () => (running ? running.abort() : onStart()));
  return {
    button,
    isRunning: () => running !== undefined,
    stop: () => running?.abort(),
    idle: () => ended,
    run(work) {
      if (!running) ended = finish((running = new AbortController()), work);
      return ended;
    },
  };
}
