import { existsSync } from 'node:fs';
import path from 'node:path';
import type { JsonapiOptions } from '../../integration/core/options/options.ts';

/** A public repository with content, at a commit. */
export interface Repository {
  /** Owner and name on GitHub. */
  readonly name: string;
  readonly commit: string;
  /** The tool that the content is made for. */
  readonly tool: string;
  /** The folder of the content. Default: the repository itself. */
  readonly content?: string;
  /** The options that the docs advise for this tool. */
  readonly options?: JsonapiOptions;
  /** The first language is the default one. */
  readonly languages?: readonly string[];
  /** An Astro site, which is built as it is, in this folder. */
  readonly site?: string;
  /** Texts of the site's configuration and what replaces them in both builds, because no build may ask another server. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Scripts of the site that write files which its build needs. */
  readonly scripts?: readonly string[];
  /** Text that differs in each build of the site. */
  readonly random?: RegExp;
  /** Packages that the newest Astro asks the site to install. */
  readonly packages?: readonly string[];
  /** Whether the tool itself would hide a file with this frontmatter. Default: `draft: true`. */
  readonly hides?: (frontmatter: string, key: string) => boolean;
}

/** Dates after this day are in the future. */
const TODAY = new Date().toISOString().slice(0, 10);

const flag = (name: string, value: boolean) => new RegExp(`^${name}\\s*[:=]\\s*${value}\\s*(?:#.*)?$`, 'm');
const DRAFT = flag('draft', true);

/** Drafts, scheduled pages and expired pages. */
function hidesLikeHugo(frontmatter: string): boolean {
  const day = (name: string) =>
    new RegExp(`^${name}\\s*[:=]\\s*["']?(\\d{4}-\\d\\d-\\d\\d)`, 'im').exec(frontmatter)?.[1];
  const from = day('publishDate') ?? day('date');
  const until = day('expiryDate');
  return DRAFT.test(frontmatter) || (from ?? '') > TODAY || (until !== undefined && until <= TODAY);
}

function hidesLikeJekyll(frontmatter: string, key: string): boolean {
  const [, dated = ''] = /(?:^|\/)_posts\/(?:.*\/)?(\d{4}-\d\d-\d\d)-/.exec(key) ?? [];
  return flag('published', false).test(frontmatter) || dated > TODAY;
}

const hugo = { tool: 'Hugo', content: 'content', hides: hidesLikeHugo } as const;
const jekyll = { tool: 'Jekyll', hides: hidesLikeJekyll } as const;

/** Repositories with the source of front ends. */
export const NEXT_DRUPAL: Pick<Repository, 'name' | 'commit'> = {
  name: 'chapter-three/next-drupal',
  commit: '269e34f7d8274dbc060681aeb2992b0e9f8a8720',
};

export const GATSBY_STARTER: Pick<Repository, 'name' | 'commit'> = {
  name: 'gatsbyjs/gatsby-starter-drupal-homepage',
  commit: '35fb128e4a62773abfe8a9eff74dac2785449fcf',
};

export const REPOSITORIES: readonly Repository[] = [
  {
    name: 'chrismwilliams/astro-theme-cactus',
    commit: '7b6281c1e98a8a31b5868e2f4bf8f868504e7bf8',
    tool: 'Astro 7',
    content: 'content',
    site: '.',
  },
  {
    name: 'zeon-studio/astroplate',
    commit: '8c4a6dc5732d2e0c3840383d09e35360f645b4a4',
    tool: 'Astro 7',
    content: 'src/content',
    site: '.',
    replaced: { 'fontProviders.google()': "{ name: 'none', resolveFont: () => ({ fonts: [] }) }" },
    random: /astro-swiper-[a-z0-9]+/g,
    scripts: ['scripts/themeGenerator.js', 'scripts/jsonGenerator.js'],
    packages: ['@astrojs/markdown-remark'],
  },
  {
    name: 'withastro/starlight',
    commit: '3999be7cc18b41095d61e3b63d68ff3e6c6c050b',
    tool: 'Starlight',
    content: 'docs/src/content',
    languages: [
      'en',
      'de',
      'es',
      'fr',
      'hi',
      'id',
      'it',
      'ja',
      'ko',
      'pt-br',
      'pt-pt',
      'ru',
      'tr',
      'uk',
      'zh-cn',
      'da',
    ],
    site: 'examples/basics',
  },
  {
    name: 'saicaca/fuwari',
    commit: '415fb97054e57bb85da86e2ca4ea4a1ae7266219',
    tool: 'Astro 5',
    content: 'src/content',
  },
  {
    name: 'markhorn-dev/astro-sphere',
    commit: 'f7e3a40f20e1267d7fbbb7b6dd868df1845e1d82',
    tool: 'Astro 4',
    content: 'src/content',
  },
  {
    name: 'markhorn-dev/astro-nano',
    commit: '66aa017d614828ba5dba02a9e51a1a714850ad31',
    tool: 'Astro 4',
    content: 'src/content',
  },
  {
    name: 'onwidget/astrowind',
    commit: '2e8f6ec459bc7363928f6c3bb1f5ea0c929930c6',
    tool: 'Astro 5',
    content: 'src/data',
  },
  {
    name: 'gohugoio/hugoDocs',
    commit: '1c613349f4220ae84070df25979d720c43e5cfa6',
    ...hugo,
    content: 'content/en',
  },
  {
    name: 'GSA/digitalgov.gov',
    commit: '4979583206d90ff1707b097454a9b169ca9e95e4',
    ...hugo,
    options: { bundles: { archived: '_archived' } },
  },
  {
    name: 'letsencrypt/website',
    commit: 'b89871ef735cbb447f8d72c86146fcc8e62fc4ab',
    ...hugo,
    languages: ['en', 'de', 'es', 'fr', 'ja', 'ko', 'pt-br', 'ru', 'zh-cn', 'zh-tw'],
  },
  {
    name: 'rust-lang/blog.rust-lang.org',
    commit: '0243724c2e50ad2b7ebd3d9dbc7cd88aed7605a3',
    tool: 'Zola',
    content: 'content',
  },
  {
    name: 'getzola/zola',
    commit: 'b2242262b1df3e238b0b70dce3ae3a5bf3a042e9',
    tool: 'Zola',
    content: 'docs/content',
  },
  {
    name: 'jekyll/jekyll',
    commit: '202df571314ba1d18e9fccd81d12aaad4a703c38',
    ...jekyll,
    content: 'docs',
    options: { bundles: { post: '_posts', doc: '_docs', tutorial: '_tutorials' } },
  },
  {
    name: 'ruby/www.ruby-lang.org',
    commit: '76ac65935704caaa1e543cfc8aff0bd6212e4768',
    ...jekyll,
    options: {
      bundles: { news: 'news/_posts', page: '**' },
      ignore: ['README.md', 'CLAUDE.md', 'admin', 'test'],
    },
    languages: [
      'en',
      'bg',
      'de',
      'es',
      'fr',
      'id',
      'it',
      'ja',
      'ko',
      'pl',
      'pt',
      'ru',
      'tr',
      'uk',
      'vi',
      'zh_cn',
      'zh_tw',
    ],
  },
  {
    name: 'github/opensource.guide',
    commit: 'ebc9678e39b55ff5e5c8801d1960904692188e90',
    ...jekyll,
    options: { bundles: { article: '_articles' } },
  },
  {
    name: 'bitcoinops/bitcoinops.github.io',
    commit: '082bd77bb8008b8a31df390d0a515f4b6413b082',
    ...jekyll,
    options: { bundles: { post: '_posts', topic: '_topics' } },
  },
  {
    name: '11ty/eleventy-base-blog',
    commit: 'e37a55c4c4705d7881929de5242ec50448b5eb0b',
    tool: 'Eleventy',
    content: 'content',
  },
  {
    name: 'facebook/react-native-website',
    commit: '2f3a5ac1cd665031313d115e8c940a22a58332e6',
    tool: 'Docusaurus',
    content: 'website',
    options: { bundles: { blog: 'blog' }, ignore: ['versioned_docs', 'static', 'src'] },
  },
  {
    name: 'obsidianmd/obsidian-help',
    commit: 'fa179e91e86eaff5859226cc045c81000d64e3cd',
    tool: 'Obsidian',
    content: 'en',
    options: { bundles: { note: '**' } },
    hides: (frontmatter) => flag('publish', false).test(frontmatter),
  },
  {
    name: 'dendronhq/dendron-site',
    commit: 'fbc07769235bca514f88be79a523311d72c7cafd',
    tool: 'Dendron',
    hides: (frontmatter) => flag('published', false).test(frontmatter),
    content: 'vault',
    options: { bundles: { note: '.' } },
  },
  {
    name: 'decaporg/one-click-hugo-cms',
    commit: '3d692070bd1d379eea5b81ced9a7536215c5e761',
    ...hugo,
    tool: 'Decap',
    content: 'site/content',
  },
  {
    name: 'tinacms/tina-cloud-starter',
    commit: '3c276085dd8b39d9ebf346f8ea257b23f40d5d60',
    tool: 'Tina',
    content: 'content',
  },
  {
    name: 'MicrosoftDocs/PowerShell-Docs',
    commit: '27138b21b41de3e2b43cfcac4a56861ca419d5eb',
    tool: 'DocFX',
    content: 'reference/7.6',
    options: { bundles: { page: '**' } },
  },
];

/** The folder with the repositories, each at `<owner>+<name>`. `npm run fetch:adoption` fills it. */
export const REPOSITORIES_FOLDER =
  process.env.ADOPTION_REPOSITORIES ?? path.join(import.meta.dirname, '../../.cache/repositories');

export function folderOf({ name }: Pick<Repository, 'name'>): string {
  return path.join(REPOSITORIES_FOLDER, name.replace('/', '+'));
}

export function contentFolderOf(repository: Repository): string {
  return path.join(folderOf(repository), repository.content ?? '.');
}

/** The repositories that are there, or those of `ADOPTION_ONLY` (parts of names, with commas). */
export function presentRepositories(): readonly Repository[] {
  const only = process.env.ADOPTION_ONLY?.split(',') ?? [''];
  return REPOSITORIES.filter(
    (repository) => existsSync(folderOf(repository)) && only.some((part) => repository.name.includes(part)),
  );
}

export function hidesFile(
  { hides = (text: string) => DRAFT.test(text) }: Repository,
  frontmatter: string,
  key: string,
) {
  return hides(frontmatter, key);
}
