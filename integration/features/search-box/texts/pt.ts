import type { Texts } from './en.ts';

export const texts: Texts = {
  label: 'Pesquisar',
  searching: 'Pesquisando…',
  results: 'Resultados: {n}',
  all: 'Todos os resultados ({n})',
  nothing: 'Nenhum resultado para “{words}”.',
  advice: 'Tente outras palavras ou menos palavras.',
  corrected: 'Também encontrado:',
  missing: 'Não encontrado: {words}',
  failed: 'Não foi possível carregar a pesquisa.',
  retry: 'Tentar novamente',
  filter: 'Filtrar',
  recent: 'Pesquisas recentes',
  clear: 'Limpar',
};
