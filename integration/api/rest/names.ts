import pluralize from 'pluralize';
import type { ResourceType } from '../../content/model.ts';
import type { Diagnostic } from '../../source/diagnostic.ts';
import { ApiError, NotFoundError } from '../../util/errors.ts';

/** How `/api/content` calls the bundles. */
export interface BundleNames {
  /** The bundle a name means: singular, plural, or a resource type name. Throws NotFoundError, or a 400 where it means several. */
  find(name: string): ResourceType;
  /** The name that links use: the plural, else the bundle's name, else the resource type's: the first that is unique. */
  plural(type: ResourceType): string;
  /** One warning for each plural that means something else too. */
  readonly problems: readonly Diagnostic[];
}

/**
 * Singular and plural names of all bundles. `plurals` overrides the English rule, by bundle or resource type name. A
 * bundle's own name always means that bundle; a plural that is claimed twice means none.
 */
export function createBundleNames(
  types: Iterable<ResourceType>,
  plurals: Readonly<Record<string, string>>,
): BundleNames {
  const all = [...types];
  const singular = claims(all, (type) => type.bundle);
  const plural = claims(all, (type) => pluralOf(type, plurals));
  const own = (type: ResourceType): string => {
    const name = pluralOf(type, plurals);
    if (claimants(name, singular, plural).length === 1) return name;
    return singular.get(type.bundle)?.length === 1 ? type.bundle : type.name;
  };
  return {
    find(name) {
      const found = singular.get(name) ?? plural.get(name) ?? all.filter((type) => type.name === name);
      const [type] = found;
      if (type === undefined) throw unknownName(name, all.map(own));
      if (found.length === 1) return type;
      throw new ApiError({
        status: 400,
        title: 'Bad Request',
        detail: `'${name}' means ${found.map((each) => each.name).join(' and ')}. Ask for one of these instead.`,
      });
    },
    plural: own,
    problems: all.flatMap((type) => {
      const name = pluralOf(type, plurals);
      const others = claimants(name, singular, plural).filter((other) => other !== type);
      return others.length === 0 ? [] : [clash(type, name, others)];
    }),
  };
}

function pluralOf(type: ResourceType, plurals: Readonly<Record<string, string>>): string {
  const key = [type.name, type.bundle].find((name) => Object.hasOwn(plurals, name));
  return (key && plurals[key]) ?? pluralize.plural(type.bundle);
}

function claims(
  types: readonly ResourceType[],
  nameOf: (type: ResourceType) => string,
): ReadonlyMap<string, readonly ResourceType[]> {
  return Map.groupBy(types, nameOf);
}

function claimants(
  name: string,
  ...maps: readonly ReadonlyMap<string, readonly ResourceType[]>[]
): ResourceType[] {
  return [...new Set(maps.flatMap((map) => map.get(name) ?? []))];
}

function unknownName(name: string, known: readonly string[]): NotFoundError {
  const names = known.length === 0 ? 'There is no content.' : `Bundles: ${known.join(', ')}.`;
  return new NotFoundError(`There is no bundle '${name}'. ${names}`);
}

function clash(type: ResourceType, name: string, others: readonly ResourceType[]): Diagnostic {
  return {
    severity: 'warning',
    code: 'bundle/plural-clash',
    key: type.entityType === 'node' ? type.bundle : type.name,
    line: 1,
    column: 1,
    message: `The plural '${name}' of ${type.name} also means ${others.map((other) => other.name).join(' and ')}, so /api/content does not use it.`,
    hint: `Set option bundles: { '${type.bundle}': { plural: '…' } }.`,
  };
}
