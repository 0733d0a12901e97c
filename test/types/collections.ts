import type { ImageMetadata } from 'astro';
import type { CollectionData, ImageOf, ImageProps } from '../../integration/astro/collection-types.ts';
import type { Equal, Expect } from './equal.ts';
import type { entities, Magazine } from './magazine.ts';

type Article = CollectionData<Magazine, 'article'>;
type Renamed = CollectionData<Magazine, 'article', { person: 'people'; topics: 'themes' }>;

export type Fields = [
  Expect<Equal<Article['title'], string>>,
  Expect<Equal<Article['created'], string>>,
  Expect<Equal<Article['field_rating'], number | null>>,
  Expect<Equal<Article['field_price'], string | null>>,
  Expect<Equal<Article['field_species'], string[]>>,
  Expect<Equal<Article['summary'], string | null | undefined>>,
];

export type References = [
  // A required reference may also lead to an entity outside the collection.
  Expect<Equal<Article['field_editor'], Target<'person'> | null>>,
  Expect<Equal<Article['field_tags'], Target<'tag'>[]>>,
  Expect<Equal<Article['field_about'], Target<'person'> | Target<'tag'> | null>>,
  Expect<Equal<Article['field_topic'], Target<'topics'> | null>>,
  Expect<Equal<Renamed['field_editor'], Target<'people'> | null>>,
  Expect<Equal<Renamed['field_topic'], Target<'themes'> | null>>,
  Expect<Equal<Renamed['field_tags'], Target<'tag'>[]>>,
];

export type Images = [
  Expect<Equal<Article['field_cover'], ImageProps | null>>,
  Expect<Equal<ImageProps['src'], ImageMetadata | string>>,
];

type Target<C extends string> = { readonly collection: C; readonly id: string };

declare const article: Article;
declare const imageOf: ImageOf;
declare const first: NonNullable<Awaited<ReturnType<ReturnType<typeof entities<'article'>>['first']>>>;

export async function images(): Promise<ImageProps | undefined> {
  if (first.field_cover !== null) return (await imageOf(first.field_cover)) satisfies ImageProps;
  return imageOf(first.field_cover);
}

// Astro's getEntries does not accept a readonly array.
export const tags: { collection: 'tag'; id: string }[] = article.field_tags;

// @ts-expect-error The body is the entry's own.
export const body = article.body;
// @ts-expect-error The id is the entry's own.
export const id = article.id;
// @ts-expect-error This field does not exist.
export const none = article.field_autor;
// @ts-expect-error A string has no image.
export const wrong = imageOf(first.title);
