/** The numbers of an array in a longer one, followed by zeros. */
export function grown<T extends Uint8Array | Uint16Array | Int32Array | Uint32Array>(
  numbers: T,
  length: number,
): T {
  const longer = new (numbers.constructor as new (length: number) => T)(length);
  longer.set(numbers);
  return longer;
}
