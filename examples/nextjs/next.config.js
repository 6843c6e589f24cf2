/** The package's worker is a separate file, so the package must stay out of the bundle. */
export default { serverExternalPackages: ['slashv1', 'onnxruntime-node'] };
