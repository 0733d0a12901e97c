import { describe, expect, it } from 'vitest';
import { type Diagnostic, formatDiagnostics } from '../../../integration/core/source/diagnostic.ts';
import { closestName } from '../../../integration/core/util/closest-name.ts';

const base: Diagnostic = {
  severity: 'error',
  code: 'x/y',
  key: 'article/a.md',
  line: 4,
  column: 13,
  message: 'Wrong.',
};

describe('printed diagnostics', () => {
  it('have one line each, by file and position, and a count', () => {
    const list: Diagnostic[] = [
      { ...base, key: 'person/b.md', severity: 'warning', hint: 'Do this.' },
      { ...base, line: 10, column: 1 },
      { ...base, hint: 'Do that.' },
      { ...base, line: 4, column: 2 },
      { ...base, key: 'article/', severity: 'info', message: '3 files.' },
      { ...base, key: '', severity: 'info', message: 'All.' },
    ];
    expect(formatDiagnostics(list, { root: 'content' })).toBe(
      [
        'content/ info: All.',
        'content/article/ info: 3 files.',
        'content/article/a.md:4:2 Wrong.',
        'content/article/a.md:4:13 Wrong. (Do that.)',
        'content/article/a.md:10:1 Wrong.',
        'content/person/b.md:4:13 warning: Wrong. (Do this.)',
        '3 errors, 1 warning, 2 notes.',
      ].join('\n'),
    );
  });

  it('escape line breaks and terminal control characters', () => {
    const hostile = {
      ...base,
      key: 'article/a\nb\u001b[2J.md',
      message: 'The key `\u202e\u0000\u0085` é 😀.',
    };
    expect(formatDiagnostics([hostile], { root: 'content' }).split('\n')).toEqual([
      'content/article/a\\x0ab\\x1b[2J.md:4:13 The key `\\u202e\\x00\\x85` é 😀.',
      '1 error.',
    ]);
  });

  it('use the singular, and are empty for no problems', () => {
    expect(formatDiagnostics([base], { root: 'site' })).toBe('site/article/a.md:4:13 Wrong.\n1 error.');
    expect(formatDiagnostics([], { root: 'site' })).toBe('');
  });
});

describe('the closest name', () => {
  it.each([
    ['autor', ['author', 'title'], 'author'],
    ['field_autor', ['field_author', 'field_other'], 'field_author'],
    ['STATUS', ['status'], 'status'],
    ['xyz', ['author', 'title'], undefined],
    ['x', [], undefined],
  ])('to %j among %j is %j', (name, choices, closest) => {
    expect(closestName(name, choices)).toBe(closest);
  });
});
