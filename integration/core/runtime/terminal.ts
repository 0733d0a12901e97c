import { styleText } from 'node:util';
import { roleWarnings } from '../access/role-warnings.ts';
import { parseAliasPattern, uselessTokens } from '../content/decode/alias.ts';
import type { ResourceType } from '../content/model.ts';
import { resourceTypeName, shortTypeName } from '../content/resource-type.ts';
import { isBoosting } from '../engine/field-boost.ts';
import { byBundle, type Options } from '../options/options.ts';
import { type Diagnostic, type Paint, type PaintStyle, plainPaint } from '../source/diagnostic.ts';
import { closestName } from '../util/closest-name.ts';
import type { Runtime } from './runtime.ts';
import type { RuntimeLog } from './site.ts';

/** Prints all problems of the content, and inferred bundles unless option `logging.changes` is off. */
export async function reportContent(runtime: Runtime, options: Options, log: RuntimeLog): Promise<void> {
  const diagnostics = runtime.services.diagnostics();
  for (const warning of optionWarnings(runtime, options)) log.warn(warning);
  for (const [severity, method] of LOG_METHODS) {
    if (severity === 'info' && !options.logging.changes) continue;
    const list = diagnostics.filter((diagnostic) => diagnostic.severity === severity);
    if (list.length > 0) log[method](await runtime.describeProblems(list));
  }
}

/** Warnings about bundles and fields in the options that the content does not have. */
export function optionWarnings({ services, warnings }: Runtime, options: Options): readonly string[] {
  const types = [...services.store.types.values()];
  return [
    ...unknownBundles(options, types),
    ...uselessAliasTokens(options, types),
    ...roleWarnings(options.roles, services.store),
    ...uselessBoosts(options, types),
    ...warnings(),
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

/** Boosts of fields that bundles lack, or that have other values. */
function uselessBoosts({ search }: Options, types: readonly ResourceType[]): readonly string[] {
  const { boost: boosts = {} } = search === false ? {} : search;
  return Object.entries(boosts).flatMap(([bundle, boost]) => {
    const type = types.find(({ name }) => name === resourceTypeName(bundle));
    const field = type?.fields.get(boost.field);
    if (field !== undefined && isBoosting(boost, field)) return [];
    const needed = boost.halfLifeDays === undefined ? 'numbers; a date needs halfLifeDays' : 'dates';
    const problem =
      type === undefined ? 'the content has no such bundle' : `"${boost.field}" has no ${needed}`;
    return [`Option search.boost.${bundle}: ${problem}.`];
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

const STYLES = {
  place: 'cyan',
  error: ['red', 'bold'],
  warning: ['yellow', 'bold'],
  info: ['blue', 'bold'],
  hint: 'green',
  quiet: 'gray',
  strong: 'bold',
} as const satisfies Record<PaintStyle, Parameters<typeof styleText>[0]>;

/** The colors of a stream: none unless it is a terminal with colors, or if NO_COLOR is set. */
export function createPaint(stream: NodeJS.WriteStream): Paint {
  // Checked once, because a document has thousands of parts.
  if (styleText('bold', '.', { stream }) === '.') return plainPaint;
  return (style, text) => styleText(STYLES[style], text, { validateStream: false });
}
