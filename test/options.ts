import { routesOf } from '../integration/api/features.ts';
import { FEATURES } from '../integration/features.ts';
import { type Options, parseOptions as parse } from '../integration/options/options.ts';

/** Checks the options of a site with all features. */
export function parseOptions(input: unknown): Options {
  return parse(input, routesOf(FEATURES));
}
