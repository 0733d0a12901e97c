import { afterAll, beforeAll } from 'vitest';
import type { Served } from '../astro/site.ts';
import { testDrupalJsonApiParams } from './drupal-jsonapi-params.ts';
import { testJsonApiClient } from './json-api-client.ts';
import { testJsona } from './jsona.ts';
import { testKitsu } from './kitsu.ts';
import { serveClientSite } from './site.ts';

/** One built site for every client. */
let server: Served;
beforeAll(async () => {
  server = await serveClientSite();
});
afterAll(() => server?.stop());

const origin = () => server.origin;

testDrupalJsonApiParams(origin);
testJsona(origin);
testKitsu(origin);
testJsonApiClient(origin);
