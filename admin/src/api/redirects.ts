import { readList, request, sendDocument } from './content.ts';
import { type Job, objectOf, type Resource, readJob } from './document.ts';

/** An old address of the site, and its target. */
export interface Redirect {
  readonly id: string;
  readonly from: string;
  /** The target as the file has it. */
  readonly to: string;
  /** The entry to which it leads, if it leads to one. */
  readonly entry: { readonly type: string; readonly id: string } | undefined;
  /** The title of that entry; undefined if it does not exist. */
  readonly title: string | undefined;
  /** The present address of that entry. */
  readonly address: string | undefined;
  readonly problem: (typeof PROBLEMS)[number] | undefined;
}

const PROBLEMS = ['loop', 'missing', 'unpublished', 'hidden'] as const;

/** All redirects, by old address. Throws RequestError. */
export async function readRedirects(): Promise<{
  readonly redirects: readonly Redirect[];
  readonly isReadable: boolean;
}> {
  const { items, meta } = await readList('/_redirects');
  return { redirects: items.map(redirectOf), isReadable: meta.readable !== false };
}

/** Returns the job of the commit. Throws RequestError. */
export async function addRedirect(from: string, to: string): Promise<Job | undefined> {
  const data = { type: 'redirect', attributes: { from, to } };
  const { document } = await sendDocument('POST', '/_redirects', { data });
  return readJob(document);
}

/** Returns the job of the commit. Throws RequestError. */
export async function removeRedirect({ id }: Redirect): Promise<Job | undefined> {
  const { document } = await request(`/_redirects/${id}`, { method: 'DELETE' });
  return readJob(document);
}

/** The redirects with a text in an address or a title. */
export function searchRedirects(redirects: readonly Redirect[], search: string): readonly Redirect[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return redirects.filter(({ from, to, title = '', address = '' }) => {
    const text = [from, to, title, address].join('\n').toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What people paste as an old address, as a path of the site without its base. */
export function oldAddress(typed: string, origin: string, base: string): string {
  const trimmed = typed.trim();
  const path = trimmed.startsWith(`${origin}/`) ? trimmed.slice(origin.length) : trimmed;
  const below = base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  return below === '' || below.startsWith('/') || below.includes(':') ? below : `/${below}`;
}

function redirectOf({ id, attributes }: Resource): Redirect {
  const { from, to, resource, title, address, problem } = attributes;
  const entry = objectOf(resource);
  return {
    id,
    from: String(from),
    to: String(to),
    entry: resource === null ? undefined : { type: String(entry.type), id: String(entry.id) },
    title: typeof title === 'string' ? title : undefined,
    address: typeof address === 'string' ? address : undefined,
    problem: PROBLEMS.find((kind) => kind === problem),
  };
}
