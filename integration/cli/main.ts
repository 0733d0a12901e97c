#!/usr/bin/env node
// Checks the versions of Node, Astro and zod before it imports modules that need them.
const OLDEST = [22, 22] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `astro-jsonapi needs Node ${OLDEST.join('.')} or newer. This is Node ${process.versions.node}. Install a newer one from https://nodejs.org, or run: npx -p node@24 -p astro-jsonapi astro-jsonapi`,
  );
  process.exitCode = 1;
} else {
  await import('../astro/check-peers.ts').catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
  const { createTerminal, runCli } = await import('./run.ts');
  const code = await runCli(process.argv.slice(2), createTerminal());
  // Timers and connections of the site's config must not keep the process running.
  process.stdout.write('', () => process.exit(code));
}
