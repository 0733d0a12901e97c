import { describe, expect, test } from 'vitest';
import { codeParts, sentencesOf } from '../../../admin/src/model/problem-kinds.ts';
import { hasWaitingChanges, statusOf } from '../../../admin/src/model/status.ts';

const status = (attributes: Readonly<Record<string, unknown>>, counts = {}) =>
  statusOf({
    attributes: { problems: null, uncommitted: null, commits: null, ...attributes },
    meta: { counts },
  });

test('a status has problems and changed files with their entities', () => {
  const problem = {
    file: 'article/moon.de.md',
    line: 3,
    column: 7,
    severity: 'error',
    code: 'x',
    message: 'Wrong.',
    hint: null,
  };
  const entity = { type: 'node--article', id: 'moon', translation: 'de' };
  const { problems, problemCount, uncommitted, uncommittedCount } = status(
    {
      problems: [{ ...problem, entity }],
      uncommitted: [{ file: 'article/moon.png', change: 'added', entity: null }],
    },
    { errors: 600, warnings: 2, uncommitted: 1 },
  );
  expect(problems).toEqual([
    {
      file: 'article/moon.de.md',
      line: 3,
      column: 7,
      isError: true,
      code: 'x',
      message: 'Wrong.',
      hint: '',
      entity: { type: 'node--article', id: 'moon', language: 'de' },
    },
  ]);
  expect(uncommitted).toEqual([{ file: 'article/moon.png', change: 'added', entity: undefined }]);
  expect([problemCount, uncommittedCount]).toEqual([602, 1]);
});

test('values that are hidden from an account or missing on the site are undefined', () => {
  expect(status({})).toMatchObject({ problems: undefined, uncommitted: undefined, commits: undefined });
});

describe('changes wait', () => {
  test.each([
    ['no', 'without git', {}, {}],
    [
      'no',
      'if everything is committed',
      { commits: { commits: 'ok', backlog: { changes: 0 }, pushes: 'ok' } },
      { uncommitted: 0 },
    ],
    ['yes', 'if a file differs from the last commit', {}, { uncommitted: 1 }],
    ['yes', 'while a change is being committed', { commits: { commits: 'ok', backlog: { changes: 1 } } }, {}],
    ['yes', 'if commits are late', { commits: { commits: 'behind' } }, {}],
    ['yes', 'if pushes are late', { commits: { commits: 'ok', pushes: 'waiting' } }, {}],
  ])('%s: %s', (expected, _, attributes, counts) => {
    expect(hasWaitingChanges(status(attributes, counts))).toBe(expected === 'yes');
  });
});

test.each([
  ['`path` has the alias `/sky`.', ['', 'path', ' has the alias ', '/sky', '.']],
  ['Plain.', ['Plain.']],
  ['An odd ` stays.', ['An odd ` stays.']],
])('%s has code in backticks', (message, parts) => {
  expect(codeParts(message)).toEqual(parts);
});

test('mistakes of one kind are a sentence with the names of their fields, or with the addresses of their links', () => {
  const problem = (code: string, message: string) => ({
    ...{ file: 'article/moon.md', line: 1, column: 1, isError: true, hint: '', entity: undefined },
    ...{ code, message },
  });
  const sentences = sentencesOf([
    problem('field/required', 'The field `field_wind_speed` is missing.'),
    problem('field/required', 'The field `zone` is missing.'),
    problem('link/page', 'The link `/luna` leads nowhere.'),
    problem('language/no-source', 'The file `moon.de.md` has no source.'),
  ]);
  expect(sentences.map(({ kind, places }) => [kind, places])).toEqual([
    ['required', ['field_wind_speed', 'zone']],
    ['link', ['/luna']],
    ['language', []],
  ]);
});
