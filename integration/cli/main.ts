#!/usr/bin/env node
// Nothing that needs a newer Node is imported before its version is known.
const OLDEST = [22, 22] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `astro-jsonapi needs Node ${OLDEST.join('.')} or newer, and this is ${process.versions.node}. Install one from https://nodejs.org, or run it by npx: npx -p node@24 -p astro-jsonapi astro-jsonapi`,
  );
  process.exitCode = 1;
} else {
  const { createTerminal, runCli } = await import('./run.ts');
  const code = await runCli(process.argv.slice(2), createTerminal());
  // What a site's config opened (timers, connections) must not keep the process.
  process.stdout.write('', () => process.exit(code));
}
