import { optionValue, variableIn } from '../../core/options/fields.ts';
import type { OpenedFeature, OpeningRuntime, Site } from '../../core/runtime/site.ts';
import { type BuildsDeps, createBuilds } from './builds.ts';
import { createDeployApi } from './deploy-api.ts';
import { createLiveSite } from './live-site.ts';
import type { DeployOptions } from './options.ts';
import { BUILD_FILE } from './routes.ts';
import { createSavedContent } from './saved-content.ts';

/** The state of the published site for editors, and its builds. */
export function openDeploy(
  { site, log, services }: OpeningRuntime,
  options: DeployOptions | undefined,
): OpenedFeature {
  const { settings, now = Date.now } = site;
  const { base, prefix = '' } = settings;
  const address = options && (options.url ?? settings.site);
  const live = address && createLiveSite(new URL(address).origin, base + prefix + BUILD_FILE);
  if (options && !live)
    log.warn(
      "Option deploy: set deploy.url or Astro's site. Without an address, the server cannot read the published site.",
    );
  const saved = createSavedContent(settings.contentDir);
  const how = options && howToBuild(site, options);
  const problem = typeof how === 'string' ? how : undefined;
  if (problem !== undefined) log.warn(`${problem} Builds cannot be started.`);
  const builds =
    typeof how === 'object' &&
    createBuilds({
      how,
      live: async () => (live ? live.build() : 'none'),
      newest: () => saved.newest(services()),
      contains: saved.contains,
      isBusy: () => services().commits?.isBusy() === true,
      log,
      now,
    });
  return {
    handlers: createDeployApi({ live: live || undefined, saved, builds: builds || undefined, problem, now }),
    ...(builds && { close: builds.close }),
  };
}

/** A sentence, if the option cannot be used. Undefined if the site has no way to build. */
function howToBuild(
  { settings, environment = process.env }: Site,
  { hook, command }: DeployOptions,
): BuildsDeps['how'] | string | undefined {
  if (command !== undefined) return { command, folder: settings.root };
  if (hook === undefined) return undefined;
  const url = optionValue(hook, environment);
  const variable = `Option deploy.hook: the environment variable ${variableIn(hook)}`;
  if (url === undefined) return `${variable} is not set.`;
  return /^https?:\/\//.test(url) && URL.canParse(url)
    ? { hook: url }
    : `${variable} is not an http or https URL.`;
}
