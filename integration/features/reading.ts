import type { ContentFeature } from '../core/api/request.ts';
import type { DescribeMatches } from '../core/read/reader.ts';
import { ACCOUNT_ROUTES } from './accounts/routes.ts';
import { ADMIN_ROUTES } from './admin/routes.ts';
import { BIN_ROUTES } from './bin/routes.ts';
import { drupalReading } from './drupal/reading.ts';
import { SUBREQUESTS } from './drupal/routes.ts';
import { GIT_ROUTES } from './git/routes.ts';
import { imageReading } from './images/reading.ts';
import { MCP_ROUTES } from './mcp/routes.ts';
import { OPENAPI_ROUTES } from './openapi/routes.ts';
import { OPERATION_ROUTES } from './operations/routes.ts';
import { restReading } from './rest/reading.ts';
import { JOB_ROUTES } from './rest/routes.ts';
import { search } from './search/feature.ts';
import type { RespondError, SnapshotServer } from './static/answer.ts';
import { createServer } from './static/handler.ts';
import type { SnapshotServices } from './static/services.ts';
import { FILE_ROUTES } from './uploads/routes.ts';

/**
 * The features of a snapshot, for a browser and for a worker. The others have only their routes here, whose requests are sent to
 * the host.
 */
export const READING_FEATURES: readonly ContentFeature[] = [
  drupalReading,
  restReading,
  search,
  imageReading,
  {
    name: 'others',
    routes: [
      SUBREQUESTS,
      ...JOB_ROUTES,
      ...OPERATION_ROUTES,
      ...OPENAPI_ROUTES,
      ...FILE_ROUTES,
      ...BIN_ROUTES,
      ...GIT_ROUTES,
      ...ACCOUNT_ROUTES,
      ...ADMIN_ROUTES,
      ...MCP_ROUTES,
    ],
  },
];

/** Loads what describes the matches of a search; undefined without such a feature. */
export async function loadDescribeMatches(): Promise<DescribeMatches | undefined> {
  return READING_FEATURES.find(({ describeMatches }) => describeMatches)?.describeMatches?.();
}

/** A server with these features. */
export function createReadingServer(services: SnapshotServices, respondError: RespondError): SnapshotServer {
  return createServer(services, READING_FEATURES, respondError);
}
