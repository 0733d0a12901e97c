import { describe, expect, it } from 'vitest';
import { importedBy, sharedModule } from '../../../../integration/astro/dev/call-site.ts';

const OWN = '    at observe (file:///site/node_modules/astro-jsonapi/dist/astro/dev/page-queries.js:30:5)';
const LOADER =
  '    at async ESModulesEvaluator.runInlinedModule (file:///site/node_modules/vite/dist/node/module-runner.js:807:3)';

describe('the module that asks for all its pages', () => {
  it.each([
    [
      'is the one being loaded',
      [OWN, '    at eval (/site/src/titles.js:4:24)', LOADER],
      '/site/src/titles.js',
    ],
    [
      'is not the helper that it calls',
      [OWN, '    at stories (/site/src/stories.ts:2:1)', '    at async /site/src/pages/a.astro:3:9', LOADER],
      '/site/src/pages/a.astro',
    ],
    [
      'is the page whose paths are asked for',
      [
        OWN,
        '    at Module.getStaticPaths (/site/src/pages/[id].astro:4:20)',
        '    at callGetStaticPaths (file:///site/node_modules/astro/dist/core/render/route-cache.js:9:1)',
      ],
      '/site/src/pages/[id].astro',
    ],
    ['is named without a query', [OWN, '    at eval (/site/src/a.ts?t=123:4:2)', LOADER], '/site/src/a.ts'],
    ['has a drive on Windows', [OWN, '    at eval (C:/site/src/a.ts:4:2)', LOADER], 'C:/site/src/a.ts'],
    ['is none where a page is being rendered', [OWN, '    at eval (/site/src/pages/a.astro:3:9)'], undefined],
    ['is none where only packages are loaded', [OWN, LOADER], undefined],
  ])('%s', (_, frames, module) => {
    expect(sharedModule(['Error', ...frames].join('\n'))).toBe(module);
  });

  it('is none of a test', () => {
    expect(importedBy()).toBeUndefined();
  });
});
