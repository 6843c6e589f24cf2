/** @throws TypeError for anything but a number that is one */
export function assertNumber(label: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || Number.isNaN(value))
    throw new TypeError(`${label}: expected a number, got ${String(value)}`);
}

/** @throws RangeError for anything but a token id of the vocabulary */
export function assertToken(label: string, token: number, vocabularySize: number): void {
  if (!Number.isInteger(token) || token < 0 || token >= vocabularySize)
    throw new RangeError(`${label}: expected a token id from 0 to ${vocabularySize - 1}, got ${token}`);
}
