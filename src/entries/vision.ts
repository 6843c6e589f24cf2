export { centersToCornersInto, cornersToCentersInto, type Box, type Size } from '../core/vision/box.ts';
export { createCandidates, type Candidates } from '../core/vision/candidates.ts';
export { selectClasses } from '../core/vision/class-filter.ts';
export { parseClassNames, toClassNames } from '../core/vision/class-names.ts';
export { fitEdges, type EdgeLimits } from '../core/vision/edge-limits.ts';
export { decodeDetrSoftmaxInto } from '../core/vision/heads/detr-softmax.ts';
export { decodeDetrInto, type DetrOutputs } from '../core/vision/heads/detr.ts';
export { decodeEndToEndInto } from '../core/vision/heads/end-to-end.ts';
export {
  detectorHeads,
  findHead,
  headNames,
  type Head,
  type HeadName,
  type HeadQuery,
} from '../core/vision/heads/registry.ts';
export type {
  DecodeInto,
  DecodeOptions,
  DetectorHead,
  FoundOutputs,
  HeadOutput,
  OutputQuery,
  SizedDecodeOptions,
} from '../core/vision/heads/head.ts';
export type { Preprocessing } from '../core/vision/heads/head.ts';
export { decodeCustomInto, type CustomBox, type CustomHead } from '../core/vision/heads/custom-head.ts';
export { decodeFastestDetInto } from '../core/vision/heads/fastestdet.ts';
export {
  decodeGroundedInto,
  type GroundedDecodeOptions,
  type TokenSpan,
} from '../core/vision/heads/grounded.ts';
export { decodeNmsInto, type NmsOutputs } from '../core/vision/heads/nms.ts';
export { decodeNmsRowsInto } from '../core/vision/heads/nms.ts';
export { decodeYolo26Into } from '../core/vision/heads/yolo26.ts';
export { decodeYoloV5Into } from '../core/vision/heads/yolov5.ts';
export { decodeYoloV8Into } from '../core/vision/heads/yolov8.ts';
export { decodeYoloXMapsInto } from '../core/vision/heads/yolox-maps.ts';
export { decodeYoloXInto, gridStrides } from '../core/vision/heads/yolox.ts';
export { detectImageFormat, imageFormats, type ImageFormat } from '../core/vision/image-format.ts';
export { toInputTensorInto, type PixelFormat } from '../core/vision/input-tensor.ts';
export { intersectionOverUnion } from '../core/vision/intersection-over-union.ts';
export { fittingInput, letterbox, stretch, toImageBox, type Placement } from '../core/vision/letterbox.ts';
export { nms, nmsPerClass, type NmsOptions } from '../core/vision/nms.ts';
export { rankScores } from '../core/vision/rank.ts';
export { maxCandidates, selectDetections, type SelectOptions } from '../core/vision/select-detections.ts';
export { detectionParameters, type DetectionParameters } from '../categories/detection/parameters.ts';
