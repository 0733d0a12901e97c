import { describe, expect, it } from 'vitest';
import { createImageOf, type ImageValue } from '../../../integration/astro/image-props.ts';

const imageOf = createImageOf(new Map([['content://a/x.png', async () => ({ default: 'imported' })]]));

const value = (uri: string, size: number | null = 4): ImageValue => ({
  uri: { value: uri, url: `/url/${uri}` },
  width: size,
  height: size,
  alt: null,
});

describe('imageOf', () => {
  it('imports an image beside the content', async () => {
    expect(await imageOf(value('content://a/x.png'))).toEqual({ src: 'imported', alt: '' });
  });

  it('uses the URL of other images, with their dimensions or with inferSize', async () => {
    const added = { src: '/url/content://a/added-later.png', alt: '', width: 4, height: 4 };
    expect(await imageOf(value('content://a/added-later.png'))).toEqual(added);
    const remote = value('https://example.org/x.png', null);
    expect(await imageOf(remote)).toEqual({ src: remote.uri.url, alt: '', inferSize: true });
  });

  it('returns undefined for an empty field', async () => {
    expect(await imageOf(null)).toBeUndefined();
    expect(await imageOf(undefined)).toBeUndefined();
  });
});
