import { defineSchema, image, reference, z } from '../../integration/schema.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const quote = z
  .object({
    type: z.literal('quote'),
    text: z.string().meta({ label: { en: 'Quotation', de: 'Zitat' }, widget: 'textarea' }),
    source: reference('person').nullish(),
  })
  .meta({
    label: { en: 'Quote', de: 'Zitat' },
    help: { en: 'Words of another person.', de: 'Worte von jemand anderem.' },
    icon: 'quote',
  });
const picture = z
  .object({ type: z.literal('picture'), file: image(), caption: z.string().nullish() })
  .meta({ label: { en: 'Picture', de: 'Bild' }, icon: 'image' });
const columns = z
  .object({
    type: z.literal('columns'),
    heading: z.string().min(3),
    items: z.array(z.discriminatedUnion('type', [quote, picture])),
  })
  .meta({ label: { en: 'Columns', de: 'Spalten' }, help: 'Blocks beside each other.', icon: 'columns' });
const section = z
  .object({
    type: z.literal('section'),
    heading: z.string(),
    blocks: z.array(z.discriminatedUnion('type', [columns, quote])),
  })
  .meta({ label: { en: 'Section', de: 'Abschnitt' }, icon: '📐' });

const meeting = { en: 'Where we meet', de: 'Treffpunkt' };

/** Three levels of unions, and a field for each widget. */
export const BLOCKS_SCHEMA = defineSchema({
  page: {
    field_teaser: z
      .string()
      .nullish()
      .meta({ label: { en: 'Teaser', de: 'Anreißer' }, placeholder: { en: 'One sentence', de: 'Ein Satz' } }),
    field_kind: z.enum(['article', 'event']).meta({
      label: { en: 'Kind', de: 'Art' },
      help: { en: 'Events have a place.', de: 'Termine haben einen Ort.' },
      choices: { article: { en: 'Article', de: 'Artikel' }, event: { en: 'Event', de: 'Termin' } },
    }),
    field_blocks: z
      .array(z.discriminatedUnion('type', [section, columns, quote]))
      .default([])
      .meta({ label: { en: 'Blocks', de: 'Bausteine' } }),
    field_street: z
      .string()
      .nullish()
      .meta({ group: meeting, width: 'half', when: { field: 'field_kind', is: 'event' } }),
    field_town: z
      .string()
      .nullish()
      .meta({ group: meeting, width: 'half', when: { field: 'field_kind', is: 'event' } }),
    field_spot: z
      .object({ lat: z.number(), lon: z.number() })
      .nullish()
      .meta({ group: meeting, widget: 'location', label: { en: 'Spot', de: 'Stelle' } }),
    field_slug: z.string().nullish().meta({ group: 'Look', widget: 'slug', label: 'Slug' }),
    field_accent: z
      .string()
      .nullish()
      .meta({ group: 'Look', widget: 'color', label: { en: 'Accent', de: 'Akzent' } }),
    field_css: z.string().nullish().meta({ group: 'Look', widget: 'code', language: 'css', label: 'CSS' }),
    field_facts: z
      .record(z.string(), z.string())
      .nullish()
      .meta({ group: 'Look', label: { en: 'Facts', de: 'Fakten' } }),
    field_words: z
      .array(z.string())
      .default([])
      .meta({ group: 'Look', widget: 'tags', label: { en: 'Words', de: 'Wörter' } }),
    field_stars: z
      .int()
      .max(5)
      .nullish()
      .meta({ group: 'Look', widget: 'star-rating', label: { en: 'Stars', de: 'Sterne' } }),
    field_topic: reference('tag')
      .nullish()
      .meta({ group: 'Look', widget: 'tree', label: { en: 'Topic', de: 'Thema' } }),
  },
  person: {},
  tag: { field_parent: reference('tag').nullish() },
});

/** The example of docs/forms.md. */
export const STAR_RATING = `
class StarRating extends HTMLElement {
  #value = 0;
  set value(value) {
    this.#value = value ?? 0;
    this.render();
  }
  get value() {
    return this.#value;
  }
  connectedCallback() {
    this.render();
  }
  render() {
    const stars = [1, 2, 3, 4, 5].map((star) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = star <= this.#value ? '★' : '☆';
      button.ariaLabel = \`\${this.field?.label}: \${star}\`;
      button.ariaPressed = String(star === this.#value);
      button.disabled = this.disabled === true;
      button.onclick = () => {
        this.value = star;
        this.dispatchEvent(new Event('change'));
        this.children[star - 1].focus();
      };
      return button;
    });
    this.replaceChildren(...stars);
  }
}
customElements.define('star-rating', StarRating);
`;

export const HOME = `---
title: Home
field_kind: article
# The blocks of the page.
field_blocks:
  - type: section
    heading: Morning
    blocks:
      # Beside each other.
      - type: columns
        heading: Two voices
        items:
          - type: quote
            text: All dry. # early
            source: jane
          - type: quote
            text: "All wet."
  - type: quote
    text: Wait.
---
`;

export function startBlocksSite(): Promise<WritableSite> {
  return startWritableSite({
    schema: BLOCKS_SCHEMA,
    widgets: { 'star-rating': STAR_RATING },
    content: {
      'page/home.md': HOME,
      'page/other.md': '---\ntitle: Other\nfield_kind: event\n---\n',
      'person/jane.md': '---\ntitle: Jane Low\n---\n',
      'tag/sky.md': '---\ntitle: Sky\n---\n',
      'tag/stars.md': '---\ntitle: Stars\nfield_parent: sky\n---\n',
    },
  });
}
