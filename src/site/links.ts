const base = import.meta.env.BASE_URL.replace(/\/$/, '');

/** A path such as `/events` as a link to this site, below the prefix of a language. */
export function href(path: string, lang = 'en'): string {
  return `${base}${prefixed(path, lang)}`;
}

interface Aliased {
  readonly id: string;
  readonly type: string;
  readonly langcode: string;
  readonly path: { readonly alias: string | null };
}

/** The path of an entity's page: the prefix of its language, and its alias. */
export function pathOf({ id, type, langcode, path }: Aliased): string {
  return prefixed(path.alias ?? `/${type}/${id}`, langcode);
}

/** The link to an entity's page. */
export function hrefOf(entity: Aliased): string {
  return `${base}${pathOf(entity)}`;
}

function prefixed(path: string, lang: string): string {
  return lang === 'en' ? path : `/${lang}${path}`;
}
