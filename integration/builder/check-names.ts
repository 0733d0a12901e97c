import { closestName } from '../entities/closest-name.ts';
import { includeTree } from '../jsonapi/include.ts';
import type { Services } from '../jsonapi/services.ts';
import type { QueryAccess } from '../query/engine.ts';
import { type CallSite, entitiesCall, explainInclude } from './explain-failure.ts';

/** Throws an Error that names the choices where `fields` or `include` names what the bundle lacks. */
export function checkNames(site: CallSite, services: Services, access: QueryAccess): void {
  for (const name of site.spec.fields ?? []) checkField(name, site, access);
  for (const path of site.spec.include) {
    try {
      includeTree(services, access, site.type, [path]);
    } catch (error) {
      throw explainInclude(error, path, site);
    }
  }
}

function checkField(name: string, { spec, type }: CallSite, access: QueryAccess): void {
  if (ALWAYS_ANSWERED.includes(name)) return;
  const call = `${entitiesCall(spec)}.fields('${name}')`;
  if (type.fields.has(name)) {
    if (access.fieldVisible(type, name)) return;
    throw new Error(`${call}: anonymous visitors may not see ${name}. Ask with { access: 'all' }.`);
  }
  const names = [...type.fields.keys()].filter((each) => access.fieldVisible(type, each));
  const meant = closestName(name, names);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  throw new Error(`${call}: ${type.name} has no field "${name}". Valid: ${names.join(', ')}.${hint}`);
}

const ALWAYS_ANSWERED: readonly string[] = ['id', 'type'];
