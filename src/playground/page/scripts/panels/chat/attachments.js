import { announce } from '../../dom/announce.js';
import { blobFromDataUrl, dataUrlFromBlob } from '../../dom/bytes.js';
import { element, quietButton } from '../../dom/element.js';
import { takeFiles } from '../../dom/file-drop.js';
import { formatBytes } from '../../dom/format.js';

/**
 * *
 *
 * @typedef {{ name: string, url: string }} Attachment `url` is a data URL
 */

/** More base64 would slow down the browser, and APIs rarely accept it. */
const maxPictureBytes = 100e6;

/**
 * * Pictures of the next message, and recordings being transcribed.
 *
 * @typedef {object} Attachments
 * @property {HTMLElement} root the list
 * @property {HTMLElement} button to choose files
 * @property {(files: readonly File[]) => void} add
 * @property {() => readonly Attachment[]} pictures
 * @property {(pictures: readonly Attachment[]) => void} show replaces the pictures
 * @property {() => Promise<void>} settled resolves when all files are read and transcribed
 */

/**
 * * @param {object} options
 * @param {boolean} options.takesPictures
 * @param {((file: File, signal: AbortSignal) => Promise<string>) | undefined} options.transcribe
 * @param {(text: string) => void} options.onText receives a transcript
 * @param {(error: unknown) => void} options.onError
 * @returns {Attachments}
 */
export function createAttachments({ takesPictures, transcribe, onText, onError }) {
  /** @type {Map<HTMLElement, Attachment>} */
  const pictures = new Map();
  /** @type {Set<Promise<void>>} */
  const pending = new Set();
  const root = element('ul', { class: 'attachments', 'aria-label': 'Attachments' });
  const accept = [
    ...(takesPictures ? ['image/*'] : []),
    ...(transcribe ? ['audio/*', 'video/mp4', 'video/webm'] : []),
  ];
  const input = element('input', {
    type: 'file',
    class: 'visually-hidden',
    accept: accept.join(),
    multiple: true,
  });
  const button = element(
    'label',
    { class: 'quiet-button attach', hidden: accept.length === 0 },
    input,
    'Attach',
  );

  /** @param {string} name @param {() => void} onRemove @param {...HTMLElement} content */
  const chip = (name, onRemove, ...content) => {
    const remove = quietButton(
      '×',
      () => {
        item.remove();
        onRemove();
        announce(`${name} is removed.`);
      },
      { class: 'remove-button', 'aria-label': `Remove ${name}` },
    );
    const item = element(
      'li',
      { class: 'attachment' },
      ...content,
      element('span', { class: 'file-name' }, name),
      remove,
    );
    root.append(item);
    return item;
  };
  /** @param {Attachment} picture */
  const addPicture = (picture) => {
    const item = chip(picture.name, () => pictures.delete(item), pictureElement(picture, ''));
    pictures.set(item, picture);
  };
  /** @param {File} file */
  const readPicture = async (file) => {
    if (file.size > maxPictureBytes) {
      throw new Error(
        `${file.name} has ${formatBytes(file.size)}; at most ${formatBytes(maxPictureBytes)} can be sent.`,
      );
    }
    addPicture({ name: file.name, url: await dataUrlFromBlob(file) });
    announce(`${file.name} is attached.`);
  };
  /** @param {File} file @param {NonNullable<typeof transcribe>} toText */
  const readSound = async (file, toText) => {
    const stop = new AbortController();
    const spinner = element('span', { class: 'spinner', 'aria-hidden': 'true' });
    const item = chip(
      file.name,
      () => stop.abort(),
      spinner,
      element('span', { class: 'hint' }, 'Transcribing'),
    );
    try {
      const text = await toText(file, stop.signal);
      onText(text.trim());
      announce(`${file.name}: ${text}`);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      item.remove();
    }
  };
  /** @param {File} file */
  const read = async (file) => {
    if (takesPictures && file.type.startsWith('image/')) return readPicture(file);
    if (transcribe && /^(?:audio|video)\//.test(file.type)) return readSound(file, transcribe);
    const kinds = [...(takesPictures ? ['a picture'] : []), ...(transcribe ? ['a recording'] : [])].join(
      ' or ',
    );
    throw new Error(`${file.name}: expected ${kinds}.`);
  };
  /** @param {readonly File[]} files */
  const add = (files) => {
    for (const file of files) {
      const reading = read(file)
        .catch(onError)
        .finally(() => pending.delete(reading));
      pending.add(reading);
    }
  };
  if (accept.length > 0) takeFiles(button, input, add);
  return {
    root,
    button,
    add,
    pictures: () => [...pictures.values()],
    show(all) {
      pictures.clear();
      root.replaceChildren();
      for (const picture of all) addPicture(picture);
    },
    async settled() {
      await Promise.all(pending);
    },
  };
}

/** @param {Attachment} picture @param {string} [alternative] @returns {HTMLImageElement} */
export function pictureElement({ name, url }, alternative = name) {
  return element('img', { src: URL.createObjectURL(blobFromDataUrl(url)), alt: alternative });
}
