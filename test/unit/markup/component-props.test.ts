import { expect, it } from 'vitest';
import { propsOf } from '../../../integration/features/markup/component-props.ts';

it('of a component are those of its type Props', () => {
  const props = propsOf(`
import type { HTMLAttributes } from 'astro/types';
type Size = 'small' | "large" | 3;
/* props: { not: string } */
interface Props extends Omit<HTMLAttributes<'a'>, 'title'> {
  /** What readers see first. @default none */
  title: string;
  size?: Size
  tone:
    | 'calm'
    | 'loud';
  readonly count?: number; open: boolean, closed: true | false
  label: string | undefined
  id: string | number;
  items: readonly string[];
  onclick?: (event: { x: number }) => void;
  'data-x'?: string;
  'client:load'?: boolean;
  render(): string;
  more?: { a: string; b: number };
}
const { title } = Astro.props;
const other: { prop: string } = { prop: 'x' };`);
  expect(props).toEqual([
    { name: 'title', kind: 'string', required: true, description: 'What readers see first.' },
    { name: 'size', kind: 'choice', choices: ['small', 'large', 3] },
    { name: 'tone', kind: 'choice', choices: ['calm', 'loud'], required: true },
    { name: 'count', kind: 'number' },
    { name: 'open', kind: 'boolean', required: true },
    { name: 'closed', kind: 'boolean', required: true },
    { name: 'label', kind: 'string' },
    { name: 'id', kind: 'string', required: true },
    { name: 'items', kind: 'code', required: true },
    { name: 'onclick', kind: 'code' },
    { name: 'data-x', kind: 'string' },
    { name: 'more', kind: 'code' },
  ]);
});

it.each([
  ["type Props = HTMLAttributes<'a'> & { href: string };", ['href']],
  ['export interface Props { a: string }', ['a']],
  ['interface Props { a: string', ['a']],
  ['type Props = Other;', []],
  ['interface Properties { a: string }', []],
  ['type Loop = Loop | Props; interface Props { a: Loop }', ['a']],
  ["const Props = 'interface Props { a: string }';", []],
  ['', []],
])('%s has the properties %j', (source, names) => {
  expect(propsOf(source).map(({ name }) => name)).toEqual(names);
});

it.each(['/*', '{', '|', 'type A = ', "'", 'interface Props {', 'a: b\n'])(
  'takes little time for many times %j',
  (part) => {
    const start = performance.now();
    propsOf(`interface Props { a: ${part.repeat(20_000)}`);
    expect(performance.now() - start).toBeLessThan(2000);
  },
);
