import { fileContent } from '../../api/curl.js';
import { announce } from '../../dom/announce.js';
import { base64FromBlob } from '../../dom/bytes.js';
import { element, field } from '../../dom/element.js';
import { createFileDrop } from '../../dom/file-drop.js';
import { createSamples } from '../../dom/samples.js';
import { counted, formatBytes, formatDuration } from '../../dom/format.js';
import { createWorkspace } from '../workspace.js';
import { toBoxes, toLegend, toTable } from './detections-view.js';
import { samplePictures } from '../sample-pictures.js';

/** @typedef {import('./detections-view.js').DetectResponse} DetectResponse */

/** More base64 would slow down the browser, and APIs rarely accept it. */
const maxPictureBytes = 100e6;

/** @param {import('../workspace.js').PanelContext} context @returns {import('../workspace.js').Panel} */
export function createDetectionPanel(context) {
  const { client } = context;
  /** @type {File | string | undefined} a picture or its address */
  let file;
  const image = element('img', { alt: 'The picture that is searched' });
  const boxes = element('div', { class: 'boxes', 'aria-hidden': 'true' });
  const stage = element('figure', { class: 'stage', hidden: true }, image, boxes);
  const results = element('div', {});
  const status = element('p', { class: 'status', role: 'status' });
  const classes = element('input', { type: 'text', class: 'input', placeholder: 'All', autocomplete: 'off' });
  const address = element('input', {
    type: 'url',
    class: 'input',
    autocomplete: 'off',
  });
  const drop = createFileDrop({
    label: 'Choose a picture',
    hint: 'or drop or paste one here',
    accept: 'image/*',
    onFile: (chosen) => take(chosen),
  });

  const toRequest = (/** @type {string} */ base64) => ({
    path: '/detect',
    json: {
      image: base64,
      model: workspace.model().id,
      ...(classes.value.trim() === '' ? {} : { classes: classes.value }),
      ...workspace.parameters.changed(),
    },
  });
  const workspace = createWorkspace(context, {
    title: 'Detect',
    lead: 'Find the objects in a picture.',
    action: 'Detect',
    settings: [field('Only these classes', classes, 'Names or ids, separated by commas.')],
    onStart() {
      takeAddress();
      void detect();
    },
    describe: () => ({
      request: toRequest(typeof file === 'string' ? file : fileContent(0)),
      files: [file instanceof File ? file.name : 'picture.png'],
    }),
  });
  const { task } = workspace;

  /** @param {File} chosen */
  const take = (chosen) => {
    task.stop();
    file = chosen;
    drop.show(chosen);
    boxes.replaceChildren();
    results.replaceChildren();
    status.textContent = '';
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(chosen);
    image.hidden = false;
    stage.hidden = false;
    stage.removeAttribute('style');
    address.value = '';
    void detect();
  };
  address.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    takeAddress();
    void detect();
  });
  const takeAddress = () => {
    if (address.value.trim() === '') return;
    file = address.value.trim();
    stage.hidden = true;
  };
  // Formats unsupported by the browser may still work in the API, which reports errors.
  image.addEventListener('error', () => (stage.hidden = true));

  const detect = async () => {
    await task.idle();
    // A newer picture may have arrived meanwhile.
    const picture = file;
    if (picture === undefined) {
      workspace.showError(new Error('Choose a picture first.'));
      return;
    }
    await task.run(async (signal) => {
      boxes.replaceChildren();
      results.replaceChildren();
      const name = typeof picture === 'string' ? picture : picture.name;
      status.textContent = typeof picture === 'string' ? name : `${name}, ${formatBytes(picture.size)}`;
      const startedAt = performance.now();
      const response = await client.send(toRequest(await toSent(picture)), signal);
      const found = /** @type {DetectResponse} */ (await response.json());
      const drawn = toBoxes(found);
      boxes.replaceChildren(...drawn);
      const count = counted(found.detections.length, 'object');
      const { width, height } = found.image;
      if (typeof picture === 'string') {
        // The page's policy blocks remote pictures: show only the boxes.
        image.hidden = true;
        stage.hidden = false;
        Object.assign(stage.style, { width: `${width}px`, aspectRatio: `${width} / ${height}` });
      }
      status.textContent = `${name}: ${count} in ${formatDuration(performance.now() - startedAt)} · ${width} × ${height} pixels`;
      if (found.detections.length > 0) results.replaceChildren(toLegend(found, drawn), toTable(found, drawn));
      announce(`${count} found.`);
    });
  };

  workspace.main.append(
    drop.root,
    field('Or the address of a picture', address, 'The API fetches it; this page shows the boxes only.'),
    createSamples(samplePictures, take, workspace.showError),
    ...workspace.controls(task.button, status),
    stage,
    results,
  );
  return { root: workspace.root, take };
}

/** @param {File | string} picture @returns {Promise<string>} base64, or the address */
async function toSent(picture) {
  if (typeof picture === 'string') return picture;
  if (picture.size <= maxPictureBytes) return base64FromBlob(picture);
  throw new Error(
    `${picture.name} has ${formatBytes(picture.size)}; at most ${formatBytes(maxPictureBytes)} can be sent.`,
  );
}
