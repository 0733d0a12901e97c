import type { ResourceType } from '../content/model.ts';
import { BadParameterError } from '../util/errors.ts';
import { type Condition, type FilterNode, SEARCH_PATH, type Search } from './ast.ts';
import { beyondLimit } from './limits.ts';
import { type SearchableField, searchableFields } from './store/full-text/searchable.ts';
import { parseSearch, type SearchWords } from './store/full-text/words.ts';
import type { ResolveContext } from './targets.ts';

/** A search bound to a type: the words, and the fields of it that the actor may see. */
export interface SearchNode {
  readonly kind: 'search';
  readonly text: string;
  readonly words: SearchWords;
  readonly fields: readonly SearchableField[];
}

/**
 * The search that a member of a filter is: its own kind, or a condition on the path `fulltext` of a bundle that has
 * no such field. Undefined for every other.
 */
export function searchIn(type: ResourceType, node: FilterNode): Search | Condition | undefined {
  if (node.kind === 'search') return node;
  const asked = node.kind === 'condition' && node.path === SEARCH_PATH && !type.fields.has(SEARCH_PATH);
  return asked ? node : undefined;
}

/** Whether a filter searches anywhere. */
export function hasSearch(type: ResourceType, node: FilterNode): boolean {
  if (node.kind === 'group') return node.members.some((member) => hasSearch(type, member));
  return searchIn(type, node) !== undefined;
}

/** Throws BadParameterError for a search that says nothing, says too much, or finds nothing to search. */
export function resolveSearch(
  type: ResourceType,
  node: Search | Condition,
  context: ResolveContext,
): SearchNode {
  const parameter = node.parameter ?? `filter[${SEARCH_PATH}]`;
  const refuse = (detail: string) => new BadParameterError(parameter, detail);
  if (!context.searchable) throw refuse('Full-text search is off on this site: option search is false.');
  const text = textOf(node);
  if (text === undefined) {
    throw refuse(`A search takes words alone, without an operator: filter[${SEARCH_PATH}]=words.`);
  }
  const words = parseSearch(text);
  const count = words.wanted.length + words.unwanted.length;
  if (count === 0) throw refuse(`A search needs a word: filter[${SEARCH_PATH}]=words.`);
  context.budget.words -= count;
  if (context.budget.words < 0) {
    throw beyondLimit(
      parameter,
      'searchWords',
      `A query may search for ${context.limits.searchWords} words at most`,
    );
  }
  const { access } = context;
  const fields = searchableFields(type).filter(
    ({ name }) => access === null || access.fieldVisible(type, name),
  );
  if (fields.length === 0) throw refuse(`${type.name} has no field that can be searched.`);
  return { kind: 'search', text, words, fields };
}

function textOf(node: Search | Condition): string | undefined {
  if (node.kind === 'search') return node.text;
  const { operator, value } = node;
  return operator === '=' && value !== null && typeof value !== 'object' ? String(value) : undefined;
}
