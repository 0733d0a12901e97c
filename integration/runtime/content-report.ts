import { roleWarnings } from '../access/role-warnings.ts';
import { parseAliasPattern, uselessTokens } from '../content/decode/alias.ts';
import type { ResourceType } from '../content/model.ts';
import { shortTypeName } from '../content/resource-type.ts';
import { byBundle, type Options } from '../options/options.ts';
import type { Diagnostic } from '../source/diagnostic.ts';
import { closestName } from '../util/closest-name.ts';
import type { Runtime, RuntimeLog } from './runtime.ts';

/** Prints what was inferred, unless option `logging.changes` is off, and every problem of the content. */
export async function reportContent(runtime: Runtime, options: Options, log: RuntimeLog): Promise<void> {
  const diagnostics = runtime.services.diagnostics();
  for (const warning of optionWarnings(runtime, options)) log.warn(warning);
  for (const [severity, method] of LOG_METHODS) {
    if (severity === 'info' && !options.logging.changes) continue;
    const list = diagnostics.filter((diagnostic) => diagnostic.severity === severity);
    if (list.length > 0) log[method](await runtime.describeProblems(list));
  }
}

/** Sentences about bundles and fields in the options that the content does not have. */
export function optionWarnings({ services }: Runtime, options: Options): readonly string[] {
  const types = [...services.store.types.values()];
  return [
    ...unknownBundles(options, types),
    ...uselessAliasTokens(options, types),
    ...roleWarnings(options.roles, services.store),
  ];
}

function unknownBundles({ bundles }: Options, types: readonly ResourceType[]): readonly string[] {
  const names = types.flatMap(({ name, bundle }) => [bundle, name]);
  return Object.keys(bundles)
    .filter((bundle) => !names.includes(bundle))
    .map((bundle) => {
      const near = closestName(bundle, names);
      const guess = near === undefined ? '' : ` Did you mean bundles.${near}?`;
      return `Option bundles.${bundle}: the content has no such bundle.${guess}`;
    });
}

/** Tokens of alias patterns that leave every entity of the bundle without an alias. */
function uselessAliasTokens(options: Options, types: readonly ResourceType[]): readonly string[] {
  return Object.entries(byBundle(options, 'alias')).flatMap(([name, text]) => {
    const pattern = parseAliasPattern(text);
    const named = types.filter((type) => type.name === name || shortTypeName(type.name) === name);
    return named.flatMap((type) =>
      (pattern === undefined ? [] : uselessTokens(pattern, type)).map(
        (token) =>
          `Option bundles.${name}.alias: ${token} is not a single field of ${type.name}, so no alias is made. Fields: ${[...type.fields.keys()].join(', ')}.`,
      ),
    );
  });
}

const LOG_METHODS: readonly (readonly [Diagnostic['severity'], keyof RuntimeLog])[] = [
  ['info', 'info'],
  ['warning', 'warn'],
  ['error', 'error'],
];
