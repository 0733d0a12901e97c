import type { Diagnostic } from '../../source/diagnostic.ts';

/** The kinds of problems whose severity option `problems` can set. */
export const PROBLEM_KINDS = [
  'alias/duplicate',
  'alias/invalid',
  'body/image-missing',
  'body/image-not-served',
  'body/image-outside',
  'body/link-missing',
  'body/wiki-links',
  'bundle/folders',
  'bundle/name',
  'data/duplicate-key',
  'data/not-a-map',
  'data/too-deep',
  'data/too-large',
  'date/invalid',
  'date/stray',
  'field/case',
  'field/clash',
  'field/invalid',
  'field/kind',
  'field/option',
  'field/required',
  'field/stray',
  'field/unknown',
  'file/encoding',
  'file/ignored',
  'file/image',
  'file/missing',
  'file/not-served',
  'file/outside',
  'file/pixels',
  'file/skipped',
  'file/too-large',
  'file/unreadable',
  'frontmatter/closing',
  'frontmatter/fence',
  'frontmatter/language',
  'frontmatter/line-ends',
  'frontmatter/not-first',
  'frontmatter/unclosed',
  'id/data-file',
  'id/duplicate',
  'id/invalid',
  'json/syntax',
  'language/conflict',
  'language/duplicate',
  'language/missing',
  'language/no-source',
  'language/source',
  'language/unknown',
  'language/untranslated',
  'reference/dangling',
  'reference/malformed',
  'reference/wrong-target',
  'schema/collection',
  'schema/no-folder',
  'schema/unknown-target',
  'status/mixed',
  'title/ignored',
  'title/unknown',
  'toml/syntax',
  'yaml/alias',
  'yaml/merge',
  'yaml/syntax',
  'yaml/tag',
  'yaml/too-many-aliases',
] as const;

export const PROBLEM_SEVERITIES = ['error', 'warning', 'off'] as const;

/** Severities by kind; the other kinds keep theirs. */
export type Severities = {
  readonly [Kind in (typeof PROBLEM_KINDS)[number]]?: (typeof PROBLEM_SEVERITIES)[number] | undefined;
};

export function withSeverities(list: readonly Diagnostic[], severities: Severities): readonly Diagnostic[] {
  const byKind = new Map(Object.entries(severities));
  if (byKind.size === 0) return list;
  return list.flatMap((diagnostic) => {
    const severity = byKind.get(diagnostic.code) ?? diagnostic.severity;
    return severity === 'off' ? [] : [{ ...diagnostic, severity }];
  });
}
