import { z } from 'zod';
import { textSetting, type SettingsOf, type SettingTable } from '../../validation/setting-table.ts';

export const onnxSettings = {
  library: textSetting(
    'Another library of ONNX Runtime, 1.16 or later: its path, or a folder such as an unpacked release, a virtual environment of Python, or its `site-packages/onnxruntime`; default `SLASHV1_ONNXRUNTIME_LIBRARY`, else that of `onnxruntime-node`.',
  ),
  plugins: z
    .array(
      z.strictObject({
        library: z.string().min(1).describe('Path of its library.'),
        provider: z
          .string()
          .regex(/^[a-z][a-z\d-]*$/, { error: 'expected a name of small letters, such as "openvino"' })
          .describe("The provider's name, which is that of its devices."),
        options: z
          .record(z.string(), z.string())
          .optional()
          .describe('Options of the provider, as it names them.'),
      }),
    )
    .optional()
    .describe(
      'Execution providers in libraries of their own, of the API of ONNX Runtime 1.22 or later; `device` chooses one by its `provider`.',
    ),
} satisfies SettingTable;

/** ONNX Runtime in a worker process of this machine; plain data. */
export interface OnnxBackend extends SettingsOf<typeof onnxSettings> {
  readonly kind: 'onnx';
}
