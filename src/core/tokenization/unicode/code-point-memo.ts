const pageSize = 256;

/** Remembers what a function says of each character, in pages that are made when a character of theirs comes up. */
export function memoizeByCodePoint(find: (codePoint: number) => number): (codePoint: number) => number {
  const pages: (Int32Array | undefined)[] = Array.from({ length: 0x11_00_00 / pageSize }, () => undefined);
  return (codePoint) => {
    const page = (pages[codePoint >> 8] ??= new Int32Array(pageSize));
    const at = codePoint & (pageSize - 1);
    // 0 stands for what nobody asked about yet.
    if (page[at] === 0) {
      const found = find(codePoint);
      page[at] = found < 0 ? found : found + 1;
    }
    return page[at]! < 0 ? page[at]! : page[at]! - 1;
  };
}
