import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SatteriProcessorOptions } from '@astrojs/markdown-satteri';

const DOCS = path.resolve(import.meta.dirname, '..');

/**
 * Pages are written for GitHub: they start with their title, and link to files. The site shows the title itself, and links to
 * pages. Files outside of `docs/` are linked in the repository, whose files are below the URL `repository`.
 */
export function pageMarkdown(repository: string): MdastPlugin {
  return ({ fileURL }) => {
    const file = fileURL && fileURLToPath(fileURL);
    if (!file?.startsWith(DOCS + path.sep) || !file.endsWith('.md')) return;
    return {
      name: 'page-markdown',
      heading(node, context) {
        if (node.depth === 1 && context.indexOf(node) === 0) context.removeNode(node);
      },
      link(node, context) {
        const url = siteUrl(file, node.url, repository);
        if (url !== undefined) context.setProperty(node, 'url', url);
      },
    };
  };
}

/** The address of a linked file on the site, relative to the address of the page; undefined for other links. */
function siteUrl(file: string, url: string, repository: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(url)) return undefined;
  const [, linked = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(url) ?? [];
  const target = path.relative(DOCS, path.resolve(path.dirname(file), linked));
  if (target.startsWith('..')) return repository + path.join('docs', target) + anchor;
  if (!target.endsWith('.md')) return undefined;
  return `${path.posix.relative(slugOf(path.relative(DOCS, file)), slugOf(target))}/${anchor}`;
}

function slugOf(file: string): string {
  return file.slice(0, -'.md'.length).replace(/\/index$/, '');
}

type MdastPlugin = NonNullable<SatteriProcessorOptions['mdastPlugins']>[number];
