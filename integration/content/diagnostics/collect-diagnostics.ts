import { type Diagnostic, type Problem, compareDiagnostics, FILE_START } from '../../source/diagnostic.ts';
import type { StorageDriver } from '../../storage/driver.ts';
import { type CollectorState, sortedBundles } from '../content-state.ts';
import type { BundleDecoder } from '../decode/bundle-decoder.ts';
import { withNearReferences } from '../decode/near-references.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';
import { reportBundle, reportClashes, reportIgnored, reportMisplaced, reportSchema } from './report.ts';
import { reportAliases } from './report-aliases.ts';

export interface DiagnosticsDeps {
  readonly driver: Pick<StorageDriver, 'warnings'>;
  readonly declared: ReadonlyMap<string, DeclaredBundle>;
  /** Of the schema itself. */
  readonly schemaProblems: readonly Diagnostic[];
  readonly decoder: BundleDecoder;
}

/** All problems of all files, by file and place. */
export function collectDiagnostics(state: CollectorState, deps: DiagnosticsDeps): readonly Diagnostic[] {
  const { driver, declared, schemaProblems, decoder } = deps;
  const bundles = sortedBundles(state);
  const all = [
    ...schemaProblems,
    ...reportSchema(declared, bundles),
    ...(driver.warnings?.() ?? []).map((message) => aboutAll('warning', 'storage/warning', message)),
    ...state.skipped.map(({ key, reason }) => ({ ...aboutAll('warning', 'file/skipped', reason), key })),
    ...reportIgnored(state.ignored),
    ...reportMisplaced(state.misplaced),
    ...[...state.problems].flatMap(([key, problems]) => inFile(key, problems)),
    ...[...state.decoded].flatMap(([key, { problems }]) =>
      problems.length === 0 || state.outdated.has(key) ? [] : inFile(key, problems),
    ),
    ...draftProblems(state, decoder),
    ...bundles.flatMap((bundle) => [
      ...reportBundle(bundle, decoder.publicationOf(bundle)),
      ...reportClashes(bundle),
    ]),
    ...reportAliases(state.decoded.values(), state.index),
  ];
  return withNearReferences(all.sort(compareDiagnostics), state.index);
}

/** What is wrong with that which files with errors refer to. */
export function draftProblems(state: CollectorState, decoder: BundleDecoder): readonly Diagnostic[] {
  return [...state.drafts, ...state.outdated].flatMap(([key, draft]) => {
    if (draft === undefined) return [];
    const bundle = state.index.bundles.get(draft.type);
    const problems = bundle === undefined ? [] : (decoder.decode(state, bundle, draft.file)?.problems ?? []);
    return inFile(
      key,
      problems.filter(({ code }) => /^(reference|file)\//.test(code)),
    );
  });
}

function inFile(key: string, problems: readonly Problem[]): readonly Diagnostic[] {
  return problems.map((problem) => ({ ...problem, key }));
}

function aboutAll(severity: Diagnostic['severity'], code: string, message: string): Diagnostic {
  return { severity, code, key: '', ...FILE_START, message };
}
