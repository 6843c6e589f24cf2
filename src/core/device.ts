/** The devices for computing tensors. If a device doesn't work on a machine, loading fails; there is no automatic fallback. */
export const devices = ['cpu', 'webgpu', 'cuda', 'dml', 'coreml'] as const;

/** A device: `cuda:1` is the second of several GPUs, `openvino` or `openvino:1` a plugin's device. */
export type Device = (typeof devices)[number] | `cuda:${number}` | PluginDevice;

/** Name of a plugin's provider, with an optional device number. */
type PluginDevice = string & Record<never, never>;

export function deviceNumber(device: Device | undefined): number | undefined {
  const [, number] = /^cuda:(\d+)$/.exec(device ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}
