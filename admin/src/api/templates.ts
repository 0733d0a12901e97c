import { readList, request, sendDocument } from './content.ts';
import { objectOf, type Resource } from './document.ts';

/** Values with which a new entry of a type can begin. */
export interface Template {
  readonly id: string;
  readonly name: string;
  /** The resource type of the entries. */
  readonly type: string;
  /** The values, as a resource has them. */
  readonly values: Pick<Resource, 'attributes' | 'relationships'>;
  /** True if the account may remove it. */
  readonly isRemovable: boolean;
}

/** The templates of a type. Throws RequestError. */
export async function readTemplates(type: string): Promise<readonly Template[]> {
  const { items } = await readList('/_templates');
  return items.map(templateOf).filter((template) => template.type === type);
}

/** Throws RequestError. */
export async function addTemplate({
  name,
  type,
  values,
}: Omit<Template, 'id' | 'isRemovable'>): Promise<void> {
  const attributes = { name, resource_type: type, ...values };
  await sendDocument('POST', '/_templates', { data: { type: 'template', attributes } });
}

/** Throws RequestError. */
export async function removeTemplate({ id }: Template): Promise<void> {
  await request(`/_templates/${id}`, { method: 'DELETE' });
}

function templateOf({ id, attributes, meta }: Resource): Template {
  const { name, resource_type: type, attributes: values, relationships } = attributes;
  return {
    id,
    name: String(name),
    type: String(type),
    values: { attributes: objectOf(values), relationships: objectOf(relationships) },
    isRemovable: meta.removable === true,
  };
}
