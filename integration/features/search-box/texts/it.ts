import type { Texts } from './en.ts';

export const texts: Texts = {
  label: 'Cerca',
  searching: 'Ricerca in corso…',
  results: 'Risultati: {n}',
  all: 'Tutti i risultati ({n})',
  nothing: 'Nessun risultato per «{words}».',
  advice: 'Prova con altre parole o con meno parole.',
  corrected: 'Trovato anche:',
  missing: 'Non trovato: {words}',
  failed: 'Non è stato possibile caricare la ricerca.',
  retry: 'Riprova',
  filter: 'Filtra',
  recent: 'Ricerche recenti',
  clear: 'Cancella',
};
