import { roleWarnings } from '../access/role-warnings.ts';
import { parseAliasPattern, uselessTokens } from '../content/decode/alias.ts';
import type { ResourceType } from '../content/model.ts';
import { shortTypeName } from '../content/resource-type.ts';
import type { Options } from '../options/options.ts';
import type { Diagnostic } from '../source/diagnostic.ts';
import { closestName } from '../util/closest-name.ts';
import type { Runtime, RuntimeLog } from './runtime.ts';

/** Prints what was inferred and every problem of the content. */
export async function reportContent(runtime: Runtime, options: Options, log: RuntimeLog): Promise<void> {
  const diagnostics = runtime.services.diagnostics();
  for (const warning of optionWarnings(runtime, options)) log.warn(warning);
  for (const [severity, method] of LOG_METHODS) {
    const list = diagnostics.filter((diagnostic) => diagnostic.severity === severity);
    if (list.length > 0) log[method](await runtime.describeProblems(list));
  }
}

/** What options say of bundles and fields that the content does not have, in sentences. */
export function optionWarnings({ services }: Runtime, options: Options): readonly string[] {
  const types = [...services.store.types.values()];
  return [
    ...unknownBundles(options, types),
    ...uselessAliasTokens(options, types),
    ...roleWarnings(options.roles, services.store),
  ];
}

/** Options that speak of a bundle which the content does not have. */
function unknownBundles(
  { plurals, published, aliases }: Options,
  types: readonly ResourceType[],
): readonly string[] {
  const known = types.flatMap(({ name, bundle }) => [bundle, name]);
  return Object.entries({ plurals, published, aliases }).flatMap(([option, byBundle]) =>
    Object.keys(byBundle)
      .filter((bundle) => !known.includes(bundle))
      .map((bundle) => {
        const near = closestName(bundle, known);
        const guess = near === undefined ? '' : ` Did you mean ${option}.${near}?`;
        return `Option ${option}.${bundle} names no bundle of the content.${guess}`;
      }),
  );
}

/** Tokens of alias patterns that leave every entity of the bundle without an alias. */
function uselessAliasTokens({ aliases }: Options, types: readonly ResourceType[]): readonly string[] {
  return Object.entries(aliases).flatMap(([name, text]) => {
    const pattern = parseAliasPattern(text);
    const named = types.filter((type) => type.name === name || shortTypeName(type.name) === name);
    return named.flatMap((type) =>
      (pattern === undefined ? [] : uselessTokens(pattern, type)).map(
        (token) =>
          `Option aliases.${name}: ${token} is no single field of ${type.name}, so no alias is made. Fields: ${[...type.fields.keys()].join(', ')}.`,
      ),
    );
  });
}

const LOG_METHODS: readonly (readonly [Diagnostic['severity'], keyof RuntimeLog])[] = [
  ['info', 'info'],
  ['warning', 'warn'],
  ['error', 'error'],
];
