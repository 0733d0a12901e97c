import type { LiveData, LiveDataOf } from '../../integration/live.ts';
import type { Equal, Expect } from './equal.ts';
import type { Magazine } from './magazine.ts';

type Article = LiveDataOf<Magazine, 'article'>;

export type Live = [
  Expect<Equal<Article['title'], string>>,
  Expect<Equal<Article['field_rating'], number | null>>,
  Expect<Equal<NonNullable<Article['field_editor']>['id'], string>>,
  Expect<Equal<Article['field_tags'][number]['type'], string>>,
  Expect<Equal<LiveDataOf<Magazine, 'unknown'>, LiveData>>,
];
