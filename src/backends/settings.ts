import type { SettingTable } from '../validation/setting-table.ts';
import { graphServerSettings } from './kserve/settings.ts';
import { llamaSettings } from './llama/settings.ts';
import { onnxSettings } from './onnx/settings.ts';
import { apiServerSettings } from './openai/settings.ts';
import { transformersSettings } from './transformers/settings.ts';

/** The settings of every backend's descriptor, by its kind, one line each; the host validates them. */
export const backendSettings: Readonly<Record<string, SettingTable>> = {
  onnx: onnxSettings,
  llama: llamaSettings,
  transformers: transformersSettings,
  openai: apiServerSettings,
  kserve: graphServerSettings,
};
