/** Where the site starts, with a slash at the end. */
export const base = import.meta.env.BASE_URL.replace(/\/?$/, '/');
