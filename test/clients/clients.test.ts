import { afterAll, beforeAll } from 'vitest';
import { testDocsOfClients } from './docs-clients.ts';
import { testDrupalJsonApiParams } from './drupal-jsonapi-params.ts';
import { testGatsby } from './gatsby.ts';
import { testHowOthersAsk } from './how-others-ask.ts';
import { testJsonApiClient } from './json-api-client.ts';
import { testJsona } from './jsona.ts';
import { testKitsu } from './kitsu.ts';
import { type ClientSite, serveClientSite } from './site.ts';

/** One built site for every client. */
let server: ClientSite;
beforeAll(async () => {
  server = await serveClientSite();
});
afterAll(() => server?.stop());

const origin = () => server.origin;

testDrupalJsonApiParams(origin);
testJsona(origin);
testKitsu(origin);
testJsonApiClient(origin);
testGatsby(origin);
testHowOthersAsk(origin);
testDocsOfClients(origin, () => server.dir);
