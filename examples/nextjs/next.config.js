/** The package's worker is a file of its own, started beside the server: it stays out of the bundle. */
export default { serverExternalPackages: ['slashv1', 'onnxruntime-node'] };
