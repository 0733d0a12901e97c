/** How a file of the content folder takes part; decided by its key alone. */
export type FileRole =
  /** An entity of the resource type `type`. */
  | { readonly role: 'entity'; readonly type: string; readonly folder: string; readonly format: FileFormat }
  /** In a folder whose name cannot be a bundle. */
  | { readonly role: 'misplaced'; readonly folder: string }
  /** Passed over, with a line that says so. */
  | { readonly role: 'ignored' }
  /** Nothing to say about: an image beside an article, the schema. */
  | { readonly role: 'asset' };

export type FileFormat = 'markdown' | 'mdx' | 'json' | 'yaml';

/** `article/x.md` is an entity of `node--article`, `taxonomy_term--tags/x.md` of `taxonomy_term--tags`. */
export function roleOf(key: string): FileRole {
  if (HIDDEN.test(key)) {
    return { role: 'ignored' };
  }
  const at = key.indexOf('/');
  if (at === -1) {
    return { role: SCHEMA_FILE.test(key) ? 'asset' : 'ignored' };
  }
  const folder = key.slice(0, at);
  const format = FORMATS[extensionOf(key)];
  if (format === undefined) {
    return { role: 'asset' };
  }
  const type = resourceTypeName(folder);
  return type === undefined ? { role: 'misplaced', folder } : { role: 'entity', type, folder, format };
}

/** `article` → `node--article`; a full name stays. Undefined where it cannot be a resource type. */
export function resourceTypeName(name: string): string | undefined {
  const at = name.indexOf('--');
  const [entityType, bundle] = at === -1 ? ['node', name] : [name.slice(0, at), name.slice(at + 2)];
  return NAME.test(entityType) && NAME.test(bundle) ? `${entityType}--${bundle}` : undefined;
}

/** `node--article` → `node` and `article`. */
export function splitResourceType(type: string): { readonly entityType: string; readonly bundle: string } {
  const at = type.indexOf('--');
  return { entityType: type.slice(0, at), bundle: type.slice(at + 2) };
}

/** The name authors use: `article` for `node--article`, other types in full. */
export function shortTypeName(type: string): string {
  return type.startsWith('node--') ? type.slice('node--'.length) : type;
}

/** Path inside the bundle without extension; `x/index.md` is `x`. */
export function idFromKey(key: string): string {
  const path = key.slice(key.indexOf('/') + 1);
  const bare = path.slice(0, path.length - extensionOf(path).length);
  return bare.endsWith('/index') ? bare.slice(0, -'/index'.length) : bare;
}

const FORMATS: Readonly<Record<string, FileFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'mdx',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};
const NAME = /^[a-z0-9_][a-z0-9_-]*$/i;
/** A segment that starts so is passed over. */
const HIDDEN = /(?:^|\/)[._]/;
const SCHEMA_FILE = /^schema\.[cm]?[jt]s$/;

/** With its dot, in lower case; empty where there is none. */
function extensionOf(key: string): string {
  const at = key.lastIndexOf('.');
  return at > key.lastIndexOf('/') + 1 ? key.slice(at).toLowerCase() : '';
}
