import { ApiError } from '../api/api-error.js';
import { element, quietButton } from '../dom/element.js';

/**
 * *
 *
 * @param {unknown} error
 * @param {() => void} [changeKey] offered for an invalid key
 * @returns {HTMLElement}
 */
export function errorView(error, changeKey) {
  const message = error instanceof Error ? error.message : String(error);
  const root = element('div', { class: 'alert', role: 'alert' }, element('p', {}, message));
  if (!(error instanceof ApiError)) return root;
  const { param, status, code, requestId } = error;
  const details = [
    param && `param: ${param}`,
    status ? `HTTP ${status}` : '',
    code,
    requestId && `request ${requestId}`,
  ].filter((detail) => detail !== '');
  if (details.length > 0) root.append(element('p', { class: 'detail' }, details.join(' · ')));
  if (status === 401 && changeKey) root.append(quietButton('Change key', changeKey));
  return root;
}
