import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY, run } from '../astro/site.ts';
import type { Origin, Writable } from './ask.ts';
import { EDITOR } from './site.ts';

const PAGE = readFileSync(path.join(REPOSITORY, 'docs/clients.md'), 'utf8');

/** The programs that run a language, and the ending of its files. */
const LANGUAGES = {
  js: { program: process.execPath, ending: 'mjs' },
  python: { program: 'python3', ending: 'py' },
  php: { program: 'php', ending: 'php' },
} as const;

interface Snippet {
  readonly client: string;
  readonly language: keyof typeof LANGUAGES;
  readonly code: string;
  /** The output according to the page. */
  readonly printed: string;
}

/** The snippets of the page that are followed by their output. */
const SNIPPETS: readonly Snippet[] = PAGE.split(/^## /m).flatMap((section) => {
  const client = section.slice(0, section.indexOf('\n'));
  return [...section.matchAll(/```(js|python|php)\n((?:(?!```).)*)```\n\n```text\n(.*?)```/gs)].map(
    ([, language, code = '', printed = '']) => ({
      client,
      language: language as Snippet['language'],
      code,
      printed,
    }),
  );
});

/**
 * Runs the snippets of docs/clients.md unchanged, with the server's URL in place of the example's. Snippets
 * that sign in run on the writable server.
 */
export function testDocsOfClients(origin: Origin, writable: Writable, dir: () => string): void {
  describe('docs/clients.md', () => {
    it('has a snippet for each installed client', () => {
      expect(SNIPPETS.map(({ client }) => client)).toEqual([
        'drupal-jsonapi-params',
        'jsona',
        'kitsu',
        'kitsu',
        '@drupal-api-client/json-api-client',
        '@drupal-api-client/json-api-client',
        'Orbit',
        'spraypaint',
        'Python',
        'Python',
        'PHP',
      ]);
    });

    it.for(SNIPPETS)(
      'prints the documented output: $client',
      async ({ client, language, code, printed }, { skip }) => {
        const { program, ending } = LANGUAGES[language];
        const isMissing = spawnSync(program, ['--version']).error !== undefined;
        if (isMissing && process.env.CI !== 'true') skip(`${program} is not installed.`);
        const file = path.join(dir(), `${client.replace(/\W/g, '-')}.${ending}`);
        const site = /\bTOKEN\b|\bPASSWORD\b/.test(code) ? writable.origin() : origin();
        writeFileSync(file, code.replaceAll('https://www.example.com', site));
        const [, token] = writable.authorization().split(' ');
        const env = { TOKEN: token ?? '', PASSWORD: EDITOR.password };
        const { output } = await run(program, [file], dir(), env);
        expect(output).toBe(printed);
      },
    );
  });
}
