import { decodeUri } from '../../../integration/core/util/text.ts';
import type { ExplorerSchema } from '../../../integration/features/admin/explorer.ts';

/** The bundles and fields of the site, from `schema.json`. */
export type Schema = ExplorerSchema;
export type Bundle = Schema['types'][number];
export type Field = Bundle['fields'][number];

/** The bundle that an API path such as `/node/article/moon?include=x` belongs to, and the decoded segments after it. */
export function bundleAt(
  schema: Schema,
  path: string,
): { readonly bundle: Bundle; readonly rest: readonly string[] } | undefined {
  const [address = ''] = path.split('?');
  const [entityType, name, ...rest] = address.split('/').filter(Boolean).map(decodeUri);
  const bundle = schema.types.find((type) => type.entityType === entityType && type.bundle === name);
  return bundle && { bundle, rest };
}

/** The fields that forms have an input for. The one that stores the title is the input of the title. */
export function inputFields(fields: readonly Field[]): readonly Field[] {
  const storedIn = fields.find(({ name }) => name === 'title')?.storedIn;
  return fields.filter(({ name }) => name !== storedIn);
}

export function bundleNamed(schema: Schema, name: string): Bundle | undefined {
  return schema.types.find((type) => type.name === name);
}

/** The path of a collection, or of one resource in it, with a query. Slashes in an id are kept. */
export function pathTo(
  { entityType, bundle }: Pick<Bundle, 'entityType' | 'bundle'>,
  id = '',
  query: Readonly<Record<string, string>> = {},
): string {
  const below = id === '' ? '' : `/${id.split('/').map(encodeURIComponent).join('/')}`;
  const search = new URLSearchParams(query).toString();
  return `/${entityType}/${bundle}${below}${search === '' ? '' : `?${search}`}`;
}

/** `article` for `node--article`; other types keep their full name. */
export function shortName(type: string): string {
  return type.replace(/^node--/, '');
}
