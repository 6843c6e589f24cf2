import { element } from '../../dom/element.js';
import { formatTime } from '../../dom/format.js';

/**
 * * A toggle button to record from the microphone.
 *
 * @param {object} options
 * @param {string} [options.label]
 * @param {string} [options.look] classes
 * @param {(file: File) => void} options.onRecording
 * @param {(error: unknown) => void} options.onError
 * @returns {HTMLButtonElement}
 */
export function createRecordButton({ label = 'Record', look = 'button secondary', onRecording, onError }) {
  const button = element('button', { type: 'button', class: look }, label);
  /** @type {MediaRecorder | undefined} */
  let recorder;

  const start = async () => {
    if (!navigator.mediaDevices) throw new Error('Browsers give the microphone to https and localhost only.');
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const current = new MediaRecorder(stream);
    const startedAt = performance.now();
    const showTime = () => {
      const seconds = (performance.now() - startedAt) / 1000;
      button.replaceChildren(
        element('span', { class: 'pulse', 'aria-hidden': 'true' }),
        `Stop · ${formatTime(seconds)}`,
      );
    };
    const timer = setInterval(showTime, 500);
    /** @type {Blob[]} */
    const pieces = [];
    current.addEventListener('dataavailable', ({ data }) => pieces.push(data));
    current.addEventListener('stop', () => {
      clearInterval(timer);
      for (const track of stream.getTracks()) track.stop();
      recorder = undefined;
      button.replaceChildren(label);
      finish(new Blob(pieces, { type: current.mimeType })).then(onRecording, onError);
    });
    recorder = current;
    current.start();
    showTime();
  };
  button.addEventListener('click', () => {
    if (recorder) recorder.stop();
    else start().catch((error) => onError(readable(error)));
  });
  return button;
}

/** @param {Blob} audio */
async function finish(audio) {
  const { toWav } = await import('./wav.js');
  const wav = await toWav(audio);
  return new File([wav], 'recording.wav', { type: wav.type });
}

/** @param {unknown} error @returns {unknown} */
function readable(error) {
  if (!(error instanceof DOMException)) return error;
  if (error.name === 'NotAllowedError')
    return new Error('This page may not use the microphone: the browser was told so.');
  if (error.name === 'NotFoundError') return new Error('There is no microphone.');
  return error;
}
