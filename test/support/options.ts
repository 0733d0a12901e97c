import { type Options, parseOptions as parse } from '../../integration/core/options/options.ts';
import { FEATURES } from '../../integration/features.ts';

/** Checks the options of a site with all features. */
export function parseOptions(input: unknown): Options {
  return parse(input, FEATURES);
}
