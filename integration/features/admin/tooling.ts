import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXPLORER_PATH } from '../../core/api/paths.ts';
import type { FeatureTooling } from '../../core/runtime/site.ts';
import { type BuiltAdmin, builtAdmin, openAdminApp, readAdminFile } from './admin-app.ts';
import { adminFiles, adminPage } from './admin-page.ts';
import { CODINGS, type Coding } from './content-coding.ts';

const ADMIN_MODULE = 'astro-jsonapi:admin';
/** Followed by a coding and a number, such as `br-0`. */
const FILE_MODULE = 'astro-jsonapi:admin-file/';
const EXPLORER_MODULE = 'astro-jsonapi:explorer';

export const tooling: FeatureTooling = {
  parts: ({ base, prefix }) => ({
    adminApp: openAdminApp,
    explorerPage: async () => adminPage({ base, prefix, mode: 'server' }),
  }),
  modules: ({ settings }) => ({
    [ADMIN_MODULE]: () => adminSource(builtAdmin()),
    [FILE_MODULE]: async ({ below }) => {
      const [coding = '', index] = below.split('-');
      if (!isCoding(coding)) throw new Error(`${FILE_MODULE}${below} has no coding.`);
      const bytes = await readAdminFile(builtAdmin().files[Number(index)] ?? '', coding);
      return `export default ${JSON.stringify(Buffer.from(bytes).toString('base64'))};`;
    },
    [EXPLORER_MODULE]: () =>
      `export default ${JSON.stringify(adminPage({ ...settings(), mode: 'server' }))};`,
  }),
  serverParts: ({ settings }) => ({
    ...(settings().admin && { adminApp: ADMIN_MODULE }),
    ...(settings().explorer && { explorerPage: EXPLORER_MODULE }),
  }),
  async write({ settings }, dir) {
    const { base, prefix = '', explorer } = settings();
    const hasFile = (name: string) => existsSync(path.join(dir, prefix, name));
    // The explorer reads the documents.
    if (!explorer || !hasFile('jsonapi/index.json')) return;
    const mode = hasFile('jsonapi/snapshot/manifest.json') ? 'snapshot' : 'files';
    const folder = path.join(dir, prefix + EXPLORER_PATH);
    await mkdir(folder, { recursive: true });
    for (const [name, text] of adminFiles({ base, prefix, mode })) {
      await writeFile(path.join(folder, name), text);
    }
  },
};

function adminSource({ files, ...entry }: BuiltAdmin): string {
  const loaders = files.map((name, index) => {
    const modules = CODINGS.map((coding) => `${coding}: () => import('${FILE_MODULE}${coding}-${index}')`);
    return `[${JSON.stringify(name)}, { ${modules.join(', ')} }]`;
  });
  const opener = fileURLToPath(new URL('./carried-admin.js', import.meta.url)).replaceAll('\\', '/');
  return [
    `import { openCarriedAdmin } from ${JSON.stringify(opener)};`,
    `const files = Object.fromEntries([${loaders.join(', ')}]);`,
    `export default openCarriedAdmin({ ...${JSON.stringify(entry)}, files });`,
  ].join('\n');
}

function isCoding(name: string): name is Coding {
  return CODINGS.some((coding) => coding === name);
}
