import type { BoundedCache } from '../../core/read/cache-budget.ts';
import type { ImageStyle } from '../../core/read/settings.ts';
import type { SiteSettings } from '../../core/runtime/site.ts';
import { MAX_MEASURED_BYTES, measureImage } from '../../core/storage/file-source.ts';
import { fromBase64 } from '../../core/util/base64.ts';
import { DomainError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { createFairLimiter } from '../../core/util/fair-limiter.ts';
import { errorMessage } from '../../core/util/text.ts';
import { type ImageCrop, type ImageSize, isUncropped, partOf, shownSize } from './crop.ts';
import { cropImage, type Sharp } from './crop-image.ts';
import { styledSize } from './image-links.ts';

/** The part of Astro's image services that is used. Source: Astro, `LocalImageService`. */
export interface ImageService {
  validateOptions?(
    options: TransformOptions,
    config: ImageConfig,
  ): TransformOptions | Promise<TransformOptions>;
  transform(
    bytes: Uint8Array,
    options: TransformOptions,
    config: ImageConfig,
    logger: ServiceLogger,
  ): Promise<{ readonly data: Uint8Array; readonly format: string }>;
}

interface TransformOptions extends ImageSize {
  readonly src: string;
  readonly fit: string;
  readonly position?: string | undefined;
  readonly format: string;
  readonly quality?: number | undefined;
}

type ImageServiceSetting = NonNullable<SiteSettings['imageService']>;

interface ImageConfig {
  readonly service: ImageServiceSetting;
  readonly domains: readonly string[];
  readonly remotePatterns: readonly never[];
}

type ServiceLogger = Readonly<Record<'info' | 'warn' | 'error', (message: string) => void>>;

export interface Original {
  /** Identifies the file and its bytes. */
  readonly tag: string;
  /** Its address, for error messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly shown?: ImageCrop;
  read(): Promise<Uint8Array>;
}

export interface ResizerDeps {
  /** Loads the service, which may be of another kind. */
  readonly loadService: () => Promise<unknown>;
  readonly setting: ImageServiceSetting;
  /** Loads sharp, which crops images. Undefined without it. */
  readonly loadSharp?: (() => Promise<unknown>) | undefined;
  /** Default: none. */
  readonly cache?: BoundedCache<string, Uint8Array>;
  /** Larger originals are not resized. */
  readonly maxPixels: number;
}

export interface Resizer {
  /** Throws an Error if the service does not make one of the formats. */
  check(formats: Iterable<ImageStyle['format']>): Promise<void>;
  /** Throws a DomainError `not-found` if the original cannot be resized, and ServiceUnavailableError if too many requests wait. */
  resize(original: Original, style: ImageStyle): Promise<Uint8Array>;
}

/** Images that are resized at the same time. Each one is in memory without compression. */
const MAX_CONCURRENT = 2;
/** Others that may wait. A build resizes fewer at a time. */
const MAX_WAITING = 200;
const RETRY_AFTER_SECONDS = 5;

/** Resizes images with an image service of Astro. Requests for the same image share one result. */
export function createResizer({ loadService, loadSharp, setting, cache, maxPixels }: ResizerDeps): Resizer {
  const inTurn = createFairLimiter(MAX_CONCURRENT, MAX_WAITING, tooMany);
  const running = new Map<string, Promise<Uint8Array>>();
  const { limitInputPixels } = setting.config;
  const config: ImageConfig = {
    service: {
      ...setting,
      config: {
        ...setting.config,
        // Counts the pixels of all frames.
        limitInputPixels:
          typeof limitInputPixels === 'number' ? Math.min(limitInputPixels, maxPixels) : maxPixels,
      },
    },
    domains: [],
    remotePatterns: [],
  };
  let loading: Promise<ImageService> | undefined;

  function service(): Promise<ImageService> {
    loading ??= loadService().then((loaded) => {
      if (isLocal(loaded)) return loaded;
      throw new Error(
        `Option imageStyles: the image service of the site (${setting.entrypoint}) leaves resizing to a host. Remove image.service from astro.config to use sharp, or set a service that resizes images itself.`,
      );
    });
    return loading;
  }

  async function sharp(original: Original): Promise<Sharp> {
    const loaded = await loadSharp?.();
    if (typeof loaded === 'function') return loaded as Sharp;
    throw cannotResize(original, 'it is cropped, which needs the package sharp');
  }

  async function make(original: Original, style: ImageStyle): Promise<Uint8Array> {
    const loaded = await service();
    if (original.size > MAX_MEASURED_BYTES) throw cannotResize(original, 'it is larger than 64 MB');
    const bytes = await original.read();
    const { width, height } = measureImage(bytes);
    if (width === null || height === null)
      throw cannotResize(original, 'it is damaged, or no image of pixels');
    if (width * height > maxPixels) {
      throw cannotResize(
        original,
        `it has ${width} × ${height} pixels, and limits.imagePixels is ${maxPixels}`,
      );
    }
    const { shown = {} } = original;
    const size = styledSize(style, shownSize(shown, { width, height }));
    const { position, format, quality } = style;
    const covers = style.width !== undefined && style.height !== undefined && style.fit === 'cover';
    // An image is cropped around its focus, if it has one, and else as the style says.
    const isAround = covers && shown.focus !== undefined;
    const part = partOf(shown, { width, height }, isAround ? size : undefined);
    const source =
      isUncropped(shown) && !isAround
        ? bytes
        : await cropImage(await sharp(original), bytes, part, shown, { limitInputPixels: maxPixels }).catch(
            (cause: unknown) => {
              throw cannotResize(original, 'it cannot be cropped', cause);
            },
          );
    const options: TransformOptions = {
      src: original.name,
      ...size,
      // The size has the proportions that the style asks for.
      fit: covers && !isAround ? 'cover' : 'fill',
      format,
      ...(position !== undefined && { position }),
      ...(quality !== undefined && { quality }),
    };
    const valid = (await loaded.validateOptions?.(options, config)) ?? options;
    const { data } = await loaded.transform(source, valid, config, SILENT).catch((cause: unknown) => {
      throw cannotResize(original, 'the image service cannot read it', cause);
    });
    // The service of Astro returns the bytes of an image that it cannot read, and stacks the frames of an animation.
    const made = measureImage(data);
    if (data === source || made.width !== size.width || made.height !== size.height) {
      throw cannotResize(original, `the image service cannot convert it to ${format}`);
    }
    return new Uint8Array(data);
  }

  return {
    async check(formats) {
      await service();
      for (const format of new Set(formats)) {
        const bytes = fromBase64(PIXEL);
        const original = { tag: '', name: '/pixel.png', size: bytes.length, read: async () => bytes };
        await make(original, { width: 1, fit: 'fill', format }).catch((error: Error) => {
          throw new Error(
            `Option imageStyles: the image service of the site (${setting.entrypoint}) cannot make images in the format ${format}: ${errorMessage(error.cause ?? error)}`,
            { cause: error },
          );
        });
      }
    },
    async resize(original, style) {
      const key = JSON.stringify([original.tag, original.shown, style]);
      const cached = cache?.get(key) ?? running.get(key);
      if (cached !== undefined) return cached;
      const made = inTurn(() => make(original, style));
      running.set(key, made);
      try {
        const bytes = await made;
        cache?.set(key, bytes, bytes.byteLength + key.length);
        return bytes;
      } finally {
        running.delete(key);
      }
    },
  };
}

function isLocal(service: unknown): service is ImageService {
  return (
    typeof service === 'object' &&
    service !== null &&
    'transform' in service &&
    typeof service.transform === 'function'
  );
}

/** The cause is not part of the text, because it could name files of the server. */
function cannotResize({ name }: Original, reason: string, cause?: unknown): DomainError {
  return new DomainError('not-found', `The image ${name} cannot be resized: ${reason}.`, { cause });
}

function tooMany(): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'Too many images are being resized. Try again later.',
    RETRY_AFTER_SECONDS,
  );
}

const ignore = () => undefined;
/** `make` checks the result, which says the same as the warnings of a service. */
const SILENT: ServiceLogger = { info: ignore, warn: ignore, error: ignore };

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
