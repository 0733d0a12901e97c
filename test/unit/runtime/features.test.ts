import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ADMINISTRATOR } from '../../../integration/core/access/actor.ts';
import type { OptionShape } from '../../../integration/core/options/option-shape.ts';
import { parseOptions } from '../../../integration/core/options/options.ts';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../../integration/core/runtime/runtime.ts';
import type { Feature } from '../../../integration/core/runtime/site.ts';
import { FEATURES } from '../../../integration/features.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { withDependents } from '../../support/removed-features.ts';
import { TEST_SETTINGS } from '../../support/services.ts';

const ORIGIN = 'https://site.example';
const JSONAPI = 'application/vnd.api+json';
const FILES = {
  'article/moon.md': '---\ntitle: Moon\nauthor: ada\n---\nIt rises.\n',
  'person/ada.md': '---\ntitle: Ada\n---\n',
  'tag/tides.md': '---\ntitle: Tides\n---\n',
};
/** An address of each feature that has some. */
const ADDRESSES: Readonly<Record<string, string>> = {
  rest: '/api/content/articles',
  drupal: '/router/translate-path?path=/node/article/moon',
  openapi: '/jsonapi/openapi.json',
};

let runtime: Runtime | undefined;
afterEach(async () => runtime?.close());

async function open(features: readonly Feature[]) {
  const driver = createMemoryDriver(FILES);
  runtime = await createRuntime(
    { driver, schema: undefined },
    {
      features,
      options: parseOptions({ editing: true }, features),
      settings: { ...TEST_SETTINGS, readOnly: false },
      renderBody: async () => '<p></p>',
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    },
  );
  const { handle, content } = runtime;
  const send = async (path: string, init?: RequestInit) =>
    handle(new Request(ORIGIN + path, init), { actor: ADMINISTRATOR });
  return { driver, content, send };
}

const WITHOUT_ONE = FEATURES.map(({ name }) => ({
  left: withDependents(name),
  features: FEATURES.filter((feature) => !withDependents(name).includes(feature.name)),
}));

describe('a site without a feature', () => {
  test.each([...WITHOUT_ONE, { left: FEATURES.map(({ name }) => name), features: [] }])(
    'loads, answers and writes: $left left out',
    async ({ left, features }) => {
      const { driver, content, send } = await open(features);
      expect(
        (await content.entities('article').where('title', '=', 'moon').all()).map(({ id }) => id),
      ).toEqual(['moon']);
      const list = await send('/jsonapi/node/article?filter[title]=Moon&sort=title');
      expect(list?.status).toBe(200);
      expect(await list?.json()).toMatchObject({ data: [{ id: 'moon' }] });
      const change = { data: { type: 'node--article', id: 'moon', attributes: { title: 'Full moon' } } };
      const changed = await send('/jsonapi/node/article/moon', {
        method: 'PATCH',
        headers: { 'content-type': JSONAPI },
        body: JSON.stringify(change),
      });
      expect(changed?.status).toBe(200);
      expect(new TextDecoder().decode(await driver.read('article/moon.md'))).toBe(
        '---\ntitle: Full moon\nauthor: ada\n---\nIt rises.\n',
      );
      for (const [name, address] of Object.entries(ADDRESSES)) {
        const isLeftOut = left.includes(name);
        const status = (await send(address))?.status;
        expect([name, status === 200]).toEqual([name, !isLeftOut]);
      }
    },
  );

  test('is not opened if another feature needs it', async () => {
    const features = FEATURES.filter(({ name }) => name !== 'operations');
    await expect(open(features)).rejects.toThrow('The feature admin needs the feature operations.');
  });
});

/** Each option of a feature, such as `editing.git`. */
const OPTIONS = FEATURES.flatMap(({ name, options = {} }) =>
  optionNames(options).map((option) => ({ option, feature: name })),
);

describe('an option of a feature', () => {
  test.each(OPTIONS)('is unknown without the feature: $option', ({ option, feature }) => {
    const input = option.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), true);
    const others = FEATURES.filter(({ name }) => name !== feature);
    expect(() => parseOptions(input, others)).toThrow(`Option ${option} is unknown.`);
    expect(() => parseOptions(input, FEATURES)).not.toThrow('is unknown');
  });

  test.each([
    ['webhooks', { webhooks: z.string() }],
    ['editing.git', { editing: { git: z.string() } }],
    ['editing.onDelete', { editing: { onDelete: z.string() } }],
    ['editing', { editing: z.string() }],
    ['cache', { cache: { days: z.number() } }],
  ])('has one owner: %s', (option, options: OptionShape) => {
    const features = [...FEATURES, { name: 'other', options }];
    expect(() => parseOptions({}, features)).toThrow(
      `Option ${option} cannot belong to the feature "other": it has an owner already.`,
    );
  });
});

function optionNames(options: OptionShape): readonly string[] {
  return Object.entries(options).flatMap(([name, field]) =>
    field instanceof z.ZodType ? [name] : optionNames(field).map((inner) => `${name}.${inner}`),
  );
}
