import { copyButton } from '../dom/copy-button.js';
import { element } from '../dom/element.js';

/**
 * * Describes a demo model and the command for a real one; hidden for real models.
 *
 * @returns {{ root: HTMLElement, show(model: import('./workspace.js').Model): void }}
 */
export function createDemoNote() {
  const root = element('p', { class: 'demo-note', hidden: true });
  return {
    root,
    show({ demo, description = '', replacement }) {
      root.hidden = demo !== true;
      if (root.hidden) return;
      const command = `npx slashv1 serve --model ${replacement}`;
      root.replaceChildren(
        element('strong', { class: 'badge' }, 'demo'),
        ` ${description} It knows nothing else. A real model: `,
        element('code', {}, command),
        ' ',
        copyButton('Copy', 'Copy the command', () => command),
      );
    },
  };
}
