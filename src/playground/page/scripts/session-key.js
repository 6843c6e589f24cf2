const name = 'slashv1-api-key';

/**
 * * Reads a key from `#key=…` and removes it from the address bar and the history.
 *
 * @returns {boolean} true if found
 */
export function takeKeyFromAddress() {
  const match = /^#key=(.+)$/.exec(location.hash);
  if (match === null) return false;
  history.replaceState(null, '', location.pathname + location.search);
  saveKey(decoded(match[1] ?? ''));
  return true;
}

/** @returns {string} the key of this browser tab, or empty */
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
