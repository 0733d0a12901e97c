import { readList, request, sendDocument } from './content.ts';
import { objectOf, type Resource } from './document.ts';

/** The entry and its version that a link shows. */
export interface SharedVersion {
  readonly type: string;
  readonly id: string;
  /** Undefined for the source. */
  readonly translation: string | undefined;
  readonly version: 'draft' | 'entry';
}

export interface ShareLink extends SharedVersion {
  /** Of the link. */
  readonly link: string;
  readonly maker: string;
  /** The page at which the link begins. */
  readonly path: string;
  readonly created: string;
  readonly expires: string;
  /** Undefined for the link of another account. */
  readonly url: string | undefined;
}

/** The links to an entry that the account sees, the newest first. Throws RequestError. */
export async function readShares(type: string, id: string): Promise<readonly ShareLink[]> {
  const { items } = await readList('/_shares');
  return items.map(shareOf).filter((link) => link.type === type && link.id === id);
}

/** `path`: the page at which the link begins; that of the entry without one. Throws RequestError. */
export async function addShare(
  { type, id, translation, version }: SharedVersion,
  days: number,
  path: string | undefined,
): Promise<void> {
  const attributes = {
    resource: { type, id, translation: translation ?? null },
    version,
    path: path ?? null,
    days,
  };
  await sendDocument('POST', '/_shares', { data: { type: 'share', attributes } });
}

/** Throws RequestError. */
export async function revokeShare(link: string): Promise<void> {
  await request(`/_shares/${encodeURIComponent(link)}`, { method: 'DELETE' });
}

function shareOf({ id: link, attributes }: Resource): ShareLink {
  const { resource, version, path, maker, created, expires, url } = attributes;
  const { type, id, translation } = objectOf(resource);
  return {
    ...{ link, type: String(type), id: String(id), maker: String(maker) },
    translation: typeof translation === 'string' ? translation : undefined,
    version: version === 'draft' ? 'draft' : 'entry',
    path: String(path),
    ...{ created: String(created), expires: String(expires) },
    url: typeof url === 'string' ? url : undefined,
  };
}
