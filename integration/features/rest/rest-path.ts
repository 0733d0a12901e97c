export const REST_PATH = '/api/content';
