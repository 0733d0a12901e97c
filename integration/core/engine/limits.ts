import { BadParameterError, BeyondLimitError, DomainError } from '../util/errors.ts';

/**
 * The limits of one request. A request beyond a limit is a 400 that names it; `queryLength` is a 414, `subrequestsBytes`
 * and `subrequestsAnswerBytes` are a 413, and the last three, which are limits of an account, are a 429. The limits also
 * apply to queries of pages and of option `prebuild`.
 */
const DEFAULTS = {
  /** Characters of path and query together. */
  queryLength: 8192,
  /** Parameters of one query. */
  parameters: 1000,
  /** Conditions of one filter, in all groups together. */
  conditions: 100,
  /** Depth of nested groups, not counting the root. */
  groupDepth: 8,
  /** Values of one IN or NOT IN list. */
  listValues: 500,
  /** Members of one dotted path, in filters and sorts. */
  pathDepth: 10,
  /** Paths to sort by. */
  sortKeys: 10,
  /** Facets of one query. */
  facets: 20,
  /** Terms of one facet. */
  facetTerms: 1000,
  includePaths: 50,
  /** References along one include path. */
  includeDepth: 10,
  /** Entities that one response includes or reports as omitted; unlimited if everything is on one page. */
  included: 5000,
  /** References that the include paths of one response follow, counted for each path. */
  includeReferences: 250_000,
  /** References along the paths of one query; a polymorphic one counts once for each target type. */
  joins: 256,
  /** Values that one query compares with bodies, which are read one by one. */
  textComparisons: 50,
  /** Words in all searches of one query. */
  searchWords: 32,
  /** Requests in one request to `/subrequests`. */
  subrequests: 20,
  /** Bytes of the body of a request to `/subrequests`. */
  subrequestsBytes: 65_536,
  /** Bytes of all responses in one response of `/subrequests`. */
  subrequestsAnswerBytes: 8_388_608,
  /** Bytes of one HTTP response with many resources; see docs/limits.md. */
  answerBytes: 268_435_456,
  /** Bytes of the body of a request that writes content. */
  bodyBytes: 6_000_000,
  /** Operations in one request to `/jsonapi/operations`. */
  operations: 500,
  /** Bytes of an uploaded file. */
  uploadBytes: 20_000_000,
  /** Pixels of an uploaded image: width times height. */
  imagePixels: 100_000_000,
  /** Bytes of all files that one account uploads in a day. */
  uploadBytesPerDay: 1_000_000_000,
  /** Files that one account uploads in a day and that no entity uses. */
  unusedUploads: 100,
  /** Changes of content by one account in a minute. */
  writesPerMinute: 3000,
};

export type Limits = { readonly [name in keyof typeof DEFAULTS]: number };
export const DEFAULT_LIMITS: Limits = Object.freeze(DEFAULTS);

/** The limits that option `limits` can change. The others are constants. */
export type LimitOption = (typeof LIMIT_OPTIONS)[number];
const LIMIT_OPTIONS = [
  'queryLength',
  'conditions',
  'includeDepth',
  'answerBytes',
  'bodyBytes',
  'operations',
  'uploadBytes',
  'writesPerMinute',
] as const satisfies readonly (keyof Limits)[];

/** Policies join the filters of several roles and have no limit on joins and bodies. */
export const POLICY_LIMITS: Limits = { ...DEFAULT_LIMITS, joins: Infinity, textComparisons: Infinity };

/** Characters of one parameter name, brackets included, after decoding. */
export const MAX_KEY_LENGTH = 256;
/** Brackets of one parameter name: `filter[a][condition][value][]` has four. */
export const MAX_BRACKETS = 4;

/** The 400 for a query beyond a limit. `sentence` states the limit and has no full stop. */
export function beyondLimit(parameter: string, name: keyof Limits, sentence: string): BadParameterError {
  return new BeyondLimitError(parameter, `${sentence}${optionNote(name)}.`);
}

/** Throws if path and query together have more characters than the limit. `pointer` is set if a body has the address. */
export function checkQueryLength(length: number, { queryLength }: Limits, pointer?: string): void {
  if (length <= queryLength) return;
  throw new DomainError(
    'query-too-long',
    `${pointer === undefined ? '' : `${pointer}: `}Path and query may have ${queryLength} characters together, not ${length}${optionNote('queryLength')}.`,
    { source: pointer === undefined ? undefined : { pointer } },
  );
}

/** Throws BadParameterError if a query is beyond a limit. */
export function checkLimit(name: QueryLimit, count: number, parameter: string, limits: Limits): void {
  const limit = limits[name];
  if (count > limit) throw beyondLimit(parameter, name, SENTENCES[name](limit, count));
}

type QueryLimit = keyof typeof SENTENCES;

const SENTENCES = {
  parameters: (limit: number) => `A query may have ${limit} parameters at most`,
  conditions: (limit: number) => `A filter may have ${limit} conditions at most`,
  groupDepth: (limit: number) => `Groups may be nested ${limit} deep at most`,
  listValues: (limit: number, count: number) => `A list may have ${limit} values at most, not ${count}`,
  pathDepth: (limit: number, count: number) => `A path may have ${limit} members at most, not ${count}`,
  sortKeys: (limit: number, count: number) => `A query may sort by ${limit} paths at most, not ${count}`,
  facets: (limit: number, count: number) => `A query may have ${limit} facets at most, not ${count}`,
  facetTerms: (limit: number, count: number) => `A facet may have ${limit} terms at most, not ${count}`,
  includePaths: (limit: number, count: number) =>
    `A query may have ${limit} include paths at most, not ${count}`,
  includeDepth: (limit: number, count: number) =>
    `An include path may lead through ${limit} references at most, not ${count}`,
  joins: (limit: number) => `The paths of one query may lead through ${limit} references at most`,
  textComparisons: (limit: number) => `One query may compare bodies with ${limit} values at most`,
  searchWords: (limit: number) => `A query may search for ${limit} words at most`,
};

/** Returns the paths. Throws BadParameterError for too many, too long and invalid ones. */
export function checkIncludePaths(paths: readonly string[], limits: Limits): readonly string[] {
  for (const path of paths) {
    checkLimit('includeDepth', splitMembers(path, 'include').length, 'include', limits);
  }
  checkLimit('includePaths', paths.length, 'include', limits);
  return paths;
}

/** Returns the dotted path. Throws BadParameterError if it is invalid or too long. */
export function checkPath(path: string, parameter: string, limits: Limits): string {
  splitPath(path, parameter, limits);
  return path;
}

/** The members of a dotted path. Throws BadParameterError if it is invalid or too long. */
export function splitPath(path: string, parameter: string, limits: Limits): readonly string[] {
  if (path === '') {
    throw new BadParameterError(
      parameter,
      `${parameter} needs a field path such as 'title' or 'field_author.title'.`,
    );
  }
  const members = splitMembers(path, parameter);
  checkLimit('pathDepth', members.length, parameter, limits);
  return members;
}

function splitMembers(path: string, parameter: string): readonly string[] {
  const members = path.split('.');
  if (!members.includes('')) return members;
  throw new BadParameterError(
    parameter,
    `The path '${path}' has an empty part. Members are separated by single dots.`,
  );
}

/** The end of a message about a limit: the option that changes it, if there is one. */
export function optionNote(name: keyof Limits): string {
  return LIMIT_OPTIONS.some((option) => option === name) ? ` (limits.${name})` : '';
}
