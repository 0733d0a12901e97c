import { type OpenSite, openSite as open } from './static/site.ts';

/** Opens the snapshot of a site with the features that read content, which are loaded when a request needs them. */
export const openSite: OpenSite = (read) =>
  open(
    read,
    async () => (await import('./reading.ts')).createReadingServer,
    async () => (await import('./reading.ts')).loadDescribeMatches(),
  );
