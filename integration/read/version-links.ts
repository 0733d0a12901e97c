import { PRESENT_VERSIONS, VERSION_PARAMETER } from '../engine/parse/parse-query.ts';
import { encode, type LinkBuilder } from './links.ts';

/** Links of a resource as a commit left it: its own addresses carry that version. */
export function createVersionLinks(links: LinkBuilder, commit: string): LinkBuilder {
  const own = at(`id:${commit}`);
  return {
    ...links,
    form: `${links.form} ${commit}`,
    individual: (type, id) => links.individual(type, id) + own,
    relationship(type, id, field) {
      const plain = links.relationship(type, id, field);
      return plain && { related: plain.related + own, self: plain.self + own };
    },
    version: {
      commit,
      links: (type, id) =>
        Object.fromEntries(
          PRESENT_VERSIONS.map((name) => [
            name.replace('rel:', ''),
            { href: links.individual(type, id) + at(name) },
          ]),
        ),
    },
  };
}

function at(version: string): string {
  return `?${VERSION_PARAMETER}=${encode(version)}`;
}
