/** The recording of the generator: a rising tone that swells three times, mono, 16 kHz. */
export function createWaveform(seconds = 1): Float32Array {
  return Float32Array.from({ length: 16_000 * seconds }, (_, at) => {
    const time = at / 16_000;
    const sample =
      (0.3 * Math.sin(2 * Math.PI * (200 + 300 * time) * time) * (1 + Math.sin(2 * Math.PI * 3 * time))) / 2;
    return Math.round(sample * 1e4) / 1e4;
  });
}

/** A WAV file of 32-bit floats. */
export function toWav(samples: Float32Array): Uint8Array {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(3, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(64_000, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(32, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, new Uint8Array(samples.buffer)]);
}
