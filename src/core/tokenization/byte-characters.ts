/**
 * The printable characters that represent the 256 bytes in byte-level vocabularies: the byte's own character if
 * printable, otherwise U+0100 and up.
 * @see https://github.com/openai/gpt-2/blob/master/src/encoder.py
 */
export const characterOfByte: Readonly<Uint16Array> = createCharacters();

/** The byte of each such character, −1 otherwise; only for code units below its length. */
export const byteOfCharacter: Readonly<Int16Array> = createBytes();

function createCharacters(): Uint16Array {
  const characters = new Uint16Array(256);
  let next = 0x1_00;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    characters[byte] = printable ? byte : next++;
  }
  return characters;
}

function createBytes(): Int16Array {
  const bytes = new Int16Array(0x1_44).fill(-1);
  for (let byte = 0; byte < 256; byte++) bytes[characterOfByte[byte]!] = byte;
  return bytes;
}
