/** Queries that the build writes as files: `/jsonapi/q/<name>.json`. */
export const prebuild = {
  finder:
    '/node/recipe?sort=title&page[limit]=0&include=tags' +
    '&fields[node--recipe]=title,path,minutes,ingredients,tags&fields[node--tag]=title',
  quick:
    '/node/recipe?filter[minutes][operator]=<=&filter[minutes][value]=30&sort=minutes' +
    '&fields[node--recipe]=title,path,minutes',
};
