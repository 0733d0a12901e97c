import { PRESENT_VERSIONS, VERSION_PARAMETER, WORKING_COPY } from '../engine/parse/parse-query.ts';
import { type LinkBuilder, withParameter } from './links.ts';

/**
 * Links of a version, such as `id:<commit>`: the URLs of the resource itself have the version. `langcode` is the present language
 * of its file, which may differ from that of the version.
 */
export function createVersionLinks(links: LinkBuilder, version: string, langcode: string): LinkBuilder {
  const own = (href: string) => withParameter(href, VERSION_PARAMETER, version);
  return {
    ...links,
    form: `${links.form} ${version} ${langcode}`,
    individual: (type, id) => own(links.individual(type, id, langcode)),
    relationship(type, id, field) {
      const plain = links.relationship(type, id, field, langcode);
      return plain && { related: own(plain.related), self: own(plain.self) };
    },
    version: {
      ...(version !== WORKING_COPY && { commit: version.slice('id:'.length) }),
      links: (type, id) =>
        Object.fromEntries(
          PRESENT_VERSIONS.map((name) => [
            name.replace('rel:', ''),
            { href: withParameter(links.individual(type, id, langcode), VERSION_PARAMETER, name) },
          ]),
        ),
    },
  };
}
