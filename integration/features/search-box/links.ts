import type { Entry } from './answer.ts';

/** The address of the page of an entry: `site`, the prefix of its language, its alias, and a slash if `slash` is set. */
export function linkTo({ alias, langcode, id }: Entry, box: HTMLElement): string {
  const prefixes: unknown = JSON.parse(box.getAttribute('prefixes') ?? '{}');
  const prefix =
    typeof prefixes === 'object' && prefixes !== null ? Reflect.get(prefixes, langcode) : undefined;
  const path = (alias ?? `/${id}`).split('/').map(encodePart).join('/');
  const slash = box.hasAttribute('slash') && !/\/$|\.\w+$/.test(path) ? '/' : '';
  return `${box.getAttribute('site') ?? ''}${prefix ?? ''}${path}${slash}`;
}

/** Aliases may be percent-encoded. */
function encodePart(part: string): string {
  return encodeURIComponent(part).replaceAll(/%25(?=[\da-f]{2})/gi, '%');
}

/** The address of all results: the `action` of the form, with its values and the words. Undefined without an action. */
export function resultPage(form: HTMLFormElement | null, field: string, words: string): string | undefined {
  const action = form?.getAttribute('action');
  if (form === null || !action) return undefined;
  const address = new URL(action, document.baseURI);
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string') address.searchParams.set(name, value);
  address.searchParams.set(field, words);
  return address.href;
}
