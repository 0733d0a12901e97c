import type { Texts } from './en.ts';

export const texts: Texts = {
  label: 'Rechercher',
  searching: 'Recherche en cours…',
  results: 'Résultats : {n}',
  all: 'Tous les résultats ({n})',
  nothing: 'Aucun résultat pour « {words} ».',
  advice: 'Essayez d’autres mots, ou moins de mots.',
  corrected: 'Trouvé aussi :',
  missing: 'Introuvable : {words}',
  failed: 'La recherche n’a pas pu être chargée.',
  retry: 'Réessayer',
  filter: 'Filtrer',
  recent: 'Recherches récentes',
  clear: 'Effacer',
};
