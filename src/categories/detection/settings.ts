import { z } from 'zod';
import { headNames } from '../../core/vision/heads/registry.ts';
import type { SettingsOf, SettingTable } from '../../validation/setting-table.ts';
import { expecting } from '../../validation/expecting.ts';
import type { ModelOptions } from '../../contracts/model.ts';
import { describing, type Describe, imageInputSettings } from '../settings.ts';

export const detectionSettings = {
  head: z
    .string()
    .refine(
      (head) => (headNames as readonly string[]).includes(head) || /[./]/.test(head),
      expecting(`one of ${headNames.join(', ')}, or the path of a module`),
    )
    .optional()
    .describe(
      `Layout of the model's outputs: ${headNames.map((name) => `\`${name}\``).join(', ')}, or the path of a module that decodes them; default: detected from their names and shapes.`,
    ),
  classNames: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(
      "Names of the model's classes, or path of a text file with one per line; default: from its files.",
    ),
  ...imageInputSettings,
} satisfies SettingTable;

export type DetectionSettings = SettingsOf<typeof detectionSettings>;

/** Settings of a detection model and its limits. */
export type DetectionOptions = Omit<ModelOptions<DetectionSettings>, 'category'>;

/**
 * Describes an object detection model: a YOLO or a model of the DETR family as an ONNX graph, for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { detector: detection({ source: './models/yolo11n', threads: 4 }) } });
 * ```
 */
export const detection: Describe<DetectionSettings, 'detection'> = describing('detection');
