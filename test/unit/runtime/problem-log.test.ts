import { describe, expect, it } from 'vitest';
import { createProblemLog } from '../../../integration/core/runtime/problem-log.ts';
import type { Diagnostic } from '../../../integration/core/source/diagnostic.ts';

const problem = (severity: Diagnostic['severity'], message: string): Diagnostic => ({
  severity,
  code: 'a/b',
  key: 'article/a.md',
  line: 1,
  column: 1,
  message,
});

describe('new problems of the content', () => {
  it.each<[string, readonly Diagnostic['severity'][], readonly string[]]>([
    ['are errors if one of them is an error', ['warning', 'error'], ['error']],
    ['are warnings if none is an error', ['warning', 'info'], ['warn']],
    ['are not logged if all are informational', ['info'], []],
  ])('%s', async (_, severities, expected) => {
    const levels: string[] = [];
    let list: readonly Diagnostic[] = [];
    const problems = createProblemLog({
      diagnostics: () => list,
      describe: (problems) => problems.map(({ message }) => message).join('\n'),
      log: { warn: () => levels.push('warn'), error: () => levels.push('error') },
    });
    list = severities.map((severity, index) => problem(severity, `${index}`));
    await problems.printNew();
    await problems.printNew();
    expect(levels).toEqual(expected);
  });
});
