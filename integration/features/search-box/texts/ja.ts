import type { Texts } from './en.ts';

export const texts: Texts = {
  label: '検索',
  searching: '検索中…',
  results: '検索結果: {n}件',
  all: 'すべての結果を表示（{n}件）',
  nothing: '「{words}」に一致する結果はありません。',
  advice: '別の言葉を使うか、言葉を減らしてください。',
  corrected: '次の語でも見つかりました:',
  missing: '見つからない語: {words}',
  failed: '検索を読み込めませんでした。',
  retry: '再試行',
  filter: '絞り込み',
  recent: '最近の検索',
  clear: '消去',
};
