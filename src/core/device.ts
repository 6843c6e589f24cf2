/** The devices that may compute tensors. One that doesn't work on a machine makes loading fail; nothing falls back by itself. */
export const devices = ['cpu', 'webgpu', 'cuda', 'dml', 'coreml'] as const;

/** One of `devices`; `cuda:1` is the second of several GPUs. */
export type Device = (typeof devices)[number] | `cuda:${number}`;

/**
 * The number of a GPU.
 *
 * @returns `undefined` for a device without a number
 *
 * @example
 * ```ts
 * deviceNumber('cuda:1'); // 1
 * ```
 */
export function deviceNumber(device: Device | undefined): number | undefined {
  const [, number] = /^cuda:(\d+)$/.exec(device ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}
