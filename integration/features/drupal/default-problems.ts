import { ADMINISTRATOR } from '../../core/access/actor.ts';
import { withFileResources } from '../../core/api/jsonapi/file-resources.ts';
import { publishedServices } from '../../core/api/published.ts';
import type { Services } from '../../core/api/request.ts';
import type { ResourceType } from '../../core/content/model.ts';
import { shortTypeName } from '../../core/content/resource-type.ts';
import { checkIncludePaths } from '../../core/engine/limits.ts';
import { parseFilter } from '../../core/engine/parse/parse-filter.ts';
import type { QueryDefaults } from '../../core/engine/parse/parse-query.ts';
import { createResolveContext } from '../../core/engine/resolve/bind-path.ts';
import { resolveFilter } from '../../core/engine/resolve/resolve-filter.ts';
import { resolveSearch } from '../../core/engine/resolve/resolve-search.ts';
import { includeTree } from '../../core/read/include.ts';
import { type Diagnostic, FILE_START } from '../../core/source/diagnostic.ts';
import { BadParameterError } from '../../core/util/errors.ts';

/** Errors of option `bundles.<bundle>.defaults`: paths and values that no request could send. */
export function defaultProblems(whole: Services): readonly Diagnostic[] {
  const defaults = Object.entries(whole.settings.queryDefaults ?? {});
  if (defaults.length === 0) return [];
  // A bundle that is not in the API has only its pages, which see the whole content.
  const sites = [publishedServices(whole), whole].map((services) =>
    withFileResources({ services, access: services.access(ADMINISTRATOR) }),
  );
  return defaults.flatMap(([name, own]) => {
    const site = sites.find(({ services }) => services.store.types.has(name));
    const type = site?.services.store.types.get(name);
    if (site === undefined || type === undefined) return [];
    return problemsOf(type, own, site).map(([option, { detail }]): Diagnostic => {
      const message = `Option bundles.${shortTypeName(name)}.defaults.${option}: ${detail}`;
      return { severity: 'error', code: 'bundle/defaults', key: '', ...FILE_START, message };
    });
  });
}

function problemsOf(
  type: ResourceType,
  { include = [], filter }: QueryDefaults,
  { services, access }: Parameters<typeof withFileResources>[0],
): readonly (readonly [option: string, error: BadParameterError])[] {
  const { limits, fulltext } = services.settings;
  const search = fulltext === false ? undefined : () => ({ resolveSearch });
  const checkFilter = (node: QueryDefaults['filter'] & {}) => {
    const ignored: string[] = [];
    const parsed = parseFilter(node, { commaLists: false, limits }, ignored);
    const [unknown] = ignored;
    if (unknown !== undefined) throw new BadParameterError(unknown, `${unknown} has no effect.`);
    resolveFilter(type, parsed, createResolveContext(services.store.types, access, limits, search));
  };
  const ofInclude = errorsOf(() =>
    includeTree(services, access, [type], checkIncludePaths(include, limits)),
  ).map((error) => ['include', error] as const);
  const ofFilter = errorsOf(() => filter && checkFilter(filter)).map((error) => {
    const member = error.source?.parameter?.replace(/^filter\[([^\]]*)\].*$/, '.$1') ?? '';
    return [`filter${member.startsWith('.') ? member : ''}`, error] as const;
  });
  return [...ofInclude, ...ofFilter];
}

/** The BadParameterErrors that `check` throws. */
function errorsOf(check: () => unknown): readonly BadParameterError[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof BadParameterError) return [error, ...error.others];
    throw error;
  }
}
