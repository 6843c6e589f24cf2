import { formatBytes } from '../dom/format.js';

/** @typedef {import('./workspace.js').Model} Model */

const pauseMs = 500;

/**
 * * @param {Pick<Model, 'id' | 'state' | 'progress'>} model
 * @returns {string} why a request waits; empty for a loaded model
 */
export function loadText({ id, state, progress }) {
  if (state === 'unloaded') return `${id} is not loaded yet.`;
  if (state !== 'loading') return '';
  const { phase, received_bytes: received, total_bytes: total } = progress ?? {};
  if (phase === 'verifying') return `${id} is loading: its files are being verified.`;
  if (phase !== 'downloading') return `${id} is loading.`;
  if (received === undefined) return `${id} is being downloaded.`;
  return `${id} is being downloaded: ${formatBytes(received)}${total ? ` of ${formatBytes(total)}` : ''}.`;
}

/**
 * * Shows load progress until the model is loaded or the signal is aborted.
 *
 * @param {() => Promise<Model>} read
 * @param {(text: string) => void} show
 * @param {AbortSignal} signal
 */
export async function watchLoad(read, show, signal) {
  for (;;) {
    // A loaded model usually answers sooner.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (signal.aborted) return;
    const text = loadText(await read());
    if (signal.aborted) return;
    show(text);
    if (text === '') return;
  }
}
