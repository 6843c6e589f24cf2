import { saveFile } from '../../dom/download.js';
import { quietButton } from '../../dom/element.js';
import { createMenu } from '../../dom/menu.js';
import { titleOf } from './conversations.js';
import { toJson, toMarkdown } from './export.js';

/**
 * *
 *
 * @param {() => { conversation: import('./conversations.js').Conversation, system: string }} read
 */
export function createExportMenu(read) {
  const saveButton = (
    /** @type {string} */ label,
    /** @type {typeof toJson} */ write,
    /** @type {string} */ end,
    /** @type {string} */ type,
  ) =>
    quietButton(label, () => {
      const { conversation, system } = read();
      saveFile(
        new Blob([write(conversation, system)], { type }),
        `${fileName(titleOf(conversation))}.${end}`,
      );
      menu.close();
    });
  const menu = createMenu(
    'Export',
    { look: 'quiet-button' },
    saveButton('Markdown', toMarkdown, 'md', 'text/markdown'),
    saveButton('JSON', toJson, 'json', 'application/json'),
  );
  return menu;
}

/** @param {string} title */
function fileName(title) {
  return title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'conversation';
}
