import { cpSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonapiOptions } from '../../integration/core/options/options.ts';
import { emptyProject, installPacked, writeFiles } from '../astro/packed.ts';
import { run, type Site } from '../astro/site.ts';
import { copyAstroSite } from './astro-site.ts';
import { contentFolderOf, presentRepositories, type Repository } from './repositories.ts';

/** Files that the integration adds to a built site. */
const ADDED = /^(?:[\w-]+\/)?(?:jsonapi|api\/content|content-files)(?:\/|\.json$)/;
/** Names of assets that depend on the whole build. */
const HASHED = /\.[\w-]{8,}(?=\.\w+$)|(?<=_)[\w-]{5,}(?=\.\w+$)/;
const BUILD = ['astro', 'build'];
/** Each process of a build adds a line with its seconds. */
const RECORD_CPU_TIME = `
  import { appendFileSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    appendFileSync(process.env.CPU_TIMES, (user + system) / 1e6 + '\\n');
  });`;

const rows: string[] = [];
afterAll(() => {
  const head =
    'repository | tool | build without, with (s) | CPU without, with (s) | ratio of CPU | pages, equal | MB without, added | files added | report';
  console.log([head, ...rows].join('\n'));
});

describe.each(presentRepositories().map((repository) => [repository.name, repository] as const))(
  '%s',
  (_, repository) => {
    it('builds with the packed package, and its own pages stay as they are', async () => {
      const site = emptyProject();
      try {
        const config = await (repository.site === undefined ? copyContent : copyAstroSite)(repository, site);
        const without = await build(site, 'without');
        await config();
        const added = await build(site, 'with');
        const report = added.output.match(/(?:Published|Left out|Not published).*/g) ?? [];
        const pages = globSync('**/*.html', { cwd: site.file('without') });
        const read = (folder: string, name: string) =>
          readFileSync(site.file(folder, name), 'utf8')
            .replaceAll(repository.random ?? /(?!)/g, '')
            .replaceAll(/[\w./-]+/g, (word) => word.replace(HASHED, ''));
        const differing = pages.filter((name) => read('without', name) !== read('with', name));
        const bytes = bytesOf(site.file('without'));
        const all = bytesOf(site.file('with'));
        rows.push(
          [
            repository.name,
            repository.tool,
            `${without.seconds.toFixed(1)}, ${added.seconds.toFixed(1)}`,
            `${without.cpu.toFixed(1)}, ${added.cpu.toFixed(1)}`,
            (added.cpu / without.cpu).toFixed(2),
            `${pages.length}, ${pages.length - differing.length}`,
            `${(bytes / 1e6).toFixed(2)}, ${((all - bytes) / 1e6).toFixed(2)}`,
            filesIn(site.file('with')).length - filesIn(site.file('without')).length,
            report.join(' '),
          ].join(' | '),
        );
        expect(differing).toEqual([]);
        const former = new Set(filesIn(site.file('without')).map((name) => name.replace(HASHED, '')));
        const others = filesIn(site.file('with')).filter((name) => !ADDED.test(name));
        expect(others.filter((name) => !former.has(name.replace(HASHED, '')))).toEqual([]);
      } finally {
        site.remove();
      }
    });
  },
);

interface Built {
  readonly seconds: number;
  /** Seconds that its processes worked, which other work on the machine changes less. */
  readonly cpu: number;
  readonly output: string;
}

async function build(site: Site, folder: string): Promise<Built> {
  rmSync(site.file('.astro'), { recursive: true, force: true });
  const start = performance.now();
  const times = site.file('.cpu-times');
  writeFileSync(times, '');
  const { code, output } = await run('npx', [...BUILD, '--outDir', site.file(folder)], site.dir, {
    ASTRO_TELEMETRY_DISABLED: '1',
    CPU_TIMES: times,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(RECORD_CPU_TIME)}`,
  });
  if (code !== 0)
    throw new Error(`The build ${folder} the integration ended with ${code}:\n${output.slice(-4000)}`);
  const seconds = (performance.now() - start) / 1000;
  const cpu = readFileSync(times, 'utf8')
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
  return { seconds, cpu, output };
}

/** An Astro site with a page, and the content of the repository. Returns what adds the integration. */
async function copyContent(repository: Repository, site: Site): Promise<() => Promise<void>> {
  await installPacked(site, ['astro']);
  const { languages = [], options = {} } = repository;
  const [defaultLocale] = languages;
  const i18n = defaultLocale && { locales: languages, defaultLocale };
  const configOf = (integrations: string) =>
    `import jsonapi from 'astro-jsonapi';\nexport default { i18n: ${JSON.stringify(i18n)}, integrations: [${integrations}] };\n`;
  writeFiles(site, {
    'package.json': JSON.stringify({ name: 'adoption', type: 'module' }),
    'src/pages/index.astro': '<html><body><h1>Content</h1></body></html>\n',
    'astro.config.mjs': configOf(''),
  });
  cpSync(contentFolderOf(repository), site.file('content'), { recursive: true });
  return async () => {
    const configure = (more: Partial<JsonapiOptions>) =>
      writeFileSync(
        site.file('astro.config.mjs'),
        configOf(`jsonapi(${JSON.stringify({ ...more, ...options })})`),
      );
    configure({});
    const main = site.file('node_modules/astro-jsonapi/dist/cli/main.js');
    const { output } = await run(process.execPath, [main, 'check', '--json'], site.dir);
    const { problems } = JSON.parse(output.slice(output.indexOf('{\n'), output.lastIndexOf('}') + 1));
    // Files that their own tool rejects too, such as those with a key twice, are listed by the other trial.
    const errors = (problems as readonly { severity: string; code: string }[]).filter(
      ({ severity }) => severity === 'error',
    );
    configure({ problems: Object.fromEntries(errors.map(({ code }) => [code, 'warning'])) });
  };
}

function filesIn(folder: string): readonly string[] {
  return globSync('**/*', { cwd: folder }).filter((name) => statSync(path.join(folder, name)).isFile());
}

function bytesOf(folder: string): number {
  return filesIn(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
}
