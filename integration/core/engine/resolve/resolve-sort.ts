import type { ResourceType } from '../../content/model.ts';
import { collectErrors } from '../../util/collect-errors.ts';
import { BadParameterError } from '../../util/errors.ts';
import type { SortKey } from '../ast.ts';
import type { ResolveContext } from './bind-path.ts';
import { type KeyStep, resolveKey } from './resolve-key.ts';

/** A sort key bound to a type. */
export interface ResolvedSort {
  readonly direction: 'ASC' | 'DESC';
  readonly path: string;
  readonly key: KeyStep;
}

/** Binds sort keys to a type. Throws BadParameterError. */
export function resolveSort(
  type: ResourceType,
  sort: readonly SortKey[],
  context: ResolveContext,
): readonly ResolvedSort[] {
  const resolveOne = ({ path, direction, parameter = 'sort' }: SortKey): ResolvedSort => {
    const key = resolveKey(type, { path, parameter }, context, ({ slot, delta, nullTestOnly }) => {
      if (nullTestOnly === null) return { kind: 'value', slot, delta };
      const instead = nullTestOnly === '' ? '' : ` Sort by ${nullTestOnly}.`;
      throw new BadParameterError(parameter, `${path} cannot be sorted.${instead}`);
    });
    return { direction, path, key };
  };
  return collectErrors(...sort.map((each) => () => resolveOne(each)));
}
