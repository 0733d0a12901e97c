import { BadParameterError } from '../../util/errors.ts';
import {
  FACET_INTERVALS,
  FACET_OPERATORS,
  FACET_SORTS,
  FACETS_PARAMETER,
  type Facet,
  type Scalar,
} from '../ast.ts';
import { checkLimit, checkPath, type Limits } from '../limits.ts';
import {
  isValues,
  lastValue,
  orderedEntries,
  parameterName,
  type QueryNode,
  wholeNumber,
} from './query-string.ts';

const OPTIONS = ['limit', 'min', 'sort', 'operator', 'interval', 'ranges'] as const;
const DEFAULT_TERMS = 50;

/**
 * `facetBy=a,b`, or `facetBy[a][limit]=5&facetBy[b]=` with the options of each facet. Throws BadParameterError for unknown
 * and invalid options.
 */
export function parseFacets(node: QueryNode, limits: Limits): readonly Facet[] {
  const facets = isValues(node)
    ? [...new Set((node.at(-1) ?? '').split(','))].map((path) =>
        createFacet(path, {}, limits, () => FACETS_PARAMETER),
      )
    : orderedEntries(node).map(([path, item]) => parseFacet(path, item, limits));
  checkLimit('facets', facets.length, FACETS_PARAMETER, limits);
  return facets;
}

function parseFacet(path: string, item: QueryNode, limits: Limits): Facet {
  const nameOf: NameOf = (option) =>
    parameterName(option === undefined ? [FACETS_PARAMETER, path] : [FACETS_PARAMETER, path, option]);
  if (isValues(item)) {
    if (item.at(-1) === '') return createFacet(path, {}, limits, nameOf);
    throw new BadParameterError(nameOf(), `${nameOf()} has no value, only options: ${OPTIONS.join(', ')}.`);
  }
  checkOptionNames(Object.keys(item), nameOf);
  const text = (option: FacetOption) =>
    item[option] === undefined ? undefined : (lastValue(item[option]) ?? 'a list');
  const number = (option: FacetOption) => {
    const value = text(option);
    return value === undefined ? undefined : wholeNumber(value, nameOf(option), 1);
  };
  const input: FacetInput = {
    limit: number('limit'),
    min: number('min'),
    sort: text('sort'),
    operator: text('operator'),
    interval: text('interval'),
    ranges: text('ranges')?.split(','),
  };
  return createFacet(path, input, limits, nameOf);
}

/** Options as a client or a page has sent them. */
export interface FacetInput {
  readonly limit?: number | undefined;
  readonly min?: number | undefined;
  readonly sort?: string | undefined;
  readonly operator?: string | undefined;
  readonly interval?: string | undefined;
  readonly ranges?: readonly Scalar[] | undefined;
}

/**
 * A facet with its defaults. `nameOf` names an option, or the facet itself, in errors. Throws BadParameterError for invalid
 * options; `resolve` checks that they fit the field.
 */
export function createFacet(path: string, input: FacetInput, limits: Limits, nameOf: NameOf): Facet {
  const { limit = DEFAULT_TERMS, min = 1, interval, ranges } = input;
  checkOptionNames(Object.keys(input), nameOf);
  checkCount('limit', limit, nameOf);
  checkLimit('facetTerms', limit, nameOf('limit'), limits);
  checkCount('min', min, nameOf);
  if (ranges !== undefined) {
    checkLimit('listValues', ranges.length, nameOf('ranges'), limits);
    if (interval !== undefined) {
      throw new BadParameterError(nameOf('ranges'), 'A facet has either an interval or ranges, not both.');
    }
  }
  const isGrouped = interval !== undefined || ranges !== undefined;
  return {
    path: checkPath(path, nameOf(), limits),
    limit,
    min,
    sort: oneOf(FACET_SORTS, input.sort ?? (isGrouped ? 'value' : 'count'), 'sort', nameOf),
    operator: oneOf(FACET_OPERATORS, input.operator ?? 'and', 'operator', nameOf),
    ...(interval !== undefined && { interval: oneOf(FACET_INTERVALS, interval, 'interval', nameOf) }),
    ...(ranges !== undefined && { ranges }),
    parameter: nameOf(),
  };
}

function checkOptionNames(names: readonly string[], nameOf: NameOf): void {
  const unknown = names.find((name) => !OPTIONS.some((option) => option === name));
  if (unknown === undefined) return;
  throw new BadParameterError(
    nameOf(unknown),
    `A facet has no option '${unknown}'. Options: ${OPTIONS.join(', ')}.`,
  );
}

function checkCount(option: FacetOption, value: number, nameOf: NameOf): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw new BadParameterError(nameOf(option), `${option} must be an integer of at least 1, not ${value}.`);
}

function oneOf<T extends string>(
  choices: readonly T[],
  value: string,
  option: FacetOption,
  nameOf: NameOf,
): T {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw new BadParameterError(
    nameOf(option),
    `${option} cannot be '${value}'. Valid: ${choices.join(', ')}.`,
  );
}

type FacetOption = (typeof OPTIONS)[number];
type NameOf = (option?: string) => string;
