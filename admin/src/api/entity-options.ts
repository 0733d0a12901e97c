import { isRecord } from '../../../integration/core/util/json.ts';
import { request } from './content.ts';
import { objectOf } from './document.ts';

/** A commit that changed the file of an entity. */
export interface Version {
  /** The value of `resourceVersion`. */
  readonly name: string;
  /** RFC 3339. */
  readonly changed: string;
  readonly author: string;
  /** First line of the commit's message. */
  readonly message: string;
}

/** The permissions of an account for an entity, and its past versions. */
export interface EntityOptions {
  readonly methods: ReadonlySet<string>;
  /** Names of the fields that it may set. */
  readonly writable: ReadonlySet<string>;
  /** Codes of the languages into which it may translate the entity. */
  readonly translatable: ReadonlySet<string>;
  /** The newest first; none if the content has no history, or if the account may not see it. */
  readonly versions: readonly Version[];
}

/** Asks about an entity or, for new ones, a collection. Throws RequestError. */
export async function readOptions(path: string): Promise<EntityOptions> {
  const { document } = await request(path, { method: 'OPTIONS' });
  const { allow, attributes, relationships, translatable, versions } = objectOf(objectOf(document).meta);
  return {
    methods: new Set(namesIn(allow)),
    writable: new Set([...namesIn(attributes), ...namesIn(relationships)]),
    translatable: new Set(namesIn(translatable)),
    versions: Array.isArray(versions) ? versions.filter(isRecord).map(versionOf) : [],
  };
}

function versionOf({ version, changed, author, message }: Readonly<Record<string, unknown>>): Version {
  return {
    name: String(version),
    changed: String(changed ?? ''),
    author: String(author ?? ''),
    message: String(message ?? ''),
  };
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
