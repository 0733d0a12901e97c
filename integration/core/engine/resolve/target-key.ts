import type { ResourceType } from '../../content/model.ts';
import { isUuid } from '../../content/resource-type.ts';
import { keyField, type PathContext } from './bind-path.ts';

/** The field that a condition on the id of a target compares: of whole numbers, of machine names, or the id. */
export function targetKey(type: ResourceType, { access, value }: PathContext): string {
  const values = [value].flat().map(String);
  const kind = values.every((each) => /^\d+$/.test(each)) ? 'integer' : 'string';
  const isName = kind === 'integer' || !values.some((each) => value === undefined || isUuid(each));
  return (isName && keyField(type, access, kind)) || 'id';
}
