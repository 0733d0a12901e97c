import { objectOf } from '../api/document.ts';
import type { Part } from '../api/schema.ts';
import { type CropView, cropOf, type ImageCrop, viewOf } from './crop.ts';

/** An object that describes a picture: the image, and the properties that say how it is shown. */
export interface PictureParts {
  readonly image: Part;
  /** True if the object has the alternative text itself. */
  readonly hasAlt: boolean;
  /** The names of its properties for a crop. */
  readonly crop: readonly (keyof ImageCrop)[];
  /** The others, such as a caption. */
  readonly others: readonly Part[];
}

/** The crop that a value has beside its image. */
export interface OwnCrop {
  readonly parts: PictureParts['crop'];
  readonly view: CropView;
  save(view: CropView): void;
}

/** Undefined for an object without one image, and without an alternative text or a crop beside it. */
export function pictureIn({ kind, properties, variants }: Part): PictureParts | undefined {
  if (kind !== 'object' || variants !== undefined) return undefined;
  const [image, ...further] = properties.filter((part) => part.kind === 'image');
  if (image === undefined || image.list || further.length > 0) return undefined;
  const own = properties.filter((part) => !part.list && PARTS[part.name]?.(part));
  if (own.length === 0) return undefined;
  const names = own.map(({ name }) => name);
  return {
    image,
    hasAlt: names.includes('alt'),
    crop: CROP_NAMES.filter((name) => names.includes(name)),
    others: properties.filter((part) => part !== image && !own.includes(part)),
  };
}

/** The crop in the value of an object. `onchanges` is called with its properties. */
export function ownCrop(
  parts: OwnCrop['parts'],
  value: unknown,
  onchanges: (changes: Readonly<Record<string, unknown>>) => void,
): OwnCrop {
  const values = objectOf(value);
  const stored = parts.flatMap((name) => ((values[name] ?? null) === null ? [] : [[name, values[name]]]));
  return {
    parts,
    view: viewOf(Object.fromEntries(stored) as ImageCrop),
    save(view) {
      const next = Object.entries(cropOf(view)).filter(([name]) =>
        (parts as readonly string[]).includes(name),
      );
      onchanges(Object.fromEntries(next.map(([name, part]) => [name, rounded(part)])));
    },
  };
}

/** Parts of a picture have four decimals, as in the files of crops. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(4));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]));
}

const CROP_NAMES = ['crop', 'focus', 'rotation'] as const;
const PARTS: Readonly<Record<string, (part: Part) => boolean>> = {
  alt: ({ kind }) => kind === 'string',
  crop: (part) => isMadeOf(part, ['x', 'y', 'width', 'height']),
  focus: (part) => isMadeOf(part, ['x', 'y']),
  rotation: ({ kind }) => kind === 'integer' || kind === 'number',
};

function isMadeOf({ kind, properties }: Part, names: readonly string[]): boolean {
  const present = properties.map(({ name }) => name);
  return (
    kind === 'object' && present.length === names.length && names.every((name) => present.includes(name))
  );
}
