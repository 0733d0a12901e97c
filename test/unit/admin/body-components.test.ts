import { describe, expect, it } from 'vitest';
import type { SiteComponent } from '../../../admin/src/api/markup.ts';
import { componentNamed, importComponent } from '../../../admin/src/body-editor/component-imports.ts';
import {
  componentTagAt,
  type PropValue,
  propChanges,
  writeProp,
} from '../../../admin/src/body-editor/component-tags.ts';

const BAR: SiteComponent = component('Bar', '/src/components/charts/Bar.astro');
const CARD: SiteComponent = component('Card', '/src/components/card.astro');
const ASIDE: SiteComponent = { ...component('Aside', '@astrojs/starlight/components'), named: true };

function component(name: string, from: string): SiteComponent {
  return { name, from, named: false, props: [], content: false };
}

describe('the tag of a component', () => {
  it('has its properties with their values', () => {
    const text = `<Bar title="Tides &amp; moon" open count={3} wide={false} name={'x'} data={[1, "}"]} {...rest} note="&nbsp;" />`;
    const tag = componentTagAt(`a ${text} b`, 2);
    expect(tag).toMatchObject({ from: 2, to: 2 + text.length, name: 'Bar', isClosed: true });
    expect(tag?.attributes.map(({ name, value }) => [name, value])).toEqual([
      ['title', 'Tides & moon'],
      ['open', true],
      ['count', 3],
      ['wide', false],
      ['name', 'x'],
      ['data', undefined],
      ['', undefined],
      ['note', undefined],
    ]);
  });

  it.each(['<bar>', '<Bar', '<Bar a="', '<Bar a={', '<Bar a=b>', '</Bar>', '< Bar>', '<Bar<'])(
    'is not read from %s',
    (text) => {
      expect(componentTagAt(text, 0)).toBeUndefined();
    },
  );

  it.each<[string, Record<string, PropValue | undefined>, string]>([
    ['<Bar title="a" />', { title: 'a' }, '<Bar title="a" />'],
    ["<Bar title='a'  open={true}/>", { title: 'b', open: true }, '<Bar title="b"  open={true}/>'],
    ['<Bar title="a" data={x} />', { title: undefined, size: 2 }, '<Bar data={x} size={2} />'],
    [
      '<Bar>',
      { title: 'say "so" <b>', open: true, off: false },
      '<Bar title="say &quot;so&quot; &lt;b&gt;" open off={false}>',
    ],
    ['<Bar\n  title="a"\n  open\n/>', { open: undefined, title: 'b' }, '<Bar\n  title="b"\n/>'],
  ])('%s with %j changes only these', (text, values, expected) => {
    const tag = componentTagAt(text, 0)!;
    let [changed, shift] = [text, 0];
    for (const { from, to, insert } of propChanges(tag, values)) {
      changed = changed.slice(0, from + shift) + insert + changed.slice(to + shift);
      shift += insert.length - (to - from);
    }
    expect(changed).toBe(expected);
  });

  it('has each text again that is written into it', () => {
    for (const value of ['a "b" \'c\'', '&amp; & &quot;', '<b> {x}', '-1', 'true', '&copy;']) {
      const tag = componentTagAt(`<Bar ${writeProp('a', value)} />`, 0);
      expect(tag?.attributes[0]?.value).toBe(value);
    }
  });

  it.each(['<Bar a', '<Bar {', '<Bar a={{', "<Bar a={'", '<Bar  '])(
    'is read in little time for %j',
    (part) => {
      const start = performance.now();
      componentTagAt(`<Bar ${part.repeat(20_000)}`, 0);
      expect(performance.now() - start).toBeLessThan(1000);
    },
  );
});

describe('the import of a component', () => {
  const added = (mdx: string, each: SiteComponent) => {
    const { name, change } = importComponent(mdx, each);
    const text =
      change === undefined ? mdx : mdx.slice(0, change.from) + change.insert + mdx.slice(change.from);
    return [name, text];
  };

  it.each([
    [
      'is added at the start',
      '# Text',
      BAR,
      'Bar',
      "import Bar from '/src/components/charts/Bar.astro';\n\n# Text",
    ],
    [
      'is added after the others, in their style',
      'import A from "../../src/components/a.astro"\n\n# Text',
      BAR,
      'Bar',
      'import A from "../../src/components/a.astro"\nimport Bar from "../../src/components/charts/Bar.astro"\n\n# Text',
    ],
    [
      'is added with the alias of the others',
      "import A from '@components/a.astro';\nimport B from 'b';\n",
      CARD,
      'Card',
      "import A from '@components/a.astro';\nimport B from 'b';\nimport Card from '@components/card.astro';\n",
    ],
    ['is used as it is', "import Chart from '~/components/charts/Bar.astro';\n", BAR, 'Chart', undefined],
    [
      'gets another name if its name is taken',
      "import Card from './card';\n",
      CARD,
      'Card2',
      "import Card from './card';\nimport Card2 from '/src/components/card.astro';\n",
    ],
    [
      'is added to the braces of its module',
      "import { Tabs, TabItem as Item } from '@astrojs/starlight/components';\n",
      ASIDE,
      'Aside',
      "import { Tabs, TabItem as Item, Aside } from '@astrojs/starlight/components';\n",
    ],
    [
      'is added with braces',
      '',
      ASIDE,
      'Aside',
      "import { Aside } from '@astrojs/starlight/components';\n\n",
    ],
    [
      'is not taken from code of the text',
      "Text\nimport Bar from '/src/components/charts/Bar.astro';\n",
      BAR,
      'Bar',
      "import Bar from '/src/components/charts/Bar.astro';\n\nText\nimport Bar from '/src/components/charts/Bar.astro';\n",
    ],
  ])('%s', (_, mdx, each, name, expected) => {
    expect(added(mdx, each)).toEqual([name, expected ?? mdx]);
  });

  it('decides which component a tag names', () => {
    const all = [BAR, CARD, ASIDE];
    expect(componentNamed("import Chart from '../src/components/charts/Bar.astro';", 'Chart', all)).toBe(BAR);
    expect(componentNamed("import { Aside as Box } from '@astrojs/starlight/components';", 'Box', all)).toBe(
      ASIDE,
    );
    expect(componentNamed('', 'Card', all)).toBe(CARD);
    expect(componentNamed("import Card from './card';", 'Card', all)).toBeUndefined();
    expect(componentNamed('', 'Other', all)).toBeUndefined();
  });
});
