/**
 * What one query may ask for. A query beyond a limit is a 400 that names it. The length of the whole
 * request target is bounded by `http/limits.ts`.
 */
export const MAX_PARAMETERS = 1000;
/** Characters of one parameter name, brackets included, after decoding. */
export const MAX_KEY_LENGTH = 256;
/** Brackets of one parameter name: `filter[a][condition][value][]` has four. */
export const MAX_BRACKETS = 4;
/** Conditions of one filter, in all groups together. */
export const MAX_CONDITIONS = 100;
/** Groups inside one another; the root is not counted. */
export const MAX_GROUP_DEPTH = 8;
/** Values of one IN or NOT IN list. */
export const MAX_LIST_VALUES = 500;
/** Members of one dotted path, in filters, sorts and includes. */
export const MAX_PATH_DEPTH = 10;
export const MAX_INCLUDE_PATHS = 50;
export const MAX_SORT_KEYS = 10;
/** References that the paths of one query lead through, a polymorphic one counted for each of its targets. */
export const MAX_JOINS = 256;
/** Values that one query compares with texts of any length (bodies), which are read one by one. */
export const MAX_TEXT_COMPARISONS = 50;
/** Entities that one answer includes, or names as left out; any number where everything is asked for on one page. */
export const MAX_INCLUDED = 5000;
/** References that include paths follow for one answer, each as often as a path comes by. */
export const MAX_INCLUDE_REFERENCES = 250_000;
