/** The address of the site's start page, with a slash at the end. */
export const base = import.meta.env.BASE_URL.replace(/\/?$/, '/');
