import { register } from 'node:module';

// Worker processes and programs under test load the built modules themselves.
register('./hooks.js', import.meta.url);
