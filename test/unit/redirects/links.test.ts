import { expect, it } from 'vitest';
import { createLinkProblems } from '../../../integration/features/redirects/links.ts';
import { parseRedirects } from '../../../integration/features/redirects/redirect-file.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const TEXT = `---
title: Moon
path: /moon
---
# The Moon!

## Tides & *ebb*

## Tides & ebb

<a name="by-hand"></a>

[ok](#the-moon) [ok](#tides--ebb-1) [ok](#by-hand) [ok](#top) [ok](/tide#high) [ok](/any/page#x) [ok](/tide/?x#high)
[1](#tides) [2](/tide#low) [3](/draft) [4](/node/article/none) [5](/old#x)
\`[code](#no)\` [defined][d] [ok](//host.test/#x) [ok](https://host.test/#x)

[d]: /draft "Draft"
`;

it('links to pages that visitors cannot open are problems at their place', async () => {
  const driver = createMemoryDriver({
    'article/moon.md': TEXT,
    'article/tide.md': '---\ntitle: Tide\npath: /tide\n---\n## High\n',
    'article/draft.md': '---\ntitle: Draft\npath: /draft\nstatus: false\n---\n[x](#none)\n',
  });
  const services = await createServices(driver);
  const find = createLinkProblems();
  const list = (problems: ReturnType<typeof find>) =>
    problems.map(({ line, column, severity, code }) => `${line}:${column} ${severity} ${code}`);
  const expected = [
    '14:5 warning link/anchor',
    '14:17 warning link/anchor',
    '14:32 warning link/hidden',
    '14:44 warning link/missing',
    '17:6 warning link/hidden',
  ];
  expect(list(find(services)).sort()).toEqual(expected.toSorted());
  expect(list(find(services, parseRedirects('/old: /moon\n'))).sort()).toEqual(
    [...expected, '14:68 info link/moved'].sort(),
  );
  expect(
    services
      .diagnostics()
      .map(({ code }) => code)
      .filter((code) => code.startsWith('link/')),
  ).toHaveLength(5);
});
