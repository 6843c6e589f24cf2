const name = 'slashv1-api-key';

/**
 * Takes the key out of an address that ends in `#key=…` and clears it from the address bar and the history.
 *
 * @returns {boolean} whether there was one
 */
export function takeKeyFromAddress() {
  const match = /^#key=(.+)$/.exec(location.hash);
  if (match === null) return false;
  history.replaceState(null, '', location.pathname + location.search);
  saveKey(decoded(match[1] ?? ''));
  return true;
}

/** @returns {string} the key of this browser tab, empty if there is none */
export function currentKey() {
  return sessionStorage.getItem(name) ?? '';
}

/** @param {string} key */
export function saveKey(key) {
  sessionStorage.setItem(name, key.trim());
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
