import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ResourceType } from '../content/model.ts';
import { resourceTypeName } from '../content/resource-type.ts';
import { readSchema } from '../content/schema/read-schema.ts';
import { contentDeclaration } from './generated-types.ts';

/** Its name, below the integration's folder for generated files. */
const TYPES_FILE = 'content.d.ts';

export interface TypesFileDeps {
  /** Absolute path of the content folder. */
  contentDir(): string;
  /** Absolute path of the schema module; undefined for none. */
  schemaFile(): string | undefined;
  /** Whether option `editing` is on. */
  readonly editing: boolean;
}

/** What declares `astro-jsonapi:content` to TypeScript. */
export interface TypesFile {
  /** Its text, where those are the resource types that are known. */
  text(types: Iterable<ResourceType>): string;
  /** What a folder for generated files has of it; undefined for nothing. */
  written(dir: URL): string | undefined;
  /** Keeps it below that folder from now on. */
  keepIn(dir: URL): void;
  /** Writes it where it is kept, if it is another, so that editors look again at nothing. */
  write(types: Iterable<ResourceType>): void;
  /** Whether a schema describes every bundle of the content, so that no file need be read. */
  isWhole(schema: unknown): boolean;
}

export function createTypesFile({ contentDir, schemaFile, editing }: TypesFileDeps): TypesFile {
  let kept: URL | undefined;
  const text = (types: Iterable<ResourceType>) =>
    contentDeclaration({ schema: schemaFile(), folders: bundleFolders(contentDir()), types, editing });
  return {
    text,
    written: (dir) => readIfThere(new URL(TYPES_FILE, dir)),
    keepIn(dir) {
      kept = new URL(TYPES_FILE, dir);
    },
    write(types) {
      if (kept === undefined) return;
      const now = text(types);
      if (readIfThere(kept) !== now) writeFileSync(kept, now);
    },
    isWhole(schema) {
      const definition = schema === undefined ? {} : readSchema(schema, contentDir());
      const declared = new Set(Object.keys(definition).map(resourceTypeName));
      return bundleFolders(contentDir()).every((name) => declared.has(resourceTypeName(name)));
    },
  };
}

function readIfThere(file: URL): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function bundleFolders(contentDir: string): readonly string[] {
  if (!existsSync(contentDir)) return [];
  return readdirSync(contentDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^[_.]/.test(entry.name))
    .map(({ name }) => name);
}
