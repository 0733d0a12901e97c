import { PRESENT_VERSIONS, VERSION_PARAMETER } from '../engine/parse/parse-query.ts';
import { type LinkBuilder, withParameter } from './links.ts';

/**
 * Links of a past version: the URLs of the resource itself have the version. `langcode` is the present language of its file,
 * which may differ from that of the version.
 */
export function createVersionLinks(links: LinkBuilder, commit: string, langcode: string): LinkBuilder {
  const own = (href: string) => withParameter(href, VERSION_PARAMETER, `id:${commit}`);
  return {
    ...links,
    form: `${links.form} ${commit} ${langcode}`,
    individual: (type, id) => own(links.individual(type, id, langcode)),
    relationship(type, id, field) {
      const plain = links.relationship(type, id, field, langcode);
      return plain && { related: own(plain.related), self: own(plain.self) };
    },
    version: {
      commit,
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
