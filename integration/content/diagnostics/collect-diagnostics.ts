import { compareDiagnostics, type Diagnostic, FILE_START, type Problem } from '../../source/diagnostic.ts';
import { closestName } from '../../util/closest-name.ts';
import { locatorOf } from '../content-file.ts';
import type { ContentIndex } from '../content-index.ts';
import { type CollectorState, entityName, sortedBundles } from '../content-state.ts';
import { compareHolders } from '../decode/alias.ts';
import type { BundleDecoder } from '../decode/bundle-decoder.ts';
import { isLinkProblem } from '../decode/decode.ts';
import { missingEntity } from '../decode/references.ts';
import type { Reference } from '../model.ts';
import { shortTypeName } from '../resource-type.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';
import { reportBundle, reportIgnored, reportMisplaced, reportSchema } from './report-bundles.ts';

export interface CollectedContent {
  readonly state: CollectorState;
  readonly declared: ReadonlyMap<string, DeclaredBundle>;
  readonly schemaProblems: readonly Diagnostic[];
}

/**
 * All problems of all files, by file and position. `warnings` come from the storage. Takes time for files with problems
 * only, because it runs after every change.
 */
export function collectDiagnostics(
  { state, declared, schemaProblems }: CollectedContent,
  warnings: readonly string[],
  decoder: BundleDecoder,
): readonly Diagnostic[] {
  const bundles = sortedBundles(state);
  const ofReadable = [...state.decodeProblems].filter(([key]) => !state.outdated.has(key));
  const all = [
    ...schemaProblems,
    ...reportSchema(declared, bundles),
    ...warnings.map((message) => warning('', 'storage/warning', message)),
    ...state.skipped.map(({ key, reason }) => warning(key, 'file/skipped', reason)),
    ...reportIgnored(state.ignored),
    ...reportMisplaced(state.misplaced),
    ...[...state.problems, ...state.draftProblems, ...ofReadable].flatMap(([key, problems]) =>
      problems.map((problem) => ({ ...problem, key })),
    ),
    ...bundles.flatMap((bundle) => reportBundle(bundle, decoder.publicationOf(bundle))),
    ...reportAliases(state),
  ];
  return withSuggestions(all.sort(compareDiagnostics), state);
}

/** Problems of the references and files of drafts, by key. */
export function draftProblems(
  state: CollectorState,
  decoder: BundleDecoder,
): ReadonlyMap<string, readonly Problem[]> {
  const problems = new Map<string, readonly Problem[]>();
  for (const [key, draft] of [...state.drafts, ...state.outdated]) {
    const bundle = draft && state.index.bundles.get(draft.type);
    const decoded = bundle && decoder.decode(state, bundle, draft.file);
    if (decoded !== undefined) problems.set(key, decoded.problems.filter(isLinkProblem));
  }
  return problems;
}

/** Reports published entities whose alias leads to another entity. */
function reportAliases({ addresses, decoded, index }: CollectorState): readonly Diagnostic[] {
  return [...addresses.contested].flatMap(([alias, keys]) => {
    const entities = keys.flatMap((key) => decoded.get(key)?.entity ?? []);
    const [first, ...others] = entities.filter(({ published }) => published).sort(compareHolders);
    return others.map(({ type, key }): Diagnostic => {
      const file = index.bundles.get(type)?.files.get(key);
      const isWritten = file !== undefined && file.base.alias !== null;
      const position = isWritten ? locatorOf(file)(['path']) : FILE_START;
      const hint = isWritten
        ? 'Give one of them another `path`.'
        : `Give it a \`path\`, or change the alias pattern of \`${shortTypeName(type)}\`.`;
      const message = `\`${first?.key}\` already has the alias \`${alias}\`; the path leads there.`;
      return { severity: 'warning', code: 'alias/duplicate', key, ...position, message, hint };
    });
  });
}

/** References that are compared with all ids, because each comparison takes time. */
const MAX_SUGGESTIONS = 20;

/** Adds `Did you mean person/ada?` to dangling references. */
function withSuggestions(diagnostics: readonly Diagnostic[], state: CollectorState): readonly Diagnostic[] {
  const suggestions = new Map<string, string | undefined>();
  let count = 0;
  const result = diagnostics.map((diagnostic) => {
    const missing = missingEntity(diagnostic);
    if (missing === undefined || count === MAX_SUGGESTIONS) return diagnostic;
    count += 1;
    const name = entityName(missing);
    const near = state.suggestions.has(name)
      ? state.suggestions.get(name)
      : closestEntity(missing, state.index);
    suggestions.set(name, near);
    if (near === undefined) return diagnostic;
    return { ...diagnostic, hint: `Did you mean \`${shortTypeName(missing.type)}/${near}\`?` };
  });
  state.suggestions = suggestions;
  return result;
}

function closestEntity({ type, id }: Reference, { bundles }: ContentIndex): string | undefined {
  const ids = bundles.get(type)?.ids.owners;
  // In `persn/ada`, `persn` may be a misspelled bundle.
  const bare = id.slice(id.indexOf('/') + 1);
  return ids?.has(bare) ? bare : closestName(id, ids?.keys() ?? []);
}

function warning(key: string, code: string, message: string): Diagnostic {
  return { severity: 'warning', code, key, ...FILE_START, message };
}
