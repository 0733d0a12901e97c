import { z } from 'zod';
import type { Access } from '../../core/access/access.ts';
import type { ResourceType } from '../../core/content/model.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { parseAs } from '../../core/util/json.ts';
import { digestText } from '../../core/util/revision.ts';

const members = z.record(z.string(), z.json()).default({});

/** The name of a template: one line without control characters. */
export const templateName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u);

/** A template, as JSON:API writes a resource. Its values are checked when an entity is created with them. */
const template = z.object({ name: templateName, attributes: members, relationships: members });
const templateList = z.array(template);

export type Template = z.output<typeof template>;

interface TemplateFiles {
  read(key: string): Promise<Uint8Array | undefined>;
}

/** The file with the templates of a type. Content never has files in a hidden folder. */
export function fileOf({ name }: Pick<ResourceType, 'name'>): string {
  return `.templates/${name}.json`;
}

/** The templates of a type by name; undefined if its file is not a list of templates, such as one with conflict markers. */
export async function readTemplates(
  files: TemplateFiles,
  type: ResourceType,
): Promise<readonly Template[] | undefined> {
  const bytes = await files.read(fileOf(type));
  const all = bytes === undefined ? [] : parseAs(templateList, new TextDecoder().decode(bytes));
  return all?.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export function writeTemplates(templates: readonly Template[]): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(templates, null, 2)}\n`);
}

/** The id of a template in addresses. */
export function idOf({ name: type }: Pick<ResourceType, 'name'>, { name }: Pick<Template, 'name'>): string {
  return digestText(`${type}\n${name}`).slice(0, 16);
}

/** The types of which the actor may create entities: only these accounts see templates. */
export function typesWithTemplates(access: Access, { types }: EntityStore): readonly ResourceType[] {
  return [...types.values()].filter((type) => access.filterFor('create', type) !== false);
}

/** True if the actor may create and update all entities of a type. Others get what such an account offers them. */
export function mayKeepTemplates(access: Access, type: ResourceType): boolean {
  return access.filterFor('create', type) === null && access.filterFor('update', type) === null;
}
