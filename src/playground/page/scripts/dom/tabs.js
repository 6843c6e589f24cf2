import { element } from './element.js';
import { icon } from './icons.js';

/**
 * @typedef {object} Tab
 * @property {string} id
 * @property {string} label
 * @property {Parameters<typeof icon>[0]} icon
 * @property {HTMLElement} panel
 * @property {(() => void) | undefined} [onOpen]
 */

const steps = new Map([
  ['ArrowRight', 1],
  ['ArrowDown', 1],
  ['ArrowLeft', -1],
  ['ArrowUp', -1],
]);

/**
 * * Tabs with keyboard support: arrow keys, Home and End move between tabs, Tab enters the panel. The chosen tab is stored in the
 * address, to survive a reload.
 *
 * @param {readonly [Tab, ...Tab[]]} tabs
 * @returns {{ list: HTMLElement, open(id: string): void }}
 */
export function createTabs(tabs) {
  const buttons = new Map(
    tabs.map((tab) => {
      const button = element(
        'button',
        {
          type: 'button',
          role: 'tab',
          class: 'tab',
          id: `tab-${tab.id}`,
          'aria-controls': `panel-${tab.id}`,
        },
        icon(tab.icon),
        tab.label,
      );
      button.addEventListener('click', () => open(tab.id));
      tab.panel.id = `panel-${tab.id}`;
      tab.panel.setAttribute('role', 'tabpanel');
      tab.panel.setAttribute('aria-labelledby', button.id);
      return [tab.id, button];
    }),
  );
  const list = element(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': 'Kinds of models' },
    ...buttons.values(),
  );
  const isNarrow = matchMedia('(width < 48rem)');
  const orient = () => list.setAttribute('aria-orientation', isNarrow.matches ? 'horizontal' : 'vertical');
  isNarrow.addEventListener('change', orient);
  orient();

  /** @param {string} id */
  const open = (id) => {
    for (const tab of tabs) {
      const isOpen = tab.id === id;
      tab.panel.hidden = !isOpen;
      const button = buttons.get(tab.id);
      button?.setAttribute('aria-selected', String(isOpen));
      button?.setAttribute('tabindex', isOpen ? '0' : '-1');
    }
    tabs.find((tab) => tab.id === id)?.onOpen?.();
    history.replaceState(null, '', `#${id}`);
    scrollTo({ top: 0 });
  };

  list.addEventListener('keydown', (event) => {
    const place = tabs.findIndex(({ panel }) => !panel.hidden);
    const tab = tabs[targetOf(event.key, place, tabs.length)];
    if (tab === undefined) return;
    event.preventDefault();
    open(tab.id);
    buttons.get(tab.id)?.focus();
  });

  const wanted = location.hash.slice(1);
  open(buttons.has(wanted) ? wanted : tabs[0].id);
  return { list, open };
}

/** @param {string} key @param {number} place @param {number} count @returns {number} -1 for unrelated keys */
function targetOf(key, place, count) {
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = steps.get(key);
  return step === undefined ? -1 : (place + step + count) % count;
}
