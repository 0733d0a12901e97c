import path from 'node:path';
import schema from '../../content/schema.ts';
import type { Services } from '../../integration/core/api/request.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import type { SchemaDefinition } from '../../integration/core/content/schema/schema.ts';
import type { StorageDriver } from '../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../integration/core/storage/drivers/fs.ts';
import { createGitDriver } from '../../integration/features/git/driver.ts';
import { createServices, type TestSite } from './services.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The site of this repository: its folders, and the languages in its astro.config.mjs. */
export const DEMO = {
  content: path.join(ROOT, 'content'),
  public: path.join(ROOT, 'public'),
  schema,
  languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
} as const;

interface DemoSite extends TestSite {
  /** Default: the folder of the content. */
  readonly driver?: StorageDriver;
  /** Default: the demo's own. */
  readonly schema?: SchemaDefinition | undefined;
}

/** Services over the demo content. */
export function createDemoServices(site: DemoSite = {}): Promise<Services> {
  const { driver = createGitDriver(DEMO.content), settings, ...rest } = site;
  return createServices(driver, 'schema' in site ? site.schema : schema, {
    ...rest,
    settings: { languages: DEMO.languages, ...settings },
    publicFiles: createFsDriver(DEMO.public),
  });
}
