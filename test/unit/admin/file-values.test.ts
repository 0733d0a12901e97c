import { expect, test } from 'vitest';
import { fileValues } from '../../../admin/src/api/file-values.ts';

test('a form has existing files, and nothing for those that do not exist', () => {
  const image = (id: string) => ({ type: 'file--file', id, meta: { alt: 'The sea' } });
  const missing = { type: 'file--file', id: 'missing', meta: { links: {} } };
  const uri = { value: 'public://sea.png', url: '/sea.png' };
  const relationships = {
    cover: { data: image('a') },
    lost: { data: missing },
    gallery: { data: [missing, image('a')] },
  };
  expect(fileValues(relationships, [{ type: 'file--file', id: 'a', attributes: { uri } }])).toEqual({
    cover: { uri, alt: 'The sea' },
    lost: null,
    gallery: [{ uri, alt: 'The sea' }],
  });
});
