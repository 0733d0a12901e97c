import type { Browser, BrowserContext } from 'playwright-core';

/** Cookies to set, with their host. */
export type Cookies = Parameters<BrowserContext['addCookies']>[0];

/** A line to emulate. */
export interface Line {
  readonly kilobitsPerSecond: number;
  /** Milliseconds that are added to each request. */
  readonly latency: number;
}

export const SLOW_LINE: Line = { kilobitsPerSecond: 400, latency: 400 };

/** What a browser with an empty cache loads for a page. */
export interface Load {
  /** Bytes of headers and bodies, as they are sent. */
  readonly bytes: number;
  readonly requests: readonly LoadedRequest[];
  /** Milliseconds from the start of the navigation to the first paint. */
  readonly firstPaint: number;
  /** Milliseconds until the page has the element. */
  readonly ready: number;
}

export interface LoadedRequest {
  readonly url: string;
  readonly bytes: number;
  /** Milliseconds from the start of the navigation. */
  readonly start: number;
  readonly end: number;
}

interface LoadOptions {
  readonly url: string;
  readonly cookies: Cookies;
  /** The element that people wait for. */
  readonly selector: string;
  /** Default: the line of this machine. */
  readonly line?: Line;
}

/** Loads a page with an empty cache, and waits until nothing more is loaded. */
export async function measureLoad(
  browser: Browser,
  { url, cookies, selector, line }: LoadOptions,
): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    await context.addCookies(cookies);
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    const started = new Map<string, { url: string; start: number }>();
    const requests: LoadedRequest[] = [];
    let begin = Number.NaN;
    devTools.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
      if (Number.isNaN(begin)) begin = timestamp;
      started.set(requestId, { url: request.url, start: (timestamp - begin) * 1000 });
    });
    devTools.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
      const request = started.get(requestId);
      if (request === undefined || !request.url.startsWith('http')) return;
      requests.push({ ...request, end: (timestamp - begin) * 1000, bytes: encodedDataLength });
    });
    await devTools.send('Network.enable');
    if (line !== undefined) {
      const throughput = (line.kilobitsPerSecond * 1000) / 8;
      await devTools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: line.latency,
        downloadThroughput: throughput,
        uploadThroughput: throughput,
      });
    }
    await page.addInitScript((wanted) => {
      const look = () => {
        if (document.querySelector(wanted) === null) requestAnimationFrame(look);
        else performance.mark('ready');
      };
      look();
    }, selector);
    await page.goto(url, { waitUntil: 'commit', timeout: 120_000 });
    await page.waitForFunction(() => performance.getEntriesByName('ready').length > 0, undefined, {
      timeout: 120_000,
    });
    await page.waitForLoadState('networkidle', { timeout: 120_000 });
    const times = await page.evaluate(() => ({
      firstPaint: performance.getEntriesByName('first-paint')[0]?.startTime ?? Number.NaN,
      ready: performance.getEntriesByName('ready')[0]?.startTime ?? Number.NaN,
    }));
    return { ...times, requests, bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0) };
  } finally {
    await context.close();
  }
}
