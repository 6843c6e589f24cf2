import fc from 'fast-check';

// The same cases in every run, so that a failure is the change's and not the dice's; `FC_SEED` tries others.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_26) });
