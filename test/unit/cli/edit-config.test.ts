import { describe, expect, it } from 'vitest';
import { addIntegration, parseConfig } from '../../../integration/cli/edit-config.ts';

function edit(text: string, options = {}, settings = {}): string | undefined {
  const source = parseConfig(text);
  return source && addIntegration(source, options, settings);
}

const CALL = 'jsonapi({ contentDir: "posts" })';

describe('an astro.config gets the integration', () => {
  it.each([
    [
      'without other integrations',
      "import { defineConfig } from 'astro/config';\n\n// https://astro.build/config\nexport default defineConfig({});\n",
      "import { defineConfig } from 'astro/config';\nimport jsonapi from 'astro-jsonapi';\n\n// https://astro.build/config\nexport default defineConfig({\n  integrations: [jsonapi({ contentDir: 'posts' })],\n});\n",
    ],
    [
      'in a list on one line',
      'import mdx from "@astrojs/mdx"\nexport default { site: "https://a.example", integrations: [mdx()] }\n',
      `import mdx from "@astrojs/mdx"\nimport jsonapi from "astro-jsonapi"\nexport default { site: "https://a.example", integrations: [mdx(), ${CALL}] }\n`,
    ],
    [
      'in a list with comments and tabs, whose last item has a comma',
      'import mdx from "@astrojs/mdx";\nexport default {\n\tintegrations: [\n\t\tmdx(), // for charts\n\t\t// the end\n\t],\n};\n',
      `import mdx from "@astrojs/mdx";\nimport jsonapi from "astro-jsonapi";\nexport default {\n\tintegrations: [\n\t\tmdx(), // for charts\n\t\t${CALL},\n\t\t// the end\n\t],\n};\n`,
    ],
    [
      'in a list whose last item has no comma, but a comment',
      'import mdx from "@astrojs/mdx";\nexport default {\n  integrations: [\n    mdx() // for charts\n  ]\n};\n',
      `import mdx from "@astrojs/mdx";\nimport jsonapi from "astro-jsonapi";\nexport default {\n  integrations: [\n    mdx(), // for charts\n    ${CALL}\n  ]\n};\n`,
    ],
    [
      'with Windows line ends',
      'import mdx from "@astrojs/mdx";\r\nexport default {\r\n  integrations: [\r\n    mdx(),\r\n  ],\r\n};\r\n',
      `import mdx from "@astrojs/mdx";\r\nimport jsonapi from "astro-jsonapi";\r\nexport default {\r\n  integrations: [\r\n    mdx(),\r\n    ${CALL},\r\n  ],\r\n};\r\n`,
    ],
    [
      'with types, in a constant and a function',
      'import mdx from "@astrojs/mdx";\nimport type { AstroUserConfig as User } from "astro";\nconst integrations = [mdx()] satisfies unknown[];\nconst config = (): User => ({ integrations });\nexport default config as unknown;\n',
      `import mdx from "@astrojs/mdx";\nimport jsonapi from "astro-jsonapi";\nimport type { AstroUserConfig as User } from "astro";\nconst integrations = [mdx(), ${CALL}] satisfies unknown[];\nconst config = (): User => ({ integrations });\nexport default config as unknown;\n`,
    ],
    [
      'with an empty list',
      "import a from 'a';\nexport default {\n  integrations: [],\n};\n",
      "import a from 'a';\nimport jsonapi from 'astro-jsonapi';\nexport default {\n  integrations: [jsonapi({ contentDir: 'posts' })],\n};\n",
    ],
  ])('%s, and the rest stays as it is', (_title, before, after) => {
    expect(edit(before, { contentDir: 'posts' })).toBe(after);
  });

  it('with settings of Astro after its other settings', () => {
    const before =
      "import a from 'a';\nexport default {\n  site: 'https://a.example', // here\n  integrations: [a()]\n};\n";
    expect(edit(before, {}, { i18n: { defaultLocale: 'en', locales: ['en', 'pt-BR'] } })).toBe(
      "import a from 'a';\nimport jsonapi from 'astro-jsonapi';\nexport default {\n  site: 'https://a.example', // here\n  integrations: [a(), jsonapi()],\n  i18n: { defaultLocale: 'en', locales: ['en', 'pt-BR'] }\n};\n",
    );
  });

  it('with long options on lines of their own', () => {
    const bundles = { news: 'news/_posts', 'node--a-b': '_tutorials', person: "team's" };
    expect(edit('export default {};\n', { contentDir: 'src/articles', bundles })).toContain(
      `integrations: [jsonapi({\n    contentDir: 'src/articles',\n    bundles: { news: 'news/_posts', 'node--a-b': '_tutorials', person: "team's" },\n  })],`,
    );
  });
});

it.each([
  ['that is not an object', 'export default load();\n'],
  ['whose integrations are not a list', 'export default { integrations: all() };\n'],
])('an astro.config %s is left alone', (_title, text) => {
  expect(edit(text)).toBeUndefined();
});

it('the integration is found under the name of its import', () => {
  const text =
    "import api from 'astro-jsonapi';\nexport default { integrations: [other(), api({ api: false })] };\n";
  const call = parseConfig(text)?.call;
  expect(text.slice(call?.start, call?.end)).toBe('api({ api: false })');
});
