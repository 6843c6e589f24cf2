// Obtains the model that its one argument describes, and prints its folder.
import { obtainModel } from '../../dist/src/loading/files.js';

const { source } = await obtainModel(JSON.parse(process.argv[2] ?? ''));
console.log(source);
