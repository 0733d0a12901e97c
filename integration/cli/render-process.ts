import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { answerRenderRequests } from '../runtime/render/answer-render-requests.ts';
import { loadConfig } from './find-site.ts';
import { astroRenderer } from './render-body.ts';

/** What the process that renders bodies for `serve --write` runs. Its arguments are the project and its astro.config. */
const [root = '', configFile = ''] = process.argv.slice(2);

await answerRenderRequests(
  async () => astroRenderer(root, configFile === '' ? undefined : await loadConfig(configFile)),
  pathToFileURL(path.join(root, 'package.json')).href,
);
