import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = path.resolve(import.meta.dirname, '..');

/**
 * Pages are written for GitHub: they start with their title, and link to files. The site shows the title itself, and links to
 * pages. Files outside of `docs/` are linked in the repository.
 *
 * @param {string} repository the URL of the files, with a slash at the end
 */
export function pageMarkdown(repository) {
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
function siteUrl(file, url, repository) {
  if (/^(?:[a-z]+:|#|\/)/.test(url)) return undefined;
  const [, linked = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(url) ?? [];
  const target = path.relative(DOCS, path.resolve(path.dirname(file), linked));
  if (target.startsWith('..')) return repository + path.join('docs', target) + anchor;
  if (!target.endsWith('.md')) return undefined;
  return `${path.posix.relative(slugOf(path.relative(DOCS, file)), slugOf(target))}/${anchor}`;
}

function slugOf(file) {
  return file.slice(0, -'.md'.length).replace(/\/index$/, '');
}
