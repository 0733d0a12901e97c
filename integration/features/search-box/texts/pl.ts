import type { Texts } from './en.ts';

export const texts: Texts = {
  label: 'Szukaj',
  searching: 'Wyszukiwanie…',
  results: 'Wyniki: {n}',
  all: 'Wszystkie wyniki ({n})',
  nothing: 'Brak wyników dla „{words}”.',
  advice: 'Spróbuj użyć innych słów lub mniej słów.',
  corrected: 'Znaleziono też:',
  missing: 'Nie znaleziono: {words}',
  failed: 'Nie udało się wczytać wyszukiwarki.',
  retry: 'Spróbuj ponownie',
  filter: 'Filtruj',
  recent: 'Ostatnie wyszukiwania',
  clear: 'Wyczyść',
};
