export const OPENAPI_PATH = '/jsonapi/openapi.json';
