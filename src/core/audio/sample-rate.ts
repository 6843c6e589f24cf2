import { assertInteger } from './assert.ts';

/** Sample rates that the functions of audio work with, in Hz. */
export const sampleRatesHz = { min: 1000, max: 768_000 } as const;

/** @throws TypeError or RangeError for anything but an integer within `sampleRatesHz` */
export function assertSampleRate(label: string, value: unknown): asserts value is number {
  assertInteger(label, value, sampleRatesHz);
}
