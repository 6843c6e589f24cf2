// From audio files to mono at 16 kHz, in times real time: `npm run build && node benchmarks/audio-decode.js`.
// CPU time, so that other work on the machine counts little. The files are the tests', repeated to two minutes; beside,
// MP3's decoder runs alone, on the whole file at once and without mixing and resampling.
import { readFile } from 'node:fs/promises';
import { MPEGDecoder } from 'mpg123-decoder';
import { openAudio } from '../dist/src/runtime/audio/open-audio.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const rounds = 5;
const repetitions = 100;

/** @param {string} name */
async function repeated(name) {
  const file = await readFile(new URL(`../test/runtime/audio/media/${name}`, import.meta.url));
  return Buffer.concat(Array.from({ length: repetitions }, () => file));
}

/**
 * @param {number} sampleRateHz
 * @param {number} channels
 */
function wav(sampleRateHz, channels) {
  const frames = 120 * sampleRateHz;
  const file = Buffer.alloc(44 + 2 * frames * channels);
  file.write('RIFF\0\0\0\0WAVEfmt ');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(sampleRateHz, 24);
  file.writeUInt16LE(2 * channels, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  for (let at = 44; at < file.length; at += 2) file.writeInt16LE(Math.round(9999 * Math.sin(at / 50)), at);
  return file;
}

/** @param {Uint8Array} file */
async function timesRealTime(file) {
  const elapsed = cpuTimer();
  let samples = 0;
  for await (const block of (await openAudio(file, { maxSeconds: 3600 })).blocks) samples += block.length;
  return samples / 16 / elapsed();
}

/** @param {Uint8Array} file */
async function mp3AloneTimesRealTime(file) {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const elapsed = cpuTimer();
  const { samplesDecoded, sampleRate } = decoder.decode(file);
  const result = (1000 * samplesDecoded) / sampleRate / elapsed();
  decoder.free();
  return result;
}

const files = {
  'WAV, 16 kHz mono': wav(16_000, 1),
  'WAV, 44.1 kHz stereo': wav(44_100, 2),
  'FLAC, 22.05 kHz stereo': await repeated('stereo.flac'),
  'MP3, 44.1 kHz stereo': await repeated('stereo.mp3'),
  'Ogg Vorbis, 44.1 kHz stereo': await repeated('vorbis.ogg'),
  'Ogg Opus, 48 kHz stereo': await repeated('opus.ogg'),
  'WebM Opus, 48 kHz stereo': await repeated('opus.webm'),
  'AAC, 44.1 kHz stereo': await repeated('aac.aac'),
};

console.log(machine());
const results = await compare(
  {
    ...Object.fromEntries(Object.entries(files).map(([name, file]) => [name, () => timesRealTime(file)])),
    'MP3, the decoder alone': () => mp3AloneTimesRealTime(files['MP3, 44.1 kHz stereo']),
  },
  rounds,
);
printRatios('Audio file to mono at 16 kHz', results, {
  unit: '× real time',
  baseline: 'WAV, 44.1 kHz stereo',
  digits: 0,
});
