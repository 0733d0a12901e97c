import type { Roles } from '../../integration/core/access/role.ts';
import type { Services } from '../../integration/core/api/request.ts';
import { fileId } from '../../integration/core/content/file-id.ts';
import { userId } from '../../integration/core/content/user-id.ts';
import { defineSchema, file, image, z } from '../../integration/schema.ts';
import { createMemoryDriver } from './memory-driver.ts';
import { png } from './pictures.ts';
import { createServices } from './services.ts';

const SCHEMA = defineSchema({
  article: { cover: image().nullish(), gallery: z.array(image()).default([]), paper: file().nullish() },
  page: {},
});

const FILES = {
  'article/one.md': `---
title: One
uid: ada
cover: { src: sea.png, alt: The sea }
gallery: [moon.png, sea.png]
paper: { src: menu.pdf, alt: The menu }
---
![Shore](shore.png)
`,
  'article/two.md':
    '---\ntitle: Two\nuid: bob\ncover: moon.png\ngallery: [gone.png, moon.png]\npaper: { src: gone.pdf, alt: The past }\n---\n',
  'article/draft.md': '---\ntitle: Draft\nstatus: false\ncover: secret.png\n---\n',
  'user--user/ada.md': '---\ndisplay_name: Ada Lovelace\nuid: ada\n---\n',
  'user--user/eve.md': '---\ndisplay_name: Eve\nstatus: false\n---\n',
  'page/about.md': '---\ntitle: About\nuid: eve\n---\n![Shore](../article/shore.png)\n',
  'article/sea.png': png(30, 20),
  'article/moon.png': png(40, 20),
  'article/shore.png': png(50, 20),
  'article/secret.png': png(60, 20),
  'article/menu.pdf': '%PDF',
};

const ADA = userId('ada');
const MOON = fileId('content://article/moon.png');

/** A site whose articles have images, documents and owners. */
export function createFileSite(roles: Roles = {}): Promise<Services> {
  const problems = { 'file/missing': 'warning' } as const;
  return createServices(createMemoryDriver(FILES), SCHEMA, { roles, problems });
}

/** Visitors who see the names of accounts. */
export const NAMED_OWNERS: Roles = {
  anonymous: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published', fields: { view: { except: ['path'] } } },
    ],
  },
};

/** Requests about files and owners that find something. */
export const FILE_PATHS: readonly string[] = [
  '/jsonapi/file/file?sort=filename',
  '/jsonapi/file/file?filter[filemime]=image/png&sort=-filesize,filename&page[limit]=2',
  `/jsonapi/file/file/${MOON}`,
  '/jsonapi/node/article?include=cover,gallery,paper&sort=title',
  '/jsonapi/node/article/one?include=cover&fields[file--file]=uri',
  '/jsonapi/node/article/one/gallery',
  '/jsonapi/node/article/one/relationships/gallery',
  `/jsonapi/node/article?filter[cover.id]=${MOON}`,
  `/jsonapi/node/article?filter[gallery.meta.drupal_internal__target_id]=${MOON}`,
  '/jsonapi/node/article?filter[cover.meta.alt]=The sea',
  '/jsonapi/node/article?filter[gallery.id]=missing',
  '/jsonapi/node/article?filter[a][condition][path]=paper&filter[a][condition][operator]=IS NULL',
  '/jsonapi/node/article/two/relationships/gallery',
  '/jsonapi/node/article/two/paper',
  '/jsonapi/node/article?sort=-cover.width',
  '/jsonapi/node/article?include=uid,uid.uid,cover&sort=title',
  '/jsonapi/node/page/about?include=uid',
  '/jsonapi/node/article/one/uid',
  '/jsonapi/node/article/one/relationships/uid',
  '/jsonapi/node/article/two/uid',
  `/jsonapi/user/user/${ADA}`,
  `/jsonapi/node/article?filter[uid.id]=${ADA}`,
  '/jsonapi/node/article?filter[uid.display_name]=Ada Lovelace&include=uid',
  '/jsonapi/node/article?sort=-uid.display_name',
  '/jsonapi/node/article?facetBy=uid.display_name',
  '/jsonapi/node/article?filter[a][condition][path]=uid.id&filter[a][condition][operator]=IS NULL',
];
