const base = import.meta.env.BASE_URL.replace(/\/$/, '');

/** A path of this site, such as `/events`, as a link under the configured `base`. */
export function href(path: string): string {
  return `${base}${path}`;
}

interface Aliased {
  readonly id: string;
  readonly type: string;
  readonly path: { readonly alias: string | null };
}

/** Where an entity's page is: its alias, or a plain path where it has none. */
export function pathOf(entity: Aliased): string {
  return entity.path.alias ?? `/${entity.type}/${entity.id}`;
}

/** The link to an entity's page. */
export function hrefOf(entity: Aliased): string {
  return href(pathOf(entity));
}
