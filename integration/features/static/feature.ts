import type { Feature } from '../../core/runtime/site.ts';
import { NO_FILES } from '../../core/storage/no-files.ts';
import type { CarriedSnapshot } from './built-snapshot.ts';
import { STATIC_OPTIONS } from './options.ts';

declare module '../../core/runtime/site.ts' {
  interface SiteParts {
    /** What anonymous visitors see of the content of a build; null if pages see more. */
    readonly snapshot?: () => Promise<CarriedSnapshot | null>;
  }
}

/** Prebuilt documents, and the snapshot for queries in a browser, at the edge and at the start of a server. */
export const staticSite: Feature = {
  name: 'static',
  options: STATIC_OPTIONS,
  settings: ({ static: files, prebuild }) => ({ static: files, staticQueries: prebuild }),
  async engine({ site, folder, filesOnly, load }) {
    if (folder !== undefined) return undefined;
    const snapshot = await site.snapshot?.();
    if (!snapshot) return undefined;
    const { openBuiltSnapshot } = await import('./built-snapshot.ts');
    const { files } = await filesOnly();
    return openBuiltSnapshot(snapshot, files?.content ?? NO_FILES, site, load);
  },
  tooling: async () => (await import('./tooling.ts')).tooling,
};
