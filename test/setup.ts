import fc from 'fast-check';

/** Every run of the property tests searches anew. `FC_SEED=<number> npm test` repeats a run. */
fc.configureGlobal({ seed: Number(process.env.FC_SEED) });
