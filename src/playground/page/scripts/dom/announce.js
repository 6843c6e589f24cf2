const region = /** @type {HTMLElement} */ (document.querySelector('#announcer'));

/**
 * Lets screen readers say something.
 *
 * @param {string} text
 */
export function announce(text) {
  region.textContent = text;
}

/**
 * Announces a text that grows, sentence by sentence: token by token nobody could follow.
 *
 * @returns {{ push(text: string): void, end(): void }}
 */
export function createReader() {
  let pending = '';
  return {
    push(text) {
      pending += text;
      const [, sentences, rest] = /^(.*[.!?\n])(?=\s)(.*)$/s.exec(pending) ?? [];
      if (sentences === undefined) return;
      announce(sentences);
      pending = rest ?? '';
    },
    end() {
      if (pending.trim() !== '') announce(pending);
      pending = '';
    },
  };
}
