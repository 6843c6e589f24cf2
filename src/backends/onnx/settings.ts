import { textSetting, type SettingsOf, type SettingTable } from '../../validation/setting-table.ts';

/** Settings of the backend. */
export const onnxSettings = {
  library: textSetting(
    'Another library of ONNX Runtime, 1.16 or later: its path, or a folder such as an unpacked release, a virtual environment of Python, or its `site-packages/onnxruntime`; default `SLASHV1_ONNXRUNTIME_LIBRARY`, else that of `onnxruntime-node`.',
  ),
} satisfies SettingTable;

/** ONNX Runtime in a worker process of this machine; plain data. */
export interface OnnxBackend extends SettingsOf<typeof onnxSettings> {
  readonly kind: 'onnx';
}
