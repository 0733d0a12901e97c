import { runGit } from '../../core/runtime/run-git.ts';
import type { AstroProject, FeatureTooling } from '../../core/runtime/site.ts';
import type { LiveBuild } from './live-site.ts';
import { BUILD_FILE } from './routes.ts';

export const tooling: FeatureTooling = {
  plugins: (project) => (project.options.deploy === undefined ? [] : [buildFile(project)]),
};

/**
 * Writes the commit and the time of a build into its output. The commit is that of the time at which Astro starts, before
 * the content is read: the build has at least this commit. Outside of a repository, no file is written.
 */
function buildFile(project: AstroProject) {
  const time = new Date().toISOString();
  const { root, prefix = '' } = project.settings();
  const head = runGit(root, ['rev-parse', '--verify', 'HEAD']).then(
    (printed) => printed.trim(),
    () => undefined,
  );
  return {
    name: 'astro-jsonapi:build-file',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    async generateBundle() {
      const commit = await head;
      if (commit === undefined) return;
      const build: LiveBuild = { commit, time };
      this.emitFile({
        type: 'asset',
        fileName: (prefix + BUILD_FILE).slice(1),
        source: `${JSON.stringify(build)}\n`,
      });
    },
  } satisfies NonNullable<ReturnType<NonNullable<FeatureTooling['plugins']>>>[number];
}
