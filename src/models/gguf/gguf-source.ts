/** Whether a source names a GGUF file. */
export function isGguf(source: string): boolean {
  return source.endsWith('.gguf');
}
