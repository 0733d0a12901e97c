import type { Access } from '../access/access.ts';
import type { Action } from '../access/role.ts';
import { type Entity, type FieldDefinition, languageOf, type ResourceType } from '../content/model.ts';
import type { DocumentContext } from '../read/reader.ts';
import { visibleTranslations } from '../read/translations.ts';
import { type DomainError, ForbiddenError, UnauthorizedError } from '../util/errors.ts';
import type { Writer } from './writer.ts';

/** Throws UnauthorizedError or ForbiddenError if the actor may not do this to any entity of the type. */
export function checkMayAtAll({ access, actor }: Writer, action: Action, type: ResourceType): void {
  if (access.filterFor(action, type) === false) throw refusal(actor.name, action, type);
}

/** The same for one entity, stored or new. */
export function checkMay(
  { access, actor }: Writer,
  action: Action,
  type: ResourceType,
  entity: Entity,
): void {
  if (!access.allows(action, entity)) throw refusal(actor.name, action, type);
}

/** The same for the translation of a source into a language that it does not have yet. */
export function checkMayTranslate(
  writer: Writer,
  type: ResourceType,
  source: Entity,
  language: string,
): void {
  checkMayAtAll(writer, 'create', type);
  checkMay(writer, 'update', type, inLanguage(source, language));
}

/**
 * Codes of the languages into which the actor may translate an entity; undefined if the site has one language. Unseen
 * translations are the same as missing ones.
 */
export async function translatableInto(
  { services, access }: Pick<DocumentContext, 'services' | 'access'>,
  type: ResourceType,
  entity: Entity,
): Promise<readonly string[] | undefined> {
  const { languages } = services.settings;
  if (languages === undefined) return undefined;
  const visible = await visibleTranslations({ services, access }, entity);
  const [source = entity] = visible;
  if (source.translation !== undefined || access.filterFor('create', type) === false) return [];
  const present = new Set([source, ...visible].map(languageOf));
  const missing = languages.all.map(({ code }) => code).filter((code) => !present.has(code));
  return missing.filter((code) => access.allows('update', inLanguage(source, code)));
}

/** The fields that the actor may set in an entity, or in a new one. */
export function writableFields(
  access: Access,
  type: ResourceType,
  entity: Entity | undefined,
): readonly FieldDefinition[] {
  return [...type.fields.values()].filter(({ name, untranslated }) => {
    if (SET_BY_SERVER.has(name)) return false;
    if (untranslated === true && entity?.translation !== undefined) return false;
    return maySet(access, type, name, entity ?? null);
  });
}

/** True if the actor may set a field in an entity; in new ones for null. */
export function maySet(access: Access, type: ResourceType, name: string, entity: Entity | null): boolean {
  return access.fieldWritable(type, name, entity === null ? 'create' : 'update', entity ?? undefined);
}

/** Fields that each write sets. */
export const SET_BY_SERVER: ReadonlySet<string> = new Set(['changed']);

/** A source as if it were its translation. */
function inLanguage(source: Entity, language: string): Entity {
  return { ...source, values: { ...source.values, langcode: language }, translation: language };
}

function refusal(name: string | null, action: Action, type: ResourceType): DomainError {
  return name === null
    ? new UnauthorizedError(`Sign in to ${action} content of type ${type.name}.`)
    : new ForbiddenError(`You may not ${action} this content of type ${type.name}.`);
}
