/** The pages in the order of the site. A test checks that it has every page once. */
export const sidebar = [
  {
    label: 'Start here',
    items: [
      'getting-started',
      'tutorial',
      'content-model',
      'authoring',
      { label: 'Try a query', link: '/try/' },
    ],
  },
  { label: 'Cookbook', collapsed: true, items: [{ autogenerate: { directory: 'cookbook' } }] },
  {
    label: 'Query',
    items: [
      'query-language',
      'full-text',
      'facets',
      'languages',
      'build-time-api',
      'astro-content-layer',
      'explorer',
      'differences-from-drupal',
    ],
  },
  {
    label: 'Serve',
    items: [
      'http',
      'after-a-change',
      'static-mode',
      'queries-on-a-static-host',
      'clients',
      'decoupled-front-ends',
      'descriptions',
      'performance',
    ],
  },
  {
    label: 'Deploy',
    collapsed: true,
    items: [{ autogenerate: { directory: 'deploy' } }, 'edge', 'hosts-without-a-disk', 'backups'],
  },
  { label: 'Migrate', collapsed: true, items: [{ autogenerate: { directory: 'migrate' } }] },
  {
    label: 'Edit',
    items: [
      'editing-content',
      'admin',
      'writing',
      'bulk-changes',
      'uploads',
      'past-versions',
      'accounts',
      'sign-in',
      'roles',
      'raw-html',
      'edited-files',
      'durability',
      'git',
      'agents',
    ],
  },
  {
    label: 'Reference',
    items: ['options', 'cli', 'errors', 'limits', 'snapshot-format'],
  },
];
