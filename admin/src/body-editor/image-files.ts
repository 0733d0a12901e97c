import { decodeUri } from '../../../integration/core/util/text.ts';

/** The entity whose text has an image. */
export interface Place {
  readonly entityType: string;
  readonly bundle: string;
  /** Undefined for an entity that does not exist yet. */
  readonly id?: string | undefined;
}

/** True for a URL, and for a path from the root of the site. */
export function isAbsolute(address: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(address);
}

/** URIs of the files that a relative address may mean. The folder of the entity's file follows from its id. */
export function imageFilesOf(address: string, { entityType, bundle, id = '' }: Place): readonly string[] {
  const folder = entityType === 'node' ? bundle : `${entityType}--${bundle}`;
  // `harbour.md` is beside its images, `harbour/index.md` is in a folder with them.
  const folders = new Set([id.split('/').slice(0, -1).join('/'), id]);
  return [...folders].map((inner) => {
    const { pathname } = new URL(address, `http://site/${folder}/${inner === '' ? '' : `${inner}/`}`);
    return `content:/${decodeUri(pathname)}`;
  });
}
