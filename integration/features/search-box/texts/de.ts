import type { Texts } from './en.ts';

export const texts: Texts = {
  label: 'Suchen',
  searching: 'Suche läuft …',
  results: 'Treffer: {n}',
  all: 'Alle Treffer ({n})',
  nothing: 'Nichts gefunden für „{words}“.',
  advice: 'Versuchen Sie es mit anderen oder weniger Wörtern.',
  corrected: 'Auch gefunden:',
  missing: 'Nicht gefunden: {words}',
  failed: 'Die Suche konnte nicht geladen werden.',
  retry: 'Noch einmal versuchen',
  filter: 'Filter',
  recent: 'Letzte Suchen',
  clear: 'Löschen',
};
