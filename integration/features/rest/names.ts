import pluralize from 'pluralize';
import type { ResourceType } from '../../core/content/model.ts';
import { type Diagnostic, FILE_START } from '../../core/source/diagnostic.ts';
import { DomainError, NotFoundError } from '../../core/util/errors.ts';

/** The names of bundles in `/api/content`. */
export interface BundleNames {
  /** The type with this singular, plural or resource type name. Throws NotFoundError, or `bad-request` if there are several. */
  find(name: string): ResourceType;
  /** The name in links: the first unique one of the plural, the bundle's name and the resource type's name. */
  plural(type: ResourceType): string;
  /** A warning for each plural that is ambiguous. */
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
  const singular = Map.groupBy(all, (type) => type.bundle);
  const plural = Map.groupBy(all, (type) => pluralOf(type, plurals));
  const nameOf = (type: ResourceType): string => {
    const name = pluralOf(type, plurals);
    if (claimants(name, singular, plural).length === 1) return name;
    return singular.get(type.bundle)?.length === 1 ? type.bundle : type.name;
  };
  return {
    find(name) {
      const candidates = singular.get(name) ?? plural.get(name) ?? all.filter((type) => type.name === name);
      const [type] = candidates;
      if (type === undefined) throw unknownName(name, all.map(nameOf));
      if (candidates.length === 1) return type;
      throw new DomainError(
        'bad-request',
        `'${name}' is ambiguous. Use ${candidates.map((each) => each.name).join(' or ')} instead.`,
      );
    },
    plural: nameOf,
    problems: all.flatMap((type) => {
      const name = pluralOf(type, plurals);
      const others = claimants(name, singular, plural).filter((other) => other !== type);
      return others.length === 0 ? [] : [clash(type, name, others)];
    }),
  };
}

function pluralOf(type: ResourceType, plurals: Readonly<Record<string, string>>): string {
  const key = [type.name, type.bundle].find((name) => Object.hasOwn(plurals, name));
  return (key && plurals[key]) ?? (UNCHANGED.has(type.bundle) ? type.bundle : pluralize.plural(type.bundle));
}

/** Names of sections of a site, rather than of a kind of entity. */
const UNCHANGED: ReadonlySet<string> = new Set(['about', 'blog', 'work']);

function claimants(
  name: string,
  ...maps: readonly ReadonlyMap<string, readonly ResourceType[]>[]
): ResourceType[] {
  return [...new Set(maps.flatMap((map) => map.get(name) ?? []))];
}

function unknownName(name: string, valid: readonly string[]): NotFoundError {
  const names = valid.length === 0 ? 'There is no content.' : `Bundles: ${valid.join(', ')}.`;
  return new NotFoundError(`The bundle '${name}' does not exist. ${names}`);
}

function clash(type: ResourceType, name: string, others: readonly ResourceType[]): Diagnostic {
  return {
    severity: 'warning',
    code: 'bundle/plural-clash',
    key: type.entityType === 'node' ? type.bundle : type.name,
    ...FILE_START,
    message: `The plural '${name}' of ${type.name} is also a name of ${others.map((other) => other.name).join(' and ')}, so /api/content does not use it.`,
    hint: `Set option bundles: { '${type.bundle}': { plural: '…' } }.`,
  };
}
