import type { ResourceType } from '../content/model.ts';
import type { QueryAccess } from '../engine/engine.ts';
import { includeTree } from '../read/include.ts';
import type { Reader } from '../read/reader.ts';
import { closestName } from '../util/closest-name.ts';
import { entitiesCall, explainInclude } from './explain-failure.ts';
import type { QuerySpec } from './query-spec.ts';

/** Throws an Error that names the choices where `fields` or `include` names what the bundle lacks. */
export function checkNames(spec: QuerySpec, type: ResourceType, services: Reader, access: QueryAccess): void {
  for (const name of spec.fields ?? []) checkField(spec, type, access, name);
  for (const path of spec.include) {
    try {
      includeTree(services, access, [type], [path]);
    } catch (error) {
      throw explainInclude(error, spec, path);
    }
  }
}

function checkField(spec: QuerySpec, type: ResourceType, access: QueryAccess, name: string): void {
  if (ALWAYS_ANSWERED.includes(name)) return;
  const call = `${entitiesCall(spec)}.fields('${name}')`;
  if (type.fields.has(name)) {
    if (access.fieldVisible(type, name)) return;
    const { actor } = spec;
    if (actor !== undefined && actor !== null) throw new Error(`${call}: the actor may not see ${name}.`);
    throw new Error(`${call}: anonymous visitors may not see ${name}. Ask with { access: 'all' }.`);
  }
  const names = [...type.fields.keys()].filter((each) => access.fieldVisible(type, each));
  const near = closestName(name, names);
  const guess = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new Error(`${call}: ${type.name} has no field "${name}".${guess} Valid: ${names.join(', ')}.`);
}

const ALWAYS_ANSWERED: readonly string[] = ['id', 'type'];
