import fc from 'fast-check';

/** Continuous integration repeats itself; everywhere else property tests search anew at each run. */
if (process.env.CI === 'true') fc.configureGlobal({ seed: 20_261_121 });
