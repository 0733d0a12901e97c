import type { ContentFeature } from '../core/api/request.ts';
import { drupalReading } from './drupal/reading.ts';
import { restReading } from './rest/reading.ts';
import type { RespondError, SnapshotServer } from './static/answer.ts';
import { createServer } from './static/handler.ts';
import type { SnapshotServices } from './static/services.ts';

/** The features of a snapshot, for a browser and for a worker. */
export const READING_FEATURES: readonly ContentFeature[] = [drupalReading, restReading];

/** A server with these features. */
export function createReadingServer(services: SnapshotServices, respondError: RespondError): SnapshotServer {
  return createServer(services, READING_FEATURES, respondError);
}
