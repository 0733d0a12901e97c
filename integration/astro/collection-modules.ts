/**
 * What a `src/content.config.ts` imports from `astro:content` and `astro/loaders` when it is read as a schema. Collections
 * are not loaded, so loaders only name the files.
 */

export { z } from 'zod';
export { reference } from '../core/content/schema/schema.ts';

export function defineCollection<Config>(config: Config): Config {
  return config;
}

export function glob({ base = '.', pattern, generateId }: GlobOptions): FolderLoader {
  return { name: 'glob', base: String(base), patterns: [pattern].flat(), generateId };
}

export function file(): { readonly name: string } {
  return { name: 'file' };
}

/** A loader of the files in a folder. */
export interface FolderLoader {
  readonly name: string;
  /** A path relative to the project, or a file URL. */
  readonly base: string;
  readonly patterns: readonly string[];
  readonly generateId?: GenerateId | undefined;
}

/** The id of an entry. `entry` is the path of its file in the folder `base`. */
type GenerateId = (file: {
  readonly entry: string;
  readonly base: URL;
  readonly data: Readonly<Record<string, unknown>>;
}) => string;

interface GlobOptions {
  readonly base?: string | URL;
  readonly pattern: string | readonly string[];
  readonly generateId?: GenerateId;
}
