import type { Texts } from './en.ts';

export const texts: Texts = {
  label: 'Zoeken',
  searching: 'Bezig met zoeken…',
  results: 'Resultaten: {n}',
  all: 'Alle resultaten ({n})',
  nothing: 'Niets gevonden voor ‘{words}’.',
  advice: 'Probeer andere of minder woorden.',
  corrected: 'Ook gevonden:',
  missing: 'Niet gevonden: {words}',
  failed: 'Het zoeken kon niet worden geladen.',
  retry: 'Opnieuw proberen',
  filter: 'Filteren',
  recent: 'Recente zoekopdrachten',
  clear: 'Wissen',
};
