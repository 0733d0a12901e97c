import type { AstroConfig } from 'astro';
import { expect, it } from 'vitest';
import type { Project } from '../../../integration/astro/project.ts';
import { projectModules, RUNTIME_MODULE } from '../../../integration/astro/virtual-modules.ts';
import { parseOptions } from '../../support/options.ts';
import { TEST_SETTINGS } from '../../support/services.ts';

it.each([
  ['node', { html: false, processor: true }],
  ['worker', { html: true, processor: false }],
] as const)(
  'a build for a %s server carries the HTML of its bodies or their processor',
  async (server, expected) => {
    const project: Partial<Project> = {
      options: parseOptions({}),
      runtime: () => Promise.reject(new Error('not needed')),
      schemaFile: () => undefined,
      server: () => server,
      keepsPages: () => false,
      canImport: () => true,
      settings: () => ({ ...TEST_SETTINGS, root: process.cwd() }),
      config: () =>
        ({
          integrations: [],
          image: { domains: [], remotePatterns: [] },
          markdown: { processor: { name: 'satteri', options: {} } },
        }) as unknown as AstroConfig,
    };
    const source = await projectModules(project as Project, [])[RUNTIME_MODULE]?.({
      environment: 'ssr',
      command: 'build',
      below: '',
      importer: undefined,
      emit: () => "''",
    });
    expect({
      html: String(source).includes('carried-html'),
      processor: String(source).includes("import('@astrojs/markdown-satteri')"),
    }).toEqual(expected);
  },
);
