/** A function of `OrtApi`: its position in the table, its result, its arguments. */
export type ApiFunction = readonly [position: number, result: string, argumentTypes: readonly string[]];

const pointer = 'void *';
/** `OrtStatus *`: null, or an error that the caller releases. */
const status = pointer;
const path = process.platform === 'win32' ? 'str16' : 'str';
/** `const char **`, for which koffi takes a list of texts. */
const texts = 'str *';

/** The requested version of the C API: the first with all functions below. */
export const apiVersion = 16;

// Source: https://github.com/microsoft/onnxruntime/blob/v1.30.0/include/onnxruntime/core/session/onnxruntime_c_api.h
/**
 * The functions used from the table `OrtApi`. Handles and arrays are pointers, `str` is UTF-8. Positions are the member
 * indexes of `struct OrtApi` in `onnxruntime_c_api.h` of onnxruntime 1.30 (`ORT_API_VERSION` 30), from `CreateStatus` =
 * 0. The table only grows: the runtime's build fails if a member moves.
 */
export const apiFunctions = {
  GetErrorMessage: [2, 'str', [pointer]],
  CreateEnv: [3, status, ['int', 'str', pointer]],
  DisableTelemetryEvents: [6, status, [pointer]],
  CreateSession: [7, status, [pointer, path, pointer, pointer]],
  CreateSessionFromArray: [8, status, [pointer, pointer, 'size_t', pointer, pointer]],
  Run: [9, status, [pointer, pointer, texts, pointer, 'size_t', texts, 'size_t', pointer]],
  CreateSessionOptions: [10, status, [pointer]],
  SetSessionLogSeverityLevel: [22, status, [pointer, 'int']],
  SetSessionGraphOptimizationLevel: [23, status, [pointer, 'int']],
  SetIntraOpNumThreads: [24, status, [pointer, 'int']],
  SetInterOpNumThreads: [25, status, [pointer, 'int']],
  SessionGetInputCount: [30, status, [pointer, pointer]],
  SessionGetOutputCount: [31, status, [pointer, pointer]],
  SessionGetInputTypeInfo: [33, status, [pointer, 'size_t', pointer]],
  SessionGetOutputTypeInfo: [34, status, [pointer, 'size_t', pointer]],
  SessionGetInputName: [36, status, [pointer, 'size_t', pointer, pointer]],
  SessionGetOutputName: [37, status, [pointer, 'size_t', pointer, pointer]],
  CreateRunOptions: [39, status, [pointer]],
  RunOptionsSetTerminate: [46, status, [pointer]],
  RunOptionsUnsetTerminate: [47, status, [pointer]],
  CreateTensorWithDataAsOrtValue: [
    49,
    status,
    [pointer, pointer, 'size_t', pointer, 'size_t', 'int', pointer],
  ],
  GetTensorMutableData: [51, status, [pointer, pointer]],
  CastTypeInfoToTensorInfo: [55, status, [pointer, pointer]],
  GetTensorElementType: [60, status, [pointer, pointer]],
  GetDimensionsCount: [61, status, [pointer, pointer]],
  GetDimensions: [62, status, [pointer, pointer, 'size_t']],
  GetSymbolicDimensions: [63, status, [pointer, pointer, 'size_t']],
  GetTensorTypeAndShape: [65, status, [pointer, pointer]],
  CreateMemoryInfo: [68, status, ['str', 'int', 'int', 'int', pointer]],
  AllocatorFree: [76, status, [pointer, pointer]],
  GetAllocatorWithDefaultOptions: [78, status, [pointer]],
  ReleaseStatus: [93, 'void', [pointer]],
  ReleaseMemoryInfo: [94, 'void', [pointer]],
  ReleaseSession: [95, 'void', [pointer]],
  ReleaseValue: [96, 'void', [pointer]],
  ReleaseRunOptions: [97, 'void', [pointer]],
  ReleaseTypeInfo: [98, 'void', [pointer]],
  ReleaseTensorTypeAndShapeInfo: [99, 'void', [pointer]],
  ReleaseSessionOptions: [100, 'void', [pointer]],
  AddSessionConfigEntry: [130, status, [pointer, 'str', 'str']],
  RunWithBinding: [133, status, [pointer, pointer, pointer]],
  CreateIoBinding: [134, status, [pointer, pointer]],
  ReleaseIoBinding: [135, 'void', [pointer]],
  BindInput: [136, status, [pointer, 'str', pointer]],
  BindOutput: [137, status, [pointer, 'str', pointer]],
  BindOutputToDevice: [138, status, [pointer, 'str', pointer]],
  GetBoundOutputValues: [140, status, [pointer, pointer, pointer, pointer]],
  SessionOptionsAppendExecutionProvider_CUDA_V2: [204, status, [pointer, pointer]],
  CreateCUDAProviderOptions: [205, status, [pointer]],
  ReleaseCUDAProviderOptions: [208, 'void', [pointer]],
  SessionOptionsAppendExecutionProvider: [216, status, [pointer, 'str', pointer, pointer, 'size_t']],
} as const satisfies Record<string, ApiFunction>;

/** The version of the C API with all `pluginFunctions`. */
export const pluginApiVersion = 22;

/** Additional functions for providers in separate libraries; older libraries work without them. */
export const pluginFunctions = {
  RegisterExecutionProviderLibrary: [301, status, [pointer, 'str', path]],
  GetEpDevices: [303, status, [pointer, pointer, pointer]],
  SessionOptionsAppendExecutionProvider_V2: [
    304,
    status,
    [pointer, pointer, pointer, 'size_t', texts, texts, 'size_t'],
  ],
  HardwareDevice_Type: [307, 'int', [pointer]],
  HardwareDevice_Vendor: [309, 'str', [pointer]],
  EpDevice_EpName: [312, 'str', [pointer]],
  EpDevice_Device: [316, pointer, [pointer]],
} as const satisfies Record<string, ApiFunction>;

export type ApiFunctionName = keyof typeof apiFunctions | keyof typeof pluginFunctions;
