import { element } from '../dom/element.js';

const maxTextLength = 20_000;
const maxStringLength = 200;

/** Shows a panel's last request and response as text. */
export function createExchangeView() {
  const asked = element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Request' });
  const answered = element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Response' });
  const root = element(
    'details',
    { class: 'exchange curl', hidden: true },
    element('summary', {}, 'Request and response'),
    asked,
    answered,
  );
  return {
    root,
    /** @param {import('../api/client.js').ApiRequest} request @param {Response} response a separate copy */
    async show({ path, json, form }, response) {
      root.hidden = false;
      asked.textContent = `POST ${path}\n\n${toText(json ?? form ?? {})}`;
      const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
      const text = document.createTextNode(`${response.status} ${response.statusText}\n${head}\n\n`);
      answered.replaceChildren(text);
      if (!/json|text|event-stream/.test(response.headers.get('content-type') ?? '')) {
        text.appendData('(no text)');
        void response.body?.cancel();
        return;
      }
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      try {
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: '' };
          if (done) return;
          text.appendData(value.slice(0, maxTextLength - text.length));
          if (text.length < maxTextLength) continue;
          text.appendData('…');
          await reader?.cancel();
          return;
        }
      } catch {
        text.appendData('\n(broken off)');
      }
    },
  };
}

/** Truncates pictures and recordings. @param {unknown} body */
function toText(body) {
  const shorten = (/** @type {string} */ _name, /** @type {unknown} */ value) => {
    if (value instanceof File) return `(file) ${value.name}`;
    if (typeof value !== 'string' || value.length <= maxStringLength) return value;
    return `${value.slice(0, maxStringLength)}… (${value.length} characters)`;
  };
  return JSON.stringify(body, shorten, 2);
}
