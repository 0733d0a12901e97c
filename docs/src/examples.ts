/** The queries that the site prebuilds, and how "Try a query" introduces them. */
export const examples = [
  {
    name: 'words',
    title: 'Full text: pages about static hosts',
    query: '/node/page?filter[fulltext]=static%20host&page[limit]=5&fields[node--page]=title',
  },
  {
    name: 'latest',
    title: 'The pages that changed last',
    query: '/node/page?sort=-changed&page[limit]=5&fields[node--page]=title,changed',
  },
  {
    name: 'either',
    title: 'A group: “clients” or “Drupal” in the title',
    query:
      '/node/page?filter[any][group][conjunction]=OR&filter[a][condition][path]=title&filter[a][condition][operator]=CONTAINS&filter[a][condition][value]=clients&filter[a][condition][memberOf]=any&filter[b][condition][path]=title&filter[b][condition][operator]=CONTAINS&filter[b][condition][value]=Drupal&filter[b][condition][memberOf]=any&fields[node--page]=title',
  },
  {
    name: 'second-page',
    title: 'Paging: the second five, by title',
    query: '/node/page?sort=title&page[offset]=5&page[limit]=5&fields[node--page]=title',
  },
  {
    name: 'one-page',
    title: 'One page by its id',
    query: '/node/page/options?fields[node--page]=title,created,changed',
  },
];
