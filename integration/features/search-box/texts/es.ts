import type { Texts } from './en.ts';

export const texts: Texts = {
  label: 'Buscar',
  searching: 'Buscando…',
  results: 'Resultados: {n}',
  all: 'Todos los resultados ({n})',
  nothing: 'No hay resultados para «{words}».',
  advice: 'Pruebe con otras palabras o con menos.',
  corrected: 'También se encontró:',
  missing: 'No se encontró: {words}',
  failed: 'No se pudo cargar la búsqueda.',
  retry: 'Reintentar',
  filter: 'Filtrar',
  recent: 'Búsquedas recientes',
  clear: 'Borrar',
};
