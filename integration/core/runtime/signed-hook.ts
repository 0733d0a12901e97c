import { createHmac } from 'node:crypto';

/** At least 24 bytes. */
export const SIGNING_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Signs the body of a webhook. Source: Standard Webhooks 1.0.0. */
export function signedHeaders(secret: string, id: string, body: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}
