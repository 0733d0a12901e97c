import { afterAll, beforeAll } from 'vitest';
import { testDocsOfClients } from './docs-clients.ts';
import { testDrupalJsonApiParams } from './drupal-jsonapi-params.ts';
import { testGatsby } from './gatsby.ts';
import { testHowOthersAsk } from './how-others-ask.ts';
import { testJsonApiClient } from './json-api-client.ts';
import { testJsona } from './jsona.ts';
import { testKitsu } from './kitsu.ts';
import { testOpenApiFetch } from './openapi-fetch.ts';
import { testOrbit } from './orbit.ts';
import { type ClientSite, serveClientSite } from './site.ts';
import { testSpraypaint } from './spraypaint.ts';

/** One built site for all clients, served once read-only and once with writing. */
let server: ClientSite;
beforeAll(async () => {
  server = await serveClientSite();
});
afterAll(() => server?.stop());

const origin = () => server.origin;
const writable = { origin: () => server.writable.origin, authorization: () => `Bearer ${server.token}` };

testDrupalJsonApiParams(origin);
testJsona(origin, writable);
testKitsu(origin, writable);
testJsonApiClient(origin, writable);
testOrbit(writable);
testSpraypaint(origin, writable);
testGatsby(origin);
testHowOthersAsk(origin);
testOpenApiFetch(writable, () => server.dir);
testDocsOfClients(origin, writable, () => server.dir);
