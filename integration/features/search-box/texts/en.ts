export const texts = {
  label: 'Search',
  searching: 'Searching…',
  results: 'Results: {n}',
  all: 'All results ({n})',
  nothing: 'Nothing found for “{words}”.',
  advice: 'Try other words, or fewer.',
  corrected: 'Also found:',
  missing: 'Not found: {words}',
  failed: 'The search could not be loaded.',
  retry: 'Try again',
  filter: 'Filter',
  recent: 'Recent searches',
  clear: 'Clear',
};

export type Texts = Readonly<Record<keyof typeof texts, string>>;
