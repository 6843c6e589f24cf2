/** The devices that may compute tensors. One that doesn't work on a machine makes loading fail; nothing falls back by itself. */
export const devices = ['cpu', 'webgpu', 'cuda', 'dml', 'coreml'] as const;

/** One of `devices`; `cuda:1` is the second of several GPUs, `openvino` or `openvino:1` one of a plugin. */
export type Device = (typeof devices)[number] | `cuda:${number}` | PluginDevice;

/** Name of a plugin's provider, and perhaps the number of its device. */
type PluginDevice = string & Record<never, never>;

/** The number of a GPU. */
export function deviceNumber(device: Device | undefined): number | undefined {
  const [, number] = /^cuda:(\d+)$/.exec(device ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}
