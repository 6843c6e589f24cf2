const region = /** @type {HTMLElement} */ (document.querySelector('#announcer'));

/**
 * * Announces a text to screen readers.
 *
 * @param {string} text
 */
export function announce(text) {
  region.textContent = text;
}

/**
 * * Announces a growing text by sentence, since single tokens are impossible to follow.
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
