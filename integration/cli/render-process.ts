import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { answerRenderRequests } from '../astro/render/answer-render-requests.ts';
import { astroRenderer } from './render-body.ts';
import { loadConfig } from './site.ts';

/** The entry of the process that renders bodies for `serve --write`. Its arguments: the project and its astro.config. */
const [root = '', configFile = ''] = process.argv.slice(2);

await answerRenderRequests(
  async () => astroRenderer(root, configFile === '' ? undefined : await loadConfig(configFile)),
  pathToFileURL(path.join(root, 'package.json')).href,
);
