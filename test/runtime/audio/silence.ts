import { crc8, crc16 } from '../../../src/core/audio/containers/ogg-stream.ts';

/** A FLAC file of silence, mono at 16 kHz, that doesn't say how long it is: 13 to 15 bytes a second. */
export function silentFlac(seconds: number): Uint8Array {
  const blockSize = 16_000;
  const info = new Uint8Array(34);
  const view = new DataView(info.buffer);
  view.setUint16(0, blockSize);
  view.setUint16(2, blockSize);
  // 20 bits of the sample rate, 3 of the channels less one, 5 of the bits less one.
  view.setUint32(10, (16_000 << 12) | (15 << 4));
  const frames = Array.from({ length: seconds }, (_, number) => silentFrame(number, blockSize));
  return Buffer.concat([Buffer.from('fLaC'), Uint8Array.of(0x80, 0, 0, 34), info, ...frames]);
}

function silentFrame(number: number, blockSize: number): Uint8Array {
  const size = blockSize - 1;
  const start = [0xff, 0xf8, 0x75, 0x08, ...Buffer.from(String.fromCodePoint(number)), size >> 8, size & 255];
  const header = [...start, crc8(Uint8Array.from(start))];
  // One subframe that is 0 throughout.
  const frame = [...header, 0, 0, 0];
  const checksum = crc16(Uint8Array.from(frame));
  return Uint8Array.from([...frame, checksum >> 8, checksum & 255]);
}

/** An MP3 file of silence, mono at 16 kHz, that doesn't say how long it is: 1,000 bytes a second. */
export function silentMp3(seconds: number): Uint8Array {
  const frameBytes = 36;
  const file = new Uint8Array(Math.ceil((seconds * 16_000) / 576) * frameBytes);
  for (let at = 0; at < file.length; at += frameBytes) file.set([0xff, 0xf3, 0x18, 0xc0], at);
  return file;
}
