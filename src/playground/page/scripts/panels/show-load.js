import { announce } from '../dom/announce.js';
import { element } from '../dom/element.js';
import { watchLoad } from './load-note.js';

/** @typedef {import('./workspace.js').Model} Model */

/**
 * * Shows a note while a request waits for its model to load.
 *
 * @param {() => Promise<Model>} read
 * @param {HTMLElement} place
 * @param {AbortSignal} signal aborted when the request has ended
 */
export function showLoad(read, place, signal) {
  const note = element('p', { class: 'lead' });
  signal.addEventListener('abort', () => note.remove());
  const show = (/** @type {string} */ text) => {
    if (text === '') return note.remove();
    // Only once, since the numbers change every second.
    if (!note.isConnected) announce(text);
    note.replaceChildren(text);
    place.replaceChildren(note);
  };
  return watchLoad(read, show, signal);
}
