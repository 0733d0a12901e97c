import { decimal, defineSchema, image, reference, z } from '../../../../integration/schema.ts';
import type { Files } from '../collect.ts';

/** Every kind of field, alone, in lists and in objects. */
export const oddSchema = defineSchema({
  article: {
    field_text: z.string().nullish(),
    field_count: z.int().nullish(),
    field_share: z.number().nullish(),
    field_price: decimal().nullish(),
    field_lead: z.boolean().nullish(),
    field_day: z.iso.date().nullish(),
    field_when: z.iso.datetime({ offset: true }).nullish(),
    field_utc: z.iso.datetime().nullish(),
    field_author: reference(['person', 'org']).nullish(),
    field_people: z.array(reference('person')).default([]),
    field_tags: z.array(z.string()).default([]),
    field_prices: z.array(decimal()).default([]),
    field_place: z
      .object({
        name: z.string().nullish(),
        lat: z.number().nullish(),
        fee: decimal().nullish(),
        since: z.iso.date().nullish(),
        words: z.array(z.string()).default([]),
        host: reference('person').nullish(),
        spot: z.object({ x: z.int(), y: z.int() }).nullish(),
      })
      .nullish(),
    field_rows: z
      .array(z.object({ item: z.string(), why: z.string().nullish(), n: z.int().nullish() }))
      .default([]),
    field_any: z.unknown(),
    field_cover: image().nullish(),
    type: z.string().nullish(),
  },
  person: {},
  org: {},
});

/** The targets of the odd files. `jane` is a person and an organisation; some ids look like other values. */
export const oddNeighbours: Files = {
  'person/jane.md': '',
  'person/bob.md': '',
  'person/org/x.md': '',
  'person/42.md': '',
  'person/yes.md': '',
  'org/jane.md': '',
  'org/acme.md': '',
  'article/cover.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>',
  'article/deep/cover.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>',
};

/** Valid files with unusual formatting. */
export const oddFiles: Files = {
  'article/plain.md': '---\ntitle: Plain\nfield_tags: [a, b]\n---\nText.\n',
  'article/no-frontmatter.md': '# A heading\n\nText without frontmatter.\n',
  'article/empty.md': '',
  'article/only-blank-lines.md': '\n\n\n',
  'article/no-final-newline.md': '---\ntitle: T\n---\nText',
  'article/nothing-after-fence.md': '---\ntitle: T\nfield_lead: false\n---',
  'article/empty-frontmatter.md': '---\n---\nText.\n',
  'article/comment-only.md': '---\n# nothing yet\n\n---\n\nText.\n',
  'article/windows.md':
    '---\r\ntitle: "Windows"\r\nfield_tags:\r\n  - a # first\r\n  - b\r\nfield_text: |\r\n  one\r\n  two\r\n---\r\n\r\nText.\r\nMore.\r\n',
  'article/byte-order-mark.md': '\ufeff---\ntitle: Mark\n---\n\nText.\n',
  'article/mark-without-frontmatter.md': '\ufeffText.\n',
  'article/fence-with-blanks.md': '---   \ntitle: Blanks\n---  \n\nText.\n',
  'article/named-language.md': '---yaml\ntitle: Named\n---\nText.\n',
  'article/json-frontmatter.md':
    '---json\n{\n  "title": "In JSON",\n  "field_tags": ["a", "b"],\n  "field_place": { "name": "x", "words": [] }\n}\n---\nText.\n',
  'article/blank-lines.md':
    '---\n\ntitle: Spaced\n\n\nfield_tags:\n\n  - a\n\n  - b\n\nfield_count: 1\n\n---\n\n\n\nText.\n\n\n',
  'article/comments.md': `---
# yaml-language-server: $schema=./article.json
title: Commented   # the title

# --- Tags ---
# in order
field_tags:      # of importance
  # most
  - a # really
  # least
  - b
# About the place
field_place:
  # its name
  name: Here # there
  words: [x, y] # z
  fee: 1.50
  # the end
# the very end
---
Text.
`,
  'article/quotes.md':
    "---\ntitle: 'It''s quoted'\nfield_text: \"tab\\tand \\u00e9\"\nfield_tags: ['a', \"b\", c]\nfield_day: '2024-01-12'\nfield_price: '9.50'\n---\nText.\n",
  'article/scalars.md':
    '---\ntitle: 2024\nfield_count: 0x10\nfield_share: 1.50e2\nfield_price: 007.10\nfield_lead: True\nfield_text: ~\nfield_day:\nfield_when: 2024-01-07T12:00:01+01:00\nfield_utc: 2024-01-07T12:00:01Z\nfield_prices: [1.0, "2.00", 3]\n---\nText.\n',
  'article/blocks.md': `---
title: >-
  A long title that
  is folded
field_text: |+
  kept

  lines

field_tags:
- |-
  first
  item
- >
  second
  item
field_any: |2
   indented
---
Text.
`,
  'article/many-lines.md':
    '---\ntitle: A plain title\n  over two lines\nfield_text: "a quoted\n  text \\\n  over three"\nfield_tags:\n  [\n    a, # one\n    b,\n  ]\nfield_place: {\n  name: x,\n  spot: { x: 1, y: 2 }\n  }\n---\nText.\n',
  'article/lists.md': `---
title: Lists
field_tags:
- a
- b
field_people:
    -   jane
    -   person/bob
    - { type: person, id: jane }
    - 42
field_rows:
  - item: one
    why: because # of this
    n: 1
  -
    item: two
  - { item: three, n: 3 }
field_any:
  - - a
    - b
  - - c
  - k: v
    l:
      - 1
---
Text.
`,
  'article/anchors.md': `---
title: &title Shared
field_text: *title
field_place: &place
  name: Here
  spot: &spot { x: 1, y: 2 }
field_any:
  place: *place
  spots: [*spot, *spot]
field_tags: &tags [a, b]
type: *title
---
Text.
`,
  'article/keys.md':
    '---\n"title": Quoted key\n? field_text\n: explicit\nfield_count : 3\ntype: reserved\nfield_any: { "a b": 1, ? c : 2, d }\n---\nText.\n',
  'article/flow-map.md':
    '---\n{ title: All in braces, field_tags: [a], field_place: {name: x} }\n---\nText.\n',
  'article/references.md':
    '---\ntitle: References\nfield_author: org/acme\nfield_people: [jane, "bob", person/42, org/x]\nfield_place: { host: { type: node--person, id: bob } }\nfield_cover: { src: cover.svg, alt: "" }\n---\nText.\n',
  'article/draft.md': '---\ntitle: Draft\ndraft: true\nstatus: true\n---\nText.\n',
  'article/dates.md':
    '---\ntitle: Dates\ncreated: 2024-01-12\nchanged: 1704625201\npath: /dates\nlangcode: de\nuid: jane\nuuid: 00000000-0000-4000-8000-000000000001\nsummary: In short.\n---\nText.\n',
  'article/deep/index.md':
    '---\nid: deep-one\npath: { alias: /deep }\nstatus: 0\nfield_cover: ./cover.svg\n---\n---\n\nText after a rule.\n',
  'article/component.mdx': '---\ntitle: MDX\n---\nimport A from "./a.astro";\n\n<A />\n',
  'article/rows.yaml':
    '# all of it\ntitle: Rows\nfield_rows:\n    - item: a\n      n: 1\n\n    - item: b\nfield_place:\n    spot:\n        x: 1\n        y: 2',
  'article/document.yml': '%YAML 1.2\n---\ntitle: Marked\nfield_tags: []\n',
  'article/nothing.yaml': '# nothing yet\n',
  'article/pretty.json':
    '{\n\t"title": "Pretty",\n\t"field_tags": [\n\t\t"a",\n\t\t"b"\n\t],\n\t"field_rows": [\n\t\t{ "item": "a" },\n\t\t{ "item": "b", "n": 2 }\n\t],\n\t"field_share": 1.50\n}\n',
  'article/compact.json': '{"title":"Compact","field_tags":["a","b"],"field_place":{"spot":{"x":1,"y":2}}}',
  'article/braces.json': '{}\n',
  'article/returns.json': '{\r\n  "title": "W\\u00fc\\/",\r\n  "field_any": {}\r\n}\r\n',
};
