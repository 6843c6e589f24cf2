/** Offsets in the header of a WAV file whose chunks stand in their usual order. */
const byteRateOffset = 28;
const headerBytes = 44;

/**
 * Length of a WAV file that came as a stream: its header was written before its size was known.
 *
 * @param head the first bytes
 * @param length of the whole file, in bytes
 * @returns 0 where it is no such file
 */
export function wavSeconds(head: Uint8Array | undefined, length: number): number {
  if (!head || head.byteLength < headerBytes) return 0;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isWav = view.getUint32(0) === 0x52_49_46_46;
  const byteRate = view.getUint32(byteRateOffset, true);
  return isWav && byteRate > 0 ? (length - headerBytes) / byteRate : 0;
}
